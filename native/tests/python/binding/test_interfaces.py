"""Array interfaces, buffers and raw tuples: what is read, with which strides and rights, and what is refused in which words."""

from __future__ import annotations

import array
import ctypes
import unittest
from typing import Any

from gantry import _tensors, errors
from support import CudaArray, HOST, Memory, binding, open_context


class ArrayInterface:
    """An object with an __array_interface__ of the test's, and no other protocol."""

    def __init__(self, memory: Memory, **changes: Any) -> None:
        interface = {"shape": memory.shape, "typestr": "<f4", "data": (memory.address, False), "version": 3}
        interface.update(changes)
        self.memory = memory
        self.__array_interface__ = interface


class Reading(unittest.TestCase):
    def refused(self, value: Any, kind: type, text: str) -> None:
        with self.assertRaises(kind) as caught:
            _tensors.read(value, "x").close()
        self.assertEqual(str(caught.exception), text)


class Cuda(Reading):
    def setUp(self) -> None:
        self.memory = Memory("f", [0.0] * 6, (2, 3))

    def test_read(self) -> None:
        view = _tensors.read(CudaArray(self.memory, strides=(12, 4), data=(self.memory.address, True), stream=2), "x")
        self.assertEqual((view.tensor.data, view.shape, view.strides, view.dtype, view.device, view.read_only, view.stream,
                          view.must_wait), (self.memory.address, (2, 3), (3, 1), (2, 32, 1), (2, 0), True, 2, True))
        view = _tensors.read(CudaArray(self.memory, version=2, strides=KeyError), "x")
        self.assertEqual((view.strides, view.read_only, view.stream, view.must_wait), (None, False, None, False))

    def test_refused(self) -> None:
        what = "x.__cuda_array_interface__"
        address = self.memory.address
        for changes, kind, text in (
            ({"mask": object()}, ValueError, f"{what} has a mask; masked elements have no meaning here"),
            ({"stream": 0}, ValueError, f"{what} has stream 0; the interface allows None, 1 (legacy default), 2 (per thread) and a "
                                        "stream's address"),
            ({"stream": -3}, ValueError, f"{what} has stream -3; the interface allows None, 1 (legacy default), 2 (per thread) and "
                                         "a stream's address"),
            ({"typestr": ">f4"}, ValueError, f"{what} has typestr '>f4'; this machine's byte order is '<'"),
            ({"typestr": "|f4"}, ValueError, f"{what} has typestr '|f4'; this machine's byte order is '<'"),
            ({"typestr": "<M8"}, ValueError, f"{what} has typestr '<M8', a kind of element that has no dtype here"),
            ({"typestr": "f4"}, ValueError, f"{what} has typestr 'f4'; it has to be byte order, kind and size, such as '<f4'"),
            ({"version": 1}, ValueError, f"{what} has version 1; versions 2 and 3 are known"),
            ({"version": KeyError}, ValueError, f"{what} has no 'version'"),
            ({"data": None}, ValueError, f"{what} has data None; it has to be (pointer, read-only)"),
            ({"data": (-1, False)}, ValueError, f"{what}'s pointer is -0x1, which is no address"),
            ({"shape": 3}, TypeError, f"{what}'s shape is 3; it has to be a tuple of integers"),
            ({"strides": (12,)}, ValueError, f"{what} has 2 dimensions and 1 strides"),
            ({"strides": (12, 6)}, ValueError, f"{what} has a stride of 6 bytes, which is no multiple of its element's 4 bytes"),
            ({"data": (0, False)}, BufferError, "x: the CudaArray has 6 elements and no memory (its pointer is null), as tensors "
                                                "have that only record what is done to them"),
            ({"shape": (1 << 64, 3), "data": (address, False)}, ValueError,
             f"{what}'s shape is (18446744073709551616, 3), with a number of more than 64 bits"),
        ):
            with self.subTest(text):
                self.refused(CudaArray(self.memory, **changes), kind, text)

    def test_dtypes(self) -> None:
        for typestr, dtype in (("<f2", (2, 16, 1)), ("|b1", (6, 8, 1)), ("|u1", (1, 8, 1)), ("<c8", (5, 64, 1)), ("|V12", (3, 8, 12)),
                               ("<i8", (0, 64, 1)), ("<u2", (1, 16, 1))):
            self.assertEqual(_tensors.read(CudaArray(self.memory, typestr=typestr), "x").dtype, dtype)


class Arrays(Reading):
    def test_read(self) -> None:
        memory = Memory("f", [0.0] * 6, (2, 3))
        view = _tensors.read(ArrayInterface(memory, strides=(24, 8), data=(memory.address, True)), "x")
        self.assertEqual((view.tensor.data, view.shape, view.strides, view.device, view.read_only),
                         (memory.address, (2, 3), (6, 2), HOST, True))

    def test_refused(self) -> None:
        memory = Memory("f", [0.0] * 6, (2, 3))
        self.refused(ArrayInterface(memory, version=2), ValueError, "x.__array_interface__ has version 2; version 3 is known")
        self.refused(ArrayInterface(memory, mask=1), ValueError,
                     "x.__array_interface__ has a mask; masked elements have no meaning here")
        self.refused(ArrayInterface(memory, shape=(0,) * 9), ValueError, "x has 9 dimensions; at most 8 are read")


