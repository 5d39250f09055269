"""Memory that is described by something other than DLPack: the CUDA array interface, NumPy's array interface, the buffer protocol,
and raw tuples. Each becomes the same description."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, PYFUNCTYPE, Structure, c_char_p, c_int, c_ssize_t, c_void_p
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple

from gantry import _abi, dtypes

DtypeTriple = Tuple[int, int, int]

_NATIVE = "<" if sys.byteorder == "little" else ">"
_KINDS = {"i": _abi.CODE_INT, "u": _abi.CODE_UINT, "f": _abi.CODE_FLOAT, "c": _abi.CODE_COMPLEX, "b": _abi.CODE_BOOL,
          "V": _abi.CODE_RAW}

class Description(NamedTuple):
    """Memory as gantry_tensor describes it. `strides` count elements; `stream` is the producer's, where it named one."""

    pointer: int
    shape: Tuple[int, ...]
    dtype: DtypeTriple
    strides: Optional[Tuple[int, ...]] = None
    device: Tuple[int, int] = (_abi.DEVICE_HOST, 0)
    read_only: bool = False
    stream: Optional[int] = None
    release: Optional[Callable[[], None]] = None


def _integers(values: Any, what: str) -> Tuple[int, ...]:
    if not isinstance(values, (tuple, list)) or not all(isinstance(value, int) for value in values):
        raise TypeError(f"{what} is {values!r}; it has to be a tuple of integers")
    if not all(-(1 << 63) <= value < 1 << 63 for value in values):
        raise ValueError(f"{what} is {values!r}, with a number of more than 64 bits")
    return tuple(values)


def _pointer(value: Any, what: str) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{what}'s pointer is {value!r}; it has to be an integer")
    if not 0 <= value < 1 << 63:
        raise ValueError(f"{what}'s pointer is {value:#x}, which is no address")
    return value


