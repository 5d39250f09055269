"""Tables in shared memory: made by one process, read or written by others without a copy.

A table without a name lives in anonymous memory (memfd) and travels by its file descriptor: multiprocessing passes it on by
itself, subprocess with `pass_fds=[table.fd]` and shm.attach(fd) in the child. A table with a name lies in /dev/shm until unlink().
"""

from __future__ import annotations

import ctypes
import operator
import os
import stat
from typing import Any, List, NamedTuple, Optional, Tuple, Union

from . import _abi, _library
from .arrays import Table
from .shapes import read_shape
from .dtypes import DType, dtype as read_dtype
from .errors import InvalidArgument, ReadOnly
from .storage import Storage

__all__ = ["Leftover", "SharedTable", "attach", "create", "leftovers", "segments", "unlink"]


class SharedTable(Table):
    """A table whose rows other processes see. Pickled by multiprocessing (spawn, forkserver, queues) it stays the same memory."""

    def __init__(self, storage: Storage, name: Optional[str]) -> None:
        library: Any = _library.load()
        view = _abi.Tensor()
        library.check(library.gantry_segment_view(storage.handle, ctypes.byref(view)))
        super().__init__(
            storage,
            tuple(view.shape[: view.ndim]),
            DType(view.dtype.code, view.dtype.bits, view.dtype.lanes),
            strides=tuple(view.strides[: view.ndim]) if view.strides else None,
            byte_offset=(view.data or 0) + view.byte_offset - storage.data if view.data else 0,
        )
        self.name = name

    def __getitem__(self, rows: slice) -> Table:  # type: ignore[override]
        whole = Table(
            self.storage, self.shape, self.dtype, strides=self.strides, byte_offset=self._address - self.storage.data
        )
        return whole[rows]

    @property
    def fd(self) -> int:
        """The segment's file descriptor, which the table owns."""
        library: Any = _library.load()
        return int(library.gantry_segment_fd(self.storage.handle))

    @property
    def generation(self) -> int:
        """How often publish() was called, by any process."""
        library: Any = _library.load()
        found = ctypes.c_uint64()
        library.check(library.gantry_segment_generation(self.storage.handle, ctypes.byref(found)))
        return found.value

    def publish(self) -> int:
        """Raises the generation by one, after all writes of this thread; returns what it is then."""
        library: Any = _library.load()
        library.check(library.gantry_segment_publish(self.storage.handle))
        return self.generation

    def unlink(self) -> None:
        """Removes the name; attached processes keep the memory."""
        if self.name is None:
            raise InvalidArgument("the table has no name that could be removed: its memory goes with the last process that holds it")
        unlink(self.name)

    def pin(self, context: Any = None) -> None:
        """Makes the rows readable by the GPU at the same address; BackendUnavailable without the CUDA backend."""
        from .context import default

        library: Any = _library.load()
        with (context or default()).using() as address:
            library.check(library.gantry_storage_pin(address, self.storage.handle))

    def __reduce__(self) -> Tuple[Any, ...]:
        from multiprocessing.reduction import DupFd

        return (_rebuild, (DupFd(self.fd), self.name, self.read_only))


def _rebuild(passed: Any, name: Optional[str], read_only: bool) -> SharedTable:
    descriptor = passed.detach()
    try:
        return SharedTable(_attach(None, descriptor, None, read_only), name)
    finally:
        os.close(descriptor)


def _name_bytes(name: str) -> bytes:
    if not isinstance(name, str) or "\0" in name:
        raise InvalidArgument(f"name is {name!r}; it has to be text such as '/gantry-embeddings'")
    try:
        return name.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"name is {name!r}; it has a lone surrogate, which is no character") from None


