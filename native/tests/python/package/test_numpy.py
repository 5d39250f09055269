"""With NumPy: it reads Gantry's arrays, and Gantry reads its own."""

from __future__ import annotations

import unittest

from support import HAS_NUMPY

if not HAS_NUMPY:
    raise unittest.SkipTest("NumPy is not installed for this Python")

import numpy as np  # noqa: E402

import gantry  # noqa: E402
from gantry import errors  # noqa: E402


class Numpy(unittest.TestCase):
    def test_numpy_reads_arrays_without_a_copy(self) -> None:
        made = gantry.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], "float16")
        for view in (np.from_dlpack(made), np.asarray(made)):
            self.assertEqual((view.ctypes.data, view.dtype, view.tolist()), (made.address, np.float16, made.tolist()))
        part = made[::2]
        self.assertEqual(np.asarray(part).tolist(), [[1, 2, 3], [7, 8, 9]])
        self.assertEqual(np.from_dlpack(part).strides, (12, 2))
        np.asarray(made)[0, 0] = 10
        self.assertEqual(made.tolist()[0][0], 10)

    def test_numpy_keeps_the_memory(self) -> None:
        made = gantry.array([1.5] * 1000)
        views = np.asarray(made), np.from_dlpack(made)
        made.close()
        del made
        gantry.zeros(1000)
        gantry.env.trim()
        self.assertEqual([view.sum() for view in views], [1500, 1500])

    def test_read_only_memory_stays_so(self) -> None:
        borrowed = gantry.asarray(b"abcd")
        self.assertFalse(np.asarray(borrowed).flags.writeable)
        if int(np.__version__.split(".")[0]) >= 2:
            self.assertFalse(np.from_dlpack(borrowed).flags.writeable)

    def test_ops_on_arrays_of_numpy(self) -> None:
        random = np.random.default_rng(5)
        table, indices = random.standard_normal((200, 17)), random.integers(0, 200, 500)
        out = np.empty((500, 17))
        self.assertIs(gantry.gather(table, indices, out), out)
        self.assertTrue(np.array_equal(out, np.take(table, indices, axis=0)))
        self.assertTrue(np.array_equal(np.asarray(gantry.gather(table, indices.astype(np.int32))), out))
        frozen = np.zeros((500, 17))
        frozen.flags.writeable = False
        with self.assertRaises(errors.ReadOnly):
            gantry.gather(table, indices, frozen)
        with self.assertRaises((errors.Error, BufferError, TypeError, ValueError)):
            gantry.gather(table.astype(object), indices)
        with self.assertRaises((errors.Error, BufferError, TypeError, ValueError)):
            gantry.gather(table.astype(">f8"), indices, out)

    def test_scatter_add_is_add_at(self) -> None:
        random = np.random.default_rng(6)
        rows, indices = random.standard_normal((1000, 5)).astype(np.float32), random.integers(0, 30, 1000)
        mine, theirs = np.zeros((30, 5), np.float32), np.zeros((30, 5), np.float32)
        gantry.scatter_add(mine, indices, rows)
        np.add.at(theirs, indices, rows)
        self.assertTrue(np.array_equal(mine, theirs))

    def test_borrowed_arrays(self) -> None:
        source = np.arange(6, dtype=np.int16).reshape(3, 2)
        borrowed = gantry.astable(source)
        self.assertEqual((borrowed.address, borrowed.tolist()), (source.ctypes.data, [[0, 1], [2, 3], [4, 5]]))
        with self.assertRaises((errors.Error, BufferError, ValueError)):
            gantry.asarray(source[::-1])

    def test_dtypes(self) -> None:
        self.assertEqual(gantry.dtype(np.float32), gantry.dtype("float32"))
        self.assertEqual(gantry.dtype(np.dtype("int64")), gantry.dtype("int64"))


if __name__ == "__main__":
    unittest.main()
