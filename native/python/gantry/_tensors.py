"""Reads tensor-like objects: which protocol an object is read by, and what is refused whatever the protocol.

The order: `__gantry_tensor__` (this package's objects), DLPack's exchange API (borrowed, without capsules), `__dlpack__`,
`__cuda_array_interface__`, the buffer protocol, `__array_interface__`; a tuple is raw memory. The order is looked up once for each
type.
"""

from __future__ import annotations

import ctypes
import weakref
from ctypes import POINTER, c_int64
from typing import Any, Callable, Dict, List, Optional, Tuple

from gantry import _abi, _dlpack, _interfaces

NATIVE_ATTRIBUTE = "__gantry_tensor__"

# In place of null, which asks for memory where a gantry_tensor is an output: an object without elements needs none.
_NOTHING = (ctypes.c_char * 128)()
_NOTHING_ADDRESS = (ctypes.addressof(_NOTHING) + 63) // 64 * 64

_INTEGERS = tuple(c_int64 * max(count, 1) for count in range(_abi.MAX_DIMENSIONS + 1))


class View:
    """A gantry_tensor, and what keeps its memory until close().

    `stream` is the CUDA stream on which the producer's work on the memory is ordered, where it named one. `must_wait`: the
    producer's protocol asks that work on another stream waits for it.
    """

    __slots__ = ("tensor", "address", "shape", "strides", "dtype", "device", "read_only", "stream", "must_wait", "_keep",
                 "_release", "__weakref__")

    def __init__(self, pointer: int, shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]], dtype: Tuple[int, int, int],
                 device: Tuple[int, int], read_only: bool, keep: Any, release: Optional[Callable[[], None]],
                 stream: Optional[int] = None, must_wait: bool = False) -> None:
        self._release = release
        dimensions = len(shape)
        kind = _INTEGERS[dimensions] if dimensions < len(_INTEGERS) else c_int64 * dimensions
        sizes = kind(*shape)
        steps = kind(*strides) if strides is not None else None
        # Member by member and without casts: this is most of what a call with small tensors costs.
        self.tensor = tensor = _abi.Tensor()
        if read_only:
            tensor.flags = _abi.TENSOR_READ_ONLY
        tensor.data = pointer
        tensor.shape = sizes
        tensor.strides = steps
        tensor.ndim = dimensions
        tensor.dtype = dtype
        tensor.device = device
        self.address = ctypes.addressof(self.tensor)
        self.shape, self.strides, self.dtype, self.device, self.read_only = shape, strides, dtype, device, read_only
        self.stream, self.must_wait = stream, must_wait
        self._keep: Any = (keep, sizes, steps)

    def close(self) -> None:
        """Gives the memory back to its producer; further calls do nothing."""
        release, self._release = self._release, None
        if release is not None:
            release()
        self._keep = None

    def __del__(self) -> None:
        self.close()


class _Kind:
    """How objects of one type are read."""

    __slots__ = ("route", "api", "has_gradient", "has_negation", "versioned")

    def __init__(self, kind: type) -> None:
        self.api: Optional[_dlpack.ExchangeApi] = None
        self.versioned = True
        self.has_gradient = hasattr(kind, "requires_grad")
        self.has_negation = hasattr(kind, "is_neg")
        if hasattr(kind, NATIVE_ATTRIBUTE):
            self.route = _read_native
            return
        self.api = _dlpack.exchange_api(kind)
        if self.api is not None:
            self.route = _read_exchange
        elif hasattr(kind, "__dlpack__"):
            self.route = _read_capsule
        elif issubclass(kind, tuple):
            self.route = _read_raw
        else:
            self.route = _read_interface


_kinds: "weakref.WeakKeyDictionary[type, _Kind]" = weakref.WeakKeyDictionary()


def kind_of(value: Any) -> _Kind:
    found = _kinds.get(type(value))
    if found is None:
        found = _kinds[type(value)] = _Kind(type(value))
    return found


def forget_types() -> None:
    """Empties the memory of how objects of a type are read."""
    _kinds.clear()


def read(value: Any, name: str, write: bool = False, stream: Optional[int] = None, retain: bool = False) -> View:
    """A view of a tensor-like object; `name` stands in the texts. `write`: a copy in place of the object's memory is refused.
    `retain`: the view outlives this call of the caller, so that the producer is asked to keep the memory, not only to lend it."""
    kind = kind_of(value)
    return kind.route(value, name, kind, write, stream, retain)


