"""Notes and the dynamic section of an ELF file, of either class and byte order, read in small ranges. Every offset and size comes from a file that may be
hostile: each is compared with the file's size before it is used."""

from __future__ import annotations

import os
import struct
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

_LOAD_SEGMENT = 1
_DYNAMIC_SEGMENT = 2
_NOTE_SEGMENT = 4
_NOTE_SECTION = 7
_MAXIMUM_TABLE = 4 * 1024 * 1024
_MAXIMUM_NOTES = 4096
_MAXIMUM_NAME = 256
_MAXIMUM_DESCRIPTOR = 1024 * 1024
_MAXIMUM_DYNAMIC = 64 * 1024 * 1024

# elf.h, d_tag.
_DT_NULL, _DT_NEEDED, _DT_STRTAB, _DT_STRSZ, _DT_SONAME = 0, 1, 5, 10, 14

# elf.h, e_machine: as platform.machine() names them.
_MACHINES = {
    3: "i386",
    8: "mips",
    20: "ppc",
    21: "ppc64",
    22: "s390x",
    40: "armv7l",
    62: "x86_64",
    183: "aarch64",
    243: "riscv64",
}
_LITTLE_ENDIAN_MACHINES = {21: "ppc64le"}


class StampError(ValueError):
    """A file that is no ELF file, or whose headers cannot be true."""


class _Layout(NamedTuple):
    """Where the members are: elf.h, Elf32_* and Elf64_*."""

    header_bytes: int
    tables: str  # e_phoff, e_shoff, at `tables_at`
    tables_at: int
    counts_at: int  # e_phentsize, e_phnum, e_shentsize, e_shnum
    segment: str  # p_type, p_offset, p_filesz, p_align, with gaps
    section: str  # sh_type, sh_offset, sh_size, sh_addralign, with gaps
    mapping: str  # p_type, p_offset, p_vaddr, p_filesz, with gaps
    tag: str  # d_tag, d_val


_LAYOUTS = {
    1: _Layout(52, "II", 28, 42, "II8xI8xI", "4xI8xII8xI4x", "III4xI12x", "iI"),
    2: _Layout(64, "QQ", 32, 54, "I4xQ16xQ8xQ", "4xI16xQQ8xQ8x", "I4xQQ8xQ16x", "qQ"),
}


class Note(NamedTuple):
    owner: bytes
    type: int
    descriptor: bytes


class Dynamic(NamedTuple):
    needed: List[str]  # DT_NEEDED: the libraries that the loader brings along
    soname: Optional[str]


