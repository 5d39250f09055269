"""Arrays and tables: what they are, how other code reads them, how long their memory stays."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import sys
import unittest
import weakref

import gantry
from gantry import env, errors
from support import Counting


class Making(unittest.TestCase):
    def test_an_array_of_lists(self) -> None:
        made = gantry.array([[1, 2, 3], [4, 5, 6]])
        self.assertEqual((made.shape, made.strides, str(made.dtype), made.nbytes, made.size), ((2, 3), (3, 1), "int64", 48, 6))
        self.assertEqual((made.device, made.read_only, made.closed, made.contiguous, len(made)), ((1, 0), False, False, True, 2))
        self.assertEqual(made.tolist(), [[1, 2, 3], [4, 5, 6]])
        self.assertEqual(made.address % 64, 0)
        self.assertEqual(str(gantry.array([1, 2.5]).dtype), "float32")

    def test_pickle_is_refused_in_words_and_copies_are_made(self) -> None:
        for made in (gantry.array([[1, 2], [3, 4]]), gantry.table(2, 2, "int64"), gantry.array(5)):
            with self.assertRaisesRegex(TypeError, f"^a {type(made).__name__} cannot be pickled: .*gantry.shm.create"):
                pickle.dumps(made)
            deep, shallow = copy.deepcopy(made), copy.copy(made)
            self.assertEqual((type(deep), type(shallow)), (type(made), type(made)))
            self.assertEqual((deep.tolist(), shallow.tolist()), (made.tolist(), made.tolist()))
            self.assertEqual((deep.address == made.address, shallow.address == made.address), (False, True))

    def test_memory_that_cannot_be_asked_for(self) -> None:
        for alignment in (3, -1, 1 << 64, 64.0, True):
            with self.assertRaisesRegex(errors.InvalidArgument, f"^alignment is {alignment}; it has to be a power of two"):
                gantry.empty(3, alignment=alignment)
        with self.assertRaisesRegex(errors.InvalidArgument, r"^stream is None for memory on device \(2, 0\): .*pass stream=1"):
            gantry.empty(3, device="cuda")

    def test_an_array_without_dimensions_or_elements(self) -> None:
        self.assertEqual((gantry.array(7).shape, gantry.array(7).tolist()), ((), 7))
        self.assertEqual(gantry.zeros((2, 0, 3)).tolist(), [[], []])
        self.assertEqual(gantry.zeros(0).nbytes, 0)
        with self.assertRaisesRegex(TypeError, "without dimensions"):
            len(gantry.array(7))

    def test_values_survive_every_dtype(self) -> None:
        for name, values in (
            ("float16", [0.5, -65504.0, 6e-8]), ("bfloat16", [0.5, -1.0, 2.0**100]), ("float64", [1e300, -0.1]),
            ("int8", [-128, 127]), ("uint64", [2**64 - 1]), ("bool", [True, False]), ("complex64", [1 + 2j, -3j]),
        ):  # fmt: skip
            back = gantry.array(values, name).tolist()
            for value, seen in zip(values, back):
                self.assertTrue(abs(value - seen) <= 1e-2 * abs(value) * (name == "float16"), (name, value, seen))
        self.assertTrue(math.isnan(gantry.array([float("nan")], "bfloat16").tolist()[0]))

    def test_values_that_do_not_fit(self) -> None:
        for values, name in (([300], "int8"), (["x"], "float32"), ([1.5], "int64"), ([None], "bfloat16"), ([b"ab"], "raw3")):
            with self.assertRaises(errors.InvalidArgument, msg=name):
                gantry.array(values, name)
        with self.assertRaisesRegex(errors.InvalidArgument, "different shapes"):
            gantry.array([[1, 2], [3]])

    def test_sizes_that_are_refused(self) -> None:
        for shape, kind in (
            (-1, errors.InvalidArgument), ((2, -3), errors.InvalidArgument), ("ab", errors.InvalidArgument),
            (2.5, errors.InvalidArgument), ((1,) * 9, errors.InvalidArgument), (None, errors.InvalidArgument),
            (1 << 63, errors.SizeOverflow), ((1 << 40, 1 << 40), errors.SizeOverflow), ((1 << 61, 1), errors.SizeOverflow),
            (1 << 60, errors.OutOfMemory),
        ):  # fmt: skip
            for make in (gantry.empty, gantry.zeros):
                with self.assertRaises(kind, msg=repr(shape)) as caught:
                    make(shape)
                self.assertGreater(len(str(caught.exception)), 10)
        self.assertEqual(gantry.zeros((1 << 40, 0, 1 << 40)).nbytes, 0)

    def test_options_that_are_refused(self) -> None:
        for alignment in (3, -8, 1.5, "64"):
            with self.assertRaisesRegex(errors.InvalidArgument, "alignment is"):
                gantry.empty(4, alignment=alignment)  # type: ignore[arg-type]
        with self.assertRaisesRegex(errors.InvalidArgument, "device is 'tpu'"):
            gantry.empty(4, device="tpu")
        with self.assertRaises(errors.Error):
            gantry.empty(4, device="cuda")
        with self.assertRaisesRegex(errors.InvalidArgument, "'float31' is no dtype"):
            gantry.empty(4, "float31")
        self.assertEqual(gantry.empty(4, alignment=4096).address % 4096, 0)

    def test_a_view_has_to_lie_in_its_storage(self) -> None:
        made = gantry.zeros(4)
        for shape, strides, offset in (((5,), None, 0), ((4,), (2,), 0), ((4,), None, 4), ((1,), None, -4)):
            with self.assertRaisesRegex(errors.InvalidArgument, "do not lie in the storage of 16 bytes"):
                gantry.Array(made.storage, shape, "float32", strides=strides, byte_offset=offset)
        with self.assertRaisesRegex(errors.InvalidArgument, "one for each size, not negative"):
            gantry.Array(made.storage, 4, "float32", strides=(-1,))
        with self.assertRaisesRegex(errors.InvalidArgument, "a Table has 2 dimensions"):
            gantry.Table(made.storage, 4, "float32")


class Tables(unittest.TestCase):
    def test_a_table_with_gaps_between_its_rows(self) -> None:
        table = gantry.table(3, 2, "int32", row_stride=4)
        self.assertEqual((table.rows, table.columns, table.row_stride, table.contiguous), (3, 2, 4, False))
        gantry.scatter(table, gantry.array([2, 0]), gantry.array([[5, 6], [7, 8]], "int32"))
        self.assertEqual(table.tolist(), [[7, 8], [0, 0], [5, 6]])
        self.assertEqual(gantry.gather(table, gantry.array([2, 2])).tolist(), [[5, 6], [5, 6]])
        with self.assertRaisesRegex(errors.InvalidArgument, "row_stride is 1, less than the 2 columns"):
            gantry.table(3, 2, row_stride=1)
        for rows, columns in ((-1, 2), (2, -1)):
            with self.assertRaises(errors.InvalidArgument):
                gantry.table(rows, columns)

    def test_slices_are_views(self) -> None:
        table = gantry.table(6, 2, "int64")
        gantry.scatter(table, gantry.array(range(6)), gantry.array([[i, -i] for i in range(6)]))
        view = table[1:6:2]
        self.assertIsInstance(view, gantry.Table)
        self.assertEqual((view.tolist(), view.row_stride), ([[1, -1], [3, -3], [5, -5]], 4))
        self.assertEqual(view[1:].tolist(), [[3, -3], [5, -5]])
        self.assertEqual(view[-1:].tolist(), [[5, -5]])
        self.assertEqual(view[7:].tolist(), [])
        gantry.scatter(view, gantry.array([1]), gantry.array([[40, 41]]))
        self.assertEqual(table.tolist()[3], [40, 41])
        with self.assertRaisesRegex(TypeError, "by a slice of its rows, not by int"):
            table[1]  # type: ignore[index]
        with self.assertRaisesRegex(errors.InvalidArgument, "step -1"):
            table[::-1]

    def test_a_copy_has_no_gaps(self) -> None:
        table = gantry.array([[1, 2], [3, 4], [5, 6]], "float64")[::2]
        twin = table.copy()
        self.assertEqual((twin.tolist(), twin.contiguous), ([[1, 2], [5, 6]], True))
        self.assertNotEqual(twin.address, table.address)


class Interfaces(unittest.TestCase):
    def test_the_buffer_has_the_shape_and_the_format(self) -> None:
        made = gantry.array([[1, 2, 3], [4, 5, 6]], "int32")
        view = made.buffer()
        self.assertEqual((view.shape, view.format, view.itemsize, view.nbytes, view.readonly), ((2, 3), "i", 4, 24, False))
        view[1, 2] = 60
        self.assertEqual(made.tolist(), [[1, 2, 3], [4, 5, 60]])
        self.assertEqual(gantry.array([True, False], "bool").buffer().tolist(), [True, False])
        self.assertEqual(gantry.array([200], "uint8").buffer().tolist(), [200])
        self.assertEqual(gantry.zeros(0, "float64").buffer().tolist(), [])
        self.assertEqual(gantry.zeros(0, "float64").buffer().format, "d")

    def test_buffers_that_cannot_be_had(self) -> None:
        with self.assertRaisesRegex(BufferError, "have gaps"):
            gantry.array([[1, 2], [3, 4], [5, 6]])[::2].buffer()
        with self.assertRaisesRegex(BufferError, "no format for bfloat16"):
            gantry.zeros(3, "bfloat16").buffer()

    @unittest.skipIf(sys.version_info < (3, 12), "memoryview() of a Python class needs Python 3.12; buffer() does the same")
    def test_memoryview(self) -> None:
        self.assertEqual(memoryview(gantry.array([1.5, 2.5], "float64")).tolist(), [1.5, 2.5])  # type: ignore[arg-type]
        borrowed = gantry.asarray(b"abc")
        self.assertTrue(memoryview(borrowed).readonly)  # type: ignore[arg-type]

    def test_the_array_interface(self) -> None:
        made = gantry.array([[1, 2], [3, 4], [5, 6]], "float16")
        self.assertEqual(
            made.__array_interface__,
            {"shape": (3, 2), "typestr": "<f2", "data": (made.address, False), "strides": None, "version": 3},
        )
        self.assertEqual(made[::2].__array_interface__["strides"], (8, 2))
        self.assertEqual(gantry.zeros((0, 2), "int8").__array_interface__["data"], (0, False))
        self.assertEqual(gantry.zeros(2, "int8").__array_interface__["typestr"], "|i1")
        with self.assertRaisesRegex(errors.Unsupported, "no type string for bfloat16; use DLPack"):
            gantry.zeros(2, "bfloat16").__array_interface__

    def test_plain_host_memory_has_no_cuda_array_interface(self) -> None:
        self.assertFalse(hasattr(gantry.zeros(2), "__cuda_array_interface__"))

    def test_memory_that_a_gpu_reads_has_one(self) -> None:
        # Pinned memory stands in for a GPU's: its address is a host's, and the dictionary is made the same way.
        class Pinned(Counting):
            pass

        custom = env.Custom(Pinned())
        made = gantry.empty((2, 3), "float32", environment=custom, device="pinned")
        self.assertEqual(made.device, (3, 0))
        self.assertEqual(
            made.__cuda_array_interface__,
            {"shape": (2, 3), "typestr": "<f4", "data": (made.address, False), "strides": None, "version": 3, "stream": None},
        )
        self.assertEqual(made.__dlpack_device__(), (3, 0))
        with self.assertRaisesRegex(errors.Unsupported, "__cuda_array_interface__ has no type string for bfloat16; use DLPack"):
            gantry.empty(2, "bfloat16", environment=custom, device="pinned").__cuda_array_interface__


class Lifetime(unittest.TestCase):
    def setUp(self) -> None:
        self.allocator = Counting()
        self.environment = env.Custom(self.allocator)

    def make(self) -> gantry.Array:
        return gantry.empty((4, 8), "float32", environment=self.environment)

    def live(self) -> int:
        gc.collect()
        return len(self.allocator.live)

    def test_close_gives_the_memory_back(self) -> None:
        made = self.make()
        self.assertEqual(self.live(), 1)
        request = self.allocator.requests[0]
        self.assertEqual((request.bytes, request.alignment, request.device, request.purpose), (128, 64, (1, 0), "output"))
        made.close()
        made.close()
        self.assertEqual((self.live(), made.closed), (0, True))
        self.assertEqual(self.allocator.returned, self.allocator.requests)

    def test_the_memory_goes_with_the_object(self) -> None:
        made = self.make()
        del made
        self.assertEqual(self.live(), 0)

    def test_a_with_statement_closes(self) -> None:
        with self.make() as made:
            self.assertEqual(self.live(), 1)
        self.assertEqual((self.live(), made.closed), (0, True))

    def test_a_view_and_a_buffer_keep_the_memory(self) -> None:
        made = self.make()
        view, buffer = made[1:2], made.buffer()
        made.close()
        self.assertEqual(self.live(), 1)
        view.close()
        self.assertEqual(self.live(), 1)
        buffer[0, 0] = 1.5
        part = buffer.cast("B")[:4]
        del buffer
        self.assertEqual(self.live(), 1)
        del part
        self.assertEqual(self.live(), 0)

    def test_readers_of_the_array_interface_hold_the_array_only(self) -> None:
        made = self.make()
        description = made.__array_interface__
        made.close()
        self.assertEqual(self.live(), 1, description)
        del made
        self.assertEqual(self.live(), 0)

    def test_a_closed_array_refuses_everything(self) -> None:
        made = self.make()
        made.close()
        self.assertEqual(repr(made), "<gantry.Array shape=(4, 8) dtype=float32 device=(1, 0) closed>")
        for use in (
            made.tolist, made.buffer, made.copy, made.__dlpack__, made.__dlpack_device__, lambda: made.address, lambda: made[1:],
            lambda: made.__array_interface__, lambda: gantry.gather(made, gantry.array([0])),
        ):  # fmt: skip
            with self.assertRaisesRegex(errors.ClosedError, "is closed"):
                use()

    def test_borrowed_memory_keeps_its_owner(self) -> None:
        class Owner(bytearray):
            pass

        owner = Owner(b"\1\2\3\4")
        seen = weakref.ref(owner)
        borrowed = gantry.asarray(owner)
        self.assertEqual((borrowed.tolist(), str(borrowed.dtype), borrowed.read_only), ([1, 2, 3, 4], "uint8", False))
        view = borrowed[1:3]
        del owner, borrowed
        gc.collect()
        self.assertEqual(view.tolist(), [2, 3])
        self.assertIsNotNone(seen())
        view.close()
        gc.collect()
        self.assertIsNone(seen())

    def test_borrowed_read_only_memory(self) -> None:
        borrowed = gantry.asarray(b"abcd")
        self.assertEqual((borrowed.tolist(), borrowed.read_only), ([97, 98, 99, 100], True))
        self.assertTrue(borrowed.buffer().readonly)
        with self.assertRaises(errors.ReadOnly):
            gantry.scatter(borrowed, gantry.array([0]), gantry.array([1], "uint8"))
        with self.assertRaises(TypeError):
            gantry.asarray(object())

    def test_astable_wants_two_dimensions(self) -> None:
        made = gantry.array([[1, 2], [3, 4]])
        table = gantry.astable(made)
        self.assertEqual((table.columns, table.address, gantry.asarray(table), gantry.astable(table)), (2, made.address, table, table))
        with self.assertRaisesRegex(errors.InvalidArgument, "a Table has 2 dimensions"):
            gantry.astable(b"abcd")


if __name__ == "__main__":
    unittest.main()
