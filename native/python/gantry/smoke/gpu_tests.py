"""S40 to S49: on a GPU, with torch's tensors. They run in the child process that imports torch."""

from __future__ import annotations

from typing import Any, Tuple

from .registry import GPU, child, equal, holds, output, raises, test

_NAMES = ["uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


def _tables(torch: Any, name: str, rows: int, columns: int) -> Tuple[Any, Any]:
    """The same bytes on the host and on the GPU."""
    dtype = getattr(torch, name)
    size = rows * columns * torch.empty(0, dtype=dtype).element_size()
    generator = torch.Generator().manual_seed(columns)
    memory = torch.randint(0, 256, (max(size, 1),), dtype=torch.uint8, generator=generator)[:size]
    host = memory.view(dtype).view(rows, columns)
    return host, host.cuda()


def _bytes(tensor: Any) -> bytes:
    import torch

    flat = tensor.detach().cpu().contiguous().view(torch.uint8).flatten()
    return bytes(flat.tolist())


@test("S40", "gather on the GPU: bit by bit the host's", GPU)
def gather_like_host() -> str:
    import torch

    import gantry

    count = 0
    for name in _NAMES:
        for columns in (1, 3, 8, 33, 128, 257):
            host, device = _tables(torch, name, 100, columns)
            for index in (torch.int32, torch.int64):
                indices = torch.randint(0, 100, (777,), dtype=index)
                equal(_bytes(gantry.gather(device, indices.cuda())), _bytes(gantry.gather(host, indices)), f"{name}, {columns} columns")
                count += 1
    wide = torch.randn(50, 65).cuda()[:, :64]
    rows = torch.randint(0, 50, (100,))
    holds(torch.equal(gantry.gather(wide, rows.cuda()).cpu(), wide.cpu()[rows]), "rows with gaps between them differ")
    return f"{count} combinations of dtype, width and index, and rows with gaps"


@test("S41", "scatter_add on the GPU", GPU)
def scatter_add() -> str:
    import torch

    import gantry

    rows, indices = torch.randn(20000, 32), torch.randint(0, 500, (20000,))
    expected = torch.zeros(500, 32, dtype=torch.float64).index_add_(0, indices, rows.double())
    results = []
    for deterministic in (None, True, True):
        table = torch.zeros(500, 32).cuda()
        gantry.scatter_add(table, indices.cuda(), rows.cuda(), deterministic=deterministic)
        torch.cuda.synchronize()
        error = (table.cpu().double() - expected).abs().max().item()
        holds(error < 1e-3, f"deterministic={deterministic}: the sums are off by {error}")
        results.append(_bytes(table))
    holds(results[1] == results[2], "two deterministic runs differ")
    return "sums within 1e-3 of float64's; the deterministic variant gives the same bits twice"


@test("S42", "two streams, ordered by an event", GPU)
def streams() -> str:
    import torch

    import gantry

    table, indices = torch.randn(100000, 64).cuda(), torch.randint(0, 100000, (200000,)).cuda()
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    torch.cuda.synchronize()
    middle, last = torch.empty(200000, 64).cuda(), torch.empty(200000, 64).cuda()
    order = torch.arange(199999, -1, -1).cuda()
    torch.cuda.synchronize()
    gantry.gather(table, indices, middle, stream=first.cuda_stream)
    event = first.record_event()
    second.wait_event(event)
    gantry.gather(middle, order, last, stream=second.cuda_stream)
    torch.cuda.synchronize()
    holds(torch.equal(last, table[indices].flip(0)), "the second gather did not see the first one's rows")
    return "a gather on one stream read by a gather on another"


@test("S43", "ops in a CUDA graph", GPU)
def graph() -> str:
    import torch

    import gantry

    table, indices, out = torch.randn(1000, 16).cuda(), torch.zeros(50, dtype=torch.int64).cuda(), torch.zeros(50, 16).cuda()
    captured = torch.cuda.CUDAGraph()
    gantry.gather(table, indices, out)
    torch.cuda.synchronize()
    with torch.cuda.graph(captured):
        gantry.gather(table, indices, out, stream=torch.cuda.current_stream().cuda_stream)
    indices.copy_(torch.arange(50))
    captured.replay()
    torch.cuda.synchronize()
    holds(torch.equal(out, table[:50]), "the replayed graph did not gather the rows of the new indices")
    return "captured, replayed with other indices"


@test("S44", "a table in pinned host memory, read by the GPU", GPU)
def pinned() -> str:
    import torch

    import gantry

    table, indices = torch.randn(5000, 24).pin_memory(), torch.randint(0, 5000, (3000,))
    for sort in (False, True):
        out = torch.empty(3000, 24).cuda()
        gantry.gather(table, indices.cuda(), out, sort=sort)
        torch.cuda.synchronize()
        holds(torch.equal(out.cpu(), table[indices]), f"sort={sort}: the rows differ")
    return "in the order of the indices and in the order of the rows"


@test("S45", "a shared table that is pinned", GPU)
def pinned_segment() -> str:
    import torch

    import gantry

    table = gantry.shm.create(1000, 12)
    values = torch.randn(1000, 12)
    gantry.scatter(table, torch.arange(1000), values)
    table.pin()
    out, indices = torch.empty(500, 12).cuda(), torch.randint(0, 1000, (500,))
    gantry.gather(table, indices.cuda(), out)
    torch.cuda.synchronize()
    holds(torch.equal(out.cpu(), values[indices]), "the rows differ")
    return "registered with CUDA at its own address and read by a kernel"


@test("S46", "indices outside of the table are recorded on the GPU", GPU)
def recorded() -> str:
    import torch

    import gantry

    table, stream = torch.randn(10, 4).cuda(), torch.cuda.current_stream().cuda_stream or 1
    out = torch.empty(3, 4).cuda()
    gantry.gather(table, torch.tensor([1, 10, -1]).cuda(), out, stream=stream)
    error = raises(gantry.IndexOutOfRange, lambda: gantry.check(0, stream), "check()")
    equal((error.position, error.value), (1, 10), "the first bad position and value")
    gantry.check(0, stream)
    stats = gantry.Stats()
    gantry.gather(table, torch.tensor([1, 10, -1]).cuda(), out, bounds="skip", stats=stats, stream=stream)
    equal(stats.bad_rows, 2, "bad rows under bounds='skip'")
    return f"check() told of it once: {error}"


@test("S48", "another process reads a pinned shared table by its GPU", GPU)
def other_process() -> str:
    import torch

    import gantry

    table = gantry.shm.create(100, 8)
    values = torch.arange(800, dtype=torch.float32).view(100, 8)
    gantry.scatter(table, torch.arange(100), values)
    table.pin()
    code = f"""
import torch, gantry
table = gantry.shm.attach({table.fd}, read_only=True)
table.pin()
out = torch.empty(2, 8).cuda()
gantry.gather(table, torch.tensor([99, 0]).cuda(), out)
torch.cuda.synchronize()
print(out[:, 0].tolist())
"""
    equal(output(child(code, pass_fds=[table.fd])), "[792.0, 0.0]", "what the other process's GPU read")
    return "read-only, by a descriptor that was passed on"


@test("S49", "ops run on torch's current stream", GPU)
def current_stream() -> str:
    import torch

    import gantry

    table, indices = torch.randn(200000, 64).cuda(), torch.randint(0, 200000, (200000,)).cuda()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        doubled = table * 2
        out = gantry.gather(doubled, indices)
        found = out.sum(dim=1)
    stream.synchronize()
    holds(torch.equal(found, (table[indices] * 2).sum(dim=1)), "the gather did not wait for the work before it")
    return "between two of torch's own kernels, without naming the stream"
