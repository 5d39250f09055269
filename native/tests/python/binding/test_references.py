"""Nothing leaks: references, capsules and memory, on success and on every way to fail."""

from __future__ import annotations

import array
import gc
import sys
import tracemalloc
import unittest
import weakref
from typing import Any, Callable, List, Tuple


from support import NAME, Legacy, Managed, Memory, Versioned, binding, exchange_type, open_context

# The ctypes binding takes a hundred times as long.
CALLS = {"abi3": 100_000, "ctypes": 2_000}[NAME]


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class References(unittest.TestCase):
    def setUp(self) -> None:
        self.context = open_context()
        self.binding = binding()
        self.table = Memory("f", [float(value) for value in range(8)], (4, 2))
        self.indices = Memory("q", [3, 0], (2,))
        self.out = Memory("f", [0.0] * 4, (2, 2))
        kind = exchange_type()
        raising = exchange_type(raising=True)
        self.good = kind(Managed(self.table)), kind(Managed(self.indices)), kind(Managed(self.out))
        self.versioned = tuple(Versioned(Managed(memory)) for memory in (self.table, self.indices, self.out))
        self.legacy = tuple(Legacy(Managed(memory, versioned=False)) for memory in (self.table, self.indices, self.out))
        self.raising = raising(Managed(self.out), lambda: RuntimeError("no"))
        self.bad_indices = Memory("q", [3, 9], (2,))

    def gather(self, table: Any, indices: Any, out: Any) -> Any:
        return self.binding.gather(self.context, table, indices, out, 0, 0, None)

    def cases(self) -> List[Tuple[str, Tuple[Any, ...], Callable[[], Any], bool]]:
        """(what, objects whose references are counted, call, whether it fails)"""
        table, indices, out = self.good
        raw = self.table.raw(), self.indices.raw(), self.out.raw()
        buffers = array.array("f", self.table.data), array.array("q", [3, 0]), array.array("f", [0.0] * 2)
        chunks = [table, table]
        bad = Managed(self.table, version=(2, 0))
        null = exchange_type()(Managed(self.out, pointer=0))
        return [
            ("exchange", self.good, lambda: self.gather(*self.good), False),
            ("raw", raw, lambda: self.gather(*raw), False),
            ("chunks", (chunks, *self.good), lambda: self.gather(chunks, indices, out), False),
            ("versioned", self.versioned, lambda: self.gather(*self.versioned), False),
            ("legacy", self.legacy, lambda: self.gather(*self.legacy), False),
            ("buffers", buffers, lambda: self.gather(*buffers), False),
            ("scatter", self.good, lambda: self.binding.scatter(self.context, table, indices, out, 0, 0, None), False),
            ("copy", self.good, lambda: self.binding.copy(self.context, out, self.out2, 0, 0, None), False),
            ("new output", self.good, lambda: self.gather(table, indices, None), False),
            ("bad index", self.good, lambda: self.gather(table, self.bad_indices.raw(), out), True),
            ("bad index, capsules", self.versioned, lambda: self.gather(self.versioned[0], self.bad_indices.raw(), out), True),
            ("bad index, new output", self.good, lambda: self.gather(table, self.bad_indices.raw(), None), True),
            ("exchange raises", (self.raising, *self.good), lambda: self.gather(table, indices, self.raising), True),
            ("null", (null, *self.good), lambda: self.gather(table, indices, null), True),
            ("no tensor", self.versioned, lambda: self.gather(self.versioned[0], self.versioned[1], 3), True),
            ("no tensor in chunks", (chunks, *self.good), lambda: self.gather([table, 3], indices, out), True),
            ("major 2", (bad,), lambda: self.gather(Versioned(bad), indices, out), True),
            ("wrong arguments", self.good, lambda: self.binding.gather(self.context, table, indices, out, "x", 0, None), True),
            ("no allocator", raw, lambda: self.gather(*raw[:2], None), True),
        ]

    @property
    def out2(self) -> Any:
        return Memory("f", [0.0] * 4, (2, 2)).owned()

    def repeat(self, call: Callable[[], Any], fails: bool, count: int) -> None:
        for _ in range(count):
            if fails:
                try:
                    call()
                except Exception:
                    continue
                self.fail("the call did not fail")
            else:
                call()

    def test_references_and_memory(self) -> None:
        for what, objects, call, fails in self.cases():
            with self.subTest(what):
                self.repeat(call, fails, 100)
                for one in self.versioned:
                    one.calls.clear()
                gc.collect()
                before = [sys.getrefcount(one) for one in objects]
                none, true = sys.getrefcount(None), sys.getrefcount(True)
                tracemalloc.start()
                start = tracemalloc.get_traced_memory()[0]
                self.repeat(call, fails, 300)
                for one in self.versioned:
                    one.calls.clear()
                gc.collect()
                grown = tracemalloc.get_traced_memory()[0] - start
                tracemalloc.stop()
                self.assertEqual([sys.getrefcount(one) for one in objects], before)
                self.assertLess(abs(sys.getrefcount(None) - none), 100)
                self.assertLess(abs(sys.getrefcount(True) - true), 100)
                # One leaked object in each call would be 300 * 16 bytes at least.
                self.assertLess(grown, 4000, what)

    def test_memory_of_many_calls(self) -> None:
        quick = [case for case in self.cases() if case[0] in ("exchange", "raw", "bad index", "null")]
        for what, _objects, call, fails in quick:
            with self.subTest(what):
                count = CALLS if not fails else CALLS // 10
                self.repeat(call, fails, count // 10)
                gc.collect()
                before = resident_bytes()
                self.repeat(call, fails, count)
                gc.collect()
                # 16 bytes in each call would be 160 KB for the rarest of the fast ones.
                self.assertLess(resident_bytes() - before, max(count * 8, 1 << 18))

    def test_objects_die(self) -> None:
        kind = exchange_type()
        table, indices = kind(Managed(self.table)), kind(Managed(self.indices))
        out = self.gather(table, indices, None)
        watched = [weakref.ref(one) for one in (table, indices, out)]
        del table, indices, out
        self.assertEqual([one() for one in watched], [None, None, None])

    def test_types_die(self) -> None:
        class Brief:
            def __dlpack__(self, **_: Any) -> Any:
                raise BufferError("no")

        watched = weakref.ref(Brief)
        with self.assertRaises(BufferError):
            self.gather(Brief(), self.indices.raw(), self.out.raw())
        del Brief
        gc.collect()
        self.assertIsNone(watched())

    def test_types_whose_addresses_are_used_again(self) -> None:
        addresses = set()

        def gather_by_a_new_type(turn: int) -> None:
            managed = Managed(self.table, versioned=turn % 3 != 1)
            kind = exchange_type() if turn % 3 == 2 else type("Brief", (Legacy if turn % 3 == 1 else Versioned,), {})
            addresses.add(id(kind))
            self.out.data[0] = 0.0
            self.gather(kind(managed), self.indices.raw(), self.out.raw())
            self.assertEqual(managed.given_back, 0 if turn % 3 == 2 else 1)
            self.assertEqual(self.out.list(), [6.0, 7.0, 0.0, 1.0])

        def references() -> int:
            return sum(type(one) is weakref.ref for one in gc.get_objects())

        for turn in range(60):
            gather_by_a_new_type(turn)
            gc.collect()
        before = references()
        for turn in range(300):
            gather_by_a_new_type(turn)
            if turn % 3 == 0:
                gc.collect()
        gc.collect()
        self.assertLess(len(addresses), 360)
        # One for each type, were they kept.
        self.assertLess(references() - before, 50)

    def test_every_capsule_is_given_back(self) -> None:
        for what, _objects, call, fails in self.cases():
            if what in ("versioned", "legacy", "bad index, capsules"):
                managed = [one.managed for one in (self.legacy if what == "legacy" else self.versioned)]
                before = [one.given_back for one in managed]
                self.repeat(call, fails, 10)
                used = 1 if what == "bad index, capsules" else 3
                self.assertEqual([one.given_back - old for one, old in zip(managed, before)][:used], [10] * used)

    def test_a_dead_binding_is_collected(self) -> None:
        from support import Recorder, bind
        made = bind(Recorder())
        made.set_array_factory(lambda *_: made)
        kind = exchange_type()
        made.gather(1, kind(Managed(self.table)), self.indices.raw(), self.out.raw(), 0, 0, None)
        watched = weakref.ref(kind)
        flag = []
        holder = type("Holder", (), {"__del__": lambda self: flag.append(1)})()
        made.set_array_factory(lambda *_, held=holder, cycle=made: held)
        del made, kind, holder
        gc.collect()
        self.assertEqual(flag, [1])
        self.assertIsNone(watched())


if __name__ == "__main__":
    unittest.main()
