"""Elements as Python values: for small arrays, tests and messages; large data goes through DLPack or the buffer protocol."""

from __future__ import annotations

import struct
from typing import Any, List, Sequence, Tuple, Union

from .dtypes import BFLOAT, COMPLEX, RAW, DType
from .errors import InvalidArgument, Unsupported

Nested = Union[Any, List[Any]]


def _bfloat_bits(value: float) -> int:
    """The nearest bfloat16, ties to even; a NaN stays one."""
    bits = int(struct.unpack("<I", struct.pack("<f", value))[0])
    if bits & 0x7FFFFFFF > 0x7F800000:
        return (bits >> 16) | 0x40
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def pack(values: Sequence[Any], dtype: DType) -> bytes:
    """The bytes of elements in the machine's order."""
    try:
        if dtype.code == BFLOAT and dtype.bits == 16 and dtype.lanes == 1:
            return struct.pack(f"={len(values)}H", *map(_bfloat_bits, values))
        if dtype.code == RAW:
            if any(len(value) != dtype.itemsize for value in values):
                raise InvalidArgument(f"an element of {dtype} is {dtype.itemsize} bytes")
            return b"".join(values)
        if dtype.code == COMPLEX and dtype.lanes == 1 and dtype.bits in (64, 128):
            parts = [part for value in map(complex, values) for part in (value.real, value.imag)]
            return struct.pack(f"={len(parts)}{'f' if dtype.bits == 64 else 'd'}", *parts)
        if dtype.format is None:
            raise Unsupported(f"elements of {dtype} cannot be made from Python values")
        return struct.pack(f"={len(values)}{dtype.format}", *values)
    except (struct.error, TypeError, OverflowError) as error:
        if isinstance(error, (InvalidArgument, Unsupported)):
            raise
        raise InvalidArgument(f"a value is no {dtype}: {error}") from error


def unpack(data: bytes, dtype: DType) -> List[Any]:
    """The elements of bytes in the machine's order."""
    count = len(data) // dtype.itemsize
    if dtype.code == BFLOAT and dtype.bits == 16 and dtype.lanes == 1:
        halves = struct.unpack(f"={count}H", data)
        return list(struct.unpack(f"={count}f", struct.pack(f"={count}I", *(half << 16 for half in halves))))
    if dtype.code == COMPLEX and dtype.lanes == 1 and dtype.bits in (64, 128):
        parts = struct.unpack(f"={2 * count}{'f' if dtype.bits == 64 else 'd'}", data)
        return [complex(parts[i], parts[i + 1]) for i in range(0, len(parts), 2)]
    if dtype.format is None:
        return [data[i : i + dtype.itemsize] for i in range(0, len(data), dtype.itemsize)]
    return list(struct.unpack(f"={count}{dtype.format}", data))


def shape_of(values: Nested) -> Tuple[int, ...]:
    """The shape of nested lists; InvalidArgument when they are ragged."""
    if not isinstance(values, (list, tuple, range)):
        return ()
    inner = {shape_of(value) for value in values}
    if len(inner) > 1:
        raise InvalidArgument(f"the rows have different shapes: {sorted(inner)}")
    return (len(values), *(inner.pop() if inner else ()))


def flatten(values: Nested) -> List[Any]:
    if not isinstance(values, (list, tuple, range)):
        return [values]
    return [element for value in values for element in flatten(value)]


def nest(values: List[Any], shape: Sequence[int]) -> Nested:
    """The row-major elements as nested lists."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return values
    step = 1
    for size in shape[1:]:
        step *= size
    return [nest(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