def is_chunked(value: Any) -> bool:
    """Whether a table is given as chunks: a list, or a tuple that does not begin with an integer."""
    return isinstance(value, list) or (isinstance(value, tuple) and not (value and isinstance(value[0], int)))


def read_table(value: Any, name: str, write: bool = False, stream: Optional[int] = None) -> List[View]:
    """The chunks of a table: one tensor-like object, or a list or tuple of them."""
    if not is_chunked(value):
        return [read(value, name, write, stream)]
    if not value:
        raise ValueError(f"{name} is an empty {type(value).__name__}; a table has at least one chunk")
    views: List[View] = []
    try:
        for position, chunk in enumerate(tuple(value)):
            views.append(read(chunk, f"{name}[{position}]", write, stream))
    except BaseException:
        for view in views:
            view.close()
        raise
    return views


def _finish(view: View, value: Any, name: str, kind: Any) -> View:
    """What no protocol checks for all objects: memory that is missing, and values that are not what the memory holds."""
    try:
        if view.tensor.data is None:
            elements = 1
            for extent in view.shape:
                elements *= extent
            if elements:
                raise BufferError(f"{name}: the {type(value).__name__} has {elements} elements and no memory (its pointer is null), "
                                  "as tensors have that only record what is done to them")
            view.tensor.data = _NOTHING_ADDRESS
            view.tensor.byte_offset = 0
        code = view.dtype[0]
        if code in (_abi.CODE_FLOAT, _abi.CODE_BFLOAT, _abi.CODE_COMPLEX):
            if kind.has_gradient and value.requires_grad:
                raise BufferError(f"{name}: the {type(value).__name__} requires a gradient, which operations here do not record; "
                                  f"pass {name}.detach()")
            if kind.has_negation:
                _refuse_pending(value, name, code, view)
    except BaseException:
        view.close()
        raise
    return view


def _refuse_pending(value: Any, name: str, code: int, view: View) -> None:
    """torch's conjugate and negative views hold other values than their memory. The negative ones come of imag of a conjugate
    view, so that their elements lie as far apart as complex numbers: tensors whose elements lie side by side are not asked."""
    if code == _abi.CODE_COMPLEX:
        if value.is_conj():
            raise BufferError(f"{name}: the {type(value).__name__} is a conjugate view of other values; pass {name}.resolve_conj()")
    elif not _has_neighbours(view) and value.is_neg():
        raise BufferError(f"{name}: the {type(value).__name__} is a negative view of other values; pass {name}.resolve_neg()")


def _has_neighbours(view: View) -> bool:
    """Whether the last dimension of more than one element has the stride 1. Strides of the others mean nothing."""
    for extent, stride in zip(reversed(view.shape), reversed(view.strides or (1,) * len(view.shape))):
        if extent > 1:
            return stride == 1
    return False


def _read_native(value: Any, name: str, kind: Any, write: bool, stream: Optional[int], retain: bool) -> View:
    address = getattr(value, NATIVE_ATTRIBUTE)  # it may hold the memory, should the object be closed meanwhile
    if not address:
        raise ValueError("the address of a gantry_tensor is 0")
    source = _abi.Tensor.from_address(address)
    if not 0 <= source.ndim <= _abi.MAX_DIMENSIONS:
        raise ValueError(f"a gantry_tensor has {source.ndim} dimensions; it has to have 0 to {_abi.MAX_DIMENSIONS}")
    view = View((source.data or 0) + source.byte_offset, tuple(source.shape[: source.ndim]),
                tuple(source.strides[: source.ndim]) if source.strides else None,
                (source.dtype.code, source.dtype.bits, source.dtype.lanes), (source.device.type, source.device.id),
                bool(source.flags & _abi.TENSOR_READ_ONLY), (value, address), None)
    return _finish(view, value, name, kind)


