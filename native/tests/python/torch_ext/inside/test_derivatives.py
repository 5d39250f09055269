"""Derivatives of an extension's ops: what is differentiated is right, and what is not is refused."""

from __future__ import annotations

import unittest
import warnings

import torch
import torch.autograd.forward_ad as forward_ad
from flavours import both_flavours, equal
from gantry import errors

TABLE = torch.arange(8, dtype=torch.float64).reshape(4, 2)
TANGENT = torch.tensor([[1.0, 2.0], [4.0, 8.0], [16.0, 32.0], [64.0, 128.0]], dtype=torch.float64)
INDICES = torch.tensor([[3, 0], [3, 3]])


@both_flavours(globals())
class Forward(unittest.TestCase):
    def test_a_dual_tensor(self) -> None:
        for requires_grad in (False, True):
            with self.subTest(requires_grad=requires_grad), forward_ad.dual_level():
                table = forward_ad.make_dual(TABLE.clone().requires_grad_(requires_grad), TANGENT)
                primal, tangent = forward_ad.unpack_dual(self.extension.gather(table, INDICES))
                equal(self, primal.detach(), TABLE[INDICES])
                equal(self, tangent, TANGENT[INDICES])
                plain = self.extension.gather(TABLE, INDICES)
                self.assertIsNone(forward_ad.unpack_dual(plain).tangent)

    def test_rows_that_were_zeroed_have_no_tangent(self) -> None:
        with forward_ad.dual_level():
            found = self.extension.gather(forward_ad.make_dual(TABLE, TANGENT), torch.tensor([9, 1]), bounds="zero")
            equal(self, forward_ad.unpack_dual(found).tangent, torch.tensor([[0.0, 0.0], [4.0, 8.0]], dtype=torch.float64))

    def test_over_backward(self) -> None:
        """The product of a Hessian and a vector: the derivative of 3 x^2, times the tangent."""
        with forward_ad.dual_level():
            table = forward_ad.make_dual(TABLE.clone().requires_grad_(), TANGENT)
            (gradient,) = torch.autograd.grad((self.extension.gather(table, torch.tensor([1, 3, 1])) ** 3).sum(), table)
            found = forward_ad.unpack_dual(gradient).tangent
        count = torch.tensor([[0.0], [2.0], [0.0], [1.0]], dtype=torch.float64)
        equal(self, found, 6 * TABLE * TANGENT * count)

    def test_ops_that_write_refuse_tangents(self) -> None:
        plain, one = torch.zeros(2, 1), torch.tensor([0, 1])
        with forward_ad.dual_level(), torch.no_grad():
            dual = forward_ad.make_dual(torch.zeros(2, 1), torch.ones(2, 1))
            for name, call in (
                ("scatter_add", lambda: self.extension.scatter_add(plain, one, dual)),
                ("scatter", lambda: self.extension.scatter(dual, one, plain)),
                ("gather with out", lambda: self.extension.gather(dual, one, out=plain)),
                ("convert", lambda: self.extension.convert(dual, torch.float64)),
            ):
                with self.subTest(op=name), self.assertRaisesRegex(errors.Unsupported, f"^{name} has no derivative.*a tangent"):
                    call()
            self.extension.scatter_add(plain, one, torch.ones(2, 1))
        equal(self, plain, torch.ones(2, 1))


@both_flavours(globals())
class Backward(unittest.TestCase):
    def test_of_a_table_without_columns(self) -> None:
        table = torch.zeros(4, 0, requires_grad=True)
        self.extension.gather(table, INDICES).sum().backward()
        equal(self, table.grad, torch.zeros(4, 0))

    def test_without_indices(self) -> None:
        table = torch.zeros(4, 2, requires_grad=True)
        self.extension.gather(table, torch.zeros(0, dtype=torch.int64)).sum().backward()
        equal(self, table.grad, torch.zeros(4, 2))

    def test_numerically(self) -> None:
        table = TABLE.clone().requires_grad_()
        for bounds, indices in (("error", INDICES), ("zero", torch.tensor([9, 1])), ("clamp", torch.tensor([9, 1, 3])),
                                ("wrap", torch.tensor([-1, 0]))):
            with self.subTest(bounds=bounds), warnings.catch_warnings():
                warnings.simplefilter("ignore")

                def gather(rows: torch.Tensor, indices: torch.Tensor = indices, bounds: str = bounds) -> torch.Tensor:
                    return self.extension.gather(rows, indices, bounds=bounds)

                self.assertTrue(torch.autograd.gradcheck(gather, (table,), check_forward_ad=True))
                self.assertTrue(torch.autograd.gradgradcheck(gather, (table,)))

    def test_twice(self) -> None:
        table = TABLE.clone().requires_grad_()
        (first,) = torch.autograd.grad((self.extension.gather(table, torch.tensor([1, 3, 1])) ** 3).sum(), table, create_graph=True)
        count = torch.tensor([[0.0], [2.0], [0.0], [1.0]], dtype=torch.float64)
        equal(self, first.detach(), 3 * TABLE**2 * count)
        (second,) = torch.autograd.grad((first * TANGENT).sum(), table)
        equal(self, second, 6 * TABLE * TANGENT * count)