def _in_elements(strides: Optional[Sequence[int]], item: int, what: str) -> Optional[Tuple[int, ...]]:
    if strides is None:
        return None
    for stride in strides:
        if stride % item:
            raise ValueError(f"{what} has a stride of {stride} bytes, which is no multiple of its element's {item} bytes")
    return tuple(stride // item for stride in strides)


def _dtype_of_typestr(typestr: Any, what: str) -> Tuple[DtypeTriple, int]:
    if not isinstance(typestr, str) or len(typestr) < 3 or typestr[0] not in "<>|" or not typestr[2:].isdigit():
        raise ValueError(f"{what} has typestr {typestr!r}; it has to be byte order, kind and size, such as '<f4'")
    order, kind, size = typestr[0], typestr[1], int(typestr[2:])
    if kind not in _KINDS or size == 0 or (kind == "b" and size != 1) or (kind != "V" and size > 31):
        raise ValueError(f"{what} has typestr {typestr!r}, a kind of element that has no dtype here")
    if order != _NATIVE and not (order == "|" and (size == 1 or kind == "V")) and size != 1:
        raise ValueError(f"{what} has typestr {typestr!r}; this machine's byte order is {_NATIVE!r}")
    return ((_abi.CODE_RAW, 8, size) if kind == "V" else (_KINDS[kind], 8 * size, 1)), size


def _array_interface(interface: Any, what: str) -> Tuple[int, Tuple[int, ...], DtypeTriple, Optional[Tuple[int, ...]], bool]:
    if not isinstance(interface, dict):
        raise TypeError(f"{what} is a {type(interface).__name__} instead of a dict")
    for key in ("shape", "typestr", "version"):
        if key not in interface:
            raise ValueError(f"{what} has no {key!r}")
    if interface.get("mask") is not None:
        raise ValueError(f"{what} has a mask; masked elements have no meaning here")
    data = interface.get("data")
    if not isinstance(data, tuple) or len(data) != 2 or not isinstance(data[0], int):
        raise ValueError(f"{what} has data {data!r}; it has to be (pointer, read-only)")
    dtype, item = _dtype_of_typestr(interface["typestr"], what)
    shape = _integers(interface["shape"], f"{what}'s shape")
    strides = interface.get("strides")
    if strides is not None:
        strides = _in_elements(_integers(strides, f"{what}'s strides"), item, what)
        if len(strides) != len(shape):
            raise ValueError(f"{what} has {len(shape)} dimensions and {len(strides)} strides")
    return _pointer(data[0], what), shape, dtype, strides, bool(data[1])


def describe_cuda(interface: Any, name: str) -> Description:
    """`__cuda_array_interface__` of version 2 or 3. It does not say on which GPU the memory is: 0 is taken."""
    what = f"{name}.__cuda_array_interface__"
    pointer, shape, dtype, strides, read_only = _array_interface(interface, what)
    if interface["version"] not in (2, 3):
        raise ValueError(f"{what} has version {interface['version']!r}; versions 2 and 3 are known")
    stream = interface.get("stream")
    if stream is not None and (not isinstance(stream, int) or isinstance(stream, bool) or stream <= 0):
        raise ValueError(f"{what} has stream {stream!r}; the interface allows None, 1 (legacy default), 2 (per thread) and a "
                         "stream's address")
    return Description(pointer, shape, dtype, strides, (_abi.DEVICE_CUDA, 0), read_only, stream)


def describe_array(interface: Any, name: str) -> Description:
    """NumPy's `__array_interface__`, version 3, with a pointer."""
    what = f"{name}.__array_interface__"
    pointer, shape, dtype, strides, read_only = _array_interface(interface, what)
    if interface["version"] != 3:
        raise ValueError(f"{what} has version {interface['version']!r}; version 3 is known")
    return Description(pointer, shape, dtype, strides, read_only=read_only)


class _PyBuffer(Structure):
    _fields_ = [
        ("buf", c_void_p),
        ("obj", c_void_p),
        ("len", c_ssize_t),
        ("itemsize", c_ssize_t),
        ("readonly", c_int),
        ("ndim", c_int),
        ("format", c_char_p),
        ("shape", POINTER(c_ssize_t)),
        ("strides", POINTER(c_ssize_t)),
        ("suboffsets", POINTER(c_ssize_t)),
        ("internal", c_void_p),
    ]


# Not in the stable ABI before 3.11, so that the limited-API module asks for buffers here, too.
_get_buffer = PYFUNCTYPE(c_int, ctypes.py_object, POINTER(_PyBuffer), c_int)(("PyObject_GetBuffer", ctypes.pythonapi))
_release_buffer = PYFUNCTYPE(None, POINTER(_PyBuffer))(("PyBuffer_Release", ctypes.pythonapi))
_RECORDS_RO = 0x0018 | 0x0004  # PyBUF_STRIDES | PyBUF_FORMAT

_FORMATS = {
    "?": _abi.CODE_BOOL,
    **dict.fromkeys("bhilqn", _abi.CODE_INT),
    **dict.fromkeys("BHILQN", _abi.CODE_UINT),
    **dict.fromkeys("efd", _abi.CODE_FLOAT),
    "Zf": _abi.CODE_COMPLEX,
    "Zd": _abi.CODE_COMPLEX,
}


def describe_buffer(value: Any, name: str) -> Description:
    """An object with the buffer protocol, TypeError for others. The buffer is held until `release`."""
    view = _PyBuffer()
    _get_buffer(value, ctypes.byref(view), _RECORDS_RO)
    try:
        text = view.format.decode("ascii", "replace") if view.format is not None else "B"
        order, letters = (text[0], text[1:]) if text[:1] in "@=<>!" and text else ("@", text)
        if (">" if order == "!" else order) in "<>" and order != _NATIVE and view.itemsize > 1:
            raise ValueError(f"{name} is a buffer of format {text!r}; this machine's byte order is {_NATIVE!r}")
        if letters not in _FORMATS:
            raise ValueError(f"{name} is a buffer of format {text!r}, which has no dtype here")
        shape = tuple(view.shape[: view.ndim])
        strides = _in_elements(view.strides[: view.ndim], view.itemsize, name) if view.strides else None
    except BaseException:
        _release_buffer(ctypes.byref(view))
        raise
    return Description(view.buf or 0, shape, (_FORMATS[letters], 8 * view.itemsize, 1), strides,
                       read_only=bool(view.readonly), release=lambda: _release_buffer(ctypes.byref(view)))


def describe_raw(value: Tuple[Any, ...], name: str) -> Description:
    """(pointer, shape, dtype[, strides in elements[, (device type, device id)[, read_only[, owner]]]]); the dtype is a name or
    (code, bits, lanes), or what else dtypes.dtype() reads. The tuple keeps the owner as long as the memory is used."""
    if not 3 <= len(value) <= 7:
        raise ValueError(f"{name} is a tuple of {len(value)} members; a raw tensor has 3 to 7: (pointer, shape, dtype, strides, "
                         "device, read_only, owner)")
    pointer, shape, dtype = _pointer(value[0], name), value[1], value[2]
    strides = value[3] if len(value) > 3 else None
    device = value[4] if len(value) > 4 and value[4] is not None else (_abi.DEVICE_HOST, 0)
    dtype = tuple(dtypes.dtype(dtype))
    device = _integers(device, f"{name}'s device")
    shape = _integers(shape, f"{name}'s shape")
    strides = None if strides is None else _integers(strides, f"{name}'s strides")
    if len(device) != 2 or (strides is not None and len(strides) != len(shape)):
        raise ValueError(f"{name} has the device {device}, the shape {shape} and the strides {strides}; a device has 2 numbers, and "
                         "there is one stride for each dimension")
    return Description(pointer, shape, dtype, strides, device, bool(value[5]) if len(value) > 5 else False)
