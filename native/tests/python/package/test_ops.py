"""gather, scatter, scatter_add, convert, copy: known values, every policy, and input that is refused."""

from __future__ import annotations

import unittest
from array import array as buffer_of

import gantry
from gantry import errors

ROWS = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]


class Values(unittest.TestCase):
    def setUp(self) -> None:
        self.table = gantry.array(ROWS, "float32")

    def test_gather_gives_the_rows_in_the_order_of_the_indices(self) -> None:
        for index_type in ("int32", "int64", "uint32", "uint64"):
            out = gantry.gather(self.table, gantry.array([3, 0, 3, 1], index_type))
            self.assertEqual(out.tolist(), [ROWS[3], ROWS[0], ROWS[3], ROWS[1]])
            self.assertIsInstance(out, gantry.Array)

    def test_the_output_has_the_shape_of_the_indices_and_then_the_columns(self) -> None:
        out = gantry.gather(self.table, gantry.array([[0, 1], [2, 3], [1, 1]]))
        self.assertEqual(out.shape, (3, 2, 3))
        self.assertEqual(out.tolist()[2], [ROWS[1], ROWS[1]])

    def test_a_given_output_is_written_and_returned(self) -> None:
        out = gantry.zeros((2, 3))
        self.assertIs(gantry.gather(self.table, gantry.array([1, 2]), out), out)
        self.assertEqual(out.tolist(), [ROWS[1], ROWS[2]])

    def test_a_table_of_one_dimension_has_rows_of_one_element(self) -> None:
        out = gantry.gather(gantry.array([5, 6, 7], "int16"), gantry.array([2, 0]))
        self.assertEqual((out.tolist(), out.shape, str(out.dtype)), ([7, 5], (2,), "int16"))

    def test_a_list_of_tables_is_one_table_in_chunks(self) -> None:
        more = gantry.array([[13, 14, 15]], "float32")
        out = gantry.gather([self.table, more], gantry.array([4, 0]))
        self.assertEqual(out.tolist(), [[13, 14, 15], ROWS[0]])

    def test_no_indices_give_no_rows(self) -> None:
        out = gantry.gather(self.table, gantry.empty(0, "int64"))
        self.assertEqual((out.shape, out.tolist()), ((0, 3), []))

    def test_buffers_of_the_standard_library_are_tensors(self) -> None:
        out = buffer_of("f", [0] * 3)
        gantry.gather(buffer_of("f", [0.5, 1.5, 2.5]), buffer_of("q", [2, 2, 0]), out)
        self.assertEqual(out.tolist(), [2.5, 2.5, 0.5])

    def test_an_output_of_another_dtype_is_converted_to(self) -> None:
        half = gantry.array([[0.5, 65504, -2], [1, 2, 3]], "float16")
        out = gantry.gather(half, gantry.array([0]), gantry.zeros((1, 3), "float64"))
        self.assertEqual(out.tolist(), [[0.5, 65504.0, -2.0]])

    def test_scatter_writes_rows_and_the_last_of_equal_indices_wins(self) -> None:
        rows = gantry.array([[1, 1, 1], [2, 2, 2], [3, 3, 3]], "float32")
        self.assertIsNone(gantry.scatter(self.table, gantry.array([2, 0, 2]), rows))
        self.assertEqual(self.table.tolist(), [[2, 2, 2], ROWS[1], [3, 3, 3], ROWS[3]])

    def test_scatter_add_adds_in_the_order_of_the_indices(self) -> None:
        table = gantry.array([[1.0], [0.0]], "float32")
        rows = gantry.array([[2.0**24], [1.0], [-(2.0**24)], [5]], "float32")
        gantry.scatter_add(table, gantry.array([0, 0, 0, 1]), rows)
        # ((1 + 2^24) + 1) - 2^24 in float32: both ones are lost to rounding, whichever number of threads adds.
        self.assertEqual(table.tolist(), [[0.0], [5.0]])

    def test_scatter_add_is_bitwise_the_same_for_any_number_of_threads(self) -> None:
        values = [[((37 * i + 11 * c) % 101 - 50) / 7 for c in range(5)] for i in range(3000)]
        indices = gantry.array([(i * i + 3 * i) % 97 for i in range(3000)])
        results = []
        for threads in (1, 2, 7):
            with gantry.Context(threads=threads) as context:
                table = gantry.zeros((97, 5))
                gantry.scatter_add(table, indices, gantry.array(values, "float32"), context=context)
                results.append(table.buffer().tobytes())
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_convert_rounds_to_the_nearest_even(self) -> None:
        source = gantry.array([1 + 2.0**-9, 1 + 3 * 2.0**-9, 70000.0, 2.0**-24], "float32")
        target = gantry.empty(4, "float16")
        gantry.convert(source, target)
        self.assertEqual(target.tolist(), [1 + 2.0**-9, 1 + 3 * 2.0**-9, float("inf"), 2.0**-24])
        target = gantry.empty(2, "bfloat16")
        gantry.convert(gantry.array([1 + 2.0**-8, 1 + 3 * 2.0**-8], "float32"), target)
        self.assertEqual(target.tolist(), [1.0, 1 + 4 * 2.0**-8])

    def test_copy_moves_the_bytes(self) -> None:
        target = gantry.zeros((4, 3))
        gantry.copy(self.table, target)
        self.assertEqual(target.tolist(), ROWS)

    def test_every_dtype_is_moved(self) -> None:
        names = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64"]
        for name in names:
            table = gantry.array([[1, 2], [3, 4], [5, 6]], name)
            self.assertEqual(gantry.gather(table, gantry.array([2, 1])).tolist(), [[5, 6], [3, 4]], name)
        raw = gantry.array([[b"abcdefghijk"], [b"ABCDEFGHIJK"]], "raw11")
        self.assertEqual(gantry.gather(raw, gantry.array([1, 1, 0])).tolist(), [[b"ABCDEFGHIJK"]] * 2 + [[b"abcdefghijk"]])
        self.assertEqual(gantry.gather(gantry.array([[True], [False]], "bool"), gantry.array([1])).tolist(), [[False]])


