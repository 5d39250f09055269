"""Objects of every protocol as tables, indices and outputs: values, who is asked, what is given back, what is refused."""

from __future__ import annotations

import ctypes
import unittest
from typing import Any

from gantry import _dlpack, errors
from support import HOST, NAME, Legacy, Managed, Memory, Versioned, binding, exchange_type, open_context

TABLE = [float(value) for value in range(12)]  # 4 rows of 3
EXPECTED = [9.0, 10.0, 11.0, 3.0, 4.0, 5.0]


class Producers(unittest.TestCase):
    def setUp(self) -> None:
        self.context = open_context()
        self.binding = binding()
        self.assertEqual(self.binding.name, NAME)
        self.table = Memory("f", TABLE, (4, 3))
        self.indices = Memory("q", [3, 1], (2,))
        self.out = Memory("f", [0.0] * 6, (2, 3))

    def gather(self, table: Any = None, indices: Any = None, out: Any = None) -> None:
        self.binding.gather(
            self.context, self.table.raw() if table is None else table, self.indices.raw() if indices is None else indices,
            self.out.raw() if out is None else out, 0, 0, None)

    def assert_gathered(self) -> None:
        self.assertEqual(self.out.list(), EXPECTED)

    def assert_untouched(self) -> None:
        self.assertEqual(self.out.list(), [0.0] * 6)


