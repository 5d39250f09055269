"""S07 to S12: ops against a reference in Python."""

from __future__ import annotations

import ctypes
import math
import struct
from typing import Any, List

from .registry import equal, holds, raises, test

_TYPES = [
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64", "bool",
]  # fmt: skip


@test("S07", "gather of known values")
def known_values() -> str:
    from .. import array, gather

    rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
    found = gather(array(rows, "float32"), array([3, 0, 3, 1])).tolist()
    equal(found, [rows[3], rows[0], rows[3], rows[1]], "rows 3, 0, 3, 1 of a table of 4 by 3")
    return "rows 3, 0, 3, 1 of a table of 4 by 3"


@test("S08", "every dtype with both kinds of index")
def dtypes() -> str:
    from .. import array, gather

    wanted = [(5 * i + 2) % 23 for i in range(100)]
    for name in _TYPES:
        rows = [[bool((row + column) % 2) if name == "bool" else (row + column) % 100 for column in range(7)] for row in range(23)]
        table = array(rows, name)
        for index in ("int32", "int64", "uint32", "uint64"):
            equal(gather(table, array(wanted, index)).tolist(), [rows[row] for row in wanted], f"{name} by {index}")
    return f"{len(_TYPES)} dtypes by 4 kinds of index, 100 rows each, equal to Python's"


@test("S09", "every policy for bad indices")
def bounds() -> str:
    from .. import IndexOutOfRange, Stats, array, gather

    rows = [[1, 2], [3, 4], [5, 6]]
    table, indices, before = array(rows, "float32"), array([2, 3, -1, 0]), [[-9, -9]] * 4
    for policy, second, third in (("skip", before[0], before[0]), ("zero", [0, 0], [0, 0]), ("clamp", rows[2], rows[0])):
        stats = Stats()
        found = gather(table, indices, array(before, "float32"), bounds=policy, stats=stats).tolist()
        equal(found, [rows[2], second, third, rows[0]], f"bounds={policy!r}")
        equal((stats.bad_rows, stats.first_bad_position, stats.first_bad_value), (2, 1, 3), f"statistics of bounds={policy!r}")
    error = raises(IndexOutOfRange, lambda: gather(table, indices), "bounds='error'")
    equal((error.position, error.value), (1, 3), "the first bad position and value of bounds='error'")
    equal(gather(table, array([-1, -3]), bounds="wrap").tolist(), [rows[2], rows[0]], "bounds='wrap'")
    error = raises(IndexOutOfRange, lambda: gather(table, array([0, -4]), bounds="wrap"), "bounds='wrap' with -4")
    equal((error.position, error.value), (1, -4), "the first bad position and value of bounds='wrap'")
    equal(gather(table, array([1]), bounds="trust").tolist(), [rows[1]], "bounds='trust'")
    return f"6 policies; the text of a failure: {error}"


