"""DLPack capsules around tensors that the library exported."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Tuple

from . import _abi, _library
from ._dlpack import LEGACY, VERSIONED, DLManagedTensor, DLManagedTensorVersioned
from .errors import ReadOnly

# Prototypes of their own: those of ctypes.pythonapi are shared by everybody in the process.
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))
_USED = {LEGACY: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}  # capsules keep pointers to their names


# Where the compiled module cannot be had (free-threaded Pythons). The capsule is being destroyed: it comes as an address, since a
# reference to it must not be made any more. A consumer that has taken the tensor over has renamed the capsule. An exception that is
# under way cannot be kept by Python code in this place: the first call fails and takes it away, and the consumer's failure turns into
# a SystemError.
def _destroy(capsule: int) -> None:
    try:
        is_versioned = _is_valid(capsule, VERSIONED)
    except Exception:
        is_versioned = _is_valid(capsule, VERSIONED)
    if is_versioned:
        versioned = DLManagedTensorVersioned.from_address(_pointer(capsule, VERSIONED))
        versioned.deleter(ctypes.addressof(versioned))
    elif _is_valid(capsule, LEGACY):
        legacy = DLManagedTensor.from_address(_pointer(capsule, LEGACY))
        legacy.deleter(ctypes.addressof(legacy))


_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)
# Capsules may be destroyed after this module has been torn down: the C side of the destructor stays.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_destructor))


def _new_by_ctypes(address: int, versioned: bool) -> Any:
    return _new(address, VERSIONED if versioned else LEGACY, ctypes.cast(_destructor, ctypes.c_void_p))


def _find_maker() -> Callable[[int, bool], Any]:
    try:
        from . import _core
    except ImportError:
        return _new_by_ctypes
    maker: Callable[[int, bool], Any] = _core.capsule
    return maker


_make = _find_maker()


def export(storage: int, view: _abi.Tensor, versioned: bool, is_copy: bool) -> Any:
    """A capsule that holds a reference on the storage until its consumer, or the capsule itself, gives the tensor back."""
    library: Any = _library.load()
    managed = ctypes.c_void_p()
    if versioned:
        library.check(
            library.gantry_export_dlpack_versioned(storage, ctypes.byref(view), is_copy, ctypes.byref(managed))
        )
    else:
        try:
            library.check(library.gantry_export_dlpack(storage, ctypes.byref(view), ctypes.byref(managed)))
        except ReadOnly as error:
            raise ReadOnly(f"{error}; __dlpack__ was called without max_version=(1, 0)") from None
    return _make(managed.value or 0, versioned)


def take(capsule: Any, owner: str) -> Tuple[int, bool]:
    """The address of what a fresh capsule holds, and whether it is versioned. The caller has to give it back from here on."""
    if type(capsule).__name__ != "PyCapsule":
        raise TypeError(f"{owner}.__dlpack__() gave an object of type {type(capsule).__name__} instead of a capsule")
    for name in (VERSIONED, LEGACY):
        if _is_valid(id(capsule), name):
            address = _pointer(id(capsule), name)
            _rename(capsule, _USED[name])
            return address, name is VERSIONED
    raise BufferError(f"{owner}.__dlpack__() gave a capsule that is used up, or of another name than DLPack's")