class Capsules(Producers):
    def test_versioned(self) -> None:
        managed = [Managed(memory) for memory in (self.table, self.indices, self.out)]
        producers = [Versioned(one) for one in managed]
        self.gather(*producers)
        self.assert_gathered()
        self.assertEqual([one.given_back for one in managed], [1, 1, 1])
        self.assertEqual([one.name_now() for one in managed], [b"used_dltensor_versioned"] * 3)
        self.assertEqual(producers[0].calls, [{"max_version": (1, 3), "stream": None}])

    def test_legacy_is_asked_again_without_max_version(self) -> None:
        managed = Managed(self.table, versioned=False)
        producer = Legacy(managed)
        self.gather(table=producer)
        self.assert_gathered()
        self.assertEqual((managed.given_back, producer.calls, managed.name_now()), (1, 1, b"used_dltensor"))
        self.gather(table=producer)
        self.assertEqual((managed.given_back, producer.calls), (2, 2))

    def test_strides_and_an_absent_deleter(self) -> None:
        wide = Memory("f", [0.0, 1.0, 2.0, -1.0, 3.0, 4.0, 5.0, -1.0, 6.0, 7.0, 8.0, -1.0, 9.0, 10.0, 11.0, -1.0], (4, 3), (4, 1))
        self.gather(table=Versioned(Managed(wide, deleter=False)))
        self.assert_gathered()

    def test_read_only_table_is_read_and_not_written(self) -> None:
        managed = Managed(self.table, flags=_dlpack.FLAG_READ_ONLY)
        self.gather(table=Versioned(managed))
        self.assert_gathered()
        rows = Memory("f", [1.0] * 6, (2, 3))
        with self.assertRaises(errors.ReadOnly):
            self.binding.scatter(self.context, Versioned(managed), self.indices.raw(), rows.raw(), 0, 0, None)
        self.assertEqual(self.table.list(), TABLE)
        self.assertEqual(managed.given_back, 2)

    def test_copy_is_read_and_not_written(self) -> None:
        managed = Managed(self.table, flags=_dlpack.FLAG_IS_COPIED)
        self.gather(table=Versioned(managed))
        self.assert_gathered()
        with self.assertRaisesRegex(BufferError, "^out: the Versioned handed over a copy of its memory: what is written would be lost$"):
            self.gather(out=Versioned(Managed(self.out, flags=_dlpack.FLAG_IS_COPIED)))

    def test_major_version_2(self) -> None:
        managed = Managed(self.table, version=(2, 7))
        with self.assertRaises(errors.DlpackVersionError) as caught:
            self.gather(table=Versioned(managed))
        self.assertEqual(str(caught.exception), "table is a DLPack tensor of version 2.7; this library reads version 1.x. Ask its "
                         "producer for max_version=(1, 3).")
        self.assertEqual(caught.exception.status, 19)
        # Every capsule that was taken over was given back: one for each call.
        self.assertEqual(managed.given_back, {"ctypes": 1, "abi3": 2}[NAME])
        self.assert_untouched()

    def test_lying_producers(self) -> None:
        for changes, text in (
            ({"ndim": 9}, "table is a DLPack tensor of 9 dimensions; it has to have 0 to 8 and a shape"),
            ({"ndim": -1}, "table is a DLPack tensor of -1 dimensions; it has to have 0 to 8 and a shape"),
            ({"shape": None}, "table is a DLPack tensor of 2 dimensions without a shape; it has to have 0 to 8 and a shape"),
            ({"pointer": 0}, "table: the Versioned has 12 elements and no memory (its pointer is null), as tensors have that only "
                             "record what is done to them"),
            ({"name": b"used_dltensor"}, "table.__dlpack__() gave a capsule named 'used_dltensor'; a fresh one is named "
                                         "'dltensor_versioned' or 'dltensor'"),
        ):
            with self.subTest(text):
                managed = Managed(self.table, **changes)
                producer = Versioned(managed)
                with self.assertRaises(BufferError) as caught:
                    self.gather(table=producer)
                self.assertEqual(str(caught.exception), text)
                self.assertEqual(managed.given_back, 0 if "name" in changes else len(producer.calls))
                self.assert_untouched()

    def test_a_result_that_is_no_capsule(self) -> None:
        class Odd:
            def __dlpack__(self, **_: Any) -> Any:
                return 5

        with self.assertRaisesRegex(TypeError, r"^table\.__dlpack__\(\) gave an object of type int instead of a capsule$"):
            self.gather(table=Odd())

    def test_exceptions_of_producers_are_kept(self) -> None:
        class Raising:
            def __init__(self, failure: BaseException) -> None:
                self.failure = failure

            def __dlpack__(self, **_: Any) -> Any:
                raise self.failure

        for failure in (BufferError("no"), ValueError("bad"), KeyboardInterrupt(), TypeError("really")):
            with self.subTest(type(failure).__name__):
                with self.assertRaises(type(failure)) as caught:
                    self.gather(indices=Raising(failure))
                self.assertIs(caught.exception, failure)

    def test_a_buffer_is_read_where_dlpack_refuses(self) -> None:
        class Refusing(bytes):
            def __dlpack__(self, **_: Any) -> Any:
                raise BufferError("read-only is not for DLPack")

        out = bytearray(2)
        self.gather(table=Refusing(b"abcd"), out=out)
        self.assertEqual(out, b"db")

    def test_a_tensor_is_given_back_when_what_it_is_asked_raises(self) -> None:
        class Undecided(Versioned):
            @property
            def requires_grad(self) -> bool:
                raise LookupError("undecided")

        managed = Managed(self.table)
        with self.assertRaisesRegex(LookupError, "^undecided$"):
            self.gather(table=Undecided(managed))
        self.assertEqual(managed.given_back, 1)

        class Needy(Versioned):
            requires_grad = True

        managed = Managed(self.table)
        with self.assertRaisesRegex(BufferError, "^table: the Needy requires a gradient"):
            self.gather(table=Needy(managed))
        self.assertEqual(managed.given_back, {"ctypes": 1, "abi3": 2}[NAME])

    def test_tensors_before_the_one_that_fails_are_given_back(self) -> None:
        table, indices = Managed(self.table), Managed(self.indices)
        with self.assertRaises(TypeError):
            self.gather(Versioned(table), Versioned(indices), object())
        self.assertEqual((table.given_back, indices.given_back), (1, 1))

    def test_tensors_are_given_back_when_the_op_fails(self) -> None:
        managed = [Managed(memory) for memory in (self.table, Memory("q", [9, 1], (2,)), self.out)]
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            self.gather(*map(Versioned, managed))
        self.assertEqual((caught.exception.position, caught.exception.value), (0, 9))
        self.assertEqual([one.given_back for one in managed], [1, 1, 1])


