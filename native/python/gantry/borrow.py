"""Arrays on memory of other libraries."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, Dict, Tuple, Type, TypeVar

from . import _abi, _capsule, _library, _tensors
from .arrays import Array, Table
from .dtypes import DType
from .shapes import byte_size, row_major
from .storage import Storage

Kind = TypeVar("Kind", bound=Array)

_views: Dict[int, _tensors.View] = {}
_numbers = itertools.count(1)


# The last release may come from any thread, and while Python ends.
def _give_back(number: int) -> None:
    view = _views.pop(number, None)
    if view is not None:
        view.close()


_release = _abi.ReleaseFunction(_give_back)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_release))  # exported tensors may outlive this module


def _by_dlpack(value: Any) -> Tuple[Storage, _abi.Tensor]:
    """The library takes the producer's tensor over, so that no Python code runs when it is given back."""
    library: Any = _library.load()
    capsule = _tensors.capsule_of(value, _tensors.kind_of(value), None)
    address, versioned = _capsule.take(capsule, type(value).__name__)
    take = library.gantry_import_dlpack_versioned if versioned else library.gantry_import_dlpack
    view, handle = _abi.Tensor(), ctypes.c_void_p()
    library.check(take(address, ctypes.byref(view), ctypes.byref(handle)))
    return Storage(handle.value or 0), view


def _by_view(value: Any) -> Tuple[Storage, _abi.Tensor]:
    library: Any = _library.load()
    view = _tensors.read(value, "the object", retain=True)
    strides = view.strides if view.strides is not None else row_major(view.shape)
    size = byte_size(view.shape, strides, DType(*view.dtype))
    number, handle = next(_numbers), ctypes.c_void_p()
    _views[number] = view
    try:
        library.check(
            library.gantry_storage_wrap(
                view.tensor.data, size, _abi.Device(*view.device), view.read_only, number, _release, ctypes.byref(handle)
            )
        )
    except BaseException:
        _give_back(number)
        raise
    return Storage(handle.value or 0), view.tensor


def _borrow(kind: Type[Kind], value: Any) -> Kind:
    storage, view = _by_dlpack(value) if hasattr(type(value), "__dlpack__") else _by_view(value)
    first = (view.data or 0) + view.byte_offset
    return kind(
        storage,
        tuple(view.shape[: view.ndim]),
        DType(view.dtype.code, view.dtype.bits, view.dtype.lanes),
        strides=tuple(view.strides[: view.ndim]) if view.strides else None,
        byte_offset=max(first - storage.data, 0),
    )


def asarray(value: Any) -> Array:
    """An array on the memory of a tensor-like object, which is kept until nothing holds the array's memory any more. An array of this
    package is returned as it is."""
    return value if isinstance(value, Array) else _borrow(Array, value)


def astable(value: Any) -> Table:
    """As asarray, for an object of two dimensions."""
    if isinstance(value, Table):
        return value
    if isinstance(value, Array):
        return Table(
            value.storage, value.shape, value.dtype, strides=value.strides, byte_offset=value.address - value.storage.data
        )
    return _borrow(Table, value)
