"""The ops of an extension against torch's own."""

from __future__ import annotations

import unittest

import torch
from flavours import both_flavours, equal
from gantry import errors

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.uint8, torch.int8, torch.int16, torch.int32,
          torch.int64, torch.bool, torch.complex64, torch.complex128]
DTYPES += [getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)]


def values(dtype: torch.dtype, rows: int, columns: int) -> torch.Tensor:
    """Bytes without a pattern, so that a row or an element out of place shows."""
    width = torch.empty(0, dtype=dtype).element_size()
    generator = torch.Generator().manual_seed(rows * 1000 + columns)
    if dtype == torch.bool:
        return torch.randint(0, 2, (rows, columns), generator=generator).to(torch.bool)
    raw = torch.randint(0, 100, (rows, columns * width), generator=generator).to(torch.uint8)
    return raw.view(dtype)


def same_bytes(case: unittest.TestCase, found: torch.Tensor, wanted: torch.Tensor) -> None:
    equal(case, found.contiguous().view(torch.uint8), wanted.contiguous().view(torch.uint8))
    case.assertEqual(found.dtype, wanted.dtype)


@both_flavours(globals())
class Gather(unittest.TestCase):
    def test_known_values(self) -> None:
        table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        equal(self, self.extension.gather(table, torch.tensor([2, 0, 2])), torch.tensor([[5.0, 6.0], [1.0, 2.0], [5.0, 6.0]]))

    def test_every_dtype_with_both_index_types(self) -> None:
        for dtype in DTYPES:
            for index_type in (torch.int32, torch.int64):
                with self.subTest(dtype=dtype, index=index_type):
                    table = values(dtype, 50, 7)
                    indices = torch.randint(0, 50, (33,)).to(index_type)
                    wanted = table.view(torch.uint8).index_select(0, indices).view(dtype)
                    same_bytes(self, self.extension.gather(table, indices), wanted)

    def test_shape_is_that_of_the_indices_and_the_columns(self) -> None:
        table = values(torch.float32, 10, 3)
        for shape in ((), (1,), (2, 3), (2, 1, 2, 2), (0,), (4, 0)):
            with self.subTest(shape=shape):
                indices = torch.randint(0, 10, shape)
                equal(self, self.extension.gather(table, indices), table[indices])

    def test_table_of_one_dimension(self) -> None:
        table = torch.arange(20, dtype=torch.int64) * 3
        equal(self, self.extension.gather(table, torch.tensor([[19, 0], [7, 7]])), torch.tensor([[57, 0], [21, 21]]))

    def test_no_columns(self) -> None:
        equal(self, self.extension.gather(torch.empty(4, 0), torch.tensor([1, 3])), torch.empty(2, 0))

    def test_rows_with_gaps_and_indices_with_a_stride(self) -> None:
        table = values(torch.float32, 40, 9)[::2, 2:7]
        indices = torch.randint(0, 20, (30,))[::3]
        self.assertFalse(table.is_contiguous() or indices.is_contiguous())
        equal(self, self.extension.gather(table, indices), table.index_select(0, indices))

    def test_columns_that_do_not_lie_side_by_side_are_refused(self) -> None:
        with self.assertRaises(errors.Error):
            self.extension.gather(torch.zeros(4, 5).t(), torch.tensor([1]))

    def test_out(self) -> None:
        table, indices = values(torch.float32, 10, 4), torch.tensor([9, 1])
        out = torch.zeros(2, 4)
        self.assertIs(self.extension.gather(table, indices, out=out), out)
        equal(self, out, table[indices])

    def test_out_of_another_dtype_is_converted(self) -> None:
        table = torch.tensor([[0.5, -1.25], [65504.0, 3.0]], dtype=torch.float16)
        out = torch.zeros(2, 2, dtype=torch.float32)
        self.extension.gather(table, torch.tensor([1, 0]), out=out)
        equal(self, out, torch.tensor([[65504.0, 3.0], [0.5, -1.25]]))

    def test_a_bad_index_names_position_and_value(self) -> None:
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            self.extension.gather(torch.zeros(4, 2), torch.tensor([0, 3, -7, 9]))
        self.assertEqual((caught.exception.position, caught.exception.value), (2, -7))
        self.assertEqual(caught.exception.status, 3)

    def test_the_policies(self) -> None:
        table = torch.tensor([[1.0], [2.0], [3.0]])
        indices = torch.tensor([-1, 1, 3])
        gather = self.extension.gather
        equal(self, gather(table, indices, bounds="zero"), torch.tensor([[0.0], [2.0], [0.0]]))
        equal(self, gather(table, indices, bounds="clamp"), torch.tensor([[1.0], [2.0], [3.0]]))
        equal(self, gather(table, indices[:2], bounds="wrap"), torch.tensor([[3.0], [2.0]]))
        equal(self, gather(table, indices[1:2], bounds="trust"), torch.tensor([[2.0]]))
        out = torch.full((3, 1), 8.0)
        equal(self, gather(table, indices, out=out, bounds="skip"), torch.tensor([[8.0], [2.0], [8.0]]))
        with self.assertRaisesRegex(errors.InvalidArgument, "^bounds is 'skip', which leaves rows of the output as they are, and out"):
            gather(table, indices, bounds="skip")
        with self.assertRaises(errors.IndexOutOfRange):
            gather(table, indices, bounds="wrap")
        with self.assertRaisesRegex(errors.InvalidArgument, "bounds is 'loud'"):
            gather(table, indices, bounds="loud")
        with self.assertRaisesRegex(RuntimeError, "GANTRY_ERROR_INVALID_ARGUMENT: gather: bounds is 6, a policy is 0 to 5"):
            self.extension.ops.gather(table, indices, 6)

    def test_what_is_no_table_is_refused(self) -> None:
        for table, indices in ((torch.zeros(()), torch.tensor([0])), (torch.zeros(2, 2, 2), torch.tensor([0])),
                               (torch.zeros(2, 2), torch.zeros((1,) * 8, dtype=torch.int64))):
            with self.subTest(table=tuple(table.shape)), self.assertRaises(errors.InvalidArgument):
                self.extension.gather(table, indices)
        with self.assertRaises(errors.Error):
            self.extension.gather(torch.zeros(2, 2), torch.tensor([0.5]))

    def test_overlap_of_table_and_out_is_refused(self) -> None:
        table = torch.zeros(4, 2)
        with self.assertRaises(errors.OverlapError):
            self.extension.gather(table, torch.tensor([0, 1]), out=table[:2])

    def test_sparse_tensors_have_no_kernel(self) -> None:
        with self.assertRaises((RuntimeError, NotImplementedError)):
            self.extension.gather(torch.eye(3).to_sparse(), torch.tensor([0]))


