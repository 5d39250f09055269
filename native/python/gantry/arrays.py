"""Arrays and tables: memory of Gantry's, or borrowed, that other libraries read without a copy."""

from __future__ import annotations

import ctypes
import operator
from typing import Any, ClassVar, Dict, Optional, Sequence, Tuple, TypeVar, Union

from . import _abi, _values, env
from .dtypes import DType, dtype as read_dtype
from .errors import ClosedError, InvalidArgument, ReadOnly, Unsupported
from .shapes import Shape, byte_size, read_count, read_device, read_shape, row_major
from .storage import HOST, Device, Storage, create

_HOST_TYPES = (_abi.DEVICE_HOST, _abi.DEVICE_CUDA_HOST, _abi.DEVICE_CUDA_MANAGED)
_CUDA_TYPES = (_abi.DEVICE_CUDA, _abi.DEVICE_CUDA_HOST, _abi.DEVICE_CUDA_MANAGED)
_PYBUF_WRITABLE = 1

Self = TypeVar("Self", bound="Array")


class _Address(int):
    """Of an array's gantry_tensor. A binding holds it while an op runs, and with it the memory: an array may be closed meanwhile."""

    tensor: _abi.Tensor
    storage: Storage


class Array:
    """A tensor of one dtype on one device. NumPy, torch, JAX and CuPy read it by DLPack (`torch.from_dlpack(array)`); the memory
    stays as long as any of them holds it, also after close()."""

    # The address stands in a slot, which is read faster than a property and can be emptied by close().
    __slots__ = ("__dict__", "__gantry_tensor__", "__weakref__")
    __gantry_tensor__: int

    ndim_wanted: ClassVar[Optional[int]] = None

    def __init__(
        self, storage: Storage, shape: Shape, dtype: Any, *, strides: Optional[Sequence[int]] = None, byte_offset: int = 0
    ) -> None:
        """A view on a storage; empty(), zeros(), array() and asarray() make arrays. Strides count elements."""
        self.shape: Tuple[int, ...] = read_shape(shape)
        self.dtype: DType = read_dtype(dtype)
        if self.ndim_wanted is not None and len(self.shape) != self.ndim_wanted:
            raise InvalidArgument(f"a {type(self).__name__} has {self.ndim_wanted} dimensions; the shape is {self.shape}")
        self.strides: Tuple[int, ...] = row_major(self.shape) if strides is None else tuple(map(operator.index, strides))
        if len(self.strides) != len(self.shape) or min(self.strides, default=0) < 0:
            raise InvalidArgument(f"strides {self.strides} do not fit the shape {self.shape}: one for each size, not negative")
        size = byte_size(self.shape, self.strides, self.dtype)
        if byte_offset < 0 or byte_offset + size > storage.bytes:
            raise InvalidArgument(
                f"{size} bytes at offset {byte_offset} do not lie in the storage of {storage.bytes} bytes"
            )
        self.device: Device = storage.device
        self.read_only: bool = storage.read_only
        self._address = storage.data + byte_offset
        self._storage: Optional[Storage] = storage
        count = max(len(self.shape), 1)
        self._shape_memory = (ctypes.c_int64 * count)(*self.shape)
        self._strides_memory = (ctypes.c_int64 * count)(*self.strides)
        self._view = _abi.Tensor(
            flags=_abi.TENSOR_READ_ONLY if self.read_only else 0,
            data=self._address or None,
            shape=self._shape_memory,
            strides=self._strides_memory,
            ndim=len(self.shape),
            dtype=_abi.Dtype(*self.dtype),
            device=_abi.Device(*self.device),
        )
        address = _Address(ctypes.addressof(self._view))
        address.tensor, address.storage = self._view, storage
        self.__gantry_tensor__ = address
        self._lent: Optional[Storage] = None

    # What an array is

    @property
    def storage(self) -> Storage:
        found = self._storage
        if found is None:
            raise ClosedError(f"the {type(self).__name__} of shape {self.shape} is closed")
        return found

    @property
    def closed(self) -> bool:
        return self._storage is None

    @property
    def address(self) -> int:
        """Of the first element; 0 when there is none."""
        self.storage  # noqa: B018: refuses a closed array
        return self._address

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def size(self) -> int:
        """How many elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def nbytes(self) -> int:
        """Of the elements, without gaps between rows."""
        return self.size * self.itemsize

    @property
    def contiguous(self) -> bool:
        return self.size == 0 or all(
            size == 1 or have == want for size, have, want in zip(self.shape, self.strides, row_major(self.shape))
        )

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __getitem__(self: Self, rows: slice) -> Self:
        """Some of the first dimension's entries, as a view: `table[10:20]`, `table[::2]`."""
        if not isinstance(rows, slice):
            raise TypeError(f"an array is indexed by a slice of its rows, not by {type(rows).__name__}; use gantry.gather")
        start, stop, step = rows.indices(len(self))
        if step < 1:
            raise InvalidArgument(f"the slice has the step {step}; it has to be positive")
        count = len(range(start, stop, step))
        offset = self._address - self.storage.data + (start * self.strides[0] * self.itemsize if count else 0)
        view = type(self).__new__(type(self))
        Array.__init__(
            view, self.storage, (count, *self.shape[1:]), self.dtype,
            strides=(self.strides[0] * step, *self.strides[1:]), byte_offset=offset,
        )  # fmt: skip
        return view

    def tolist(self) -> Any:
        """The elements as nested lists of Python values; bfloat16 as floats."""
        self._require_host("tolist")
        data = self._address and self.storage and self._gather_bytes()
        return _values.nest(_values.unpack(data or b"", self.dtype), self.shape) if self.size else _empty(self.shape)

    def _gather_bytes(self) -> bytes:
        if self.contiguous:
            return ctypes.string_at(self._address, self.nbytes)
        parts = []

        def walk(address: int, dimension: int) -> None:
            if dimension == self.ndim:
                parts.append(ctypes.string_at(address, self.itemsize))
                return
            for i in range(self.shape[dimension]):
                walk(address + i * self.strides[dimension] * self.itemsize, dimension + 1)

        walk(self._address, 0)
        return b"".join(parts)

    def _require_host(self, what: str) -> None:
        self.storage  # noqa: B018: refuses a closed array
        if self.device[0] not in _HOST_TYPES:
            raise Unsupported(f"{what} reads host memory; the array is on device type {self.device[0]}")

    # Lifetime

    def close(self) -> None:
        """Gives the array's own reference back. Views, tensors and buffers that were made from it keep the memory, and so do ops
        that are running."""
        if self._storage is not None:
            self._storage = None
            del self.__gantry_tensor__

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else ("read-only" if self.read_only else "writable")
        return f"<gantry.{type(self).__name__} shape={self.shape} dtype={self.dtype} device={self.device} {state}>"

    def __getattr__(self, name: str) -> Any:
        if name == "__gantry_tensor__":
            raise ClosedError(f"the {type(self).__name__} of shape {self.shape} is closed")
        if name == "__cuda_array_interface__":
            raise AttributeError("the array is in plain host memory, which a GPU cannot read: it has no __cuda_array_interface__")
        if name == "__array_interface__":
            raise AttributeError("the array is not in host memory: it has no __array_interface__")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # How other libraries read it

    def __dlpack_device__(self) -> Device:
        self.storage  # noqa: B018: refuses a closed array
        return self.device

    def __dlpack__(
        self,
        *,
        stream: Optional[int] = None,
        max_version: Optional[Tuple[int, int]] = None,
        dl_device: Optional[Device] = None,
        copy: Optional[bool] = None,
    ) -> Any:
        """A DLPack capsule: versioned for max_version >= (1, 0), else legacy, which cannot carry read-only memory. `stream`: on host
        memory None; on a GPU work of the array's ops has to be ordered before it by the caller."""
        from . import _capsule

        storage = self.storage
        if dl_device is not None and tuple(dl_device) != self.device:
            raise BufferError(f"the array is on device {self.device} and is not copied to device {tuple(dl_device)}")
        if stream is not None and self.device[0] not in _CUDA_TYPES:
            raise BufferError(f"stream is {stream!r}; for host memory it has to be None")
        versioned = max_version is not None and max_version[0] >= 1
        if copy:
            twin = self.copy()
            return _capsule.export(twin.storage.handle, twin._view, versioned, True)
        return _capsule.export(storage.handle, self._view, versioned, False)

    def copy(self) -> Array:
        """New memory of the same shape and dtype, without gaps, with the same elements."""
        from . import ops

        self._require_host("copy")
        twin = empty(self.shape, self.dtype)
        if self.size:
            ops.copy(self, twin)
        return twin

    def __copy__(self) -> Array:
        """An array of its own on the same memory."""
        kind = Table if isinstance(self, Table) else Array
        return kind(
            self.storage, self.shape, self.dtype, strides=self.strides, byte_offset=self._address - self.storage.data
        )

    def __deepcopy__(self, _memo: Any) -> Array:
        """New memory of this process with the same elements, also of a shared table."""
        twin = self.copy()
        return Table(twin.storage, twin.shape, twin.dtype) if isinstance(self, Table) else twin

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} cannot be pickled: its memory is this process's. A table of gantry.shm.create can, as a whole: "
            "multiprocessing passes it on without a copy; tolist() gives the values of any array"
        )

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        if self.device[0] not in _HOST_TYPES:
            raise AttributeError
        return {**self._interface("__array_interface__"), "version": 3}

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        if self.device[0] not in _CUDA_TYPES:
            raise AttributeError
        # No work of Gantry's own is pending on any stream that the array knows of.
        return {**self._interface("__cuda_array_interface__"), "version": 3, "stream": None}

    def _interface(self, name: str) -> Dict[str, Any]:
        self._lent = self.storage  # the reader holds this object only: close() must not take the memory from it
        typestr = self.dtype.typestr
        if typestr is None:
            raise Unsupported(f"{name} has no type string for {self.dtype}; use DLPack (__dlpack__), which has one")
        return {
            "shape": self.shape,
            "typestr": typestr,
            "data": (self._address if self.size else 0, self.read_only),
            "strides": None if self.contiguous else tuple(stride * self.itemsize for stride in self.strides),
        }

    def buffer(self) -> memoryview:
        """The elements as a memoryview of the array's shape and format: host memory without gaps. It keeps the memory. From Python
        3.12 on memoryview(array) is the same."""
        self._require_host("buffer")
        form = self.dtype.format
        if not self.contiguous:
            raise BufferError(f"the rows of the array have gaps (strides {self.strides}); NumPy reads it by __array_interface__")
        block = (ctypes.c_char * max(self.nbytes, 1)).from_address(self._address) if self.size else bytearray(1)
        if not isinstance(block, bytearray):
            block.owner = self.storage  # type: ignore[attr-defined]
        flat: Any = memoryview(block).cast("B")[: self.nbytes]
        if form not in (None, "B"):
            try:
                flat = flat.cast(form)
            except (ValueError, NotImplementedError):
                form = None
        if form is None:
            raise BufferError(f"the buffer protocol of this Python has no format for {self.dtype}; use DLPack")
        if self.size and self.ndim != 1:
            flat = flat.cast("B").cast(form, self.shape)
        view: memoryview = flat.toreadonly() if self.read_only else flat
        return view

    def __buffer__(self, flags: int) -> memoryview:
        if flags & _PYBUF_WRITABLE and self.read_only:
            raise ReadOnly(f"the array of shape {self.shape} is read-only")
        return self.buffer()