class ElfReader:
    """An open file. Raises StampError for a file whose headers cannot be read."""

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        self._path = os.fspath(path)
        self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            # O_NONBLOCK: a pipe of that name is refused below, not waited for.
            self._size = os.fstat(self._file).st_size
            head = os.pread(self._file, 64, 0)
            if head[:4] != b"\x7fELF" or len(head) < 7 or head[4] not in _LAYOUTS or head[5] not in (1, 2):
                raise StampError(f"{self._path} is no ELF file")
            self._layout = _LAYOUTS[head[4]]
            if len(head) < self._layout.header_bytes:
                raise StampError(f"{self._path} ends inside its ELF header: it has {len(head)} bytes")
            self._order = "<" if head[5] == 1 else ">"
            self._head = head
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> "ElfReader":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def machine(self) -> str:
        (number,) = struct.unpack_from(self._order + "H", self._head, 18)
        if self._order == "<" and number in _LITTLE_ENDIAN_MACHINES:
            return _LITTLE_ENDIAN_MACHINES[number]
        return _MACHINES.get(number, f"machine {number}")

    def notes(self) -> Iterator[Note]:
        """Notes of the note segments, or of note sections in a file without such segments. A note that does not fit ends its
        range."""
        segments, sections = self._tables()
        ranges = list(self._ranges(segments, self._layout.segment, _NOTE_SEGMENT))
        if not ranges:
            ranges = list(self._ranges(sections, self._layout.section, _NOTE_SECTION))
        left = _MAXIMUM_NOTES
        for offset, size, alignment in ranges:
            pad = 8 if alignment == 8 else 4
            at = 0
            while at + 12 <= size and left > 0:
                left -= 1
                header = self._read(offset + at, 12)
                if header is None:
                    break
                name_bytes, descriptor_bytes, kind = struct.unpack(self._order + "III", header)
                descriptor_at = at + -(-(12 + name_bytes) // pad) * pad
                if (
                    name_bytes > _MAXIMUM_NAME
                    or descriptor_bytes > _MAXIMUM_DESCRIPTOR
                    or descriptor_at + descriptor_bytes > size
                ):
                    break
                owner = self._read(offset + at + 12, name_bytes)
                descriptor = self._read(offset + descriptor_at, descriptor_bytes)
                if owner is None or descriptor is None:
                    break
                yield Note(owner.split(b"\0", 1)[0], kind, descriptor)
                at = -(-(descriptor_at + descriptor_bytes) // pad) * pad

    def dynamic(self) -> Dynamic:
        """What the loader reads, without loading. StampError for what is no shared library, and for one that is cut off."""
        segments = list(self._entries(self._tables()[0], self._layout.mapping))
        for kind, offset, _, size in segments:
            # The loader does not look: the process would end with SIGBUS at the first page that is missing.
            if kind in (_LOAD_SEGMENT, _DYNAMIC_SEGMENT) and offset + size > self._size:
                raise StampError(
                    f"{self._path} is cut off: it has {self._size} bytes, and a segment of {size} bytes begins at {offset}"
                )
        tags: List[Tuple[int, int]] = []
        for kind, offset, _, size in segments:
            if kind == _DYNAMIC_SEGMENT:
                tags = self._tags(self._part(offset, size, "the dynamic section"))
                break
        else:
            raise StampError(f"{self._path} has no dynamic section: it is no shared library")
        values = dict(tags)
        address, length = values.get(_DT_STRTAB), values.get(_DT_STRSZ, 0)
        strings = b""
        for kind, offset, start, size in segments:
            if address is not None and kind == _LOAD_SEGMENT and start <= address and address + length <= start + size:
                strings = self._part(offset + address - start, length, "the dynamic strings")
        soname = values.get(_DT_SONAME)
        return Dynamic(
            [self._text(strings, value) for tag, value in tags if tag == _DT_NEEDED],
            None if soname is None else self._text(strings, soname),
        )

    def _tags(self, data: bytes) -> List[Tuple[int, int]]:
        form = struct.Struct(self._order + self._layout.tag)
        found = []
        for at in range(0, len(data) - form.size + 1, form.size):
            tag, value = form.unpack_from(data, at)
            if tag == _DT_NULL:
                break
            found.append((tag, value))
        return found

    def _text(self, strings: bytes, at: int) -> str:
        end = strings.find(b"\0", at)
        if at >= len(strings) or end < 0:
            raise StampError(f"{self._path}: a name lies outside of the dynamic strings")
        return strings[at:end].decode("utf-8", "replace")

    def _part(self, offset: int, size: int, what: str) -> bytes:
        data = self._read(offset, size) if size <= _MAXIMUM_DYNAMIC else None
        if data is None:
            raise StampError(f"{self._path} has {self._size} bytes: {what} of {size} bytes at {offset} is not inside of it")
        return data

    def _tables(self) -> Tuple[Tuple[int, int, int], Tuple[int, int, int]]:
        """(offset, bytes of an entry, entries) of segments and of sections."""
        segments_at, sections_at = struct.unpack_from(self._order + self._layout.tables, self._head, self._layout.tables_at)
        numbers = struct.unpack_from(self._order + "HHHH", self._head, self._layout.counts_at)
        return (segments_at, numbers[0], numbers[1]), (sections_at, numbers[2], numbers[3])

    def _ranges(self, table: Tuple[int, int, int], form: str, wanted: int) -> Iterator[Tuple[int, int, int]]:
        for kind, start, size, alignment in self._entries(table, form):
            if kind == wanted:
                yield start, size, alignment

    def _entries(self, table: Tuple[int, int, int], form: str) -> Iterator[Tuple[Any, ...]]:
        offset, entry, count = table
        form = self._order + form
        if count == 0 or offset == 0:
            return
        if entry < struct.calcsize(form) or entry * count > _MAXIMUM_TABLE:
            raise StampError(f"{self._path} has a header table of {count} entries of {entry} bytes, which cannot be true")
        data = self._read(offset, entry * count)
        if data is None:
            raise StampError(f"{self._path} is truncated: a header table at {offset} ends behind the file's {self._size} bytes")
        for at in range(0, entry * count, entry):
            yield struct.unpack_from(form, data, at)

    def _read(self, offset: int, size: int) -> Optional[bytes]:
        if offset + size > self._size:
            return None
        data = os.pread(self._file, size, offset)
        return data if len(data) == size else None


def machine(path: "str | os.PathLike[str]") -> str:
    """The processor that a file is for, as platform.machine() names it. StampError for what is no ELF file."""
    with ElfReader(path) as reader:
        return reader.machine()


def dynamic(path: "str | os.PathLike[str]") -> Dynamic:
    """ElfReader.dynamic of a file."""
    with ElfReader(path) as reader:
        return reader.dynamic()