class Buffers(Reading):
    def test_formats(self) -> None:
        for letter, dtype in (("b", (0, 8, 1)), ("B", (1, 8, 1)), ("h", (0, 16, 1)), ("H", (1, 16, 1)), ("i", (0, 32, 1)),
                              ("I", (1, 32, 1)), ("q", (0, 64, 1)), ("Q", (1, 64, 1)), ("f", (2, 32, 1)), ("d", (2, 64, 1))):
            self.assertEqual(_tensors.read(array.array(letter, [1, 2]), "x").dtype, dtype)
        for letter, dtype in (("?", (6, 8, 1)), ("@q", (0, 64, 1)), ("N", (1, 64, 1))):
            self.assertEqual(_tensors.read(memoryview(bytearray(16)).cast(letter), "x").dtype, dtype)
        self.assertEqual(_tensors.read((ctypes.c_float * 3 * 2)(), "x").shape, (2, 3))

    def test_half(self) -> None:
        try:
            half = memoryview(bytearray(16)).cast("e")
        except ValueError as failure:
            self.skipTest(f"this Python makes no buffers of halves: {failure}")
        self.assertEqual(_tensors.read(half, "x").dtype, (2, 16, 1))

    def test_strides_and_rights(self) -> None:
        data = array.array("i", range(12))
        view = _tensors.read(memoryview(data)[1::3], "x")
        self.assertEqual((view.tensor.data, view.shape, view.strides, view.read_only), (data.buffer_info()[0] + 4, (4,), (3,), False))
        view.close()
        for value in (b"abc", memoryview(bytearray(3)).toreadonly()):
            self.assertTrue(_tensors.read(value, "x").read_only)

    def test_the_buffer_is_held_and_let_go(self) -> None:
        data = bytearray(b"abc")
        view = _tensors.read(data, "x")
        with self.assertRaises(BufferError):
            data.append(1)
        view.close()
        view.close()
        data.append(1)
        self.assertEqual(data, b"abc\x01")

    def test_refused(self) -> None:
        self.refused((ctypes.c_int32.__ctype_be__ * 2)(), ValueError,
                     "x is a buffer of format '>i'; this machine's byte order is '<'")
        self.refused(memoryview(b"ab").cast("c"), ValueError, "x is a buffer of format 'c', which has no dtype here")

        class Pair(ctypes.Structure):
            _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_float)]

        self.refused((Pair * 2)(), ValueError, "x is a buffer of format 'T{<i:a:<f:b:}', which has no dtype here")
        self.refused(3, TypeError, "x is a int, which is no tensor: it has neither DLPack, nor __cuda_array_interface__, nor the "
                                   "buffer protocol, nor __array_interface__")


class Ops(unittest.TestCase):
    """The same objects through the binding."""

    def setUp(self) -> None:
        self.context = open_context()
        self.binding = binding()

    def test_gather_over_buffers(self) -> None:
        table, out = array.array("f", range(6)), array.array("f", [0.0] * 2)
        self.binding.gather(self.context, memoryview(table)[::2], array.array("q", [2, 1]), out, 0, 0, None)
        self.assertEqual(list(out), [4.0, 2.0])
        table.append(1.0)
        out.append(1.0)

    def test_read_only_output(self) -> None:
        with self.assertRaises(errors.ReadOnly):
            self.binding.gather(self.context, array.array("b", [1, 2]), array.array("q", [0]), bytes(1), 0, 0, None)
        with self.assertRaises(errors.ReadOnly):
            self.binding.scatter_add(self.context, bytes(2), array.array("q", [0]), array.array("B", [1]), 0, 0, None)

    def test_array_interface(self) -> None:
        table, out = Memory("f", [1.0, 2.0, 3.0, 4.0], (2, 2)), Memory("f", [0.0] * 2, (1, 2))
        self.binding.gather(self.context, ArrayInterface(table), array.array("i", [1]), ArrayInterface(out), 0, 0, None)
        self.assertEqual(out.list(), [3.0, 4.0])

    def test_raw_tuples(self) -> None:
        table, out = Memory("f", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 2), (3, 1)), Memory("f", [0.0] * 2, (1, 2))
        indices = Memory("q", [1], (1,))
        for dtype in ((2, 32, 1), "float32"):
            out.data[0] = 0.0
            self.binding.gather(self.context, (table.address, (2, 2), dtype, (3, 1), None, True, table), indices.raw(),
                                (out.address, (1, 2), dtype), 0, 0, None)
            self.assertEqual(out.list(), [4.0, 5.0])
        with self.assertRaises(errors.ReadOnly):
            self.binding.scatter(self.context, (table.address, (2, 2), dtype, (3, 1), None, True, table), indices.raw(), out.raw(),
                                 0, 0, None)

    def test_raw_tuples_that_are_wrong(self) -> None:
        indices, out = array.array("q", [0]), array.array("f", [0.0])
        address = out.buffer_info()[0]
        for raw, kind, text in (
            ((address, (1,)), ValueError, "table is a tuple of 2 members; a raw tensor has 3 to 7: (pointer, shape, dtype, strides, "
                                          "device, read_only, owner)"),
            ((-8, (1,), "float32"), ValueError, "table's pointer is -0x8, which is no address"),
            ((1 << 64, (1,), "float32"), ValueError, "table's pointer is 0x10000000000000000, which is no address"),
            ((address, [1.0], "float32"), TypeError, "table's shape is [1.0]; it has to be a tuple of integers"),
            ((address, (1 << 63,), (2, 32, 1)), ValueError,
             "table's shape is (9223372036854775808,), with a number of more than 64 bits"),
            ((address, (1,), (2, 32, 1), (1, 1)), ValueError,
             "table has the device (1, 0), the shape (1,) and the strides (1, 1); a device has 2 numbers, and there is one stride "
             "for each dimension"),
            ((address, (1,), "float33"), errors.InvalidArgument, "'float33' is no dtype that Gantry knows"),
        ):
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    self.binding.gather(self.context, raw, indices, out, 0, 0, None)
                self.assertEqual(str(caught.exception), text)


if __name__ == "__main__":
    unittest.main()
