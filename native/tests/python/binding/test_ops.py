"""The five ops through the binding: exact values, every argument's place, and the exceptions of the library's statuses."""

from __future__ import annotations

import array
import ctypes
import unittest
from typing import Any

from gantry import _abi, errors
from support import Memory, binding, open_context


def options(**members: Any) -> _abi.Options:
    return _abi.Options(**members)


class Ops(unittest.TestCase):
    def setUp(self) -> None:
        self.context = open_context()
        self.binding = binding()
        self.table = Memory("f", [float(value) for value in range(8)], (4, 2))
        self.indices = Memory("q", [3, 0], (2,))
        self.rows = Memory("f", [10.0, 20.0, 30.0, 40.0], (2, 2))

    def test_gather_returns_the_output(self) -> None:
        out = self.rows.raw()
        self.assertIs(self.binding.gather(self.context, self.table.raw(), self.indices.raw(), out, 0, 0, None), out)
        self.assertEqual(self.rows.list(), [6.0, 7.0, 0.0, 1.0])

    def test_scatter(self) -> None:
        self.assertIsNone(self.binding.scatter(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), 0, 0, None))
        self.assertEqual(self.table.list(), [30.0, 40.0, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0])

    def test_scatter_add(self) -> None:
        self.indices.data[1] = 3
        self.assertIsNone(
            self.binding.scatter_add(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), 0, 0, None))
        self.assertEqual(self.table.list(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 46.0, 67.0])

    def test_convert_and_copy(self) -> None:
        wide = Memory("d", [0.0] * 4, (2, 2))
        self.assertIsNone(self.binding.convert(self.context, self.rows.raw(), wide.raw(), 0, 0, None))
        self.assertEqual(wide.list(), [10.0, 20.0, 30.0, 40.0])
        copy = Memory("d", [0.0] * 4, (2, 2))
        self.assertIsNone(self.binding.copy(self.context, wide.raw(), copy.raw(), 0, 0, None))
        self.assertEqual(copy.list(), [10.0, 20.0, 30.0, 40.0])

    def test_chunks(self) -> None:
        parts = [Memory("f", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], (3, 2)), Memory("f", [6.0, 7.0], (1, 2))]
        for chunks in ([part.raw() for part in parts], tuple(part.raw() for part in parts)):
            self.rows.data[:] = type(self.rows.data)("f", [0.0] * 4)
            self.binding.gather(self.context, chunks, self.indices.raw(), self.rows.raw(), 0, 0, None)
            self.assertEqual(self.rows.list(), [6.0, 7.0, 0.0, 1.0])
        self.binding.scatter_add(self.context, chunks, self.indices.raw(), self.rows.raw(), 0, 0, None)
        self.assertEqual([part.list() for part in parts], [[0.0, 2.0, 2.0, 3.0, 4.0, 5.0], [12.0, 14.0]])
        for empty in ([], ()):
            with self.assertRaisesRegex(ValueError, f"^table is an empty {type(empty).__name__}; a table has at least one chunk$"):
                self.binding.gather(self.context, empty, self.indices.raw(), self.rows.raw(), 0, 0, None)
        with self.assertRaisesRegex(TypeError, r"^table\[1\] is a str, which is no tensor: "):
            self.binding.gather(self.context, [parts[0].raw(), "row"], self.indices.raw(), self.rows.raw(), 0, 0, None)

    def test_bad_index(self) -> None:
        self.indices.data[1] = -7
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            self.binding.gather(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), 0, 0, None)
        self.assertEqual((caught.exception.status, caught.exception.name, caught.exception.position, caught.exception.value),
                         (3, "GANTRY_ERROR_INDEX", 1, -7))
        self.assertIsInstance(caught.exception, IndexError)
        for op in (self.binding.scatter, self.binding.scatter_add):
            with self.assertRaises(errors.IndexOutOfRange) as caught:
                op(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), 0, 0, None)
            self.assertEqual((caught.exception.position, caught.exception.value), (1, -7))

    def test_which_index_is_bad(self) -> None:
        rows = Memory("f", [0.0] * 4, (2, 2))
        for code, values, bounds, bad in (
            ("q", [4, 9], _abi.BOUNDS_ERROR, (0, 4)),
            ("q", [3, -(1 << 63)], _abi.BOUNDS_ERROR, (1, -(1 << 63))),
            ("i", [3, -1], _abi.BOUNDS_ERROR, (1, -1)),
            ("i", [-4, -5], _abi.BOUNDS_WRAP_NEGATIVE, (1, -5)),
            ("q", [-4, 4], _abi.BOUNDS_WRAP_NEGATIVE, (1, 4)),
            ("I", [3, (1 << 32) - 1], _abi.BOUNDS_ERROR, (1, (1 << 32) - 1)),
            ("Q", [3, 1 << 40], _abi.BOUNDS_ERROR, (1, 1 << 40)),
        ):
            with self.subTest(code=code, values=values, bounds=bounds):
                chosen = options(bounds=bounds)
                with self.assertRaises(errors.IndexOutOfRange) as caught:
                    self.binding.gather(self.context, [self.table.raw()], array.array(code, values), rows.raw(),
                                        ctypes.addressof(chosen), 0, None)
                self.assertEqual((caught.exception.position, caught.exception.value), bad)
        spaced = memoryview(array.array("q", [0, 7, 5, 7]))[::2]
        held = array.array("q", [0, 1, 2, 6])
        square = (held.buffer_info()[0], (2, 2), (0, 64, 1))
        for indices, count, bad in ((spaced, 2, (1, 5)), (square, 4, (3, 6))):
            out = Memory("f", [0.0] * 2 * count, (count, 2))
            with self.assertRaises(errors.IndexOutOfRange) as caught:
                self.binding.gather(self.context, self.table.raw(), indices, out.raw(), 0, 0, None)
            self.assertEqual((caught.exception.position, caught.exception.value), bad)
        nothing = options(bounds=_abi.BOUNDS_CLAMP)
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            self.binding.gather(self.context, (self.table.address, (0, 2), (2, 32, 1)), self.indices.raw(), rows.raw(),
                                ctypes.addressof(nothing), 0, None)
        self.assertEqual((caught.exception.position, caught.exception.value), (0, 3))

    def test_options_and_statistics(self) -> None:
        self.indices.data[1] = -1
        stats = _abi.Stats()
        wrap = options(bounds=_abi.BOUNDS_WRAP_NEGATIVE, stats=ctypes.pointer(stats))
        self.binding.gather(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), ctypes.addressof(wrap), 0, None)
        self.assertEqual(self.rows.list(), [6.0, 7.0, 6.0, 7.0])
        self.assertEqual((stats.rows, stats.bad_rows, stats.first_bad_position), (2, 0, -1))
        zero = options(bounds=_abi.BOUNDS_ZERO, stats=ctypes.pointer(stats))
        self.binding.gather(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), ctypes.addressof(zero), 0, None)
        self.assertEqual(self.rows.list(), [6.0, 7.0, 0.0, 0.0])
        self.assertEqual((stats.rows, stats.bad_rows, stats.first_bad_position, stats.first_bad_value), (1, 1, 1, -1))
        error = options(stats=ctypes.pointer(stats))
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            self.binding.gather(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), ctypes.addressof(error), 0, None)
        self.assertEqual((caught.exception.position, caught.exception.value), (1, -1))

    def test_environment_is_called_back(self) -> None:
        # Several threads of the pool may ask for memory: they can only do so while this thread does not hold the GIL.
        blocks = {}

        @_abi.AllocateFunction
        def allocate(_user: Any, request: Any, block: Any) -> int:
            wanted = request.contents
            memory = (ctypes.c_char * (wanted.bytes + wanted.alignment))()
            start = ctypes.addressof(memory)
            block.contents.data = start + -start % wanted.alignment
            block.contents.bytes = wanted.bytes
            blocks[block.contents.data] = memory
            return 0

        @_abi.DeallocateFunction
        def deallocate(_user: Any, _request: Any, block: Any) -> None:
            del blocks[block.contents.data]

        seen = []

        @_abi.ObserveFunction
        def observe(_user: Any, op: bytes, _bytes: int, _nanoseconds: int) -> None:
            seen.append(op)

        environment = _abi.Environment(allocate=allocate, deallocate=deallocate, observe=observe)
        rows = 100_000
        indices = Memory("q", [row % 4 for row in range(rows)], (rows,))
        ones = Memory("f", [1.0] * (2 * rows), (rows, 2))
        table = Memory("f", [0.0] * 8, (4, 2))
        self.binding.scatter_add(self.context, table.raw(), indices.raw(), ones.raw(), 0, ctypes.addressof(environment), None)
        self.assertEqual(table.list(), [rows / 4] * 8)
        self.assertEqual((blocks, len(seen)), ({}, 1))

    def test_addresses_that_are_none(self) -> None:
        arguments = [self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), 0, 0, None]
        for position, name in ((0, "context"), (4, "options"), (5, "environment")):
            wrong: list = [*arguments]
            wrong[position] = "text"
            with self.assertRaisesRegex(TypeError, f"^{name} is a <class 'str'>; it has to be an address, an integer$"):
                self.binding.gather(*wrong)
        self.binding.gather(*arguments[:4], None, None, None)
        for stream in ("x", 1.5):
            with self.assertRaisesRegex(TypeError, f"^stream is a {type(stream)!r}; it has to be an address, an integer$"):
                self.binding.gather(*arguments[:-1], stream)
        for position in (0, 4, 5, 6):
            wrong = [*arguments]
            wrong[position] = 1 << 70
            with self.assertRaises(OverflowError):
                self.binding.gather(*wrong)
        for call in (self.binding.scatter, self.binding.scatter_add):
            with self.assertRaises(TypeError):
                call(self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), 0, 0, "x")
        for call in (self.binding.convert, self.binding.copy):
            with self.assertRaises(TypeError):
                call(self.context, self.rows.raw(), self.rows.raw(), 0, 0, "x")

    def test_an_address_of_a_tensor_that_is_none(self) -> None:
        class Null:
            __gantry_tensor__ = 0

        with self.assertRaisesRegex(ValueError, "^the address of a gantry_tensor is 0$"):
            self.binding.gather(self.context, Null(), self.indices.raw(), self.rows.raw(), 0, 0, None)

    def test_an_op_without_a_context_or_an_argument(self) -> None:
        arguments = [self.context, self.table.raw(), self.indices.raw(), self.rows.raw(), 0, 0, None]
        with self.assertRaises(errors.InvalidArgument):
            self.binding.gather(0, *arguments[1:])
        with self.assertRaises(TypeError):
            self.binding.gather(*arguments[:-1])

    def test_statuses_become_exceptions(self) -> None:
        with self.assertRaises(errors.OverlapError) as caught:
            self.binding.gather(self.context, self.table.raw(), self.indices.raw(), (self.table.address, (2, 2), (2, 32, 1)), 0, 0,
                                None)
        self.assertEqual((caught.exception.status, caught.exception.name), (4, "GANTRY_ERROR_OVERLAP"))
        with self.assertRaises(errors.MisalignedPointer):
            self.binding.gather(self.context, (self.table.address + 1, (3, 2), (2, 32, 1)), self.indices.raw(), self.rows.raw(), 0,
                                0, None)


if __name__ == "__main__":
    unittest.main()
