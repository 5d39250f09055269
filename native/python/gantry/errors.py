"""Exceptions of the package: one class for each kind of failure that a caller may want to handle."""

from __future__ import annotations

import re
from typing import Dict, Optional, Type

__all__ = [
    "AbiMismatch",
    "BackendUnavailable",
    "CaptureError",
    "ClosedError",
    "DeviceError",
    "DlpackVersionError",
    "EnvironmentFailed",
    "Error",
    "IndexOutOfRange",
    "InternalError",
    "InvalidArgument",
    "LibraryNotFound",
    "MisalignedPointer",
    "OutOfMemory",
    "OverlapError",
    "ReadOnly",
    "ReentrantCall",
    "SegmentError",
    "SegmentLayoutError",
    "SegmentSpaceError",
    "SegmentTruncated",
    "SizeOverflow",
    "SystemCallFailed",
    "Unsupported",
    "error_for",
]


class Error(RuntimeError):
    """Any failure that the library reports. `status` is its gantry_status, `name` the status's name, and the text is the
    library's own sentence with the values that it saw."""

    default_status = 20
    default_name = "GANTRY_ERROR_INTERNAL"

    def __init__(self, text: str, status: Optional[int] = None, name: Optional[str] = None) -> None:
        super().__init__(text)
        self.status = self.default_status if status is None else status
        self.name = self.default_name if name is None else name


class InvalidArgument(Error, ValueError):
    """Null, negative, of the wrong shape or kind."""

    default_status = 1
    default_name = "GANTRY_ERROR_INVALID_ARGUMENT"


class AbiMismatch(Error):
    """A library, plug-in or struct of another binary interface."""

    default_status = 2
    default_name = "GANTRY_ERROR_ABI"


class IndexOutOfRange(Error, IndexError):
    """An index outside the table. `position` is the first such place in the indices, `value` what stands there; both are None
    where the library did not tell them."""

    default_status = 3
    default_name = "GANTRY_ERROR_INDEX"

    def __init__(
        self,
        text: str,
        status: Optional[int] = None,
        name: Optional[str] = None,
        position: Optional[int] = None,
        value: Optional[int] = None,
    ) -> None:
        super().__init__(text, status, name)
        self.position = position
        self.value = value


class OverlapError(Error, ValueError):
    """Memory that is written overlaps memory that is read."""

    default_status = 4
    default_name = "GANTRY_ERROR_OVERLAP"


class MisalignedPointer(Error, ValueError):
    """A pointer that is no multiple of its element's alignment."""

    default_status = 5
    default_name = "GANTRY_ERROR_MISALIGNED"


class SizeOverflow(Error, OverflowError):
    """A product of sizes exceeds 63 bits."""

    default_status = 6
    default_name = "GANTRY_ERROR_OVERFLOW"


class Unsupported(Error, TypeError):
    """A pair of dtypes, a device or a layout that the library does not do."""

    default_status = 7
    default_name = "GANTRY_ERROR_UNSUPPORTED"


class OutOfMemory(Error, MemoryError):
    """An allocation failed."""

    default_status = 8
    default_name = "GANTRY_ERROR_OUT_OF_MEMORY"


class EnvironmentFailed(Error):
    """A callback of an environment failed or broke its contract. When it raised a Python exception, that is the cause."""

    default_status = 9
    default_name = "GANTRY_ERROR_ENVIRONMENT"


class ReentrantCall(Error):
    """A callback called an op on the context that is running it."""

    default_status = 10
    default_name = "GANTRY_ERROR_REENTRANT"


class BackendUnavailable(Error):
    """The backend that the memory needs cannot be used; the text has the reason. See gantry.backend()."""

    default_status = 11
    default_name = "GANTRY_ERROR_BACKEND_UNAVAILABLE"


class DeviceError(Error):
    """An error of the CUDA runtime."""

    default_status = 12
    default_name = "GANTRY_ERROR_DEVICE"


class CaptureError(Error):
    """Not possible while the stream captures a graph."""

    default_status = 13
    default_name = "GANTRY_ERROR_CAPTURE"


class SegmentError(Error):
    """A shared segment that cannot be used."""

    default_status = 14
    default_name = "GANTRY_ERROR_SEGMENT_LAYOUT"


class SegmentLayoutError(SegmentError, ValueError):
    """No segment of Gantry's, or one of another layout, dtype or shape."""


class SegmentTruncated(SegmentError):
    """A segment that is shorter than its header says."""

    default_status = 15
    default_name = "GANTRY_ERROR_SEGMENT_TRUNCATED"


class SegmentSpaceError(SegmentError, MemoryError):
    """Less shared memory is left than was asked for."""

    default_status = 16
    default_name = "GANTRY_ERROR_SEGMENT_SPACE"


class SystemCallFailed(Error):
    """A system call failed; the text has its name and the system's reason."""

    default_status = 17
    default_name = "GANTRY_ERROR_SYSTEM"


class ReadOnly(Error, BufferError, ValueError):
    """A write into memory that was declared read-only."""

    default_status = 18
    default_name = "GANTRY_ERROR_READ_ONLY"


class DlpackVersionError(Error, BufferError):
    """A DLPack capsule of another major version."""

    default_status = 19
    default_name = "GANTRY_ERROR_DLPACK_VERSION"


class InternalError(Error):
    """A defect of the library."""


class ClosedError(InvalidArgument):
    """A table, segment or environment was used after it had been closed."""


class LibraryNotFound(Error, ImportError):  # type: ignore[misc]  # ImportError too has a name, which nobody reads
    """libgantry.so was not found, or could not be loaded. The text has every place that was tried."""

    default_status = 11
    default_name = "GANTRY_ERROR_BACKEND_UNAVAILABLE"


_CLASSES: Dict[int, Type[Error]] = {
    kind.default_status: kind
    for kind in (
        InvalidArgument,
        AbiMismatch,
        IndexOutOfRange,
        OverlapError,
        MisalignedPointer,
        SizeOverflow,
        Unsupported,
        OutOfMemory,
        EnvironmentFailed,
        ReentrantCall,
        BackendUnavailable,
        DeviceError,
        CaptureError,
        SegmentLayoutError,
        SegmentTruncated,
        SegmentSpaceError,
        SystemCallFailed,
        ReadOnly,
        DlpackVersionError,
        InternalError,
    )
}


_BAD_INDEX = re.compile(r"index (-?\d+) at position (\d+)")


def error_for(
    status: int, text: str, name: Optional[str] = None, position: Optional[int] = None, value: Optional[int] = None
) -> Error:
    """The exception of a status other than 0. `position` and `value` are those of a bad index; where they are not given they are
    taken from the library's text."""
    kind = _CLASSES.get(status, Error)
    if issubclass(kind, IndexOutOfRange):
        found = _BAD_INDEX.search(text) if position is None else None
        if found is not None:
            value, position = int(found.group(1)), int(found.group(2))
        return kind(text, status, name, position, value)
    return kind(text, status, name or (kind.default_name if kind is not Error else "unknown status"))
