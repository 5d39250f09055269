"""The binding under test, and producers of tensors that are made for the tests."""

from __future__ import annotations

import array
import ctypes
import functools
import os
from ctypes import PYFUNCTYPE, c_char_p, c_int64, c_void_p
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from gantry import _abi, _binding, _dlpack, _library, errors

NAME = os.environ.get("GANTRY_BINDING", "") or "abi3"
FLOAT32 = (_abi.CODE_FLOAT, 32, 1)
INT64 = (_abi.CODE_INT, 64, 1)
HOST = (_abi.DEVICE_HOST, 0)
CUDA = (_abi.DEVICE_CUDA, 0)

new_capsule = PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))
capsule_name = PYFUNCTYPE(c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))


def bind(library: Any) -> Any:
    """A binding of the kind under test, on a library."""
    if NAME == "ctypes":
        from gantry import _ctypes
        return _ctypes.CtypesBinding(library)
    from gantry import _abi3
    return _abi3.bind(library)


@functools.lru_cache(maxsize=None)
def open_context() -> int:
    library = _library.load()
    handle = c_void_p()
    library.check(library.gantry_open(_abi.ABI_VERSION, None, ctypes.byref(handle)))
    return handle.value or 0


def binding() -> Any:
    return _binding.load(NAME)


class Memory:
    """Elements of the test's own, with raw(), and as what the fakes below hand out."""

    def __init__(self, code: str, values: Sequence[Any], shape: Sequence[int], strides: Optional[Sequence[int]] = None) -> None:
        self.data = array.array(code, values)
        self.shape = tuple(shape)
        self.strides = tuple(strides) if strides is not None else None
        self.dtype = {"f": FLOAT32, "d": (_abi.CODE_FLOAT, 64, 1), "q": INT64, "i": (_abi.CODE_INT, 32, 1)}[code]

    @property
    def address(self) -> int:
        return self.data.buffer_info()[0]

    def raw(self) -> Tuple[Any, ...]:
        return (self.address, self.shape, self.dtype) if self.strides is None else (
            self.address, self.shape, self.dtype, self.strides)

    def owned(self) -> Tuple[Any, ...]:
        """As raw(), for a Memory that nothing else holds."""
        return (self.address, self.shape, self.dtype, self.strides, HOST, False, self)

    def list(self) -> List[Any]:
        return list(self.data)


class Managed:
    """A DLPack tensor of the test's, which counts how often it was given back."""

    def __init__(self, memory: Memory, versioned: bool = True, flags: int = 0, version: Tuple[int, int] = (1, 1),
                 device: Tuple[int, int] = HOST, pointer: Optional[int] = None, ndim: Optional[int] = None,
                 shape: Optional[Any] = True, name: Optional[bytes] = None, deleter: bool = True) -> None:
        self.given_back = 0
        self.memory = memory
        size = max(len(memory.shape), 1)
        self.shape = (c_int64 * size)(*memory.shape)
        self.strides = (c_int64 * size)(*memory.strides) if memory.strides is not None else None
        tensor = _dlpack.DLTensor(
            data=memory.address if pointer is None else pointer, device_type=device[0], device_id=device[1],
            ndim=len(memory.shape) if ndim is None else ndim, dtype=_abi.Dtype(*memory.dtype),
            shape=self.shape if shape else None, strides=self.strides)
        self.tensor = tensor
        if versioned:
            self.managed: Any = _dlpack.DLManagedTensorVersioned(major=version[0], minor=version[1], flags=flags, dl_tensor=tensor)
        else:
            self.managed = _dlpack.DLManagedTensor(dl_tensor=tensor)
        if deleter:
            self.managed.deleter = ctypes.CFUNCTYPE(None, c_void_p)(self._give_back)
        self.name = name or (b"dltensor_versioned" if versioned else b"dltensor")
        self.capsule: Any = None

    def _give_back(self, address: int) -> None:
        assert address == ctypes.addressof(self.managed)
        self.given_back += 1

    def make_capsule(self) -> Any:
        self.capsule = new_capsule(ctypes.addressof(self.managed), self.name, None)
        return self.capsule

    def name_now(self) -> Optional[bytes]:
        return capsule_name(self.capsule)


class Versioned:
    """A producer with __dlpack__(max_version=...)."""

    def __init__(self, managed: Managed) -> None:
        self.managed = managed
        self.calls: List[dict] = []

    def __dlpack__(self, *, max_version: Any = None, stream: Any = None) -> Any:
        self.calls.append({"max_version": max_version, "stream": stream})
        return self.managed.make_capsule()

    def __dlpack_device__(self) -> Tuple[int, int]:
        return self.managed.tensor.device_type, self.managed.tensor.device_id


class Legacy:
    """A producer of before DLPack 1.0."""

    def __init__(self, managed: Managed) -> None:
        self.managed = managed
        self.calls = 0

    def __dlpack__(self, stream: Any = None) -> Any:
        self.calls += 1
        return self.managed.make_capsule()

    def __dlpack_device__(self) -> Tuple[int, int]:
        return self.managed.tensor.device_type, self.managed.tensor.device_id


