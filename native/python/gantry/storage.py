"""Counted references on memory: what arrays, segments and exported tensors share."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from . import _abi, _library

Device = tuple[int, int]  # type and id, as DLPack numbers them

HOST: Device = (_abi.DEVICE_HOST, 0)


class Storage:
    """One reference on a gantry_storage, given back when the object goes. Exported tensors hold references of their own."""

    __slots__ = ("__weakref__", "_release", "bytes", "data", "device", "handle", "keep", "read_only")

    def __init__(self, handle: int, keep: Any = None) -> None:
        """Takes the reference over. `keep` lives as long as the object."""
        library = _library.load()
        self._release = library.gantry_storage_release
        self.handle = handle
        self.keep = keep
        self.data: int = library.gantry_storage_data(handle) or 0
        self.bytes: int = library.gantry_storage_bytes(handle)
        found = library.gantry_storage_device(handle)
        self.device: Device = (found.type, found.id)
        self.read_only = bool(library.gantry_storage_read_only(handle))

    def __del__(self) -> None:
        if self.handle:
            self._release(self.handle)


def create(
    environment: int, size: int, alignment: int, device: Device, stream: Optional[int], zero: bool, keep: Any = None
) -> Storage:
    """Memory of `size` bytes from an environment (an address; 0: malloc)."""
    library = _library.load()
    handle = ctypes.c_void_p()
    library.check(
        library.gantry_storage_create(
            environment or None, size, alignment, _abi.Device(*device), stream, zero, ctypes.byref(handle)
        )
    )
    return Storage(handle.value or 0, keep)
