"""Gantry: gather and scatter over embedding tables in host, shared and GPU memory.

    import gantry
    rows = gantry.gather(table, indices)           # table, indices: torch, NumPy, gantry.Table, anything with DLPack
    table = gantry.shm.create(1_000_000, 64)       # a table that other processes see
    python -m gantry.doctor                        # what is there, what is missing, what to do

Importing the package loads neither the library, nor torch, nor NumPy; the first use of a name loads what it needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import doctor, dtypes, env, errors, shm, smoke
    from .arrays import Array, Table, array, empty, table, zeros
    from .borrow import asarray, astable
    from .context import Backend, Context
    from .dtypes import DType, dtype
    from .errors import (
        AbiMismatch,
        BackendUnavailable,
        Error,
        IndexOutOfRange,
        InvalidArgument,
        LibraryNotFound,
        ReadOnly,
        SegmentError,
    )
    from .info import abi_version, backend, binding, build_info, library_path, library_version
    from .ops import Stats, check, convert, copy, gather, scatter, scatter_add

_MODULES = ("bench", "doctor", "dtypes", "env", "errors", "shm", "smoke", "stamp", "torch_ext")
_HOMES = {
    "arrays": ("Array", "Table", "array", "empty", "table", "zeros"),
    "borrow": ("asarray", "astable"),
    "context": ("Backend", "Context"),
    "dtypes": ("DType", "dtype"),
    "errors": (
        "AbiMismatch", "BackendUnavailable", "Error", "IndexOutOfRange", "InvalidArgument", "LibraryNotFound", "ReadOnly",
        "SegmentError",
    ),
    "info": ("abi_version", "backend", "binding", "build_info", "library_path", "library_version"),
    "ops": ("Stats", "check", "convert", "copy", "gather", "scatter", "scatter_add"),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [  # noqa: PLE0604
    "__version__", "AbiMismatch", "Array", "Backend", "BackendUnavailable", "Context", "DType", "Error", "IndexOutOfRange",
    "InvalidArgument", "LibraryNotFound", "ReadOnly", "SegmentError", "Stats", "Table", "abi_version", "array", "asarray",
    "astable", "backend", "binding", "build_info", "check", "convert", "copy", "doctor", "dtype", "dtypes", "empty", "env",
    "errors", "gather", "library_path", "library_version", "scatter", "scatter_add", "shm", "smoke", "table", "zeros",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(_HOME) | set(_MODULES))
