"""gather, scatter, scatter_add, convert and copy, on tensors of any library.

A tensor is anything with DLPack, `__cuda_array_interface__`, the buffer protocol or `__array_interface__`, an array of this
package, or raw memory as `(pointer, shape, dtype[, strides[, device[, read_only[, owner]]]])`. A table is one of these with rows
and columns, or a list of them: its chunks, whose rows are numbered through.
"""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional, Tuple

from . import _abi, _binding, _library, env
from . import context as contexts
from .arrays import Array, empty
from .context import Context
from .errors import Error, InvalidArgument, Unsupported
from .shapes import read_count
from .storage import HOST

BOUNDS: Dict[str, int] = {
    "error": _abi.BOUNDS_ERROR,
    "skip": _abi.BOUNDS_SKIP,
    "zero": _abi.BOUNDS_ZERO,
    "clamp": _abi.BOUNDS_CLAMP,
    "wrap": _abi.BOUNDS_WRAP_NEGATIVE,
    "trust": _abi.BOUNDS_TRUST,
}
_CHOICES: Dict[Optional[bool], int] = {None: _abi.AUTO, False: _abi.NEVER, True: _abi.ALWAYS}
_UINT32 = (1 << 32) - 1
_ZERO = 0  # CPython has one: what equals it and is of another type goes the way on which types are looked at


class Stats(_abi.Stats):
    """What an op did, filled in when it is passed as `stats`: rows moved, bytes_read, bytes_written, bad_rows, first_bad_position
    (-1: none), first_bad_value, scratch_bytes, nanoseconds. On a GPU asking for it waits for the stream."""

    def to_dict(self) -> Dict[str, int]:
        return {
            field[0]: int(getattr(self, field[0])) for field in _abi.Stats._fields_ if field[0] not in ("struct_size", "reserved")
        }

    def __repr__(self) -> str:
        return f"Stats({', '.join(f'{name}={value}' for name, value in self.to_dict().items())})"


def _make_output(
    shape: Tuple[int, ...], dtype: Tuple[int, int, int], device: Tuple[int, int], environment: int, stream: Optional[int]
) -> Array:
    """Where a gather without `out` writes to, when the table's own library brings no allocator."""
    source = env.find(environment) if environment else None
    if source is None and device != HOST:
        raise Unsupported(f"the output would be on device type {device[0]}: pass out, or an environment that allocates there")
    return empty(shape, tuple(dtype), environment=source, device=device, stream=stream)


_binding.set_array_factory(_make_output)

_known: Dict[Tuple[Any, ...], _abi.Options] = {}


def _options(
    bounds: str, deterministic: Optional[bool], streaming: Optional[bool], sort: Optional[bool], threads: int,
    multiprocessors: int, stats: Optional[Stats],
) -> _abi.Options:  # fmt: skip
    """Checked options. Those without statistics are made once and kept: nothing writes into them."""
    if not isinstance(bounds, str) or bounds not in BOUNDS:
        raise InvalidArgument(f"bounds is {bounds!r}; it may be {', '.join(map(repr, BOUNDS))}")
    # What equals an accepted value may be of a type that is refused, so that types are looked at before the key is.
    for name, choice in (("deterministic", deterministic), ("streaming", streaming), ("sort", sort)):
        if not (choice is None or choice is True or choice is False):
            raise InvalidArgument(f"{name} is {choice!r}; it may be None (the library chooses), True or False")
    threads = read_count("threads", threads, _UINT32, "it may be 0 (the default) or a number of them")
    multiprocessors = read_count("multiprocessors", multiprocessors, _UINT32, "it may be 0 (the default) or a number of them")
    key = (bounds, deterministic, streaming, sort, threads, multiprocessors)
    known = _known.get(key) if stats is None else None
    if known is not None:
        return known
    made = _abi.Options(
        bounds=BOUNDS[bounds], deterministic=_CHOICES[deterministic], streaming=_CHOICES[streaming], sorted=_CHOICES[sort],
        threads=threads, multiprocessors=multiprocessors,
    )  # fmt: skip
    if stats is not None:
        if not isinstance(stats, Stats):
            raise InvalidArgument(f"stats is a {type(stats).__name__}; it has to be a gantry.Stats, which the op fills in")
        made.stats = ctypes.cast(ctypes.pointer(stats), ctypes.POINTER(_abi.Stats))
    elif len(_known) < 256:
        _known[key] = made
    return made


def _environment(environment: Optional[env.Environment]) -> int:
    if environment is None:
        return 0
    if not isinstance(environment, env.Environment):
        raise InvalidArgument(f"environment is a {type(environment).__name__}; it has to be a gantry.env.Environment")
    return environment.address


def _context(context: Optional[Context]) -> Context:
    if context is None:
        return contexts.default()
    if not isinstance(context, Context):
        raise InvalidArgument(f"context is a {type(context).__name__}; it has to be a gantry.Context")
    return context


# What a gather with the defaults calls, and the address of the context that it runs on: neither ever changes.
_plain: Optional[Tuple[Any, int]] = None


def _make_plain() -> Tuple[Any, int]:
    global _plain
    _plain = made = (_binding.binding().gather, contexts.default().address)
    return made


