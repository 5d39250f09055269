"""Tensors of a real torch: the one of this Python, else of those that GANTRY_TEST_TORCHES names."""

from __future__ import annotations

import sys
import unittest
import warnings
from typing import Any

from elsewhere import run_under_torches

warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
try:
    import torch
except ImportError:
    run_under_torches(__file__)

from gantry import _dlpack, errors
from support import binding, open_context

HAS_EXCHANGE = hasattr(torch.Tensor, _dlpack.EXCHANGE_ATTRIBUTE)
# Of torch's own __dlpack__ for tensors that it does not export; it is kept as it is.
REFUSAL = BufferError if HAS_EXCHANGE else (BufferError, RuntimeError)
print(f"torch {torch.__version__}, {'with' if HAS_EXCHANGE else 'without'} DLPack's exchange API")


class Torch(unittest.TestCase):
    def setUp(self) -> None:
        self.context = open_context()
        self.binding = binding()
        self.table = torch.arange(12.0).reshape(4, 3)
        self.indices = torch.tensor([3, 1])
        self.out = torch.zeros(2, 3)

    def gather(self, table: Any = None, indices: Any = None, out: Any = True) -> Any:
        return self.binding.gather(
            self.context, self.table if table is None else table, self.indices if indices is None else indices,
            self.out if out is True else out, 0, 0, None)

    def refused(self, kind: Any, pattern: str, **arguments: Any) -> None:
        with self.assertRaisesRegex(kind, pattern):
            self.gather(**arguments)
        self.assertEqual(self.out.tolist(), [[0.0] * 3] * 2)

    def test_equal_to_index_select(self) -> None:
        generator = torch.Generator().manual_seed(7)
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
                      torch.uint8, torch.complex64):
            table = torch.randint(-100, 100, (50, 7), generator=generator).to(dtype)
            for index in (torch.int64, torch.int32):
                indices = torch.randint(0, 50, (33,), generator=generator).to(index)
                out = torch.empty(33, 7, dtype=dtype)
                self.assertIs(self.gather(table, indices, out), out)
                self.assertTrue(torch.equal(out, table.index_select(0, indices)), (dtype, index))

    def test_bool(self) -> None:
        table = torch.tensor([[True, False], [False, True]])
        out = torch.ones(1, 2, dtype=torch.bool)
        try:
            self.gather(table, torch.tensor([1]), out)
        except (BufferError, RuntimeError) as failure:
            # DLPack had no type for bool before 1.0.
            self.assertIn("Bool type is not supported by dlpack", str(failure))
            self.assertFalse(HAS_EXCHANGE)
            return
        self.assertEqual(out.tolist(), [[False, True]])

    def test_views(self) -> None:
        wide = torch.arange(40.0).reshape(4, 10)
        self.gather(wide[:, 2:5])
        self.assertEqual(self.out.tolist(), [[32.0, 33.0, 34.0], [12.0, 13.0, 14.0]])
        self.gather(indices=torch.tensor([0, 9, 2, 9])[::2])
        self.assertEqual(self.out.tolist(), [[0.0, 1.0, 2.0], [6.0, 7.0, 8.0]])
        column = torch.zeros(4)
        self.gather(torch.arange(4.0), torch.tensor([2, 0, 1, 3]), column)
        self.assertEqual(column.tolist(), [2.0, 0.0, 1.0, 3.0])

    def test_scatter_add_equals_index_add(self) -> None:
        generator = torch.Generator().manual_seed(3)
        rows, indices = torch.rand(500, 5, generator=generator), torch.randint(0, 20, (500,), generator=generator)
        table = torch.rand(20, 5, generator=generator)
        expected = table.clone().index_add_(0, indices, rows)
        self.binding.scatter_add(self.context, table, indices, rows, 0, 0, None)
        self.assertTrue(torch.equal(table, expected))

    def test_convert(self) -> None:
        half = self.table.half()
        out = torch.zeros(4, 3)
        self.binding.convert(self.context, half, out, 0, 0, None)
        self.assertTrue(torch.equal(out, self.table))

    def test_output_of_torchs_allocator(self) -> None:
        if not HAS_EXCHANGE:
            self.skipTest(f"torch {torch.__version__} has no exchange API, and so no allocator for others")
        for indices in (self.indices, torch.tensor([[3, 1], [0, 0]]), torch.tensor([], dtype=torch.int64)):
            made = self.gather(indices=indices, out=None)
            self.assertIs(type(made), torch.Tensor)
            self.assertTrue(torch.equal(made, self.table[indices]))
            self.assertEqual(made.shape, (*indices.shape, 3))
        halves = self.gather(self.table.bfloat16(), out=None)
        self.assertEqual((halves.dtype, halves.tolist()), (torch.bfloat16, [[9.0, 10.0, 11.0], [3.0, 4.0, 5.0]]))
        chunked = self.gather([self.table[:3], self.table[3:]], out=None)
        self.assertEqual(chunked.tolist(), [[9.0, 10.0, 11.0], [3.0, 4.0, 5.0]])
        references = sys.getrefcount(chunked)
        self.assertEqual(references, 2)

    def test_nothing_of_torch_leaks(self) -> None:
        for _ in range(3):
            before = [sys.getrefcount(one) for one in (self.table, self.indices, self.out)]
            for _ in range(1000):
                self.gather()
                if HAS_EXCHANGE:
                    self.gather(out=None)
            self.assertEqual([sys.getrefcount(one) for one in (self.table, self.indices, self.out)], before)

    def test_gradients(self) -> None:
        table = self.table.clone().requires_grad_()
        for needy in (table, torch.nn.Parameter(self.table), table * 2):
            self.refused(REFUSAL, "require", table=needy)
            with torch.no_grad():
                self.refused(REFUSAL, "require", table=needy)
        if HAS_EXCHANGE:
            self.refused(BufferError, r"^table: the Parameter requires a gradient, which operations here do not record; pass "
                                      r"table\.detach\(\)$", table=torch.nn.Parameter(self.table))
            self.refused(BufferError, "^out: the Tensor requires a gradient", out=torch.zeros(2, 3, requires_grad=True))
        self.gather(table.detach())
        self.assertEqual(self.out.tolist(), [[9.0, 10.0, 11.0], [3.0, 4.0, 5.0]])

    def test_views_of_other_values(self) -> None:
        pairs = torch.tensor([[1 + 2j], [3 + 4j]])
        out = torch.zeros(1, 1, dtype=torch.complex64)
        with self.assertRaisesRegex(REFUSAL, "conj"):
            self.gather(pairs.conj(), torch.tensor([1]), out)
        with self.assertRaisesRegex(BufferError, r"^table: the Tensor is a negative view of other values; pass table\.resolve_neg\(\)$"):
            self.gather(pairs.conj().imag, torch.tensor([1]), torch.zeros(1, 1))
        real = torch.zeros(1, 1)
        self.gather(pairs.conj().imag.resolve_neg(), torch.tensor([1]), real)
        self.assertEqual(real.tolist(), [[-4.0]])
        self.gather(pairs.imag, torch.tensor([1]), real)
        self.assertEqual(real.tolist(), [[4.0]])

    def test_tensors_without_memory(self) -> None:
        for what in (self.table.to_sparse(), self.table.to("meta")):
            with self.subTest(str(what.layout) + str(what.device)):
                with self.assertRaises((BufferError, RuntimeError, ValueError)) as caught:
                    self.gather(what)
                if HAS_EXCHANGE:
                    self.assertIs(type(caught.exception), BufferError)
                    self.assertRegex(str(caught.exception), "^table: the Tensor cannot be read as memory: [^\n]*$")
        zero = getattr(torch, "_efficientzerotensor", None)
        if HAS_EXCHANGE and zero is not None:
            self.refused(BufferError, "^table: the Tensor has 12 elements and no memory", table=zero((4, 3)))

    def test_fake_tensors(self) -> None:
        if not HAS_EXCHANGE:
            self.skipTest(f"FakeTensor is read through the exchange API, which torch {torch.__version__} does not have")
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode() as mode:
            fake = mode.from_tensor(self.table)
        self.refused(BufferError, "^table: the FakeTensor has 12 elements and no memory", table=fake)

    def test_subclasses(self) -> None:
        class Sub(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                return super().__torch_function__(function, types, args, kwargs or {})

        self.gather(self.table.as_subclass(Sub))
        self.assertEqual(self.out.tolist(), [[9.0, 10.0, 11.0], [3.0, 4.0, 5.0]])
        if HAS_EXCHANGE:
            class Wrapping(torch.Tensor):
                """Wraps others, and has no memory of its own."""

                @classmethod
                def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                    return NotImplemented

            wrapper = torch.Tensor._make_wrapper_subclass(Wrapping, (4, 3))
            with self.assertRaisesRegex(BufferError, "^table: the Wrapping "):
                self.gather(wrapper)

    def test_bad_index(self) -> None:
        with self.assertRaises(errors.IndexOutOfRange) as caught:
            self.gather(indices=torch.tensor([0, 4]))
        self.assertEqual((caught.exception.position, caught.exception.value), (1, 4))

    def test_empty(self) -> None:
        self.gather(indices=torch.empty(0, dtype=torch.int64), out=torch.empty(0, 3))
        with self.assertRaises(errors.IndexOutOfRange):
            self.gather(torch.empty(0, 3))


if __name__ == "__main__":
    unittest.main()
