"""What an ELF64 little-endian library exports and needs, read through its program headers and dynamic segment."""
import array
import struct


def read_library(data) -> dict:
    """`data`: the whole file, as bytes or a memory map. {"exports": sorted names, "needed": [...], "soname": ...}."""
    offset, = struct.unpack_from("<Q", data, 32)
    size, number = struct.unpack_from("<HH", data, 54)
    segments = [struct.unpack_from("<IIQQQQ", data, offset + size * one) for one in range(number)]
    loads = [(address, length, at) for kind, _, at, address, _, length in segments if kind == 1]
    place = lambda address: next(at + address - base for base, length, at in loads if base <= address < base + length)
    tags: dict[int, int] = {}
    needed = []
    at = next(at for kind, _, at, *_ in segments if kind == 2)
    while True:
        tag, value = struct.unpack_from("<qQ", data, at)
        if tag == 0:
            break
        tags[tag] = value
        if tag == 1:
            needed.append(value)
        at += 16
    if 4 in tags:
        count, = struct.unpack_from("<I", data, place(tags[4]) + 4)
    else:
        start = place(tags[0x6FFFFEF5])
        buckets_count, first, bloom_size, _ = struct.unpack_from("<IIII", data, start)
        buckets = start + 16 + bloom_size * 8
        last = max(array.array("I", data[buckets:buckets + buckets_count * 4]))
        chain = buckets + buckets_count * 4
        while last >= first and not struct.unpack_from("<I", data, chain + (last - first) * 4)[0] & 1:
            last += 1
        count = max(last + 1, first)
    strings = place(tags[5])
    text = lambda at: bytes(data[strings + at:data.find(b"\0", strings + at)]).decode("latin-1")
    return {
        "exports": sorted(set(_visible(data, place(tags[6]), count, strings, strings + tags[10]))),
        "needed": [text(at) for at in needed],
        "soname": text(tags[14]) if 14 in tags else None,
    }


def _visible(data, table: int, count: int, strings: int, limit: int) -> list[str]:
    names = []
    for index in range(1, count):
        name, info, other, section = struct.unpack_from("<IBBH", data, table + index * 24)
        if section == 0 or info >> 4 not in (1, 2, 10) or other & 3 not in (0, 3):
            continue
        start = strings + name
        end = data.find(b"\0", start)
        if end < 0 or end >= limit:
            raise ValueError("a name runs over the string table's end")
        names.append(bytes(data[start:end]).decode("latin-1"))
    return names
