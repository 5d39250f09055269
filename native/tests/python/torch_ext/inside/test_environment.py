"""The environment of an extension: what an op of the C ABI gets from it, and what it refuses."""

from __future__ import annotations

import ctypes
import threading
import unittest

import gantry
import torch
from flavours import both_flavours, equal
from gantry import _abi, _library, errors
from gantry import context as contexts

HOST = _abi.Device(_abi.DEVICE_HOST, 0)


def view(tensor: torch.Tensor, code: int) -> _abi.Tensor:
    sizes = (ctypes.c_int64 * tensor.dim())(*tensor.shape)
    found = _abi.Tensor(
        data=tensor.data_ptr(), shape=sizes, ndim=tensor.dim(), dtype=_abi.Dtype(code, tensor.element_size() * 8, 1), device=HOST
    )
    return found


@both_flavours(globals())
class Environment(unittest.TestCase):
    def setUp(self) -> None:
        address = self.extension.environment.address
        self.table = ctypes.cast(address, ctypes.POINTER(_abi.Environment)).contents

    def allocate(self, **request: object) -> "tuple[int, _abi.Block, _abi.Allocation]":
        wanted = _abi.Allocation(**{"bytes": 100, "alignment": 64, "device": HOST, **request})
        block = _abi.Block()
        return self.table.allocate(None, ctypes.byref(wanted), ctypes.byref(block)), block, wanted

    def output(self, shape: "tuple[int, ...]", dtype: "tuple[int, int, int]", slot: int) -> "tuple[int, _abi.Tensor]":
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        tensor = _abi.Tensor(shape=sizes, ndim=len(shape), dtype=_abi.Dtype(*dtype), device=HOST)
        wanted = _abi.Allocation(purpose=_abi.PURPOSE_OUTPUT, bytes=8, alignment=64, device=HOST)
        return self.table.allocate_output(None, ctypes.byref(wanted), slot, ctypes.byref(tensor)), tensor

    def test_an_output_of_the_c_function_is_a_torch_tensor(self) -> None:
        library = _library.load()
        source, indices = torch.arange(30, dtype=torch.float32).reshape(10, 3), torch.tensor([7, 0, 9, 7])
        rows, positions = view(source, _abi.CODE_FLOAT), view(indices, _abi.CODE_INT)
        place = self.extension.output()
        sizes = (ctypes.c_int64 * 2)(4, 3)
        output = _abi.Tensor(shape=sizes, ndim=2, dtype=_abi.Dtype(_abi.CODE_FLOAT, 32, 1), device=HOST)
        table = _abi.Table(chunk_count=1, chunks=ctypes.pointer(rows))
        options = _abi.Options(slot=place.address)
        library.check(library.gantry_gather(
            contexts.default().address, ctypes.byref(table), ctypes.byref(positions), ctypes.byref(output), ctypes.byref(options),
            self.extension.environment.address, None))
        found = place.take()
        self.assertEqual(found.data_ptr(), output.data)
        equal(self, found, source[indices])
        with self.assertRaisesRegex(ValueError, "no tensor"):
            place.take()

    def test_scratch_comes_from_torch_and_goes_back(self) -> None:
        """Counted by torch's own profiler of memory."""
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as report:
            status, block, request = self.allocate(bytes=1 << 20)
            self.assertEqual(status, _abi.OK)
            ctypes.memset(block.data, 7, 1 << 20)
            self.table.deallocate(None, ctypes.byref(request), ctypes.byref(block))
        moved = [event.cpu_memory_usage for event in report.events() if event.name == "[memory]"]
        usage = [getattr(event, "cpu_memory_usage", 0) for event in report.events()]
        self.assertIn(1 << 20, moved or usage, "torch's allocator saw no block of 1 MiB")

    def test_blocks_are_aligned_as_asked(self) -> None:
        for alignment in (1, 8, 64, 256, 4096, 1 << 16):
            with self.subTest(alignment=alignment):
                status, block, request = self.allocate(bytes=33, alignment=alignment)
                self.assertEqual((status, block.data % alignment), (_abi.OK, 0))
                self.assertGreaterEqual(block.bytes, 33)
                ctypes.memset(block.data, 1, 33)
                self.table.deallocate(None, ctypes.byref(request), ctypes.byref(block))

    def test_more_memory_than_there_is(self) -> None:
        for count in ((1 << 63) - 64, 1 << 60, (1 << 64) - 1):
            with self.subTest(bytes=count):
                status, _, _ = self.allocate(bytes=count, alignment=4096)
                self.assertIn(status, (_abi.ERROR_OUT_OF_MEMORY, _abi.ERROR_OVERFLOW))
                self.assertNotEqual(self.extension._last_error(), "")

    def test_devices_that_are_not_there(self) -> None:
        status, _, _ = self.allocate(device=_abi.Device(_abi.DEVICE_CUDA_MANAGED, 0))
        self.assertEqual(status, _abi.ERROR_UNSUPPORTED)
        if not torch.cuda.is_available():
            status, _, _ = self.allocate(device=_abi.Device(_abi.DEVICE_CUDA, 0), stream=1)
            self.assertNotEqual(status, _abi.OK)

    def test_an_output_needs_an_empty_place(self) -> None:
        status, _ = self.output((2, 3), (_abi.CODE_FLOAT, 32, 1), 0)
        self.assertEqual(status, _abi.ERROR_INVALID_ARGUMENT)
        self.assertIn("options.slot", self.extension._last_error())
        place = self.extension.output()
        status, tensor = self.output((2, 3), (_abi.CODE_INT, 16, 1), place.address)
        self.assertEqual(status, _abi.OK)
        self.assertEqual(self.output((2, 3), (_abi.CODE_INT, 16, 1), place.address)[0], _abi.ERROR_INVALID_ARGUMENT)
        found = place.take()
        self.assertEqual((tuple(found.shape), found.dtype, found.data_ptr()), ((2, 3), torch.int16, tensor.data))

    def test_a_dtype_that_torch_lacks(self) -> None:
        place = self.extension.output()
        self.assertEqual(self.output((2,), (_abi.CODE_RAW, 24, 1), place.address)[0], _abi.ERROR_UNSUPPORTED)

    def test_a_place_that_is_not_taken_frees_its_tensor(self) -> None:
        place = self.extension.output()
        self.assertEqual(self.output((4, 4), (_abi.CODE_FLOAT, 64, 1), place.address)[0], _abi.OK)
        place.__del__()
        with self.assertRaises(ValueError):
            place.take()

    def test_take_output_of_nothing(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "GANTRY_ERROR_INVALID_ARGUMENT: take_output: the cell is empty"):
            self.extension.ops.take_output(0)

    def test_the_stream_of_host_memory(self) -> None:
        self.assertIsNone(self.extension.current_stream("cpu"))
        with self.assertRaisesRegex(errors.Unsupported, "device is meta"):
            self.extension.current_stream("meta")

    def test_the_package_takes_it(self) -> None:
        """gantry.gather with the extension's environment: scratch from torch."""
        source, indices = torch.arange(12.0).reshape(4, 3), torch.tensor([3, 1])
        out = torch.empty(2, 3)
        gantry.gather(source, indices, out=out, environment=self.extension.environment)
        equal(self, out, source[indices])

    def test_from_several_threads(self) -> None:
        source = torch.arange(4000, dtype=torch.float32).reshape(1000, 4)
        failures = []

        def work(seed: int) -> None:
            indices = torch.randint(0, 1000, (500,), generator=torch.Generator().manual_seed(seed))
            for _ in range(50):
                if not torch.equal(self.extension.gather(source, indices), source[indices]):
                    failures.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failures, [])


del Environment

if __name__ == "__main__":
    unittest.main()
