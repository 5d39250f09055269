"""B04: scatter and scatter_add against index_copy_, index_add_ and index_put_."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Tuple

import gantry
from gantry.bench import data
from gantry.bench.timing import Group, Variant

COUNT = 262144
SIZES = ((2048, 64), (65536, 16), (65536, 64), (2097152, 16), (2097152, 64))


def _group(torch: Any, add: bool, rows: int, columns: int, distribution: str, threads: int) -> Group:
    generator = torch.Generator().manual_seed(data.SEED)
    table = torch.zeros((rows, columns))
    source = torch.rand((COUNT, columns), generator=generator)
    indices = data.indices(torch, distribution, rows, COUNT)
    payload = float(COUNT * columns * 4)

    def variant(name: str, call: Callable[[], object]) -> Variant:
        return Variant(name, call=call, payload_bytes=payload, traffic_bytes=payload * (3 if add else 2) + COUNT * 8, rows=COUNT)

    shape = f"rows:{rows}/columns:{columns}/{distribution}/threads:{threads}"
    if add:
        expected = torch.zeros_like(table).index_add_(0, indices, source)
        gantry.scatter_add(table, indices, source, threads=threads)
        if not torch.equal(table.view(torch.int32), expected.view(torch.int32)):
            raise AssertionError("gantry.scatter_add is not bitwise index_add_")
        return Group(f"scatter_add/{shape}", [
            variant("gantry.scatter_add", lambda: gantry.scatter_add(table, indices, source, threads=threads)),
            variant("torch.index_add_", lambda: table.index_add_(0, indices, source)),
            variant("torch.index_put_(accumulate)", lambda: table.index_put_((indices,), source, accumulate=True)),
        ], baseline="torch.index_add_", threads=threads)
    return Group(f"scatter/{shape}", [
        variant("gantry.scatter", lambda: gantry.scatter(table, indices, source, threads=threads)),
        variant("torch.index_copy_", lambda: table.index_copy_(0, indices, source)),
    ], baseline="torch.index_copy_", threads=threads)


def groups(torch: Any, threads: int, full: bool) -> Iterator[Tuple[str, Callable[[], Group]]]:
    """Names, and what makes each group."""

    def lazily(add: bool, rows: int, columns: int, distribution: str, count: int) -> Callable[[], Group]:
        return lambda: _group(torch, add, rows, columns, distribution, count)

    for add in (True, False):
        for rows, columns in SIZES:
            for distribution in ("uniform", "zipf"):
                for count in sorted({1, threads}) if full else (threads,):
                    name = f"{'scatter_add' if add else 'scatter'}/rows:{rows}/columns:{columns}/{distribution}/threads:{count}"
                    yield name, lazily(add, rows, columns, distribution, count)
