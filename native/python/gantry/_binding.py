"""The one door through which Python ops reach the C ABI, and the choice between the two implementations of it.

Tensor-like arguments are what `gantry._tensors` reads: objects with DLPack's exchange API, `__dlpack__`,
`__cuda_array_interface__`, the buffer protocol or `__array_interface__`, objects of this package (`__gantry_tensor__`), and raw
tuples `(pointer, shape, dtype[, strides[, device[, read_only[, owner]]]])`.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Protocol, Sequence, Tuple, Union

TensorLike = Any
TableLike = Union[TensorLike, Sequence[TensorLike]]

# (shape, (code, bits, lanes), (device type, device id), environment, stream) -> an object with `__gantry_tensor__`
ArrayFactory = Callable[[Tuple[int, ...], Tuple[int, int, int], Tuple[int, int], int, Optional[int]], Any]


class Binding(Protocol):
    """Ops of the C ABI. Arguments are positional.

    `context` is the address of a gantry_context. `table` is one tensor-like, or a list or tuple of them: the table's chunks.
    `options` and `environment` are addresses of a gantry_options and a gantry_environment, or 0. `stream` is a CUDA stream's
    address (1: legacy default, 2: per thread), or None: the producer's current stream, where a tensor brings one.

    A failure raises what `gantry.errors.error_for` makes of the status; an argument that cannot be read as a tensor raises
    TypeError, ValueError or BufferError with the argument's name. The GIL is released during an op that moves much memory or that
    has an environment.
    """

    name: str

    def gather(self, context: int, table: TableLike, indices: TensorLike, out: Optional[TensorLike], options: int,
               environment: int, stream: Optional[int], /) -> Any:
        """out[i] = table[indices[i]]; returns `out`. None: memory of the table's own library, when its type has DLPack's exchange
        API, else of the registered array factory; its shape is the indices' and then the table's columns."""

    def scatter(self, context: int, table: TableLike, indices: TensorLike, rows: TensorLike, options: int, environment: int,
                stream: Optional[int], /) -> None:
        """table[indices[i]] = rows[i]"""

    def scatter_add(self, context: int, table: TableLike, indices: TensorLike, rows: TensorLike, options: int,
                    environment: int, stream: Optional[int], /) -> None:
        """table[indices[i]] += rows[i]"""

    def convert(self, context: int, source: TensorLike, destination: TensorLike, options: int, environment: int,
                stream: Optional[int], /) -> None:
        """destination = source, of another dtype"""

    def copy(self, context: int, source: TensorLike, destination: TensorLike, options: int, environment: int,
             stream: Optional[int], /) -> None:
        """destination = source, of one dtype"""

    def set_array_factory(self, factory: Optional[ArrayFactory], /) -> None:
        """What makes gather's output where the table's type brings no allocator; None: such a gather without `out` is refused."""

    def forget_types(self) -> None:
        """Empties the memory of how objects of a type are read: for a type whose protocols were changed after its first use."""


_chosen: Optional[Binding] = None
_factory: Optional[ArrayFactory] = None


def set_array_factory(factory: Optional[ArrayFactory]) -> None:
    """Registers the factory with the active binding, now or when it is chosen."""
    global _factory
    _factory = factory
    if _chosen is not None:
        _chosen.set_array_factory(factory)


def load(name: str) -> Binding:
    """The binding of that name ("ctypes" or "abi3"); ImportError or gantry.errors.AbiMismatch when it cannot be had."""
    if name == "ctypes":
        from gantry import _ctypes
        return _ctypes.load()
    if name == "abi3":
        from gantry import _abi3
        return _abi3.load()
    raise ValueError(f"GANTRY_BINDING is {name!r}; it may be 'ctypes' or 'abi3'")


def binding() -> Binding:
    """The active binding: what GANTRY_BINDING names, else abi3 where it can be imported, else ctypes."""
    global _chosen
    if _chosen is None:
        wanted = os.environ.get("GANTRY_BINDING", "")
        if wanted:
            chosen = load(wanted)
        else:
            try:
                chosen = load("abi3")
            except ImportError:
                chosen = load("ctypes")
        chosen.set_array_factory(_factory)
        _chosen = chosen
    return _chosen