class Bounds(unittest.TestCase):
    def setUp(self) -> None:
        self.table = gantry.array(ROWS, "float32")
        self.indices = gantry.array([1, 4, -1, 0])

    def out(self) -> gantry.Array:
        return gantry.array([[-9, -9, -9]] * 4, "float32")

    def test_error_tells_the_first_bad_position_and_value(self) -> None:
        with self.assertRaises(gantry.IndexOutOfRange) as caught:
            gantry.gather(self.table, self.indices)
        error = caught.exception
        self.assertEqual((error.position, error.value, error.status, error.name), (1, 4, 3, "GANTRY_ERROR_INDEX"))
        self.assertIsInstance(error, IndexError)
        self.assertIn("4", str(error))

    def test_error_finishes_the_other_rows(self) -> None:
        out = self.out()
        with self.assertRaises(IndexError):
            gantry.gather(self.table, self.indices, out)
        self.assertEqual((out.tolist()[0], out.tolist()[3]), (ROWS[1], ROWS[0]))

    def test_the_other_policies(self) -> None:
        untouched, nothing = [-9.0] * 3, [0.0] * 3
        for policy, second, third in (
            ("skip", untouched, untouched), ("zero", nothing, nothing), ("clamp", ROWS[3], ROWS[0]),
        ):  # fmt: skip
            out = gantry.gather(self.table, self.indices, self.out(), bounds=policy)
            self.assertEqual(out.tolist(), [ROWS[1], second, third, ROWS[0]], policy)
        self.assertEqual(gantry.gather(self.table, gantry.array([-1, -4]), bounds="wrap").tolist(), [ROWS[3], ROWS[0]])
        with self.assertRaises(gantry.IndexOutOfRange) as caught:
            gantry.gather(self.table, gantry.array([0, -1, -5]), bounds="wrap")
        self.assertEqual((caught.exception.position, caught.exception.value), (2, -5))
        self.assertEqual(gantry.gather(self.table, gantry.array([2]), bounds="trust").tolist(), [ROWS[2]])

    def test_statistics_count_what_was_moved(self) -> None:
        stats = gantry.Stats()
        gantry.gather(self.table, self.indices, self.out(), bounds="skip", stats=stats)
        self.assertEqual((stats.rows, stats.bad_rows, stats.first_bad_position, stats.first_bad_value), (2, 2, 1, 4))
        self.assertEqual(stats.bytes_written, 24)
        self.assertEqual(stats.to_dict()["bad_rows"], 2)
        self.assertIn("bad_rows=2", repr(stats))

    def test_statistics_are_filled_by_an_op_that_fails(self) -> None:
        stats = gantry.Stats()
        with self.assertRaises(IndexError) as caught:
            gantry.scatter(self.table, self.indices, self.out(), stats=stats)
        self.assertEqual((stats.bad_rows, caught.exception.position, caught.exception.value), (2, 1, 4))

    def test_scatter_leaves_bad_rows_out(self) -> None:
        gantry.scatter(self.table, self.indices, gantry.array([[i] * 3 for i in range(4)], "float32"), bounds="zero")
        self.assertEqual(self.table.tolist(), [[3] * 3, [0] * 3, ROWS[2], ROWS[3]])


