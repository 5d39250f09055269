"""Element types, with DLPack's codes."""

from __future__ import annotations

import re
from typing import Any, Dict, NamedTuple, Optional

from .errors import InvalidArgument

INT, UINT, FLOAT, RAW, BFLOAT, COMPLEX, BOOL = range(7)

_KINDS = {INT: "int", UINT: "uint", FLOAT: "float", BFLOAT: "bfloat", COMPLEX: "complex"}


class DType(NamedTuple):
    """What an element is: laid out as DLPack's DLDataType. Elements have bits * lanes bits."""

    code: int
    bits: int
    lanes: int = 1

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.bits * self.lanes // 8

    @property
    def name(self) -> str:
        """As dtype() reads it: "float32", "bfloat16", "raw12"."""
        if self.code == RAW:
            return f"raw{self.itemsize}"
        if self.code == BOOL:
            base = "bool"
        elif self.code in _KINDS:
            base = f"{_KINDS[self.code]}{self.bits}"
        else:
            base = f"code{self.code}.{self.bits}"
        return base if self.lanes == 1 else f"{base}x{self.lanes}"

    @property
    def typestr(self) -> Optional[str]:
        """As NumPy's and CUDA's array interfaces write it, little-endian; None for types that have none there (bfloat16)."""
        if self.code == RAW:
            return f"|V{self.itemsize}"
        if self.lanes != 1:
            return None
        if self.code == BOOL:
            return "|b1" if self.bits == 8 else None
        letter = {INT: "i", UINT: "u", FLOAT: "f", COMPLEX: "c"}.get(self.code)
        if letter is None or (self.code == FLOAT and self.bits < 16):
            return None
        return f"{'|' if self.bits == 8 else '<'}{letter}{self.itemsize}"

    @property
    def format(self) -> Optional[str]:
        """As the struct module writes it; None for types that have none there."""
        if self.lanes != 1:
            return None
        return _FORMATS.get((self.code, self.bits))

    def __str__(self) -> str:
        return self.name


_FORMATS = {
    (INT, 8): "b", (INT, 16): "h", (INT, 32): "i", (INT, 64): "q", (UINT, 8): "B", (UINT, 16): "H", (UINT, 32): "I",
    (UINT, 64): "Q", (FLOAT, 16): "e", (FLOAT, 32): "f", (FLOAT, 64): "d", (BOOL, 8): "?",
}  # fmt: skip

_NAMED: Dict[str, DType] = {"bool": DType(BOOL, 8), "bfloat16": DType(BFLOAT, 16), "bf16": DType(BFLOAT, 16)}
for _code, _letter, _widths in ((INT, "i", (8, 16, 32, 64)), (UINT, "u", (8, 16, 32, 64)), (FLOAT, "f", (16, 32, 64))):
    for _bits in _widths:
        _NAMED[f"{_KINDS[_code]}{_bits}"] = _NAMED[f"{_letter}{_bits}"] = DType(_code, _bits)
_NAMED.update({"complex64": DType(COMPLEX, 64), "complex128": DType(COMPLEX, 128)})
_NAMED.update({"half": _NAMED["float16"], "float": _NAMED["float32"], "double": _NAMED["float64"]})
_NAMED.update({"int": _NAMED["int32"], "long": _NAMED["int64"]})

# torch's names are above; as NumPy and torch read Python's own types.
_PYTHON: Dict[type, DType] = {
    bool: _NAMED["bool"], int: _NAMED["int64"], float: _NAMED["float64"], complex: _NAMED["complex128"],
}  # fmt: skip

_TYPESTR = re.compile(r"[<|=]?([iufcbV])(\d+)$")
_RAW = re.compile(r"raw(\d+)$")
_LETTERS = {"i": INT, "u": UINT, "f": FLOAT, "c": COMPLEX}


def raw(width: int) -> DType:
    """Elements of `width` bytes without a meaning: moved, never converted."""
    if not 1 <= width <= 65535:
        raise InvalidArgument(f"a raw element has 1 to 65535 bytes, not {width}")
    return DType(RAW, 8, width)


def _from_text(text: str) -> Optional[DType]:
    found = _NAMED.get(text)
    if found is not None:
        return found
    match = _RAW.match(text)
    if match:
        return raw(int(match.group(1)))
    match = _TYPESTR.match(text)
    if match is None:
        return None
    letter, width = match.group(1), int(match.group(2))
    if letter == "V":
        return raw(width)
    if letter == "b":
        return _NAMED["bool"] if width == 1 else None
    made = DType(_LETTERS[letter], 8 * width)
    return made if made in _NAMED.values() else None


def dtype(what: Any) -> DType:
    """Reads a dtype: a DType, a name ("float32", "f32", "<f4", "raw12"), torch's or NumPy's dtype, a (code, bits, lanes),
    Python's bool, int (int64), float (float64) or complex (complex128)."""
    if isinstance(what, DType):
        return what
    if isinstance(what, type) and what in _PYTHON:
        return _PYTHON[what]
    if isinstance(what, tuple) and len(what) in (2, 3) and all(isinstance(part, int) for part in what):
        code, bits, lanes = (*what, 1)[:3]
        if 0 <= code <= 255 and 1 <= bits <= 255 and 1 <= lanes <= 65535 and bits * lanes % 8 == 0:
            return DType(code, bits, lanes)
        raise InvalidArgument(f"{what!r} is no dtype: code, bits and lanes do not fit DLPack's 8, 8 and 16 bits, or no whole bytes")
    text = what if isinstance(what, str) else getattr(what, "str", None)
    if not isinstance(text, str):
        text = getattr(what, "__name__", None) if isinstance(what, type) else str(what)
    found = _from_text(text.replace("torch.", "", 1)) if text else None
    if found is None:
        raise InvalidArgument(f"{what!r} is no dtype that Gantry knows")
    return found