def create(
    rows: int, columns: int, dtype: Any = "float32", *, name: Optional[str] = None, row_stride: int = 0, exclusive: bool = True
) -> SharedTable:
    """A table of zeros. `name`: "/gantry-...", or None for memory without a name. `row_stride` in elements, 0: `columns`.
    `exclusive`: a segment of that name must not exist yet; False: a name that exists is taken over, and processes that have the
    earlier table keep its memory. The space is reserved at once: SegmentSpaceError when it is not there."""
    library: Any = _library.load()
    sizes, (stride,) = read_shape((rows, columns)), read_shape(row_stride)
    layout = _abi.SegmentLayout(dtype=_abi.Dtype(*read_dtype(dtype)), rows=sizes[0], columns=sizes[1], row_stride=stride)
    handle = ctypes.c_void_p()
    library.check(
        library.gantry_segment_create(
            None if name is None else _name_bytes(name),
            ctypes.byref(layout),
            _abi.SEGMENT_EXCLUSIVE if exclusive and name is not None else 0,
            ctypes.byref(handle),
        )
    )
    return SharedTable(Storage(handle.value or 0), name)


def attach(
    segment: Union[str, int],
    *,
    rows: Optional[int] = None,
    columns: Optional[int] = None,
    dtype: Any = None,
    read_only: bool = False,
) -> SharedTable:
    """The table of a segment, by its name or its file descriptor (which stays the caller's). What is given of `rows`, `columns` and
    `dtype` has to agree, else SegmentLayoutError. `read_only`: writes through this table are refused."""
    expected = None
    if rows is not None or columns is not None or dtype is not None:
        for what, size in (("rows", rows), ("columns", columns)):
            if size is not None and not isinstance(size, bool) and size == 0:
                raise InvalidArgument(f"{what} is 0, with which no table's {what} can be compared; leave {what} out")
        sizes = read_shape((rows or 0, columns or 0))
        expected = _abi.SegmentLayout(rows=sizes[0], columns=sizes[1])
        if dtype is not None:
            expected.dtype = _abi.Dtype(*read_dtype(dtype))
    if isinstance(segment, str):
        return SharedTable(_attach(segment, -1, expected, read_only), segment)
    try:
        descriptor = operator.index(segment)
    except TypeError:
        raise InvalidArgument(f"{segment!r} is neither a segment's name nor a file descriptor") from None
    if not 0 <= descriptor < 1 << 31:
        raise InvalidArgument(f"{descriptor} is no file descriptor")
    return SharedTable(_attach(None, descriptor, expected, read_only), None)


def _attach(name: Optional[str], descriptor: int, expected: Optional[_abi.SegmentLayout], read_only: bool) -> Storage:
    library: Any = _library.load()
    handle = ctypes.c_void_p()
    status = library.gantry_segment_attach(
        None if name is None else _name_bytes(name),
        descriptor,
        None if expected is None else ctypes.byref(expected),
        _abi.SEGMENT_READ_ONLY if read_only else 0,
        ctypes.byref(handle),
    )
    if status == _abi.ERROR_READ_ONLY and descriptor >= 0:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return _attach(None, descriptor, expected, True)  # which tells what it is in place of a segment
        raise ReadOnly(f"descriptor {descriptor} is open for reading only; attach with read_only=True")
    library.check(status)
    return Storage(handle.value or 0)


def unlink(name: str) -> None:
    """Removes a segment's name; attached processes keep the memory."""
    library: Any = _library.load()
    library.check(library.gantry_segment_unlink(_name_bytes(name)))


class Leftover(NamedTuple):
    """A named segment on this machine."""

    name: str
    bytes: int
    creator: int
    creator_alive: bool


def segments() -> List[Leftover]:
    """Every named segment of Gantry's on this machine."""
    library: Any = _library.load()
    found: List[Leftover] = []

    def visit(_user: Any, info: Any) -> int:
        seen = info.contents
        found.append(Leftover(os.fsdecode(seen.name), seen.bytes, seen.creator, bool(seen.creator_alive)))
        return 0

    library.check(library.gantry_segment_list(_abi.VisitFunction(visit), None))
    return found


def leftovers() -> List[Leftover]:
    """Named segments whose creator has ended: nobody may ever remove them. shm.unlink(name) does."""
    return [segment for segment in segments() if not segment.creator_alive]

