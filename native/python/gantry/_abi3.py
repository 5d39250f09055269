"""The binding in C: `_core.abi3.so`, for all CPythons >= 3.10 with a GIL. Free-threaded CPythons load no limited-API modules of this
kind: there the binding is ctypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gantry import _abi, _library, _tensors, errors

if TYPE_CHECKING:
    from gantry._binding import Binding

OPS = ("gantry_gather", "gantry_scatter", "gantry_scatter_add", "gantry_convert", "gantry_copy", "gantry_check")


class _Described:
    """What C knows of a view, as _tensors.allocate reads it."""

    __slots__ = ("shape", "dtype", "device")

    def __init__(self, parts: Any) -> None:
        self.shape, self.dtype, self.device = parts


def _read(value: Any, name: str, write: bool, stream: Any) -> _tensors.View:
    return _tensors.read(value, name, write, stream)


def _allocate(first: Any, chunks: Any, indices: Any, environment: Any, stream: Any, factory: Any) -> Any:
    return _tensors.allocate(first, [_Described(chunk) for chunk in chunks], _Described(indices), environment, stream, factory)


def bind(library: _library.Library) -> "Binding":
    """The binding on a library. ImportError where there is no module for this Python."""
    from gantry import _core  # type: ignore[attr-defined]

    if _core.ABI_VERSION != _abi.ABI_VERSION:
        raise errors.AbiMismatch(
            f"{_core.__file__} was compiled for the binary interface {_core.ABI_VERSION >> 16}.{_core.ABI_VERSION & 0xFFFF}, and "
            f"this package has {_abi.ABI_MAJOR}.{_abi.ABI_MINOR}; install the files of one release"
        )
    return _core.Binding({name: library.address(name) for name in OPS}, library.error, _read, _allocate)


def load() -> "Binding":
    """The binding on the process's library."""
    return bind(_library.load())