class Exchange(Producers):
    def test_borrowed(self) -> None:
        kind = exchange_type()
        table, indices, out = (kind(Managed(memory)) for memory in (self.table, self.indices, self.out))
        self.gather(table, indices, out)
        self.assert_gathered()
        self.assertEqual([(one.borrowed, one.managed.given_back) for one in (table, indices, out)], [(1, 0)] * 3)

    def test_owned_where_borrowing_is_not_offered(self) -> None:
        table = exchange_type(borrow=False)(Managed(self.table))
        self.gather(table=table)
        self.assert_gathered()
        self.assertEqual(table.managed.given_back, 1)

    def test_owned_copy_is_not_written(self) -> None:
        out = exchange_type(borrow=False)(Managed(self.out, flags=_dlpack.FLAG_IS_COPIED))
        with self.assertRaisesRegex(BufferError, "handed over a copy"):
            self.gather(out=out)
        self.assert_untouched()

    def test_an_older_version_is_found(self) -> None:
        older = exchange_type()
        kind = exchange_type(version=(2, 0), older=older.keep[0], failing=True)
        self.gather(table=kind(Managed(self.table)))
        self.assert_gathered()

    def test_a_newer_version_alone_is_left(self) -> None:
        kind = exchange_type(version=(2, 0), failing=True)
        with self.assertRaisesRegex(TypeError, "^table is a Exchanged, which is no tensor: "):
            self.gather(table=kind(Managed(self.table)))

    def test_a_capsule_of_another_name_is_left(self) -> None:
        kind = exchange_type(name=b"something else", failing=True)
        kind.__dlpack__ = lambda self, **_: self.managed.make_capsule()  # type: ignore[attr-defined]
        self.gather(table=kind(Managed(self.table)))
        self.assert_gathered()

    def test_exceptions(self) -> None:
        kind = exchange_type(raising=True)
        failure = RuntimeError("cannot be described\nC++ frames")
        with self.assertRaises(BufferError) as caught:
            self.gather(table=kind(Managed(self.table), failure))
        self.assertEqual(str(caught.exception), "table: the Exchanged cannot be read as memory: cannot be described")
        self.assertIs(caught.exception.__cause__, failure)
        for kept in (BufferError("kept"), MemoryError("kept"), KeyboardInterrupt()):
            with self.assertRaises(type(kept)) as caught_kept:
                self.gather(table=kind(Managed(self.table), kept))
            self.assertIs(caught_kept.exception, kept)

    def test_failure_without_an_exception(self) -> None:
        for borrow in (True, False):
            with self.assertRaisesRegex(BufferError, "^table: the exchange API of Exchanged failed without an exception$"):
                self.gather(table=exchange_type(failing=True, borrow=borrow)(Managed(self.table)))

    def test_memory_that_is_missing(self) -> None:
        kind = exchange_type()
        with self.assertRaisesRegex(BufferError, "^out: the Exchanged has 6 elements and no memory"):
            self.gather(out=kind(Managed(self.out, pointer=0)))
        empty = Memory("f", [], (0, 3))
        self.gather(indices=Memory("q", [], (0,)).owned(), out=kind(Managed(empty, pointer=0)))

    def test_output_of_the_tables_own_library(self) -> None:
        kind = exchange_type()
        made = self.binding.gather(self.context, kind(Managed(self.table)), self.indices.raw(), None, 0, 0, None)
        self.assertIs(type(made), kind)
        self.assertEqual(made.managed.memory.shape, (2, 3))
        self.assertEqual(made.managed.memory.list(), EXPECTED)
        chunks = [kind(Managed(Memory("f", TABLE[:6], (2, 3)))), kind(Managed(Memory("f", TABLE[6:], (2, 3))))]
        square = Memory("q", [3, 0, 1, 2], (2, 2))
        made = self.binding.gather(self.context, chunks, square.raw(), None, 0, 0, None)
        self.assertEqual(made.managed.memory.shape, (2, 2, 3))
        self.assertEqual(made.managed.memory.list(), TABLE[9:] + TABLE[:3] + TABLE[3:9])
        narrow = kind(Managed(Memory("f", [5.0, 6.0, 7.0], (3,))))
        made = self.binding.gather(self.context, narrow, Memory("q", [2], (1,)).owned(), None, 0, 0, None)
        self.assertEqual((made.managed.memory.shape, made.managed.memory.list()), ((1,), [7.0]))

    def test_allocator_that_fails(self) -> None:
        kind = exchange_type()
        with self.assertRaises(errors.OutOfMemory) as caught:
            self.binding.gather(self.context, kind(Managed(self.table)), Memory("q", [0] * 13, (13,)).owned(), None, 0, 0, None)
        self.assertEqual(str(caught.exception), "the table's library could not allocate the output: MemoryError: thirteen rows are "
                         "too many")

    def test_types_are_remembered_until_forgotten(self) -> None:
        kind = exchange_type()
        table = kind(Managed(self.table))
        self.gather(table=table)
        del kind.__dlpack_c_exchange_api__
        kind.__dlpack__ = lambda self, **_: self.managed.make_capsule()  # type: ignore[attr-defined]
        self.gather(table=table)
        self.assertEqual((table.borrowed, table.managed.given_back), (2, 0))
        self.binding.forget_types()
        self.gather(table=table)
        self.assertEqual((table.borrowed, table.managed.given_back), (2, 1))