def _from_dltensor(tensor: _dlpack.DLTensor, flags: int, name: str, keep: Any, release: Optional[Callable[[], None]],
                   stream: Optional[int] = None) -> View:
    try:
        dimensions = tensor.ndim
        if not 0 <= dimensions <= _abi.MAX_DIMENSIONS or (dimensions and not tensor.shape):
            raise BufferError(f"{name} is a DLPack tensor of {dimensions} dimensions"
                              + ("" if tensor.shape or not dimensions else " without a shape")
                              + f"; it has to have 0 to {_abi.MAX_DIMENSIONS} and a shape")
        shape = tuple(tensor.shape[:dimensions])
        strides = tuple(tensor.strides[:dimensions]) if tensor.strides else None
        pointer = (tensor.data + tensor.byte_offset) if tensor.data else 0
        return View(pointer, shape, strides, (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
                    (tensor.device_type, tensor.device_id), bool(flags & _dlpack.FLAG_READ_ONLY), keep, release, stream)
    except BaseException:
        if release is not None:
            release()
        raise


def exchange_failure(value: Any, name: str, failure: BaseException) -> BaseException:
    """The exception for what an exchange API raised: BufferError with the first line of its text, the rest as its cause."""
    if isinstance(failure, (BufferError, MemoryError)) or not isinstance(failure, Exception):
        return failure
    lines = str(failure).splitlines()
    made = BufferError(f"{name}: the {type(value).__name__} cannot be read as memory: {lines[0] if lines else type(failure).__name__}")
    made.__cause__ = failure
    return made


def _read_exchange(value: Any, name: str, kind: Any, write: bool, stream: Optional[int], retain: bool) -> View:
    api = kind.api
    try:
        if api.dltensor_from_py_object and not retain:
            tensor = _dlpack.DLTensor()
            flags, release = 0, None
            failed = api.dltensor_from_py_object(value, ctypes.byref(tensor)) != 0
        else:
            managed = POINTER(_dlpack.DLManagedTensorVersioned)()
            failed = api.managed_tensor_from_py_object(value, ctypes.byref(managed)) != 0 or not managed
            if not failed:
                tensor, flags, release = _dlpack.adopt_versioned(ctypes.addressof(managed.contents), name)
    except Exception as failure:
        raise exchange_failure(value, name, failure)
    if failed:
        raise BufferError(f"{name}: the exchange API of {type(value).__name__} failed without an exception")
    _refuse_copy(flags, name, value, write, release)
    view = _from_dltensor(tensor, flags, name, value, release)
    view = _finish(view, value, name, kind)
    if view.device[0] in (_abi.DEVICE_CUDA, _abi.DEVICE_CUDA_MANAGED) and stream is None:
        current = ctypes.c_void_p()
        try:
            failed = api.current_work_stream(*view.device, ctypes.byref(current)) != 0
        except Exception as failure:
            view.close()
            raise exchange_failure(value, name, failure)
        if failed:
            view.close()
            raise BufferError(f"{name}: the exchange API of {type(value).__name__} named no current stream, and no exception")
        view.stream = current.value or _abi.STREAM_LEGACY
    return view


def _refuse_copy(flags: int, name: str, value: Any, write: bool, release: Optional[Callable[[], None]]) -> None:
    if write and flags & _dlpack.FLAG_IS_COPIED:
        if release is not None:
            release()
        raise BufferError(f"{name}: the {type(value).__name__} handed over a copy of its memory: what is written would be lost")


def capsule_of(value: Any, kind: Any, stream: Optional[int]) -> Any:
    """What __dlpack__ gives, asked for a versioned capsule first; a producer that does not know max_version is asked without."""
    arguments: Dict[str, Any] = {}
    if stream is not None and value.__dlpack_device__()[0] in (_abi.DEVICE_CUDA, _abi.DEVICE_CUDA_MANAGED):
        arguments["stream"] = stream
    if kind.versioned:
        try:
            return value.__dlpack__(max_version=_dlpack.MAX_VERSION, **arguments)
        except TypeError:
            capsule = value.__dlpack__(**arguments)
            kind.versioned = False
            return capsule
    return value.__dlpack__(**arguments)


def _read_capsule(value: Any, name: str, kind: Any, write: bool, stream: Optional[int], retain: bool) -> View:
    try:
        capsule = capsule_of(value, kind, stream)
    except BufferError as refusal:
        return read_refused(value, name, refusal, write)
    tensor, flags, release = _dlpack.adopt_capsule(capsule, name)
    _refuse_copy(flags, name, value, write, release)
    return _finish(_from_dltensor(tensor, flags, name, value, release), value, name, kind)


def read_refused(value: Any, name: str, refusal: BufferError, write: bool) -> View:
    """An object whose __dlpack__ refuses, such as a read-only array that cannot say so in a legacy capsule: read as a buffer where
    it is one, else its BufferError is kept."""
    try:
        return _from_description(_interfaces.describe_buffer(value, name), value, name, kind_of(value))
    except (TypeError, ValueError, BufferError):
        raise refusal from None


def _from_description(found: _interfaces.Description, value: Any, name: str, kind: Any) -> View:
    if len(found.shape) > _abi.MAX_DIMENSIONS:
        if found.release is not None:
            found.release()
        raise ValueError(f"{name} has {len(found.shape)} dimensions; at most {_abi.MAX_DIMENSIONS} are read")
    view = View(found.pointer, found.shape, found.strides, found.dtype, found.device, found.read_only, value, found.release,
                found.stream, found.stream is not None)
    return _finish(view, value, name, kind)


def _read_raw(value: Any, name: str, kind: Any, write: bool, stream: Optional[int], retain: bool) -> View:
    return _from_description(_interfaces.describe_raw(value, name), value, name, kind)


def _read_interface(value: Any, name: str, kind: Any, write: bool, stream: Optional[int], retain: bool) -> View:
    cuda = getattr(value, "__cuda_array_interface__", None)
    if cuda is not None:
        return _from_description(_interfaces.describe_cuda(cuda, name), value, name, kind)
    try:
        return _from_description(_interfaces.describe_buffer(value, name), value, name, kind)
    except TypeError:
        array = getattr(value, "__array_interface__", None)
        if array is not None:
            return _from_description(_interfaces.describe_array(array, name), value, name, kind)
    raise TypeError(f"{name} is a {type(value).__name__}, which is no tensor: it has neither DLPack, nor "
                    "__cuda_array_interface__, nor the buffer protocol, nor __array_interface__")


def op_stream(views: List[View], stream: Optional[int], wait: Callable[[View], None]) -> Optional[int]:
    """The stream of an op: the caller's; else the current stream of the first producer with an exchange API; else the first that an
    array interface names. Work of array interfaces on other streams is waited for by `wait`."""
    chosen = stream
    if chosen is None:
        for view in views:
            if view.stream is not None and not view.must_wait:
                if chosen is not None and chosen != view.stream:
                    raise ValueError(f"the tensors' libraries work on the streams {chosen:#x} and {view.stream:#x}; pass the stream "
                                     "that the op shall run on, ordered after both")
                chosen = view.stream
    for view in views:
        if view.must_wait and view.stream is not None:
            if chosen is None:
                chosen = view.stream
            elif chosen != view.stream:
                wait(view)
    return chosen


def allocate(first: Any, chunks: Any, indices: Any, environment: int, stream: Optional[int], factory: Any) -> Any:
    """gather's output, contents unspecified: from the library of `first`, the table as the caller gave it or its first chunk, else
    from `factory`. On the GPU where any of the views `chunks` and `indices` is."""
    if len(chunks[0].shape) not in (1, 2):
        raise ValueError(f"table has {len(chunks[0].shape)} dimensions; a table has two (rows, columns), or one (rows of one element)")
    shape = indices.shape + chunks[0].shape[1:]
    if len(shape) > _abi.MAX_DIMENSIONS:
        raise ValueError(f"the output would have {len(shape)} dimensions; at most {_abi.MAX_DIMENSIONS} are supported")
    device = (_abi.DEVICE_HOST, 0)
    for view in [indices, *reversed(chunks)]:
        if view.device[0] in (_abi.DEVICE_CUDA, _abi.DEVICE_CUDA_MANAGED):
            device = view.device
    api = kind_of(first).api
    if api is not None:
        sizes = (c_int64 * max(len(shape), 1))(*shape)
        return _dlpack.allocate_like(api, _dlpack.DLTensor(
            device_type=device[0], device_id=device[1], ndim=len(shape), dtype=_abi.Dtype(*chunks[0].dtype), shape=sizes))
    if factory is None:
        raise TypeError(f"out is None, and {type(first).__name__} brings no allocator: pass the output")
    return factory(shape, chunks[0].dtype, device, environment, stream)
