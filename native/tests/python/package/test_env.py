"""Environments: the cached one's figures, and callbacks that fail, lie or call back."""

from __future__ import annotations

import gc
import unittest
import weakref

import gantry
from gantry import env, errors
from support import Counting


class Cache(unittest.TestCase):
    def test_a_freed_block_is_kept_and_reused(self) -> None:
        cache = env.Cached()
        made = gantry.empty(1 << 20, "uint8", environment=cache)
        address = made.address
        seen = cache.statistics()
        self.assertEqual((seen.bytes_in_use >= 1 << 20, seen.bytes_kept, seen.allocations, seen.reused), (True, 0, 1, 0))
        made.close()
        seen = cache.statistics()
        self.assertEqual((seen.bytes_in_use, seen.bytes_kept >= 1 << 20, seen.bytes_in_use_peak >= 1 << 20), (0, True, True))
        again = gantry.empty(1 << 20, "uint8", environment=cache)
        self.assertEqual((again.address, cache.statistics().reused), (address, 1))

    def test_trim_gives_kept_blocks_back(self) -> None:
        cache = env.Cached()
        gantry.empty(1 << 20, "uint8", environment=cache).close()
        cache.trim(keep_bytes=1 << 30)
        self.assertGreater(cache.statistics().bytes_kept, 0)
        cache.trim()
        self.assertEqual(cache.statistics().bytes_kept, 0)

    def test_the_limit_bounds_what_is_kept(self) -> None:
        cache = env.Cached(limit_bytes=1 << 16)
        gantry.empty(1 << 20, "uint8", environment=cache).close()
        self.assertLessEqual(cache.statistics().bytes_kept, 1 << 16)

    def test_close_is_refused_while_blocks_are_in_use(self) -> None:
        cache = env.Cached()
        made = gantry.empty(100, environment=cache)
        with self.assertRaises(errors.Error):
            cache.close()
        made.close()
        cache.close()
        cache.close()
        with self.assertRaisesRegex(errors.ClosedError, "the environment is closed"):
            cache.statistics()
        with self.assertRaisesRegex(errors.ClosedError, "the environment is closed"):
            gantry.empty(1, environment=cache)

    def test_the_process_has_one_by_default(self) -> None:
        before = env.statistics()
        made = gantry.empty(1000)
        self.assertEqual(env.statistics().allocations, before.allocations + 1)
        self.assertIs(env.default(), env.default())
        made.close()
        env.trim()
        self.assertEqual(env.statistics().bytes_kept, 0)

    def test_numbers_that_are_refused(self) -> None:
        for number in (-1, 1 << 64, 1.5, "1", True):
            with self.assertRaisesRegex(errors.InvalidArgument, "limit_bytes is"):
                env.Cached(number)  # type: ignore[arg-type]
            with self.assertRaisesRegex(errors.InvalidArgument, "keep_bytes is"):
                env.default().trim(number)  # type: ignore[arg-type]

    def test_malloc_makes_arrays(self) -> None:
        self.assertEqual(gantry.zeros(3, environment=env.Malloc()).tolist(), [0, 0, 0])


