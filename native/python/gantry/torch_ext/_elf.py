"""DT_NEEDED and DT_SONAME of an ELF file, without loading it."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from typing import List, Optional, Tuple

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_NEEDED, _DT_STRTAB, _DT_STRSZ, _DT_SONAME = 0, 1, 5, 10, 14
_LIMIT = 64 << 20


class NotElf(ValueError):
    """The file is no shared library, or one that is cut off."""


@dataclass
class Dynamic:
    needed: List[str] = field(default_factory=list)
    soname: Optional[str] = None


def read(path: str) -> Dynamic:
    """Reads only the headers and the dynamic section. NotElf with the place when the file ends before its tables do."""
    with open(path, "rb") as file:
        end = os.fstat(file.fileno()).st_size

        def part(offset: int, size: int, what: str) -> bytes:
            if offset + size > end or size > _LIMIT:
                raise NotElf(f"{path} has {end} bytes: {what} of {size} bytes at {offset} is not inside of it")
            file.seek(offset)
            return file.read(size)

        ident = part(0, 16, "the ELF header")
        if ident[:4] != b"\x7fELF" or ident[4] not in (1, 2) or ident[5] not in (1, 2):
            raise NotElf(f"{path} is no ELF file")
        wide, order = ident[4] == 2, "<" if ident[5] == 1 else ">"
        header = struct.Struct(order + ("HHIQQQIHHH" if wide else "HHIIIIIHHH"))
        fields = header.unpack(part(16, header.size, "the ELF header"))
        table, entry_size, count = fields[4], fields[8], fields[9]
        entry = struct.Struct(order + ("IIQQQQQQ" if wide else "IIIIIIII"))
        if count and entry_size < entry.size:
            raise NotElf(f"{path} has program headers of {entry_size} bytes")
        raw = part(table, entry_size * count, "the program headers")
        segments: List[Tuple[int, int, int, int]] = []  # type, offset, address, bytes in the file
        for at in range(0, entry_size * count, entry_size or 1):
            values = entry.unpack_from(raw, at)
            segments.append((values[0], values[2], values[3], values[5]) if wide
                            else (values[0], values[1], values[2], values[4]))
        for kind, offset, _, size in segments:
            # The loader does not look: the process would end with SIGBUS at the first page that is missing.
            if kind in (_PT_LOAD, _PT_DYNAMIC) and offset + size > end:
                raise NotElf(f"{path} is cut off: it has {end} bytes, and a segment of {size} bytes begins at {offset}")
        return _dynamic(path, segments, part, struct.Struct(order + ("qQ" if wide else "iI")))


def _dynamic(path, segments, part, entry) -> Dynamic:  # type: ignore[no-untyped-def]
    found = [segment for segment in segments if segment[0] == _PT_DYNAMIC]
    if not found:
        raise NotElf(f"{path} has no dynamic section: it is no shared library")
    tags = []
    raw = part(found[0][1], found[0][3], "the dynamic section")
    for at in range(0, len(raw) - entry.size + 1, entry.size):
        tag, value = entry.unpack_from(raw, at)
        if tag == _DT_NULL:
            break
        tags.append((tag, value))
    values = dict(tags)
    strings = b""
    if _DT_STRTAB in values:
        address, size = values[_DT_STRTAB], values.get(_DT_STRSZ, 0)
        for kind, offset, start, length in segments:
            if kind == _PT_LOAD and start <= address and address + size <= start + length:
                strings = part(offset + address - start, size, "the dynamic strings")

    def text(offset: int) -> str:
        end = strings.find(b"\0", offset)
        if offset >= len(strings) or end < 0:
            raise NotElf(f"{path}: a name lies outside of the dynamic strings")
        return strings[offset:end].decode("utf-8", "replace")

    result = Dynamic(needed=[text(value) for tag, value in tags if tag == _DT_NEEDED])
    if _DT_SONAME in values:
        result.soname = text(values[_DT_SONAME])
    return result
