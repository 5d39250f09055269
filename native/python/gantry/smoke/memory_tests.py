"""S13 and S14: callbacks of an environment that fail, lie or call back."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List

from .registry import equal, holds, raises, skip, test


class Blocks:
    """An allocator of ctypes blocks that fails at the wanted call, and can be made to lie or to call back."""

    def __init__(self, fail_at: int = 0, shift: int = 0, before: Callable[[], Any] = lambda: None) -> None:
        self.fail_at, self.shift, self.before = fail_at, shift, before
        self.requests: List[Any] = []
        self.live: Dict[int, Any] = {}

    def allocate(self, request: Any) -> int:
        self.requests.append(request)
        if len(self.requests) == self.fail_at:
            raise MemoryError(f"request {self.fail_at} is refused")
        self.before()
        block = (ctypes.c_char * (request.bytes + 2 * request.alignment))()
        start = ctypes.addressof(block)
        address: int = start + -start % request.alignment + self.shift
        self.live[address] = block
        return address

    def deallocate(self, request: Any, address: int) -> None:
        del self.live[address]


@test("S13", "memory comes from the caller's callbacks, and no failure leaks")
def callbacks() -> str:
    from .. import Context, array, empty, env, errors, gather, scatter_add, zeros

    blocks = Blocks()
    made = empty((10, 10), environment=env.Custom(blocks))
    equal([(request.bytes, request.purpose) for request in blocks.requests], [(400, "output")], "the request for an array")
    made.close()
    equal(len(blocks.live), 0, "blocks left after close()")
    indices, rows = array([(7 * i) % 97 for i in range(20000)]), zeros((20000, 16))
    failures = 0
    with Context(threads=64) as context:
        for fail_at in range(1, 100):
            blocks = Blocks(fail_at)
            try:
                scatter_add(zeros((97, 16)), indices, rows, environment=env.Custom(blocks), context=context)
            except errors.EnvironmentFailed as error:
                failures += 1
                holds(isinstance(error.__cause__, MemoryError), f"the callback's exception is not the cause: {error.__cause__!r}")
                equal(len(blocks.live), 0, f"blocks left when request {fail_at} fails")
            else:
                equal(len(blocks.live), 0, "blocks left by an op that succeeded")
                break
    blocks = Blocks(1)
    raises(errors.EnvironmentFailed, lambda: gather(rows, indices, environment=env.Custom(blocks)), "an output that is refused")
    raises(errors.EnvironmentFailed, lambda: empty(10, environment=env.Custom(Blocks(shift=4))), "a block of the wrong alignment")
    scratch = f"an op failed at each of its {failures} requests for scratch" if failures else "no op here asks for scratch"
    return f"{scratch}; outputs that fail leak nothing, and a misaligned block is refused"


@test("S14", "an op that a callback calls is refused")
def reentrancy() -> str:
    from .. import Context, Stats, array, env, errors, gather, scatter_add, zeros

    table, rows = zeros((97, 16)), zeros((20000, 16))
    indices, one = array([(7 * i) % 97 for i in range(20000)]), array([1])
    with Context(threads=64) as context:
        stats = Stats()
        scatter_add(table, indices, rows, stats=stats, context=context)
        if stats.scratch_bytes == 0:
            skip("no op on this machine's host memory asks for scratch, so that no callback runs inside of one")
        blocks = Blocks(before=lambda: gather(table, one, context=context))
        error = raises(
            errors.EnvironmentFailed,
            lambda: scatter_add(table, indices, rows, environment=env.Custom(blocks), context=context), "scatter_add",
        )  # fmt: skip
        holds(isinstance(error.__cause__, errors.ReentrantCall), f"the cause is {error.__cause__!r}, wanted ReentrantCall")
        equal(len(blocks.live), 0, "blocks left")
        gather(table, one, context=context)
    return f"{error.__cause__}; the context works afterwards"