class Callbacks(unittest.TestCase):
    def setUp(self) -> None:
        self.table = gantry.array([[i] for i in range(64)], "float32")
        self.indices = gantry.array([(7 * i) % 64 for i in range(5000)])

    def test_outputs_come_from_the_callbacks(self) -> None:
        allocator = Counting()
        out = gantry.gather(self.table, self.indices, environment=env.Custom(allocator))
        self.assertEqual(out.tolist(), [[float((7 * i) % 64)] for i in range(5000)])
        self.assertEqual([request.purpose for request in allocator.requests], ["output"])
        out.close()
        gc.collect()
        self.assertEqual(allocator.live, {})

    def test_an_exception_is_the_cause_of_the_failure(self) -> None:
        for failure in (MemoryError("the test's allocator is empty"), KeyError("lost")):
            environment = env.Custom(Counting(fail_at=1, failure=failure))
            with self.assertRaises(errors.EnvironmentFailed) as caught:
                gantry.gather(self.table, self.indices, environment=environment)
            self.assertIs(caught.exception.__cause__, failure)
            self.assertEqual(caught.exception.name, "GANTRY_ERROR_ENVIRONMENT")

    def test_what_ends_the_program_comes_out_as_itself(self) -> None:
        for failure in (KeyboardInterrupt(), SystemExit(3)):
            environment = env.Custom(Counting(fail_at=1, failure=failure))
            for attempt in (
                lambda: gantry.gather(self.table, self.indices, environment=environment),
                lambda: gantry.empty(4, environment=environment),
            ):
                environment.allocator.requests.clear()
                with self.assertRaises(type(failure)) as caught:
                    attempt()
                self.assertIs(caught.exception, failure)

    def test_what_ends_the_program_while_a_block_is_given_back_comes_out_after_the_next_op(self) -> None:
        class Interrupted(Counting):
            def deallocate(self, request: env.Request, address: int) -> None:
                super().deallocate(request, address)
                raise KeyboardInterrupt

        environment, out = env.Custom(Interrupted()), gantry.zeros((5000, 1))
        gantry.empty(4, environment=environment).close()
        gc.collect()
        with self.assertRaises(KeyboardInterrupt):
            gantry.gather(self.table, self.indices, out, environment=environment)
        gantry.gather(self.table, self.indices, out, environment=environment)

    def test_an_environment_of_which_nothing_was_had_is_not_kept(self) -> None:
        environment = env.Custom(Counting(fail_at=1, failure=MemoryError()))
        with self.assertRaises(errors.EnvironmentFailed):
            gantry.empty(4, environment=environment)
        gone = weakref.ref(environment)
        del environment
        gc.collect()
        self.assertIsNone(gone())

    def test_the_environment_works_after_a_failure(self) -> None:
        allocator = Counting(fail_at=1)
        environment = env.Custom(allocator)
        with self.assertRaises(errors.EnvironmentFailed):
            gantry.empty(4, environment=environment)
        self.assertEqual(gantry.zeros(2, environment=environment).tolist(), [0, 0])
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            gantry.gather(self.table, gantry.array([64]), gantry.zeros((1, 1)), environment=environment)
        self.assertIsNone(caught.exception.__cause__)

    def test_callbacks_that_break_their_contract(self) -> None:
        class Answer(Counting):
            def __init__(self, answer: object) -> None:
                super().__init__()
                self.answer = answer

            def allocate(self, request: env.Request) -> int:
                address = super().allocate(request)
                return self.answer(address, request)  # type: ignore[operator,no-any-return]

            def deallocate(self, request: env.Request, address: int) -> None:
                self.returned.append(request)

        for name, answer in (
            ("null", lambda address, request: 0), ("misaligned", lambda address, request: address + 4),
            ("too few bytes", lambda address, request: (address, request.bytes - 1)),
            ("no integer", lambda address, request: "address"), ("None", lambda address, request: None),
        ):  # fmt: skip
            with self.assertRaises(errors.EnvironmentFailed, msg=name) as caught:
                gantry.empty(100, environment=env.Custom(Answer(answer)))
            self.assertGreater(len(str(caught.exception)), 10)

    def test_scratch_is_given_back_whichever_allocation_fails(self) -> None:
        rows, indices = gantry.zeros((20000, 16)), gantry.array([(7 * i) % 64 for i in range(20000)])
        for fail_at in range(1, 50):
            allocator = Counting(fail_at=fail_at)
            with gantry.Context(threads=64) as context:
                try:
                    gantry.scatter_add(
                        gantry.zeros((64, 16)), indices, rows, environment=env.Custom(allocator), context=context
                    )
                except errors.EnvironmentFailed as error:
                    self.assertIs(error.__cause__, allocator.failure)
                    self.assertEqual(len(allocator.requests), fail_at)
                else:
                    self.assertEqual(len(allocator.requests), fail_at - 1)
                    break
                finally:
                    self.assertEqual(allocator.live, {})
        else:
            self.fail("scatter_add asks for memory without end")
        self.assertGreater(fail_at, 1, "scatter_add with 64 threads asks for no scratch")

    def test_an_op_in_a_callback_is_refused(self) -> None:
        table, one = gantry.zeros((64, 16)), gantry.array([1])
        rows, indices = gantry.zeros((20000, 16)), gantry.array([(7 * i) % 64 for i in range(20000)])
        context = gantry.Context(threads=64)
        self.addCleanup(context.close)

        class Calls(Counting):
            def allocate(self, request: env.Request) -> int:
                gantry.gather(table, one, context=context)
                return super().allocate(request)

        with self.assertRaises(errors.EnvironmentFailed) as caught:
            gantry.scatter_add(table, indices, rows, environment=env.Custom(Calls()), context=context)
        self.assertIsInstance(caught.exception.__cause__, errors.ReentrantCall)
        self.assertEqual(gantry.gather(table, one, context=context).tolist(), [[0] * 16])

    def test_observe_hears_of_ops(self) -> None:
        heard = []

        class Listening(Counting):
            def observe(self, op: str, moved: int, nanoseconds: int) -> None:
                heard.append((op, moved > 0, nanoseconds >= 0))

        out = gantry.zeros((5000, 1))
        gantry.gather(self.table, self.indices, out, environment=env.Custom(Listening()))
        self.assertEqual(heard, [("gather", True, True)])

    def test_objects_that_are_no_allocators(self) -> None:
        with self.assertRaisesRegex(errors.InvalidArgument, "object has no method allocate"):
            env.Custom(object())  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