@test("S10", "empty, narrow, odd, unaligned and padded rows")
def shapes() -> str:
    from .. import array, empty, gather, zeros

    equal(gather(array([[1, 2]]), empty(0, "int64")).shape, (0, 2), "no indices")
    equal(gather(zeros((3, 0)), array([1, 2])).shape, (2, 0), "no columns")
    equal(gather(zeros((0, 2)), empty(0, "int32")).shape, (0, 2), "an empty table")
    widths = (1, 3, 11, 12, 16, 31, 64, 127, 128, 129, 513, 4099)
    for width in widths:
        stride, rows, offset = width + 5, 9, 1
        memory = bytearray((7 * i + i // 251) % 256 for i in range(offset + rows * stride))
        block = (ctypes.c_char * len(memory)).from_buffer(memory)
        table = (ctypes.addressof(block) + offset, (rows, width), "uint8", (stride, 1), (1, 0), True, block)
        wanted = [8, 0, 3, 3]
        target = bytearray(len(wanted) * width + 3)
        out_block = (ctypes.c_char * len(target)).from_buffer(target)
        gather(table, array(wanted), (ctypes.addressof(out_block) + 3, (len(wanted), width), "uint8", None, (1, 0), False, out_block))
        expected = b"".join(bytes(memory[offset + row * stride :][:width]) for row in wanted)
        equal(bytes(target), bytes(3) + expected, f"rows of {width} bytes at an odd address, {stride} apart")
    return f"rows of {', '.join(map(str, widths))} bytes at odd addresses with gaps between them; no rows; no columns"


def _sequential(rows: List[List[float]], indices: List[int], count: int) -> bytes:
    """scatter_add as a loop: float32 sums, rounded after each addition."""
    table = [[0.0] * len(rows[0]) for _ in range(count)]
    for index, row in zip(indices, rows):
        for column, value in enumerate(row):
            table[index][column] = struct.unpack("f", struct.pack("f", table[index][column] + value))[0]
    return b"".join(struct.pack(f"{len(row)}f", *row) for row in table)


@test("S11", "scatter: the last row wins; scatter_add: bitwise a loop's sums")
def scatter() -> str:
    from .. import Context, array, scatter, scatter_add, zeros

    table = zeros((5, 2))
    scatter(table, array([3, 1, 3, 1]), array([[1, 1], [2, 2], [3, 3], [4, 4]], "float32"))
    equal(table.tolist(), [[0, 0], [4, 4], [0, 0], [3, 3], [0, 0]], "scatter with equal indices")
    rows = [[struct.unpack("f", struct.pack("f", math.sin(7 * i + c)))[0] for c in range(3)] for i in range(2000)]
    indices = [(i * i + 3 * i) % 37 for i in range(2000)]
    expected = _sequential(rows, indices, 37)
    source, places = array(rows, "float32"), array(indices)
    for threads in (1, 2, 7):
        with Context(threads=threads) as context:
            table = zeros((37, 3))
            scatter_add(table, places, source, context=context)
            equal(table.buffer().tobytes(), expected, f"the sums with {threads} threads")
    return "2000 rows of float32 added to 37 with 1, 2 and 7 threads: every bit as a loop's"


@test("S12", "float16 and bfloat16 are converted exactly")
def conversion() -> str:
    from .. import convert, empty

    every = struct.pack("65536H", *range(65536))
    values = {
        "float16": struct.unpack("65536e", every),
        "bfloat16": struct.unpack("65536f", struct.pack("65536I", *(half << 16 for half in range(65536)))),
    }
    for name, wanted in values.items():
        block = (ctypes.c_char * len(every)).from_buffer_copy(every)
        source = (ctypes.addressof(block), (65536,), name, None, (1, 0), True, block)
        wide, back = empty(65536, "float32"), empty(65536, name)
        convert(source, wide)
        found = wide.tolist()
        for bits, (seen, expected) in enumerate(zip(found, wanted)):
            holds(seen == expected and math.copysign(1, seen) == math.copysign(1, expected) or seen != seen and expected != expected,
                  f"{name} 0x{bits:04x} became {seen}, wanted {expected}")  # fmt: skip
        convert(wide, back)
        numbers = [bits for bits in range(65536) if wanted[bits] == wanted[bits]]
        returned = struct.unpack("65536H", ctypes.string_at(back.address, 131072))
        equal([returned[bits] for bits in numbers], numbers, f"{name} to float32 and back")
        holds(all(_is_nan(returned[bits], name) for bits in range(65536) if wanted[bits] != wanted[bits]), f"a NaN of {name} became a number")
    _check_rounding(convert, empty)
    return "all 65536 values of both to float32 and back, NaN and subnormals among them; ties go to the even neighbour"


def _is_nan(bits: int, name: str) -> bool:
    exponent = 0x7C00 if name == "float16" else 0x7F80
    return bits & exponent == exponent and bits & (0x7FFF & ~exponent) != 0


def _check_rounding(convert: Any, empty: Any) -> None:
    from .. import array

    for name, step, largest in (("float16", 2.0**-10, 65504.0), ("bfloat16", 2.0**-7, (2 - 2.0**-7) * 2.0**127)):
        values = [1 + step / 2, 1 + 3 * step / 2, 1 + step / 2 + step / 64, -(1 + step / 2)]
        target = empty(4, name)
        convert(array(values, "float32"), target)
        equal(target.tolist(), [1, 1 + 2 * step, 1 + step, -1], f"rounding to {name}")
        target = empty(2, name)
        convert(array([largest * (1 + step), -largest * (1 + step)], "float64"), target)
        equal(target.tolist(), [math.inf, -math.inf], f"numbers beyond the largest {name}")
