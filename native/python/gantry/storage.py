"""Counted references on memory: what arrays, segments and exported tensors share."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional

from . import _abi, _library

Device = tuple[int, int]  # type and id, as DLPack numbers them

HOST: Device = (_abi.DEVICE_HOST, 0)


class Storage:
    """One reference on a gantry_storage, given back when the object goes. Exported tensors hold references of their own."""

    __slots__ = ("__weakref__", "_release", "handle", "keep")

    def __init__(self, handle: int, keep: Any = None) -> None:
        """Takes the reference over. `keep` lives as long as the object."""
        self._release: Callable[[int], None] = _library.load().gantry_storage_release
        self.handle = handle
        self.keep = keep

    def __del__(self) -> None:
        if self.handle:
            self._release(self.handle)

    @property
    def data(self) -> int:
        return _library.load().gantry_storage_data(self.handle) or 0

    @property
    def bytes(self) -> int:
        return int(_library.load().gantry_storage_bytes(self.handle))

    @property
    def device(self) -> Device:
        found = _library.load().gantry_storage_device(self.handle)
        return (found.type, found.id)

    @property
    def read_only(self) -> bool:
        return bool(_library.load().gantry_storage_read_only(self.handle))


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
