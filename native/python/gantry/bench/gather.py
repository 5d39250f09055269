"""B02 and B03: gather against torch and NumPy on the same table, indices and output; and against the machine's own limit."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Tuple

import gantry
from gantry.bench import data, loops
from gantry.bench.timing import Group, Variant

TABLES = {"l2": 512 << 10, "l3": 16 << 20, "dram": 2 << 30}
ROWS = (16, 64, 128, 256, 512, 1024, 4096)


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _require_equal(torch: Any, name: str, got: Any, expected: Any) -> None:
    if not torch.equal(got, expected):
        raise AssertionError(f"{name} computed another result than torch.index_select: its time would mean nothing")


def _roofs(table: Any, indices: Any, out: Any, row_bytes: int, threads: int) -> Tuple[List[Variant], Callable[[Dict[str, float]], float]]:
    """Limits of this very job: its rows read in its order and not written; its output written past the caches. The roof is their
    sum: with both limited by memory, one cannot hide behind the other."""
    count = indices.numel()
    size = count * row_bytes // (64 * threads) * (64 * threads)
    start = out.data_ptr() + -out.data_ptr() % 64
    size = min(size, (out.data_ptr() + count * row_bytes - start) // (64 * threads) * (64 * threads))
    lines = count * ((row_bytes + 63) // 64) * 64

    def read_with(ahead: int) -> Callable[[], float]:
        return lambda: loops.read_rows(table.data_ptr(), row_bytes, indices.data_ptr(), count, ahead, threads)

    variants = [Variant(f"roof: read rows, {ahead} ahead", seconds=read_with(ahead), payload_bytes=count * row_bytes,
                        traffic_bytes=lines + count * 8, rows=count, is_roof=True) for ahead in loops.AHEAD]
    variants.append(Variant("roof: streaming write", seconds=lambda: loops.write_streaming(start, size, threads),
                            payload_bytes=size, traffic_bytes=size, is_roof=True))

    def roof(medians: Dict[str, float]) -> float:
        reads = [seconds for name, seconds in medians.items() if name.startswith("roof: read rows")]
        return min(reads) + medians["roof: streaming write"]

    return variants, roof


def _gather_group(torch: Any, place: str, pages: str, row_bytes: int, distribution: str, narrow: bool, threads: int) -> Group:
    columns = row_bytes // 4
    table = data.table(torch, TABLES[place], columns, torch.float32)
    if pages == "huge":
        # Gantry's tables ask for huge pages; torch sees the same memory.
        own = gantry.table(rows=table.shape[0], columns=columns, dtype="float32")
        gantry.copy(table, own)
        table = torch.from_dlpack(own)
    count = data.output_rows(row_bytes)
    indices = data.indices(torch, distribution, table.shape[0], count, narrow)
    out = torch.empty((count, columns))
    payload = float(count * row_bytes)
    traffic = payload * 2 + indices.numel() * indices.element_size()

    def variant(name: str, call: Callable[[], object]) -> Variant:
        return Variant(name, call=call, payload_bytes=payload, traffic_bytes=traffic, rows=count)

    gantry.gather(table, indices, out, threads=threads)
    _require_equal(torch, "gantry.gather", out, torch.index_select(table, 0, indices))
    variants = [
        variant("gantry.gather(out)", lambda: gantry.gather(table, indices, out, threads=threads)),
        variant("gantry.gather(gantry.empty)", lambda: gantry.gather(table, indices, gantry.empty((count, columns)), threads=threads)),
        variant("gantry.gather", lambda: gantry.gather(table, indices, threads=threads)),
        variant("torch.index_select(out)", lambda: torch.index_select(table, 0, indices, out=out)),
        variant("torch.index_select", lambda: torch.index_select(table, 0, indices)),
        variant("torch.nn.functional.embedding", lambda: torch.nn.functional.embedding(indices, table)),
    ]
    numpy = _numpy()
    if numpy is not None:
        array, numbers, target = table.numpy(), indices.numpy(), out.numpy()
        variants.append(variant("numpy.take(out, mode=clip)", lambda: numpy.take(array, numbers, axis=0, out=target, mode="clip")))
    name = _name(place, pages, row_bytes, distribution, narrow, threads)
    if loops.LIBRARY is None or narrow or place != "dram" or distribution != "uniform":
        return Group(name, variants, baseline="torch.index_select(out)", threads=threads)
    limits, roof = _roofs(table, indices, out, row_bytes, threads)
    return Group(name, variants + limits, baseline="torch.index_select(out)", threads=threads, roof=roof)


def _name(place: str, pages: str, row_bytes: int, distribution: str, narrow: bool, threads: int) -> str:
    return f"gather/table:{place}/pages:{pages}/row:{row_bytes}/{distribution}/{'i32' if narrow else 'i64'}/threads:{threads}"


def _convert_group(torch: Any, dtype: Any, columns: int, threads: int) -> Group:
    row_bytes = columns * 2
    table = data.table(torch, 1 << 30, columns, dtype)
    count = data.output_rows(row_bytes)
    indices = data.indices(torch, "uniform", table.shape[0], count)
    half = torch.empty((count, columns), dtype=dtype)
    out = torch.empty((count, columns), dtype=torch.float32)
    payload = float(count * row_bytes)

    def two_steps() -> None:
        torch.index_select(table, 0, indices, out=half)
        out.copy_(half)

    gantry.gather(table, indices, out, threads=threads)
    _require_equal(torch, "gantry.gather with conversion", out, torch.index_select(table, 0, indices).float())

    def variant(name: str, call: Callable[[], object]) -> Variant:
        return Variant(name, call=call, payload_bytes=payload, traffic_bytes=payload * 3 + count * 8, rows=count)

    variants = [
        variant("gantry.gather(out)", lambda: gantry.gather(table, indices, out, threads=threads)),
        variant("torch.index_select(out), copy_", two_steps),
        variant("torch.index_select().float()", lambda: torch.index_select(table, 0, indices).float()),
    ]
    kind = "bf16" if dtype is torch.bfloat16 else "f16"
    return Group(f"gather_convert/{kind}_to_f32/columns:{columns}/threads:{threads}", variants,
                 baseline="torch.index_select(out), copy_", threads=threads)


def groups(torch: Any, threads: int, full: bool) -> Iterator[Tuple[str, Callable[[], Group]]]:
    """Names, and what makes each group: its tables are large, so that only one is there at a time."""

    def lazily(*what: Any) -> Callable[[], Group]:
        return lambda: _gather_group(torch, *what)

    def converting(dtype: Any, columns: int) -> Callable[[], Group]:
        return lambda: _convert_group(torch, dtype, columns, threads)

    for place, pages in (("dram", "small"), ("dram", "huge"), ("l3", "small"), ("l2", "small")):
        for row in ROWS:
            for distribution in ("uniform", "zipf", "sequential") if full else ("uniform",):
                for narrow in (False, True) if full else (False,):
                    for count in sorted({1, threads}) if full else (threads,):
                        what = (place, pages, row, distribution, narrow, count)
                        yield _name(*what), lazily(*what)
    for dtype in (torch.float16, torch.bfloat16):
        for columns in (64, 128, 256, 512, 1024) if full else (64, 256):
            yield f"gather_convert/{'bf16' if dtype is torch.bfloat16 else 'f16'}_to_f32/columns:{columns}/threads:{threads}", converting(dtype, columns)