@both_flavours(globals())
class Func(unittest.TestCase):
    def setUp(self) -> None:
        if not hasattr(torch, "func"):
            self.skipTest(f"torch {torch.__version__} has no torch.func")

    def loss(self, table: torch.Tensor) -> torch.Tensor:
        return (self.extension.gather(table, torch.tensor([1, 3, 1])) ** 3).sum()

    def test_jvp(self) -> None:
        found, tangent = torch.func.jvp(lambda table: self.extension.gather(table, INDICES), (TABLE,), (TANGENT,))
        equal(self, found, TABLE[INDICES])
        equal(self, tangent, TANGENT[INDICES])

    def test_grad_and_what_is_made_of_both(self) -> None:
        count = torch.tensor([[0.0], [2.0], [0.0], [1.0]], dtype=torch.float64)
        first, second = 3 * TABLE**2 * count, 6 * TABLE * TANGENT * count
        equal(self, torch.func.grad(self.loss)(TABLE), first)
        equal(self, torch.func.jvp(torch.func.grad(self.loss), (TABLE,), (TANGENT,))[1], second)
        along = lambda table: torch.func.jvp(self.loss, (table,), (TANGENT,))[1]
        equal(self, torch.func.grad(along)(TABLE), second)
        equal(self, torch.func.jvp(along, (TABLE,), (TANGENT,))[1], (6 * TABLE * TANGENT**2 * count).sum())

    def test_ops_that_write_refuse_tangents(self) -> None:
        def scatter(rows: torch.Tensor) -> torch.Tensor:
            table = torch.zeros(4, 2, dtype=torch.float64)
            self.extension.scatter_add(table, torch.tensor([0, 1, 2, 3]), rows)
            return table

        with self.assertRaisesRegex(errors.Unsupported, "scatter_add has no derivative"):
            torch.func.jvp(scatter, (TABLE,), (TANGENT,))


@both_flavours(globals())
class Written(unittest.TestCase):
    """A backward that needs values that an op has overwritten would give a wrong gradient."""

    def ops(self, target: torch.Tensor) -> "list[tuple[str, object]]":
        rows, order = torch.ones(4, 2), torch.arange(4)
        return [("gather with out", lambda: self.extension.gather(rows, order, out=target)),
                ("scatter", lambda: self.extension.scatter(target, order, rows)),
                ("scatter_add", lambda: self.extension.scatter_add(target, order, rows))]

    def test_backward_that_needs_the_former_values(self) -> None:
        for number in range(3):
            values = torch.full((4, 2), 5.0)
            name, call = self.ops(values)[number]
            leaf = torch.ones(4, 2, requires_grad=True)
            result = (leaf * values).sum()
            with self.subTest(op=name):
                call()
                with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                    result.backward()

    def test_rows_are_written_before_a_bad_index_is_reported(self) -> None:
        values = torch.zeros(2, 1)
        before = values._version
        with self.assertRaises(errors.IndexOutOfRange):
            self.extension.scatter(values, torch.tensor([0, 5]), torch.ones(2, 1))
        equal(self, values, torch.tensor([[1.0], [0.0]]))
        self.assertEqual(values._version, before + 1)

    def test_what_is_only_read_is_not_written(self) -> None:
        table, rows, indices = torch.zeros(4, 2), torch.ones(4, 2), torch.arange(4)
        self.extension.scatter(table, indices, rows)
        self.extension.gather(table, indices)
        self.assertEqual((table._version, rows._version, indices._version), (1, 0, 0))

    def test_tensors_of_any_kind(self) -> None:
        number = torch.zeros(())
        self.extension.gather(torch.tensor([1.0, 2.0]), torch.tensor(1), out=number)
        equal(self, number, torch.tensor(2.0))
        self.assertEqual(number._version, 1)
        with torch.inference_mode():
            table = torch.zeros(2, 1)
            self.extension.scatter_add(table, torch.tensor([1]), torch.ones(1, 1))
            equal(self, table, torch.tensor([[0.0], [1.0]]))


del Forward, Backward, Func, Written

if __name__ == "__main__":
    unittest.main()