def exchange_type(version: Tuple[int, int] = (1, 3), older: Optional[Any] = None, borrow: bool = True, raising: bool = False,
                  failing: bool = False, stream: Optional[int] = 0, name: bytes = b"dlpack_exchange_api") -> type:
    """A new type with an exchange API. Its objects hold a Managed. `raising`: the API calls the object's fileno(), which raises;
    `failing`: it fails without an exception. `older`: the API that prev_api leads to."""

    def fill(obj: Any, out: Any) -> int:
        if failing:
            return -1
        out[0] = obj.managed.tensor
        obj.borrowed += 1
        return 0

    def own(obj: Any, out: Any) -> int:
        if failing:
            return -1
        out[0] = ctypes.pointer(obj.managed.managed)
        return 0

    def allocate(prototype: Any, out: Any, context: Any, set_error: Any) -> int:
        wanted = prototype.contents
        kind.devices[:] = [*kind.devices[-3:], (wanted.device_type, wanted.device_id)]
        shape = tuple(wanted.shape[: wanted.ndim])
        if shape[0] == 13:
            set_error(context, b"MemoryError", b"thirteen rows are too many\nsecond line")
            return -1
        count = 1
        for extent in shape:
            count *= extent
        made = Managed(Memory("f", [-1.0] * count, shape))
        made_by_address[ctypes.addressof(made.managed)] = made
        out[0] = ctypes.pointer(made.managed)
        return 0

    def to_object(managed: Any, out: Any) -> int:
        made = made_by_address.pop(ctypes.addressof(managed.contents))
        result = kind(made)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(result))
        out[0] = result
        return 0

    def current(device_type: int, device_id: int, out: Any) -> int:
        if stream is None:
            return -1
        out[0] = stream
        return 0

    made_by_address: dict = {}
    api = _dlpack.ExchangeApi(major=version[0], minor=version[1])
    if older is not None:
        api.prev_api = ctypes.pointer(older)
    fields = {field: function for field, function in _dlpack.ExchangeApi._fields_}
    raise_by_fileno = ctypes.cast(ctypes.pythonapi.PyObject_AsFileDescriptor, c_void_p).value
    if borrow:
        api.dltensor_from_py_object = (
            fields["dltensor_from_py_object"](raise_by_fileno) if raising else fields["dltensor_from_py_object"](fill))
    api.managed_tensor_from_py_object = (
        fields["managed_tensor_from_py_object"](raise_by_fileno) if raising else fields["managed_tensor_from_py_object"](own))
    api.managed_tensor_allocator = fields["managed_tensor_allocator"](allocate)
    api.managed_tensor_to_py_object = fields["managed_tensor_to_py_object"](to_object)
    api.current_work_stream = fields["current_work_stream"](current)

    class Exchanged:
        __dlpack_c_exchange_api__ = new_capsule(ctypes.addressof(api), name, None)
        keep = (api, name)
        devices: List[Tuple[int, int]] = []  # that the last outputs were asked for

        def __init__(self, managed: Managed, failure: Union[BaseException, Callable[[], BaseException], None] = None) -> None:
            self.managed = managed
            self.borrowed = 0
            self.failure = failure

        def fileno(self) -> int:
            assert self.failure is not None
            raise self.failure if isinstance(self.failure, BaseException) else self.failure()

    kind = Exchanged
    return kind


class Recorder:
    """In place of a library: notes what an op is called with, and returns a status."""

    def __init__(self) -> None:
        self.status = 0
        self.calls: List[Tuple[Any, ...]] = []
        self.functions = {}
        for name in ("gantry_gather", "gantry_scatter", "gantry_scatter_add", "gantry_convert", "gantry_copy", "gantry_check"):
            result, arguments = _abi.PROTOTYPES[name]
            function = ctypes.CFUNCTYPE(result, *arguments)(self._recording(name))
            self.functions[name] = function
            setattr(self, name, function)

    def _recording(self, name: str) -> Callable[..., int]:
        def record(*arguments: Any) -> int:
            if name == "gantry_check":
                self.calls.append((name, arguments[1], arguments[2]))
                return 0
            options = _abi.Options.from_address(arguments[-3])
            self.calls.append((name, arguments[-1], bool(options.stats)))
            return self.status

        return record

    def address(self, name: str) -> int:
        return ctypes.cast(self.functions[name], c_void_p).value or 0

    def error(self, status: int, position: Any = None, value: Any = None) -> BaseException:
        return errors.error_for(status, "recorded", None, position, value)

    def check(self, status: int) -> None:
        if status:
            raise self.error(status)


class CudaArray:
    """An object with a __cuda_array_interface__ of the test's."""

    def __init__(self, memory: Memory, **changes: Any) -> None:
        typestr = {FLOAT32: "<f4", INT64: "<i8"}[memory.dtype]
        interface = {"shape": memory.shape, "typestr": typestr, "data": (memory.address, False), "version": 3, "strides": None}
        interface.update(changes)
        self.memory = memory
        self.__cuda_array_interface__ = {key: value for key, value in interface.items() if value is not KeyError}