def _empty(shape: Sequence[int]) -> Any:
    """Nested lists of a shape in which a size is zero."""
    return [] if shape[0] == 0 else [_empty(shape[1:]) for _ in range(shape[0])]


class Table(Array):
    """Rows of one dtype and width: an array of two dimensions whose columns lie side by side. A row is what gather moves."""

    ndim_wanted = 2

    @property
    def rows(self) -> int:
        return self.shape[0]

    @property
    def columns(self) -> int:
        return self.shape[1]

    @property
    def row_stride(self) -> int:
        """From a row to the next, in elements."""
        return self.strides[0]


def _make(
    shape: Shape, dtype: Any, environment: Optional[env.Environment], device: Union[str, Device], alignment: int,
    stream: Optional[int], zero: bool,
) -> Tuple[Storage, Tuple[int, ...], DType]:  # fmt: skip
    sizes, element, place = read_shape(shape), read_dtype(dtype), read_device(device)
    boundary = read_count("alignment", alignment, 1 << 63, "it has to be a power of two, at most 2^63")
    if boundary & (boundary - 1):
        raise InvalidArgument(f"alignment is {alignment!r}; it has to be a power of two")
    if stream is None and place[0] == _abi.DEVICE_CUDA:
        raise InvalidArgument(
            f"stream is None for memory on device {place}: memory of a GPU is ordered by a stream; pass stream=1 (the legacy default "
            "stream), stream=2 (the per-thread one) or a stream's address"
        )
    size = byte_size(sizes, row_major(sizes), element)
    source = env.default() if environment is None else environment
    try:
        storage = create(source.address, size, boundary, place, stream, zero, source)
    except Exception as error:
        source.raise_pending(error)
        raise
    env.keep_for_arrays(source.address)
    source.raise_interrupt()
    return storage, sizes, element


