"""The producer's half of DLPack, seen by a consumer made of ctypes: capsules, versions, deleters, lifetime."""

from __future__ import annotations

import ctypes
import gc
import operator
import unittest
from typing import Any
from unittest import mock

import gantry
from gantry import _capsule, _dlpack, env, errors
from support import Counting

_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))

LEGACY, VERSIONED = b"dltensor", b"dltensor_versioned"
USED_LEGACY, USED_VERSIONED = b"used_dltensor", b"used_dltensor_versioned"


def consume(capsule: Any) -> Any:
    """Takes the tensor over as a consumer does; returns its struct."""
    if _is_valid(capsule, VERSIONED):
        managed: Any = _dlpack.DLManagedTensorVersioned.from_address(_pointer(capsule, VERSIONED))
        _rename(capsule, USED_VERSIONED)
    else:
        managed = _dlpack.DLManagedTensor.from_address(_pointer(capsule, LEGACY))
        _rename(capsule, USED_LEGACY)
    return managed


class Producer(unittest.TestCase):
    def setUp(self) -> None:
        self.allocator = Counting()
        self.made = gantry.empty((3, 4), "int16", environment=env.Custom(self.allocator))

    def live(self) -> int:
        gc.collect()
        return len(self.allocator.live)

    def test_the_form_is_what_the_consumer_asks_for(self) -> None:
        for version, name in ((None, LEGACY), ((0, 8), LEGACY), ((1, 0), VERSIONED), ((1, 1), VERSIONED), ((2, 0), VERSIONED)):
            self.assertTrue(_is_valid(self.made.__dlpack__(max_version=version), name), version)
        self.assertEqual(self.made.__dlpack_device__(), (1, 0))

    def test_the_tensor_says_what_the_array_is(self) -> None:
        for version in (None, (1, 0)):
            view = self.made[1:]
            managed = consume(view.__dlpack__(max_version=version))
            tensor = managed.dl_tensor
            self.assertEqual((tensor.data or 0) + tensor.byte_offset, view.address)
            self.assertEqual((tensor.ndim, tensor.shape[:2], tensor.strides[:2]), (2, [2, 4], [4, 1]))
            self.assertEqual((tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes), (0, 16, 1))
            self.assertEqual((tensor.device_type, tensor.device_id), (1, 0))
            if version:
                self.assertEqual((managed.major, managed.flags), (1, 0))
            managed.deleter(ctypes.addressof(managed))

    def test_a_capsule_that_nobody_consumed_gives_back_once(self) -> None:
        for version in (None, (1, 0)):
            made = gantry.empty(4, environment=env.Custom(self.allocator))
            capsule = made.__dlpack__(max_version=version)
            made.close()
            self.assertEqual(self.live(), 2)
            del capsule
            self.assertEqual(self.live(), 1)

    def test_a_consumed_capsule_gives_nothing_back(self) -> None:
        for version in (None, (1, 0)):
            made = gantry.empty(4, environment=env.Custom(self.allocator))
            capsule = made.__dlpack__(max_version=version)
            managed = consume(capsule)
            made.close()
            del capsule, made
            self.assertEqual(self.live(), 2)
            managed.deleter(ctypes.addressof(managed))
            self.assertEqual(self.live(), 1)

    def test_every_export_holds_a_reference_of_its_own(self) -> None:
        taken = [consume(self.made.__dlpack__(max_version=(1, 0))) for _ in range(3)]
        self.made.close()
        for left, managed in zip((1, 1, 0), taken):
            managed.deleter(ctypes.addressof(managed))
            self.assertEqual(self.live(), left)

    def test_read_only_memory_is_said_to_be(self) -> None:
        borrowed = gantry.asarray(b"abcd")
        managed = consume(borrowed.__dlpack__(max_version=(1, 0)))
        self.assertEqual(managed.flags, _dlpack.FLAG_READ_ONLY)
        managed.deleter(ctypes.addressof(managed))
        with self.assertRaisesRegex(BufferError, r"read-only.*without max_version=\(1, 0\)"):
            borrowed.__dlpack__()

    def test_a_copy_is_other_memory_and_says_so(self) -> None:
        made = gantry.array([[1, 2], [3, 4], [5, 6]])[::2]
        managed = consume(made.__dlpack__(max_version=(1, 0), copy=True))
        self.assertEqual(managed.flags, _dlpack.FLAG_IS_COPIED)
        self.assertNotEqual(managed.dl_tensor.data, made.address)
        self.assertEqual(list((ctypes.c_int64 * 4).from_address(managed.dl_tensor.data)), [1, 2, 5, 6])
        managed.deleter(ctypes.addressof(managed))
        managed = consume(made.__dlpack__(max_version=(1, 0), copy=False))
        self.assertEqual((managed.flags, managed.dl_tensor.data), (0, made.address))
        managed.deleter(ctypes.addressof(managed))

    def test_what_is_refused(self) -> None:
        with self.assertRaisesRegex(BufferError, r"not copied to device \(2, 0\)"):
            self.made.__dlpack__(dl_device=(2, 0))
        for stream in (0, 1, -1, 12345):
            with self.assertRaisesRegex(BufferError, f"stream is {stream}"):
                self.made.__dlpack__(stream=stream)
        with self.assertRaises(TypeError):
            self.made.__dlpack__((1, 0))  # type: ignore[misc]
        self.assertTrue(_is_valid(self.made.__dlpack__(dl_device=(1, 0)), LEGACY))

    def test_an_exception_in_flight_survives_a_capsule(self) -> None:
        if _capsule._make is _capsule._new_by_ctypes:
            self.skipTest("only the compiled module can keep an exception while a capsule is destroyed")
        for version in (None, (1, 0)):
            # The TypeError is set in C, then the capsule dies, then Python sees it.
            with self.assertRaisesRegex(TypeError, "PyCapsule"):
                operator.index(gantry.empty(4, environment=env.Custom(self.allocator)).__dlpack__(max_version=version))
            self.assertEqual(self.live(), 1)

    def test_capsules_without_the_compiled_module(self) -> None:
        with mock.patch.object(_capsule, "_make", _capsule._new_by_ctypes):
            for version, name in ((None, LEGACY), ((1, 0), VERSIONED)):
                made = gantry.empty(4, environment=env.Custom(self.allocator))
                capsule = made.__dlpack__(max_version=version)
                self.assertTrue(_is_valid(capsule, name))
                made.close()
                del capsule
                self.assertEqual(self.live(), 1)
                made = gantry.empty(4, environment=env.Custom(self.allocator))
                capsule = made.__dlpack__(max_version=version)
                managed = consume(capsule)
                made.close()
                del capsule
                self.assertEqual(self.live(), 2)
                managed.deleter(ctypes.addressof(managed))
                self.assertEqual(self.live(), 1)
                with self.assertRaises(SystemError):
                    operator.index(gantry.empty(4, environment=env.Custom(self.allocator)).__dlpack__(max_version=version))
                self.assertEqual(self.live(), 1)

    def test_the_maker_of_capsules_refuses_nonsense(self) -> None:
        if _capsule._make is _capsule._new_by_ctypes:
            self.skipTest("there is no compiled module")
        with self.assertRaisesRegex(ValueError, "the address of a managed tensor is 0"):
            _capsule._make(0, True)
        for arguments in ((), (1,), (1, True, 2), ("1", True)):
            with self.assertRaises(TypeError):
                _capsule._make(*arguments)  # type: ignore[arg-type,call-arg]


