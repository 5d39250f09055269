"""What is loaded: the library, its interface, its build, the binding."""

from __future__ import annotations

from typing import Any, Tuple

from . import _binding, _library
from . import context as contexts
from .context import Backend


def library_path() -> str:
    """The file of the loaded library."""
    return _library.load().path


def library_version() -> str:
    """The version of the loaded library."""
    library: Any = _library.load()
    version: bytes = library.gantry_version()
    return version.decode()


def abi_version() -> Tuple[int, int]:
    """The binary interface of the loaded library: major and minor."""
    library: Any = _library.load()
    number = int(library.gantry_abi_version())
    return (number >> 16, number & 0xFFFF)


def build_info() -> str:
    """The library's ABI stamp: lines of key=value."""
    library: Any = _library.load()
    text: bytes = library.gantry_build_info()
    return text.decode("utf-8", "replace")


def binding() -> str:
    """How Python calls the library: "abi3" or "ctypes". GANTRY_BINDING chooses one."""
    return _binding.binding().name


def backend(name: str = "cuda") -> Backend:
    """Whether a backend ("host" or "cuda") can be used, and why not."""
    return contexts.default().backend(name)
