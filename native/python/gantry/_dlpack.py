"""DLPack in ctypes, and the consumer's half of it: capsules and the exchange API of DLPack 1.3. Facts: dlpack.h and the Python
specification of DLPack (https://dmlc.github.io/dlpack/latest/)."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from datetime import datetime_CAPI  # type: ignore[attr-defined]
from typing import Any, Callable, Optional, Tuple

from gantry import errors
from gantry._abi import Dtype

MAJOR = 1
MAX_VERSION = (1, 3)  # what __dlpack__ is asked for

FLAG_READ_ONLY = 1
FLAG_IS_COPIED = 2

LEGACY = b"dltensor"
VERSIONED = b"dltensor_versioned"
EXCHANGE = b"dlpack_exchange_api"
EXCHANGE_ATTRIBUTE = "__dlpack_c_exchange_api__"


class DLTensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("dtype", Dtype),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class DLManagedTensor(Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", c_void_p), ("deleter", CFUNCTYPE(None, c_void_p))]


class DLManagedTensorVersioned(Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager_ctx", c_void_p),
        ("deleter", CFUNCTYPE(None, c_void_p)),
        ("flags", c_uint64),
        ("dl_tensor", DLTensor),
    ]


SetError = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class ExchangeApi(Structure):
    """DLPackExchangeAPI. Its functions take and set Python objects and exceptions: they are called with the GIL held. The
    allocator alone reports by SetError."""


ExchangeApi._fields_ = [
    ("major", c_uint32),
    ("minor", c_uint32),
    ("prev_api", POINTER(ExchangeApi)),
    ("managed_tensor_allocator",
     PYFUNCTYPE(c_int, POINTER(DLTensor), POINTER(POINTER(DLManagedTensorVersioned)), c_void_p, SetError)),
    ("managed_tensor_from_py_object", PYFUNCTYPE(c_int, ctypes.py_object, POINTER(POINTER(DLManagedTensorVersioned)))),
    ("managed_tensor_to_py_object", PYFUNCTYPE(c_int, POINTER(DLManagedTensorVersioned), POINTER(ctypes.py_object))),
    ("dltensor_from_py_object", PYFUNCTYPE(c_int, ctypes.py_object, POINTER(DLTensor))),
    ("current_work_stream", PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))),
]

# Prototypes of their own: those of ctypes.pythonapi are shared by everybody in the process.
_get_name = PYFUNCTYPE(c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_set_name = PYFUNCTYPE(c_int, ctypes.py_object, c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))
_get_pointer = PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_is_valid = PYFUNCTYPE(c_int, ctypes.py_object, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_release_reference = PYFUNCTYPE(None, ctypes.py_object)(("Py_DecRef", ctypes.pythonapi))
_CapsuleType = type(datetime_CAPI)

# A capsule keeps the pointer to its name: these must outlive every capsule.
_USED = {LEGACY: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}

Managed = Tuple[DLTensor, int, Callable[[], None]]  # the tensor, its flags, what gives it back


def exchange_api(kind: type) -> Optional[ExchangeApi]:
    """The exchange API of a type in the major version that is known here, or None."""
    capsule = getattr(kind, EXCHANGE_ATTRIBUTE, None)
    if capsule is None or not isinstance(capsule, _CapsuleType) or not _is_valid(capsule, EXCHANGE):
        return None
    api = ExchangeApi.from_address(_get_pointer(capsule, EXCHANGE))
    while api.major != MAJOR:
        if not api.prev_api:
            return None
        api = api.prev_api.contents
    return api


def _giver_back(managed: Any) -> Callable[[], None]:
    """Calls the deleter at the first call, and nothing at further ones."""
    pending = [(managed.deleter, ctypes.addressof(managed))] if managed.deleter else []

    def give_back() -> None:
        while pending:
            deleter, address = pending.pop()
            deleter(address)

    return give_back


def adopt_versioned(address: int, name: str) -> Managed:
    """Takes a DLManagedTensorVersioned over; one of another major version is given back and refused."""
    managed = DLManagedTensorVersioned.from_address(address)
    release = _giver_back(managed)
    if managed.major != MAJOR:
        text = (f"{name} is a DLPack tensor of version {managed.major}.{managed.minor}; this library reads version {MAJOR}.x. "
                f"Ask its producer for max_version={MAX_VERSION}.")
        release()
        raise errors.DlpackVersionError(text)
    return managed.dl_tensor, managed.flags, release


def adopt_capsule(capsule: Any, name: str) -> Managed:
    """Takes over what a capsule of __dlpack__ holds, and renames the capsule, so that it does not give the tensor back too."""
    if not isinstance(capsule, _CapsuleType):
        raise TypeError(f"{name}.__dlpack__() gave an object of type {type(capsule).__name__} instead of a capsule")
    for form in (VERSIONED, LEGACY):
        if _is_valid(capsule, form):
            address = _get_pointer(capsule, form)
            _set_name(capsule, _USED[form])
            if form == VERSIONED:
                return adopt_versioned(address, name)
            managed = DLManagedTensor.from_address(address)
            return managed.dl_tensor, 0, _giver_back(managed)
    found = _get_name(capsule)
    raise BufferError(f"{name}.__dlpack__() gave a capsule named {found.decode(errors='replace') if found else None!r}; "
                      "a fresh one is named 'dltensor_versioned' or 'dltensor'")


def allocate_like(api: ExchangeApi, prototype: DLTensor) -> Any:
    """A new object of the producer's library with the prototype's shape, dtype and device, contents unspecified."""
    failures = []

    def set_error(_context: Any, kind: bytes, text: bytes) -> None:
        failures.append(f"{(kind or b'').decode(errors='replace')}: {(text or b'').decode(errors='replace')}")

    managed = POINTER(DLManagedTensorVersioned)()
    callback = SetError(set_error)
    if api.managed_tensor_allocator(ctypes.byref(prototype), ctypes.byref(managed), None, callback) != 0 or not managed:
        raise errors.OutOfMemory("the table's library could not allocate the output: "
                                 + (failures[0].splitlines()[0][:300] if failures else "it gave no reason"))
    result = ctypes.py_object()
    if api.managed_tensor_to_py_object(managed, ctypes.byref(result)) != 0:
        raise SystemError("the table's library gave no object for the output that it allocated, and no exception")
    value = result.value
    # The out-parameter came with a reference of its own, which the assignment above did not take over.
    _release_reference(value)
    return value
