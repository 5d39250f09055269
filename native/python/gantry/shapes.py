"""Shapes, strides and devices, as callers write them."""

from __future__ import annotations

import operator
from typing import Any, List, Sequence, Tuple, Union

from . import _abi
from .dtypes import DType
from .errors import InvalidArgument, SizeOverflow
from .storage import Device

_LIMIT = (1 << 63) - 1
_DEVICE_NAMES = {"cpu": _abi.DEVICE_HOST, "cuda": _abi.DEVICE_CUDA, "pinned": _abi.DEVICE_CUDA_HOST}
Shape = Union[int, Sequence[int]]


def read_count(name: str, value: Any, limit: int, words: str) -> int:
    """An integer of any library, 0 to `limit`; `words` say what it may be. Booleans and floats are none, whatever their value."""
    try:
        if isinstance(value, bool):
            raise TypeError
        count = operator.index(value)
    except TypeError:
        count = -1
    if not 0 <= count <= limit:
        raise InvalidArgument(f"{name} is {value!r}; {words}")
    return count


def read_shape(shape: Shape) -> Tuple[int, ...]:
    """A shape of at most eight sizes, each 0 to 2^63 - 1."""
    try:
        sizes = tuple(map(operator.index, shape)) if isinstance(shape, (list, tuple)) else (operator.index(shape),)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidArgument(f"{shape!r} is no shape: it has to be integers") from None
    if len(sizes) > _abi.MAX_DIMENSIONS:
        raise InvalidArgument(f"a shape of {len(sizes)} dimensions; {_abi.MAX_DIMENSIONS} are possible")
    for size in sizes:
        if size < 0:
            raise InvalidArgument(f"shape {sizes} has the negative size {size}")
        if size > _LIMIT:
            raise SizeOverflow(f"shape {sizes} has a size of more than 63 bits")
    return sizes


def read_device(device: Union[str, Device]) -> Device:
    """DLPack's device type and id, of themselves or of a name: "cpu", "cuda", "cuda:1", "pinned"."""
    if isinstance(device, tuple) and len(device) == 2:
        return (operator.index(device[0]), operator.index(device[1]))
    name, _, number = str(device).partition(":")
    if name not in _DEVICE_NAMES or not (number == "" or number.isdigit()):
        raise InvalidArgument(f"device is {device!r}; it may be 'cpu', 'cuda', 'cuda:N', 'pinned' or DLPack's (type, id)")
    return (_DEVICE_NAMES[name], int(number or 0))


def row_major(shape: Sequence[int]) -> Tuple[int, ...]:
    """The strides, in elements, of a shape without gaps."""
    strides: List[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def byte_size(shape: Sequence[int], strides: Sequence[int], element: DType) -> int:
    """From the first byte to the end of the last element; SizeOverflow beyond 63 bits."""
    if 0 in shape:
        return 0
    size = (sum((size - 1) * stride for size, stride in zip(shape, strides)) + 1) * element.itemsize
    if size > _LIMIT:
        raise SizeOverflow(f"an array of shape {tuple(shape)} and {element} takes {size} bytes, more than 63 bits hold")
    return size
