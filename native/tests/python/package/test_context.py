"""Contexts: how long they live, and what keeps them from being closed."""

from __future__ import annotations

import gc
import os
import threading
import unittest
import weakref

import gantry
from gantry import env, errors
from support import Counting, child


def operating_system_threads() -> int:
    return len(os.listdir("/proc/self/task"))


class Lifetime(unittest.TestCase):
    def test_a_dropped_context_ends_its_threads(self) -> None:
        table, indices = gantry.zeros((1000, 64)), gantry.array([i % 1000 for i in range(50_000)])
        before = operating_system_threads()
        context = gantry.Context(threads=8, log=lambda line: None)
        gantry.gather(table, indices, context=context)
        self.assertEqual(operating_system_threads(), before + 7)
        gone = weakref.ref(context)
        del context
        gc.collect()
        self.assertEqual((gone(), operating_system_threads()), (None, before))

    def test_a_context_that_its_own_log_knows_is_collected_too(self) -> None:
        class Owner:
            def __init__(self) -> None:
                self.context = gantry.Context(threads=2, log=self.hear)

            def hear(self, line: str) -> None:
                pass

        gone = weakref.ref(Owner().context)
        gc.collect()
        self.assertIsNone(gone())

    def test_a_process_ends_with_contexts_that_nobody_closed(self) -> None:
        done = child(
            """
import gantry, threading
lines = []
kept = [gantry.Context(threads=4, log=lines.append) for _ in range(3)]
cycle = []
cycle += [cycle, gantry.Context(threads=4, log=lines.append)]
table, indices = gantry.zeros((1000, 64)), gantry.array([i % 1000 for i in range(50_000)])
for context in (*kept, cycle[1]):
    gantry.gather(table, indices, context=context)
kept[0].hold()
del context
print("end")
"""
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "end\n", ""))


class Closing(unittest.TestCase):
    def setUp(self) -> None:
        self.table = gantry.array([[i] for i in range(64)], "float32")
        self.indices = gantry.array([(7 * i) % 64 for i in range(20_000)])

    def test_close_is_refused_while_another_thread_runs_an_op(self) -> None:
        context = gantry.Context(threads=64)  # of so many threads scatter_add asks for scratch
        begun, go_on, results = threading.Event(), threading.Event(), []

        class Waits(Counting):
            def allocate(self, request: env.Request) -> int:
                begun.set()
                go_on.wait(60)
                return super().allocate(request)

        def work() -> None:
            table, rows = gantry.zeros((64, 16)), gantry.array([[1] * 16] * 20_000, "float32")
            gantry.scatter_add(table, self.indices, rows, environment=env.Custom(Waits()), context=context)
            results.append(table.tolist()[0])

        thread = threading.Thread(target=work)
        thread.start()
        try:
            self.assertTrue(begun.wait(60))
            with self.assertRaisesRegex(errors.InvalidArgument, "^the context cannot be closed: 1 op is running on it; close it"):
                context.close()
            self.assertEqual(context.threads, 64)
        finally:
            go_on.set()
            thread.join(60)
        self.assertEqual(results, [[313] * 16])  # 20000 / 64, and a half
        context.close()
        with self.assertRaisesRegex(errors.ClosedError, "^the context is closed$"):
            gantry.gather(self.table, self.indices, context=context)
        context.close()

    def test_a_child_may_close_a_context_on_which_its_parent_runs_an_op(self) -> None:
        context = gantry.Context(threads=2)
        context._users.append(-1)  # an op of another thread
        number = os.fork()
        if not number:
            try:
                context.close()
                os._exit(0)
            finally:
                os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), 0)
        with self.assertRaises(errors.InvalidArgument):
            context.close()
        context._users.clear()
        context.close()

    def test_close_is_refused_while_an_extension_holds_it(self) -> None:
        context = gantry.Context(threads=2)
        context.hold()
        context.hold()
        with self.assertRaisesRegex(errors.InvalidArgument, "^the context is held by 2 extensions, whose ops use it"):
            context.close()
        context.release()
        with self.assertRaisesRegex(errors.InvalidArgument, "^the context is held by 1 extension, whose ops use it"):
            context.close()
        self.assertEqual(gantry.gather(self.table, self.indices, context=context).shape, (20_000, 1))
        context.release()
        context.close()
        with self.assertRaisesRegex(errors.ClosedError, "^the context is closed$"):
            context.hold()

    def test_a_context_that_is_held_stays_when_nobody_else_knows_it(self) -> None:
        context = gantry.Context(threads=2)
        context.hold()
        kept = weakref.ref(context)
        del context
        gc.collect()
        self.assertEqual(kept().threads, 2)
        kept().release()
        gc.collect()
        self.assertIsNone(kept())

    def test_check_and_queries_are_refused_by_a_closed_context(self) -> None:
        context = gantry.Context(threads=2)
        context.close()
        for call in (lambda: context.threads, lambda: context.isa, context.backend, lambda: gantry.check(context=context)):
            with self.assertRaisesRegex(errors.ClosedError, "^the context is closed$"):
                call()
        self.assertEqual(context._users, [])


if __name__ == "__main__":
    unittest.main()
