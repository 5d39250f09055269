"""Writes vectors.json: ELF files, most of them hostile, and what each reader of stamps has to find in them.

    python generate.py            # writes the file
    python generate.py --check    # ends with 1 when the file is not what this script writes

A vector: `name`; `file`, the bytes as pieces of hexadecimal digits, each as often as it says; `stamp`, the keys in their order, or null
without a stamp; `refused`, true when the file is no ELF file or has headers that cannot be true; `class` 32 or 64, `order`.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

TEXT = b"schema=1\nname=vector\nversion=1.2\ncxx.cxx11_abi=1\n"
KEYS = {"schema": "1", "name": "vector", "version": "1.2", "cxx.cxx11_abi": "1"}
HERE = Path(__file__).resolve().parent / "vectors.json"

vectors = []


def note(text, owner=b"Abiding\0", kind=1, order="<", pad=4, name_bytes=None, text_bytes=None):
    def padded(data):
        return data + b"\0" * (-len(data) % pad)

    head = struct.pack(
        order + "III", len(owner) if name_bytes is None else name_bytes, len(text) if text_bytes is None else text_bytes, kind
    )
    return padded(head + owner) + padded(text) if pad == 8 else head + padded(owner) + padded(text)


def elf(notes, bits=64, order="<", align=4, sections=False, changes=None, machine=62):
    """A file with one header table of one note range. `changes`: members of the headers that are not true."""
    values = {"offset": None, "size": len(notes), "count": 1, "entry": None, "table": None}
    values.update(changes or {})
    head_bytes = 64 if bits == 64 else 52
    form = {(64, False): "IIQQQQQQ", (32, False): "IIIIIIII", (64, True): "IIQQQQIIQQ", (32, True): "IIIIIIIIII"}[bits, sections]
    entry = struct.calcsize(order + form)
    at = head_bytes + entry
    offset = at if values["offset"] is None else values["offset"]
    size = values["size"]
    if sections:
        row = struct.pack(order + form, 0, 7, 2, 0, offset, size, 0, 0, align, 0)
    elif bits == 64:
        row = struct.pack(order + form, 4, 4, offset, 0, 0, size, size, align)
    else:
        row = struct.pack(order + form, 4, offset, 0, 0, size, size, 4, align)
    entry = entry if values["entry"] is None else values["entry"]
    table = head_bytes if values["table"] is None else values["table"]
    counts = (0, 0, entry, values["count"], 0) if sections else (entry, values["count"], 0, 0, 0)
    tables = (0, table) if sections else (table, 0)
    ident = b"\x7fELF" + bytes([2 if bits == 64 else 1, 1 if order == "<" else 2, 1]) + b"\0" * 9
    word = "Q" if bits == 64 else "I"
    head = ident + struct.pack(order + "HHI" + word * 3 + "IHHHHHH", 3, machine, 1, 0, *tables, 0, head_bytes, *counts)
    return head + row + notes


def add(name, data, stamp=None, refused=False, bits=64, order="<"):
    pieces = data if isinstance(data, list) else [(data, 1)]
    vectors.append({
        "name": name, "class": bits, "order": "little" if order == "<" else "big",
        "file": [{"hex": piece.hex(), "times": times} for piece, times in pieces],
        "stamp": stamp, "refused": refused,
    })  # fmt: skip


def plain():
    for bits in (64, 32):
        for order in ("<", ">"):
            where = f"{bits}-bit, {'little' if order == '<' else 'big'}-endian"
            add(f"segment, {where}", elf(note(TEXT + b"\0", order=order), bits, order), KEYS, bits=bits, order=order)
            add(f"section, {where}", elf(note(TEXT + b"\0", order=order), bits, order, sections=True), KEYS, bits=bits, order=order)
    add("padded to 8 bytes, as the alignment of the range says", elf(note(b"GNU0", b"GNU\0", 3, pad=8) + note(TEXT, pad=8), align=8), KEYS)
    add("padded to 4 bytes where the alignment is 0", elf(note(b"GNU", b"GNU\0", 3) + note(TEXT), align=0), KEYS)
    add("behind notes of others", elf(note(b"\1" * 20, b"GNU\0", 3) + note(b"x=1\n", b"stapsdt\0", 3) + note(TEXT)), KEYS)
    add("an owner without NUL", elf(note(TEXT, b"Abiding")), KEYS)
    add("another type of the same owner", elf(note(b"a=1\n", kind=2) + note(TEXT)), KEYS)
    add("no stamp", elf(note(b"\1" * 20, b"GNU\0", 3)))
    add("no header tables at all", elf(b"", changes={"count": 0}))
    add("the owner's name is longer", elf(note(TEXT, b"Abiding2\0")))
    add("the owner's name is written small", elf(note(TEXT, b"abiding\0")))


def texts():
    add("two stamps: the first counts", elf(note(b"a=1\n") + note(b"a=2\nb=3\n")), {"a": "1"})
    add("a key repeated: the first counts", elf(note(b"a=1\nb=2\na=3\n")), {"a": "1", "b": "2"})
    add("NUL ends the text", elf(note(b"a=1\n\0b=2\n")), {"a": "1"})
    add("NUL inside a value", elf(note(b"a=12\x0034\nb=2\n")), {"a": "12"})
    add("CRLF", elf(note(b"a=1\r\nb=2\r\n")), {"a": "1", "b": "2"})
    add("CR alone is no end of a line", elf(note(b"a=1\rb=2\n")), {"a": "1\rb=2"})
    add("the last line has no end", elf(note(b"a=1\nb=2")), {"a": "1", "b": "2"})
    add("blanks around key and value", elf(note(b" \ta\t = 1 2 \t\n")), {"a": "1 2"})
    add("other white space is part of the value", elf(note("a=\u00a01\u2028\n".encode())), {"a": "\u00a01\u2028"})
    add("an empty value", elf(note(b"a=\nb=2\n")), {"a": "", "b": "2"})
    add("a value with an equals sign", elf(note(b"a=b=c\n")), {"a": "b=c"})
    add("lines that are none", elf(note(b"\n=1\nno value\n1a=2\n.b=3\na b=4\n#c=5\nd=6\n")), {"d": "6"})
    add("keys with every sign", elf(note(b"a.B_c-9=1\na+b=2\n")), {"a.B_c-9": "1"})
    add("names that JavaScript's objects have", elf(note(b"constructor=1\ntoString=2\n")), {"constructor": "1", "toString": "2"})
    add("UTF-8", elf(note("a=\u00fc\u4e16\U0001f600\n".encode())), {"a": "\u00fc\u4e16\U0001f600"})
    add("not UTF-8", elf(note(b"a=\xff\xc3(\xe4\xb8\nb=2\n")), {"a": "\ufffd\ufffd(\ufffd", "b": "2"})
    add("a byte order mark is part of the first line, which then has no key", elf(note(b"\xef\xbb\xbfa=1\nb=2\n")), {"b": "2"})
    add("an empty text", elf(note(b"")), {})
    add("only NUL", elf(note(b"\0\0\0\0")), {})
    many = b"".join(b"k%d=%d\n" % (i, i) for i in range(300))
    add("more than 256 keys: the first 256", elf(note(many)), {f"k{i}": str(i) for i in range(256)})


def hostile():
    good = elf(note(TEXT))
    add("an empty file", b"", refused=True)
    add("a text file", b"schema=1\nname=vector\n" * 8, refused=True)
    add("an ELF header alone, cut", good[:40], refused=True)
    add("an unknown class", good[:4] + b"\3" + good[5:], refused=True)
    add("an unknown byte order", good[:5] + b"\3" + good[6:], refused=True)
    add("cut inside the table of segments", good[:100], refused=True)
    add("a table of segments behind the end", elf(note(TEXT), changes={"table": 1 << 40}), refused=True)
    add("a table at the end of the address space", elf(note(TEXT), changes={"table": (1 << 64) - 8}), refused=True)
    add("entries that are too small", elf(note(TEXT), changes={"entry": 8}), refused=True)
    add("cut inside the note's text", good[:-8])
    add("cut inside the note's head", good[: 120 + 8])
    add("a segment larger than the file: what is there is read", elf(note(TEXT), changes={"size": 1 << 40}), KEYS)
    add("a segment behind the end", elf(note(TEXT), changes={"offset": 1 << 40}))
    add("a segment whose end overflows", elf(note(TEXT), changes={"offset": (1 << 64) - 16, "size": 1 << 63}))
    add("a segment that is too small", elf(note(TEXT), changes={"size": len(note(TEXT)) - 8}))
    add("a text of 2^32 - 1 bytes", elf(note(TEXT, text_bytes=0xFFFFFFFF)))
    add("a text of 2^32 - 4 bytes", elf(note(TEXT, text_bytes=0xFFFFFFFC)))
    add("an owner of 2^32 - 1 bytes", elf(note(TEXT, name_bytes=0xFFFFFFFF)))
    add("an owner of 257 bytes ends the range", elf(note(b"", b"A" * 257) + note(TEXT)))
    add("an owner of 256 bytes", elf(note(b"", b"A" * 256) + note(TEXT)), KEYS)
    add("an owner of no bytes", elf(note(b"a=1\n", b"") + note(TEXT)), KEYS)
    add("notes of nothing", elf(note(b"", b"", 0) * 20 + note(TEXT)), KEYS)
    add("a note that claims alignment 8 where the range says 4", elf(note(b"1", b"GNU\0", 3, pad=8) + note(TEXT)))
    blob = note(b"", b"GNU\0", 3, text_bytes=1024 * 1024)
    size = len(blob) + 1024 * 1024 + len(note(TEXT))
    add("a foreign note of 1 MiB", [(elf(blob, changes={"size": size}), 1), (b"\0", 1024 * 1024), (note(TEXT), 1)], KEYS)
    blob = note(b"", b"GNU\0", 3, text_bytes=1024 * 1024 + 4)
    add(
        "a foreign note of more than 1 MiB ends the range",
        [(elf(blob, changes={"size": size + 4}), 1), (b"\0", 1024 * 1024 + 4), (note(TEXT), 1)],
    )
    head = note(b"", text_bytes=4 + 70000 + 5)
    file = elf(head, changes={"size": len(head) + 70012})
    add("a text of more than 64 KiB: its first 64 KiB", [(file + b"a=1\n", 1), (b"\n", 70000), (b"b=2\n\0\0\0\0", 1)], {"a": "1"})
    head = note(b"", text_bytes=65540)
    file = elf(head, changes={"size": len(head) + 65540})
    add("a line that the 64 KiB cut", [(file, 1), (b"\n", 65530), (b"a=123456\n\0", 1)], {"a": "1234"})
    nothing = note(b"", b"", 0)
    size = len(nothing) * 5000 + len(note(TEXT))
    add("behind 4096 notes", [(elf(b"", changes={"size": size}), 1), (nothing, 5000), (note(TEXT), 1)])
    size = len(nothing) * 4095 + len(note(TEXT))
    add("the 4096th note", [(elf(b"", changes={"size": size}), 1), (nothing, 4095), (note(TEXT), 1)], KEYS)


def main(arguments):
    plain()
    texts()
    hostile()
    assert len({vector["name"] for vector in vectors}) == len(vectors)
    text = json.dumps({"vectors": vectors}, indent=1) + "\n"
    if arguments == ["--check"]:
        if HERE.read_text("utf-8") != text:
            print(f"{HERE} is not what this script writes: run it without --check")
            return 1
        return 0
    HERE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