class Consumer(unittest.TestCase):
    """asarray takes over what another producer hands out."""

    def setUp(self) -> None:
        self.released = 0
        self.values = (ctypes.c_int32 * 6)(1, 2, 3, 4, 5, 6)
        self.shape, self.strides = (ctypes.c_int64 * 2)(3, 2), (ctypes.c_int64 * 2)(2, 1)

        def release(_: Any) -> None:
            self.released += 1

        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(release)

    def producer(self, major: int, flags: int = 0) -> Any:
        tensor = _dlpack.DLTensor(
            data=ctypes.addressof(self.values), device_type=1, ndim=2, dtype=_dlpack.Dtype(0, 32, 1), shape=self.shape,
            strides=self.strides,
        )  # fmt: skip
        if major == 0:
            self.managed: Any = _dlpack.DLManagedTensor(dl_tensor=tensor, deleter=self.deleter)
        else:
            self.managed = _dlpack.DLManagedTensorVersioned(major=major, deleter=self.deleter, flags=flags, dl_tensor=tensor)
        name = LEGACY if major == 0 else VERSIONED
        managed = self.managed

        class Foreign:
            def __dlpack__(self, **_: Any) -> Any:
                return _new(ctypes.addressof(managed), name, None)

            def __dlpack_device__(self) -> Any:
                return (1, 0)

        return Foreign()

    def test_the_memory_is_borrowed_and_given_back_once(self) -> None:
        for major in (0, 1):
            self.released = 0
            borrowed = gantry.asarray(self.producer(major))
            self.assertEqual((borrowed.tolist(), borrowed.address), ([[1, 2], [3, 4], [5, 6]], ctypes.addressof(self.values)))
            managed = consume(borrowed[1:].__dlpack__(max_version=(1, 0)))
            borrowed.close()
            gc.collect()
            self.assertEqual(self.released, 0)
            managed.deleter(ctypes.addressof(managed))
            gc.collect()
            self.assertEqual(self.released, 1)

    def test_read_only_stays_read_only(self) -> None:
        borrowed = gantry.asarray(self.producer(1, _dlpack.FLAG_READ_ONLY))
        self.assertTrue(borrowed.read_only)
        with self.assertRaises(errors.ReadOnly):
            gantry.scatter(borrowed, gantry.array([0]), gantry.zeros((1, 2), "int32"))

    def test_another_major_version_is_refused_and_given_back(self) -> None:
        with self.assertRaisesRegex(errors.DlpackVersionError, "2"):
            gantry.asarray(self.producer(2))
        self.assertEqual(self.released, 1)

    def test_no_capsule_and_a_used_one(self) -> None:
        class Wrong:
            def __init__(self, answer: Any) -> None:
                self.answer = answer

            def __dlpack__(self, **_: Any) -> Any:
                return self.answer

        with self.assertRaisesRegex(TypeError, "of type int instead of a capsule"):
            gantry.asarray(Wrong(7))
        capsule = self.producer(1).__dlpack__()
        _rename(capsule, USED_VERSIONED)
        with self.assertRaisesRegex(BufferError, "used up"):
            gantry.asarray(Wrong(capsule))


if __name__ == "__main__":
    unittest.main()
