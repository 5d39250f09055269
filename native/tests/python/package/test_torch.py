"""With torch, whichever version is installed: ops on its tensors equal its own, and it reads Gantry's arrays."""

from __future__ import annotations

import gc
import unittest
import warnings

from elsewhere import run_under_torches
from support import HAS_TORCH, Counting, child

if not HAS_TORCH:
    run_under_torches(__file__)

warnings.filterwarnings("ignore", message=".*NumPy.*")

import torch  # noqa: E402

import gantry  # noqa: E402
from gantry import env, errors, shm  # noqa: E402

print(f"torch {torch.__version__}")
MODERN = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")


class Ops(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(11)
        self.table = torch.randn(500, 33)
        self.indices = torch.randint(0, 500, (2000,))

    def gather(self, table: torch.Tensor, indices: torch.Tensor, **options: object) -> torch.Tensor:
        """torch's own memory where the exchange API gives it, else Gantry's, read by torch."""
        out = gantry.gather(table, indices, **options)  # type: ignore[arg-type]
        self.assertEqual(isinstance(out, torch.Tensor), MODERN)
        return out if MODERN else torch.from_dlpack(out)

    def test_gather_is_index_select_and_embedding(self) -> None:
        found = self.gather(self.table, self.indices)
        self.assertTrue(torch.equal(found, torch.index_select(self.table, 0, self.indices)))
        self.assertTrue(torch.equal(found, torch.nn.functional.embedding(self.indices, self.table)))
        shaped = self.indices.view(20, 100)
        self.assertTrue(torch.equal(self.gather(self.table, shaped.int()), self.table[shaped]))

    def test_every_dtype_of_torch(self) -> None:
        for dtype in (
            torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float64, torch.complex64,
        ):  # fmt: skip
            table = (torch.randn(50, 7) * 10).to(dtype)
            indices = torch.randint(0, 50, (100,))
            self.assertTrue(torch.equal(self.gather(table, indices), table[indices]), dtype)

    def test_an_output_of_torch(self) -> None:
        out = torch.empty(2000, 33, dtype=torch.float64)
        self.assertIs(gantry.gather(self.table, self.indices, out), out)
        self.assertTrue(torch.equal(out, self.table[self.indices].double()))

    def test_rows_with_gaps(self) -> None:
        part = self.table[:, 3:20]
        self.assertTrue(torch.equal(self.gather(part, self.indices), part[self.indices]))
        with self.assertRaises(errors.Error):
            gantry.gather(self.table.t(), torch.tensor([0]))

    def test_scatter_is_index_copy(self) -> None:
        rows, order = torch.randn(500, 33), torch.randperm(500)
        mine, theirs = self.table.clone(), self.table.clone()
        gantry.scatter(mine, order, rows)
        self.assertTrue(torch.equal(mine, theirs.index_copy_(0, order, rows)))

    def test_scatter_add_is_index_add_bit_by_bit(self) -> None:
        rows = torch.randn(2000, 33)
        for few in (1, 7, 500):
            indices = self.indices % few
            mine, theirs = self.table.clone(), self.table.clone()
            gantry.scatter_add(mine, indices, rows)
            self.assertTrue(torch.equal(mine, theirs.index_add_(0, indices, rows)), few)

    def test_convert_is_to(self) -> None:
        source = torch.cat([torch.randn(1000) * 10.0**e for e in range(-8, 6)])
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            target = torch.empty(source.shape, dtype=dtype)
            gantry.convert(source, target)
            self.assertTrue(torch.equal(target, source.to(dtype)), dtype)
            back = torch.empty_like(source)
            gantry.convert(target, back)
            self.assertTrue(torch.equal(back, target.float()), dtype)

    def test_bad_indices_and_bad_tensors(self) -> None:
        with self.assertRaises(gantry.IndexOutOfRange) as caught:
            gantry.gather(self.table, torch.tensor([0, 500, -1]))
        self.assertEqual((caught.exception.position, caught.exception.value), (1, 500))
        weights = torch.nn.Parameter(torch.zeros(4, 4))
        with self.assertRaises((BufferError, RuntimeError)):
            gantry.gather(weights, torch.tensor([0]))
        with self.assertRaises((BufferError, RuntimeError, TypeError, ValueError)):
            gantry.gather(torch.zeros(4, 4).to_sparse(), torch.tensor([0]))

    def test_torch_and_gantry_in_one_call(self) -> None:
        table = gantry.asarray(self.table)
        out = gantry.gather(table, self.indices)
        self.assertIsInstance(out, gantry.Array)
        self.assertTrue(torch.equal(torch.from_dlpack(out), self.table[self.indices]))


class Memory(unittest.TestCase):
    def test_torch_reads_arrays_without_a_copy(self) -> None:
        made = gantry.array([[1, 2, 3], [4, 5, 6]], "float32")
        seen = torch.from_dlpack(made)
        self.assertEqual((seen.data_ptr(), seen.tolist(), seen.dtype), (made.address, [[1, 2, 3], [4, 5, 6]], torch.float32))
        seen[0, 0] = 9
        self.assertEqual(made.tolist()[0][0], 9)
        table = gantry.table(4, 3, "bfloat16", row_stride=8)
        self.assertEqual((torch.from_dlpack(table).stride(), torch.from_dlpack(table).dtype), ((8, 1), torch.bfloat16))

    def test_a_tensor_keeps_the_memory_of_a_closed_array(self) -> None:
        allocator = Counting()
        made = gantry.empty((4, 4), environment=env.Custom(allocator))
        seen = torch.from_dlpack(made)
        seen.fill_(2.5)
        part = seen[1:]
        made.close()
        del made, seen
        gc.collect()
        self.assertEqual((len(allocator.live), part.sum().item()), (1, 30.0))
        del part
        gc.collect()
        self.assertEqual(len(allocator.live), 0)

    def test_an_array_keeps_the_memory_of_torch(self) -> None:
        source = torch.arange(12, dtype=torch.float32).view(4, 3)
        address, borrowed = source.data_ptr(), gantry.astable(source)
        self.assertEqual((borrowed.address, borrowed.columns), (address, 3))
        del source
        gc.collect()
        torch.zeros(4, 3)
        self.assertEqual(borrowed.tolist(), [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]])
        again = torch.from_dlpack(borrowed)
        borrowed.close()
        self.assertEqual((again.data_ptr(), again.sum().item()), (address, 66.0))

    def test_a_shared_table_is_a_tensor(self) -> None:
        table = shm.create(10, 4)
        seen = torch.from_dlpack(table)
        seen[3] = torch.tensor([1.0, 2.0, 3.0, 4.0])
        self.assertEqual(shm.attach(table.fd).tolist()[3], [1, 2, 3, 4])
        view = shm.attach(table.fd, read_only=True)
        self.assertTrue(torch.equal(torch.as_tensor(gantry.gather(view, torch.tensor([3])).tolist()), seen[3:4]))

    def test_read_only_memory_is_not_lent_for_writing(self) -> None:
        table = shm.create(2, 2)
        view = shm.attach(table.fd, read_only=True)
        try:
            seen = torch.from_dlpack(view)
        except (BufferError, RuntimeError):
            return
        # A torch that takes it has been told: the versioned capsule says so, and the pages themselves are protected.
        self.assertEqual(seen.tolist(), [[0, 0], [0, 0]])

    def test_the_end_of_the_process_with_tensors_alive(self) -> None:
        done = child(
            """
import torch, gantry
made = gantry.array([[1, 2], [3, 4]], "float32")
seen, borrowed = torch.from_dlpack(made), gantry.asarray(torch.ones(3))
capsule = made.__dlpack__(max_version=(1, 0))
made.close()
print(seen.sum().item(), borrowed.tolist())
"""
        )
        self.assertEqual((done.returncode, done.stdout), (0, "10.0 [1.0, 1.0, 1.0]\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