def gather(
    table: Any,
    indices: Any,
    out: Any = None,
    *,
    bounds: str = "error",
    stream: Optional[int] = None,
    environment: Optional[env.Environment] = None,
    threads: int = 0,
    streaming: Optional[bool] = None,
    sort: Optional[bool] = None,
    multiprocessors: int = 0,
    stats: Optional[Stats] = None,
    context: Optional[Context] = None,
) -> Any:
    """out[i] = table[indices[i]]; returns `out`.

    `indices`: integers of 32 or 64 bits, of any shape. `out`: as many rows as there are indices; another dtype is converted to
    (floats among each other, integers among each other). None: memory from the table's own library when it has DLPack's exchange
    API (torch does), else a gantry.Array, of the shape of the indices and then the columns.

    `bounds`, for an index outside the table: "error" raises IndexOutOfRange after the other rows have been moved (on a GPU at
    check()), "skip" leaves the row of `out` as it is, "zero" clears it, "clamp" takes the nearest row, "wrap" counts -1 from the end
    as Python does, "trust" checks nothing.

    `stream`: a CUDA stream's address (1: the legacy default stream, 2: the per-thread one); None: the current stream of the
    tensors' library. `threads`, `multiprocessors`: at most; 0: all. `streaming`: stores past the cache; `sort`: in the order of the
    table's rows; None: the library chooses. `stats` is filled in.

    A torch tensor that is passed as `out` is written without autograd noticing (its version does not change); gantry.torch_ext has
    ops that autograd knows.
    """
    if (
        bounds == "error" and threads is _ZERO and multiprocessors is _ZERO and streaming is None and sort is None and environment is None
        and stats is None and context is None
    ):  # fmt: skip
        plain = _plain or _make_plain()
        return plain[0](plain[1], table, indices, out, 0, 0, stream)
    options = _options(bounds, None, streaming, sort, threads, multiprocessors, stats)
    if out is None and bounds == "skip":
        raise InvalidArgument(
            "bounds is 'skip', which leaves rows of the output as they are, and out is None: rows of new memory would be undefined; "
            "pass out, or bounds='zero'"
        )
    return _run(_binding.binding().gather, (table, indices, out), options, environment, stream, context)


def scatter(
    table: Any,
    indices: Any,
    rows: Any,
    *,
    bounds: str = "error",
    stream: Optional[int] = None,
    environment: Optional[env.Environment] = None,
    threads: int = 0,
    deterministic: Optional[bool] = None,
    streaming: Optional[bool] = None,
    multiprocessors: int = 0,
    stats: Optional[Stats] = None,
    context: Optional[Context] = None,
) -> None:
    """table[indices[i]] = rows[i]. Of equal indices the last row wins on the host; on a GPU when `deterministic`. The other
    arguments are as in gather; a row whose index is outside is left out, except under "clamp" and "wrap". A torch tensor as `table` is
    written without autograd noticing (its version does not change); gantry.torch_ext has ops that autograd knows."""
    options = _options(bounds, deterministic, streaming, None, threads, multiprocessors, stats)
    _run(_binding.binding().scatter, (table, indices, rows), options, environment, stream, context)


def scatter_add(
    table: Any,
    indices: Any,
    rows: Any,
    *,
    bounds: str = "error",
    stream: Optional[int] = None,
    environment: Optional[env.Environment] = None,
    threads: int = 0,
    deterministic: Optional[bool] = None,
    multiprocessors: int = 0,
    stats: Optional[Stats] = None,
    context: Optional[Context] = None,
) -> None:
    """table[indices[i]] += rows[i], of equal dtypes. On the host rows are added in the order of the indices, whatever the number of
    threads: bitwise what a loop gives. On a GPU only when `deterministic`; otherwise by atomics. A torch tensor as `table` is written
    without autograd noticing (its version does not change); gantry.torch_ext has ops that autograd knows."""
    options = _options(bounds, deterministic, None, None, threads, multiprocessors, stats)
    _run(_binding.binding().scatter_add, (table, indices, rows), options, environment, stream, context)


def convert(
    source: Any,
    destination: Any,
    *,
    stream: Optional[int] = None,
    environment: Optional[env.Environment] = None,
    threads: int = 0,
    streaming: Optional[bool] = None,
    stats: Optional[Stats] = None,
    context: Optional[Context] = None,
) -> None:
    """destination = source, of one shape, converted to the destination's dtype as gather converts."""
    options = _options("error", None, streaming, None, threads, 0, stats)
    _run(_binding.binding().convert, (source, destination), options, environment, stream, context)


def copy(
    source: Any,
    destination: Any,
    *,
    stream: Optional[int] = None,
    environment: Optional[env.Environment] = None,
    threads: int = 0,
    streaming: Optional[bool] = None,
    stats: Optional[Stats] = None,
    context: Optional[Context] = None,
) -> None:
    """destination = source, of one shape and dtype."""
    options = _options("error", None, streaming, None, threads, 0, stats)
    _run(_binding.binding().copy, (source, destination), options, environment, stream, context)


def _run(
    op: Any,
    tensors: Tuple[Any, ...],
    options: _abi.Options,
    environment: Optional[env.Environment],
    stream: Optional[int],
    context: Optional[Context],
) -> Any:
    memory = _environment(environment)
    own = _context(context)
    try:
        if context is None:
            return op(own.address, *tensors, ctypes.addressof(options), memory, stream)
        with own.using() as address:
            return op(address, *tensors, ctypes.addressof(options), memory, stream)
    except Error as error:
        if environment is not None:
            environment.raise_pending(error)
        raise
    finally:
        if environment is not None:
            environment.raise_interrupt()


def check(device: int = 0, stream: int = _abi.STREAM_PER_THREAD, *, context: Optional[Context] = None) -> None:
    """Waits for a CUDA stream and raises IndexOutOfRange for the first bad index that ops on it have met since the last check."""
    library: Any = _library.load()
    stats = _abi.Stats()
    with _context(context).using() as address:
        status = library.gantry_check(address, device, stream, ctypes.byref(stats))
    if status == _abi.ERROR_INDEX:
        raise library.error(status, stats.first_bad_position, stats.first_bad_value)
    library.check(status)
