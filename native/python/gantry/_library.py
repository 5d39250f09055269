"""Finds libgantry, loads it and refuses a library of another binary interface."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from gantry import _abi, errors

LIBRARY_VARIABLE = "GANTRY_LIBRARY"
FILE_NAME = "libgantry.so"


class Library:
    """The loaded library: `path`, and every function of gantry.h as an attribute (`library.gantry_open`)."""

    def __init__(self, path: str, handle: ctypes.CDLL) -> None:
        self.path = path
        self.handle = handle
        for name, (result, arguments) in _abi.PROTOTYPES.items():
            try:
                function = getattr(handle, name)
            except AttributeError:
                raise errors.AbiMismatch(
                    f"{path} has no function {name}, although it says that it has the binary interface "
                    f"{_abi.ABI_MAJOR}.{_abi.ABI_MINOR}; install the library and the package of one release"
                ) from None
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    if TYPE_CHECKING:  # the functions

        def __getattr__(self, name: str) -> Any: ...

    def address(self, name: str) -> int:
        """The address of an exported function."""
        return ctypes.cast(getattr(self.handle, name), ctypes.c_void_p).value or 0

    def status_name(self, status: int) -> str:
        name: bytes = self.handle.gantry_status_name(status)
        return name.decode("ascii", "replace")

    def error(self, status: int, position: Optional[int] = None, value: Optional[int] = None) -> errors.Error:
        """The exception of the calling thread's last failure."""
        text = self.handle.gantry_last_error().decode("utf-8", "replace")
        return errors.error_for(status, text, self.status_name(status), position, value)

    def check(self, status: int) -> None:
        """Raises the exception of a status other than GANTRY_OK."""
        if status != _abi.OK:
            raise self.error(status)


def candidates() -> List[Tuple[str, str]]:
    """Where the library is looked for, in order: (path, why). GANTRY_LIBRARY is the only place when it is set."""
    named = os.environ.get(LIBRARY_VARIABLE, "")
    if named:
        return [(named, f"{LIBRARY_VARIABLE} names it")]
    package = Path(__file__).resolve().parent
    places = [(str(Path(__file__).parent / "_native" / FILE_NAME), "the package's own")]
    if package.parent.name == "python" and (package.parents[1] / "include" / "gantry" / "gantry.h").is_file():
        build = package.parents[1] / "build"
        places += [(str(path), "built in the source tree") for path in sorted(build.glob("*/" + FILE_NAME))]
    places.append((os.path.join(sys.prefix, "lib", FILE_NAME), "this Python's prefix"))
    return places


def _interface(version: int) -> str:
    return f"{version >> 16}.{version & 0xFFFF}"


def load_from(path: str) -> Library:
    """Loads one file. LibraryNotFound with the loader's text, AbiMismatch when its interface is another than the package's."""
    try:
        handle = ctypes.CDLL(path)
    except OSError as failure:
        raise errors.LibraryNotFound(f"{path} could not be loaded: {failure}") from failure
    try:
        query = handle.gantry_abi_version
    except AttributeError:
        raise errors.AbiMismatch(f"{path} is no Gantry library: it has no function gantry_abi_version") from None
    query.restype = ctypes.c_uint32
    query.argtypes = []
    found = query()
    if found >> 16 != _abi.ABI_MAJOR or found < _abi.ABI_VERSION:
        raise errors.AbiMismatch(
            f"{path} has the binary interface {_interface(found)}; this package needs "
            f"{_interface(_abi.ABI_VERSION)} or a later {_abi.ABI_MAJOR}.x. Install the library and the package of one release."
        )
    return Library(path, handle)


_loaded: Optional[Library] = None
_lock = threading.Lock()


def load() -> Library:
    """The process's library, loaded at the first call."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _find()
    return _loaded


def _find() -> Library:
    places = candidates()
    for path, why in places:
        if os.path.exists(path):
            return load_from(path)
        if os.environ.get(LIBRARY_VARIABLE):
            raise errors.LibraryNotFound(f"{LIBRARY_VARIABLE} is {path}, and there is no such file")
    tried = "; ".join(f"{path} ({why})" for path, why in places)
    raise errors.LibraryNotFound(
        f"{FILE_NAME} was not found. Tried: {tried}. Build it (cmake -S native -B build) and put build/python on PYTHONPATH, or "
        f"set {LIBRARY_VARIABLE} to the file."
    )