def empty(
    shape: Shape,
    dtype: Any = "float32",
    *,
    environment: Optional[env.Environment] = None,
    device: Union[str, Device] = HOST,
    alignment: int = 0,
    stream: Optional[int] = None,
) -> Array:
    """An array with unspecified contents. `environment`: None is the process's cached one (host memory); `alignment` in bytes, 0: 64;
    `stream`: on a device the one that the memory is used on."""
    return Array(*_make(shape, dtype, environment, device, alignment, stream, False))


def zeros(
    shape: Shape, dtype: Any = "float32", *, environment: Optional[env.Environment] = None, alignment: int = 0
) -> Array:
    """An array of zeros in host memory."""
    return Array(*_make(shape, dtype, environment, HOST, alignment, None, True))


def array(values: Any, dtype: Any = None, *, environment: Optional[env.Environment] = None) -> Array:
    """An array of nested lists of numbers. `dtype` None: int64 when all are integers, else float32."""
    elements = _values.flatten(values)
    if dtype is None:
        dtype = "int64" if elements and all(isinstance(element, int) for element in elements) else "float32"
    element = read_dtype(dtype)
    data = _values.pack(elements, element)
    made = empty(_values.shape_of(values), element, environment=environment)
    if data:
        ctypes.memmove(made.address, data, len(data))
    return made


def table(
    rows: int, columns: int, dtype: Any = "float32", *, row_stride: int = 0, environment: Optional[env.Environment] = None
) -> Table:
    """A table of zeros in host memory. `row_stride` in elements, 0: `columns`."""
    sizes, element = read_shape((rows, columns)), read_dtype(dtype)
    (stride,) = read_shape(row_stride)
    stride = stride or sizes[1]
    if stride < sizes[1]:
        raise InvalidArgument(f"row_stride is {stride}, less than the {sizes[1]} columns")
    storage, _, _ = _make(byte_size(sizes, (stride, 1), element), "uint8", environment, HOST, 0, None, True)
    return Table(storage, sizes, element, strides=(stride, 1))