class Outputs(Producers):
    def test_factory(self) -> None:
        asked = []

        def factory(*arguments: Any) -> Any:
            asked.append(arguments)
            return self.out.raw()

        self.binding.set_array_factory(factory)
        result = self.binding.gather(self.context, self.table.raw(), self.indices.raw(), None, 0, 0, None)
        self.assertEqual(result, self.out.raw())
        self.assert_gathered()
        self.assertEqual(asked, [((2, 3), (2, 32, 1), HOST, 0, None)])
        self.binding.set_array_factory(None)
        with self.assertRaisesRegex(TypeError, "^out is None, and tuple brings no allocator: pass the output$"):
            self.binding.gather(self.context, self.table.raw(), self.indices.raw(), None, 0, 0, None)

    def test_shapes_that_no_output_has(self) -> None:
        deep = Memory("f", TABLE, (2, 2, 3))
        with self.assertRaisesRegex(ValueError, r"^table has 3 dimensions; a table has two \(rows, columns\), or one"):
            self.binding.gather(self.context, deep.raw(), self.indices.raw(), None, 0, 0, None)
        many = Memory("q", [0], (1,) * 8)
        with self.assertRaisesRegex(ValueError, "^the output would have 9 dimensions; at most 8 are supported$"):
            self.binding.gather(self.context, self.table.raw(), many.raw(), None, 0, 0, None)

    def test_native_objects(self) -> None:
        from gantry import _abi

        class Native:
            def __init__(self, memory: Memory) -> None:
                self.shape = (ctypes.c_int64 * 2)(*memory.shape)
                self.tensor = _abi.Tensor(data=memory.address - 4, byte_offset=4, shape=self.shape, ndim=len(memory.shape),
                                          dtype=_abi.Dtype(*memory.dtype), device=_abi.Device(1, 0))

            @property
            def __gantry_tensor__(self) -> int:
                return ctypes.addressof(self.tensor)

        self.gather(Native(self.table), Native(self.indices), Native(self.out))
        self.assert_gathered()

        class Closed:
            @property
            def __gantry_tensor__(self) -> int:
                raise errors.ClosedError("the table is closed")

        with self.assertRaisesRegex(errors.ClosedError, "^the table is closed$"):
            self.gather(table=Closed())


if __name__ == "__main__":
    unittest.main()