@both_flavours(globals())
class Scatter(unittest.TestCase):
    def test_of_equal_indices_the_last_row_wins(self) -> None:
        table = torch.zeros(3, 2)
        self.extension.scatter(table, torch.tensor([2, 0, 2]), torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
        equal(self, table, torch.tensor([[2.0, 2.0], [0.0, 0.0], [3.0, 3.0]]))

    def test_scatter_add_is_bitwise_index_add(self) -> None:
        for dtype in (torch.float32, torch.float64, torch.int64, torch.int32):
            with self.subTest(dtype=dtype):
                generator = torch.Generator().manual_seed(5)
                rows = (torch.randn(3000, 5, generator=generator) * 1000).to(dtype)
                indices = torch.randint(0, 70, (3000,), generator=generator)
                table = torch.ones(70, 5, dtype=dtype)
                wanted = table.clone()
                for position in range(3000):
                    wanted[indices[position]] += rows[position]
                self.extension.scatter_add(table, indices, rows)
                equal(self, table, wanted)
                equal(self, torch.ones(70, 5, dtype=dtype).index_add_(0, indices, rows), wanted)

    def test_bad_rows_are_left_out(self) -> None:
        table = torch.zeros(2, 1)
        self.extension.scatter_add(table, torch.tensor([0, 5, 1, 0]), torch.tensor([[1.0], [2.0], [4.0], [8.0]]), bounds="skip")
        equal(self, table, torch.tensor([[9.0], [4.0]]))
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            self.extension.scatter(table, torch.tensor([0, 5]), torch.ones(2, 1))
        self.assertEqual((caught.exception.position, caught.exception.value), (1, 5))

    def test_under_deterministic_algorithms(self) -> None:
        before = torch.are_deterministic_algorithms_enabled()
        torch.use_deterministic_algorithms(True)
        try:
            table = torch.zeros(2, 1)
            self.extension.scatter_add(table, torch.tensor([1, 1]), torch.tensor([[1.0], [2.0]]))
            equal(self, table, torch.tensor([[0.0], [3.0]]))
        finally:
            torch.use_deterministic_algorithms(before)


@both_flavours(globals())
class Convert(unittest.TestCase):
    def test_floats_as_torch_does(self) -> None:
        source = torch.tensor([[1.0, -2.5, 3.14159, 1e-7], [70000.0, float("inf"), -0.0, 1.0009765625]])
        for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.float32):
            with self.subTest(dtype=dtype):
                equal(self, self.extension.convert(source, dtype), source.to(dtype))

    def test_pairs_that_the_library_does_not_do(self) -> None:
        with self.assertRaises(errors.Unsupported):
            self.extension.convert(torch.zeros(2, 2), torch.complex64)