class Refused(unittest.TestCase):
    def setUp(self) -> None:
        self.table = gantry.array(ROWS, "float32")
        self.indices = gantry.array([0, 1])

    def refuse(self, kind: type, pattern: str, *arguments: object, **options: object) -> None:
        with self.assertRaisesRegex(kind, pattern):
            gantry.gather(*arguments, **options)  # type: ignore[arg-type]

    def test_objects_that_are_no_tensors(self) -> None:
        self.refuse(TypeError, "table", None, self.indices)
        self.refuse(TypeError, "indices", self.table, 3)
        self.refuse(TypeError, "out", self.table, self.indices, object())
        self.refuse(ValueError, "empty", [], self.indices)

    def test_dtypes_that_do_not_fit(self) -> None:
        self.refuse(errors.Error, "ind", self.table, gantry.array([0.0, 1.0]))
        self.refuse(errors.Error, "ind", self.table, gantry.array([0, 1], "int16"))
        self.refuse(errors.Unsupported, "", self.table, self.indices, gantry.zeros((2, 3), "int32"))
        with self.assertRaises(errors.Error):
            gantry.scatter_add(self.table, self.indices, gantry.zeros((2, 3), "float64"))
        with self.assertRaises(errors.Error):
            gantry.copy(self.table, gantry.zeros((4, 3), "float64"))

    def test_shapes_that_do_not_fit(self) -> None:
        self.refuse(errors.InvalidArgument, "", self.table, self.indices, gantry.zeros((3, 3)))
        self.refuse(errors.InvalidArgument, "", self.table, self.indices, gantry.zeros((2, 4)))
        self.refuse(ValueError, "dimensions", gantry.zeros((2, 2, 2)), self.indices)
        with self.assertRaises(errors.InvalidArgument):
            gantry.convert(self.table, gantry.zeros((3, 4)))

    def test_columns_with_gaps(self) -> None:
        transposed = (self.table.address, (3, 4), "float32", (1, 3))
        self.refuse(errors.Error, "", transposed, self.indices, gantry.zeros((2, 4)))

    def test_memory_that_overlaps(self) -> None:
        with self.assertRaises(errors.OverlapError):
            gantry.gather(self.table, self.indices, self.table[1:3])
        with self.assertRaises(errors.OverlapError):
            gantry.scatter(self.table, self.indices, self.table[1:3])

    def test_outputs_that_may_not_be_written(self) -> None:
        out = memoryview(bytes(24)).cast("f", (2, 3))
        self.refuse(errors.ReadOnly, "", self.table, self.indices, out)
        with self.assertRaises(errors.ReadOnly):
            gantry.scatter_add(memoryview(bytes(24)).cast("f", (2, 3)), self.indices, gantry.zeros((2, 3)))

    def test_words_and_numbers_that_are_no_options(self) -> None:
        self.refuse(errors.InvalidArgument, "bounds is 'clip'; it may be 'error', 'skip'", self.table, self.indices, bounds="clip")
        self.refuse(errors.InvalidArgument, "bounds is 1", self.table, self.indices, bounds=1)
        self.refuse(errors.InvalidArgument, "bounds is None", self.table, self.indices, bounds=None)
        self.refuse(errors.InvalidArgument, r"bounds is \[\]", self.table, self.indices, bounds=[])
        self.refuse(errors.InvalidArgument, "threads is -1", self.table, self.indices, threads=-1)
        self.refuse(errors.InvalidArgument, "threads is 4294967296", self.table, self.indices, threads=1 << 32)
        self.refuse(errors.InvalidArgument, "threads is 'all'", self.table, self.indices, threads="all")
        self.refuse(errors.InvalidArgument, "sort is 'yes'", self.table, self.indices, sort="yes")
        self.refuse(errors.InvalidArgument, "stats is a dict", self.table, self.indices, stats={})
        self.refuse(errors.InvalidArgument, "environment is a str", self.table, self.indices, environment="malloc")
        self.refuse(errors.InvalidArgument, "context is a int", self.table, self.indices, context=1)

    def test_whether_an_option_is_accepted_does_not_depend_on_earlier_calls(self) -> None:
        class Number(int):
            pass

        class Indexed:
            def __index__(self) -> int:
                return 1

        for _ in range(2):
            for threads in (1.0, 0.0, True, False, "1"):
                self.refuse(errors.InvalidArgument, "threads is", self.table, self.indices, threads=threads)
                self.refuse(errors.InvalidArgument, "multiprocessors is", self.table, self.indices, multiprocessors=threads)
            for choice in (1, 0, 1.0, 0.0):
                self.refuse(errors.InvalidArgument, "sort is", self.table, self.indices, sort=choice)
            for threads in (1, Number(1), Indexed()):
                self.assertEqual(gantry.gather(self.table, self.indices, threads=threads).shape, (2, 3))
            for choice in (True, False, None):
                self.assertEqual(gantry.gather(self.table, self.indices, sort=choice).shape, (2, 3))

    def test_rows_that_are_skipped_need_an_output(self) -> None:
        self.refuse(
            errors.InvalidArgument, "bounds is 'skip', which leaves rows of the output as they are, and out is None",
            self.table, self.indices, bounds="skip",
        )  # fmt: skip

    def test_a_closed_table_and_a_closed_context(self) -> None:
        context = gantry.Context(threads=1)
        context.close()
        context.close()
        self.assertEqual(repr(context), "<gantry.Context closed>")
        self.refuse(errors.ClosedError, "the context is closed", self.table, self.indices, context=context)
        self.table.close()
        self.refuse(errors.ClosedError, r"the Array of shape \(4, 3\) is closed", self.table, self.indices)
        self.refuse(errors.ClosedError, "is closed", gantry.zeros((4, 3)), self.table)

    def test_an_empty_table(self) -> None:
        empty = gantry.zeros((0, 3))
        self.refuse(errors.IndexOutOfRange, "", empty, self.indices)
        self.refuse(errors.Error, "", empty, self.indices, bounds="clamp")
        self.assertEqual(gantry.gather(empty, self.indices, bounds="zero").tolist(), [[0] * 3] * 2)

    def test_contexts_with_impossible_options(self) -> None:
        for threads in (-1, 1 << 20, "two", 1.5):
            with self.assertRaisesRegex(errors.InvalidArgument, "threads is"):
                gantry.Context(threads=threads)  # type: ignore[arg-type]
        with self.assertRaisesRegex(errors.InvalidArgument, "backend is 'tpu'"):
            gantry.backend("tpu")


if __name__ == "__main__":
    unittest.main()
