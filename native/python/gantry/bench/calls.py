"""B06, B07, B08: what a call costs by each way from Python into the library, what memory costs by each environment, and the two
together from one row to many."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import gantry
from gantry import _binding, _library, env
from gantry import context as contexts
from gantry.bench import data, loops
from gantry.bench.timing import Group, Variant

COLUMNS = 64
ROW_BYTES = COLUMNS * 4
TABLE_ROWS = 1 << 18
# Blocks of one call of the loop: one alone is shorter than a look at the clock.
PAIRS = 1000


class _TorchMemory:
    """Memory by Python callbacks, as libraries do it that stay clear of torch's C++: torch.empty for each block."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._blocks: Dict[int, Any] = {}

    def allocate(self, request: env.Request) -> int:
        block = self._torch.empty(request.bytes + request.alignment, dtype=self._torch.uint8)
        address = block.data_ptr() + -block.data_ptr() % request.alignment
        self._blocks[address] = block
        return int(address)

    def deallocate(self, request: env.Request, address: int) -> None:
        del self._blocks[address]


def extensions(build: bool) -> Dict[str, Any]:
    """The torch extensions that can be loaded, by flavour; those that are not there, or not to be built, are left out."""
    from gantry import torch_ext

    found = {}
    for flavour in torch_ext.FLAVOURS:
        try:
            found[flavour] = torch_ext.load(flavour, build=build)
        except torch_ext.TorchExtensionError:
            continue
    return found


def _call_group(torch: Any, build: bool) -> Group:
    """One row of 256 bytes into the caller's output, and the same through each protocol."""
    table = torch.rand(1024, COLUMNS)
    indices = torch.tensor([7])
    out = torch.empty(1, COLUMNS)
    context = contexts.default().address
    library = _library.load()
    variants: List[Variant] = []

    def add(name: str, call: Callable[[], object]) -> None:
        out.zero_()
        call()
        if not torch.equal(out[0], table[7]):
            raise AssertionError(f"{name} did not copy the row")
        variants.append(Variant(name, call=call, rows=1))

    add("gantry.gather(out)", lambda: gantry.gather(table, indices, out))
    raw = tuple((tensor.data_ptr(), tuple(tensor.shape), kind) for tensor, kind in
                ((table, (2, 32, 1)), (indices, (0, 64, 1)), (out, (2, 32, 1))))
    by_capsule = _ByCapsule(table)
    for name in ("abi3", "ctypes"):
        try:
            gather = _binding.load(name).gather
        except ImportError:
            continue
        add(f"binding {name}, tensors", lambda gather=gather: gather(context, table, indices, out, 0, 0, None))
        add(f"binding {name}, raw memory", lambda gather=gather: gather(context, *raw, 0, 0, None))
        add(f"binding {name}, table by __dlpack__", lambda gather=gather: gather(context, by_capsule, indices, out, 0, 0, None))
    add("torch.index_select(out)", lambda: torch.index_select(table, 0, indices, out=out))
    for flavour, extension in extensions(build).items():
        ops = extension.ops
        add(f"torch op {flavour}, out", lambda ops=ops: ops.gather_out(table, indices, out, 0))
        variants.append(Variant(f"torch op {flavour}, empty", call=lambda ops=ops: ops.nop(table, indices, out)))
    abi_version = library.gantry_abi_version
    variants.append(Variant("ctypes, empty call", call=lambda: abi_version()))
    variants.append(Variant("python, empty function", call=lambda: None))
    return Group("call/rows:1/given_output", variants, baseline="torch.index_select(out)")


class _ByCapsule:
    """A tensor that offers __dlpack__ alone, as most libraries' do."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __dlpack_device__(self) -> Any:
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor.__dlpack__(**options)


def _environments(torch: Any, build: bool) -> Dict[str, env.Environment]:
    found: Dict[str, env.Environment] = {"malloc": env.Malloc(), "cached": env.Cached(), "Python callbacks": env.Custom(_TorchMemory(torch))}
    for flavour, extension in extensions(build).items():
        found[f"torch's allocator, {flavour}"] = extension.environment
    return found


def _block_group(torch: Any, size: int, build: bool) -> Group:
    environments = _environments(torch, build)

    def seconds(environment: env.Environment) -> Callable[[], float]:
        return lambda: loops.allocations(environment.address, size, PAIRS)

    return Group(_block_name(size), [Variant(name, seconds=seconds(one), rows=PAIRS) for name, one in environments.items()],
                 baseline="Python callbacks")


def _block_name(size: int) -> str:
    return f"block/bytes:{size}/pairs:{PAIRS}"


def _flavour_group(torch: Any, count: int, threads: int, build: bool) -> Group:
    """The whole call with an output that it makes: how much of each way's cost is left when the rows are many."""
    table = data.table(torch, TABLE_ROWS * ROW_BYTES, COLUMNS, torch.float32)
    indices = data.indices(torch, "uniform", TABLE_ROWS, count)
    expected = torch.index_select(table, 0, indices)
    callbacks = env.Custom(_TorchMemory(torch))
    variants: List[Variant] = []
    payload = float(count * ROW_BYTES)

    def add(name: str, call: Callable[[], Any]) -> None:
        if not torch.equal(torch.as_tensor(call()), expected):
            raise AssertionError(f"{name} computed another result than torch.index_select")
        variants.append(Variant(name, call=call, payload_bytes=payload, traffic_bytes=payload * 2 + count * 8, rows=count))

    def by_callbacks() -> Any:
        out = gantry.empty((count, COLUMNS), environment=callbacks)
        gantry.gather(table, indices, out)
        return torch.from_dlpack(out)

    add("Python callbacks, DLPack", by_callbacks)
    add("exchange API", lambda: gantry.gather(table, indices))
    out = torch.empty(count, COLUMNS)
    add("exchange API, given output", lambda: gantry.gather(table, indices, out))
    for flavour, extension in extensions(build).items():
        add(f"torch op {flavour}", lambda ops=extension.ops: ops.gather(table, indices, 0))
    add("torch.index_select", lambda: torch.index_select(table, 0, indices))
    return Group(f"flavours/rows:{count}/threads:{threads}", variants, baseline="torch.index_select", threads=threads)


def _stamp_group() -> Optional[Group]:
    from gantry import stamp

    path = gantry.library_path()
    if not path:
        return None
    here = stamp.here()
    variants = [Variant("gantry.stamp.read", call=lambda: stamp.read(path)),
                Variant("gantry.stamp.read and check", call=lambda: stamp.check(path, here)),
                Variant("ctypes.CDLL (already loaded)", call=lambda: ctypes.CDLL(path))]
    return Group("stamp", variants)


def groups(torch: Any, threads: int, full: bool, build: bool) -> Iterator[Tuple[str, Callable[[], Optional[Group]]]]:
    """Names, and what makes each group. `build`: torch extensions that are not there are compiled."""
    yield "call/rows:1/given_output", lambda: _call_group(torch, build)
    if loops.LIBRARY is not None:
        for size in (4096, 1 << 20):
            yield _block_name(size), lambda size=size: _block_group(torch, size, build)
    for count in (1, 64, 4096, 262144):
        yield f"flavours/rows:{count}/threads:{threads}", lambda count=count: _flavour_group(torch, count, threads, build)
    yield "stamp", _stamp_group