@both_flavours(globals())
class Gradients(unittest.TestCase):
    def test_of_gather(self) -> None:
        table = torch.arange(8, dtype=torch.float32).reshape(4, 2).requires_grad_()
        indices = torch.tensor([[3, 0], [3, 3]])
        found = self.extension.gather(table, indices)
        self.assertTrue(found.requires_grad)
        weights = torch.tensor([[[1.0, 2.0], [4.0, 8.0]], [[16.0, 32.0], [64.0, 128.0]]])
        (found * weights).sum().backward()
        equal(self, table.grad, torch.tensor([[4.0, 8.0], [0.0, 0.0], [0.0, 0.0], [81.0, 162.0]]))

    def test_a_table_of_one_dimension(self) -> None:
        table = torch.zeros(3, requires_grad=True)
        self.extension.gather(table, torch.tensor([2, 2, 1])).sum().backward()
        equal(self, table.grad, torch.tensor([0.0, 1.0, 2.0]))

    def test_rows_that_were_zeroed_give_no_gradient(self) -> None:
        table = torch.zeros(2, 1, requires_grad=True)
        self.extension.gather(table, torch.tensor([7, 1]), bounds="zero").sum().backward()
        equal(self, table.grad, torch.tensor([[0.0], [1.0]]))

    def test_none_is_recorded_under_no_grad(self) -> None:
        table = torch.zeros(2, 1, requires_grad=True)
        with torch.no_grad():
            self.assertFalse(self.extension.gather(table, torch.tensor([1])).requires_grad)

    def test_ops_that_write_refuse_tensors_that_require_one(self) -> None:
        leaf, plain, one = torch.zeros(2, 1, requires_grad=True), torch.zeros(2, 1), torch.tensor([0, 1])
        for name, call in (
            ("scatter_add", lambda: self.extension.scatter_add(plain, one, leaf)),
            ("scatter", lambda: self.extension.scatter(leaf, one, plain)),
            ("gather with out", lambda: self.extension.gather(leaf, one, out=plain)),
            ("convert", lambda: self.extension.convert(leaf, torch.float64)),
        ):
            with self.subTest(op=name), self.assertRaisesRegex(errors.Unsupported, f"^{name} has no gradient"):
                call()
        with torch.no_grad():
            self.extension.scatter_add(leaf, one, torch.ones(2, 1))
        equal(self, leaf.detach(), torch.ones(2, 1))


@both_flavours(globals())
class Shapes(unittest.TestCase):
    """What tracing asks: shapes and dtypes of tensors without memory."""

    def test_meta(self) -> None:
        table, indices = torch.empty(5, 3, dtype=torch.float16, device="meta"), torch.empty(4, 2, dtype=torch.int64, device="meta")
        found = self.extension.ops.gather(table, indices)
        self.assertEqual((found.device.type, tuple(found.shape), found.dtype), ("meta", (4, 2, 3), torch.float16))
        found = self.extension.ops.convert(table, torch.float64)
        self.assertEqual((found.device.type, tuple(found.shape), found.dtype), ("meta", (5, 3), torch.float64))
        rows = torch.empty(8, 3, dtype=torch.float16, device="meta")
        self.assertIsNone(self.extension.ops.gather_out(table, indices, rows))
        self.assertIsNone(self.extension.ops.scatter(table, indices, rows))
        self.assertIsNone(self.extension.ops.scatter_add(table, indices, rows))
        self.assertIsNone(self.extension.ops.nop(table, indices, rows))

    def test_fake_tensors(self) -> None:
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode() as mode:
            table, indices = mode.from_tensor(torch.zeros(5, 3)), mode.from_tensor(torch.zeros(4, dtype=torch.int64))
            found = self.extension.ops.gather(table, indices)
            self.assertEqual((found.device.type, tuple(found.shape), found.dtype), ("cpu", (4, 3), torch.float32))

    def test_schemas_say_what_is_written(self) -> None:
        for name, written in (("gather", []), ("gather_out", ["output"]), ("scatter", ["table"]), ("scatter_add", ["table"]),
                              ("convert", [])):
            schema = getattr(self.extension.ops, name).default._schema
            found = [argument.name for argument in schema.arguments if argument.alias_info and argument.alias_info.is_write]
            self.assertEqual(found, written, name)


del Gather, Scatter, Convert, Gradients, Shapes

if __name__ == "__main__":
    unittest.main()
