"""The loops of the C++ benchmarks (libgantry_loops.so): the machine's limits, and what a block of memory costs."""

from __future__ import annotations

import ctypes
import os
from typing import Optional

import gantry

_pointer, _size, _count = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32


def _load() -> Optional[ctypes.CDLL]:
    folder = os.path.join(os.path.dirname(os.path.abspath(gantry.__file__)), "_native")
    path = os.environ.get("GANTRY_LOOPS") or os.path.join(folder, "libgantry_loops.so")
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    for name, arguments in {
        "gantry_roof_write_streaming": [_pointer, _size, _count],
        "gantry_roof_read_rows": [_pointer, _size, _pointer, _size, _count, _count],
        "gantry_time_allocations": [_pointer, _size, _size],
    }.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = ctypes.c_double
    return library


LIBRARY = _load()

# Rows ahead that the reading loop prefetches; the best of these counts.
AHEAD = (16, 32, 64)


def read_rows(table: int, row_bytes: int, indices: int, count: int, ahead: int, threads: int) -> float:
    """Seconds to read `count` rows of int64 indices, one load for each cache line, nothing written."""
    assert LIBRARY is not None
    return float(LIBRARY.gantry_roof_read_rows(table, row_bytes, indices, count, ahead, threads))


def write_streaming(to: int, size: int, threads: int) -> float:
    """Seconds to write `size` bytes (a multiple of 64, aligned to 64) past the caches."""
    assert LIBRARY is not None
    return float(LIBRARY.gantry_roof_write_streaming(to, size, threads))


def allocations(environment: int, size: int, count: int) -> float:
    """Seconds for `count` blocks of `size` bytes from the environment at that address, each got and given back."""
    assert LIBRARY is not None
    seconds = float(LIBRARY.gantry_time_allocations(environment, size, count))
    if seconds < 0:
        raise MemoryError(f"the environment did not give {size} bytes")
    return seconds
