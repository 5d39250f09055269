"""Which stream an op runs on, and what is waited for: seen by a library that only notes its calls, since no GPU is needed for it."""

from __future__ import annotations

import os
import unittest
from typing import Any
from unittest import mock

from support import CUDA, NAME, CudaArray, Legacy, Managed, Memory, Recorder, Versioned, bind, exchange_type


class Streams(unittest.TestCase):
    def setUp(self) -> None:
        self.library = Recorder()
        self.binding = bind(self.library)
        self.memory = Memory("f", [0.0] * 4, (2, 2))
        self.indices = Memory("q", [0, 0], (2,))

    def device(self, stream: Any = 0, **changes: Any) -> Any:
        return exchange_type(stream=stream)(Managed(self.memory, device=CUDA, **changes))

    def gather(self, table: Any, out: Any, stream: Any = None) -> Any:
        self.library.calls.clear()
        self.binding.gather(1, table, self.indices.raw(), out, 0, 0, stream)
        return self.library.calls

    def test_host_tensors_ask_for_no_stream(self) -> None:
        # ctypes has the library tell the bad index, the module in C looks for it itself.
        asks = NAME == "ctypes"
        self.assertEqual(self.gather(self.memory.raw(), self.memory.raw()), [("gantry_gather", None, asks)])
        self.assertEqual(self.gather(self.memory.raw(), self.memory.raw(), 7), [("gantry_gather", 7, asks)])

    def test_current_stream_of_the_producer(self) -> None:
        self.assertEqual(self.gather(self.device(0x1234), self.device(0x1234)), [("gantry_gather", 0x1234, False)])

    def test_null_is_the_legacy_stream_by_its_name(self) -> None:
        self.assertEqual(self.gather(self.device(0), self.device(0)), [("gantry_gather", 1, False)])

    def test_the_callers_stream_counts(self) -> None:
        self.assertEqual(self.gather(self.device(0x1234), self.device(0x5678), 2), [("gantry_gather", 2, False)])

    def test_two_streams(self) -> None:
        with self.assertRaisesRegex(ValueError, "^the tensors' libraries work on the streams 0x1234 and 0x5678; pass the stream that "
                                                "the op shall run on, ordered after both$"):
            self.gather(self.device(0x1234), self.device(0x5678))
        self.assertEqual(self.library.calls, [])

    def test_no_stream_to_be_had(self) -> None:
        with self.assertRaisesRegex(BufferError, "^table: the exchange API of Exchanged named no current stream, and no exception$"):
            self.gather(self.device(None), self.device(0))

    def test_array_interface(self) -> None:
        first, second = CudaArray(self.memory, stream=2), CudaArray(self.memory, stream=0x99)
        self.assertEqual(self.gather(first, CudaArray(self.memory)), [("gantry_gather", 2, False)])
        self.assertEqual(self.gather(first, second), [("gantry_check", 0, 0x99), ("gantry_gather", 2, False)])
        self.assertEqual(self.gather(first, self.device(0x1234)), [("gantry_check", 0, 2), ("gantry_gather", 0x1234, False)])
        self.assertEqual(self.gather(first, second, 0x99), [("gantry_check", 0, 2), ("gantry_gather", 0x99, False)])
        with mock.patch.dict(os.environ, GANTRY_CAI_SYNC="0"):
            self.assertEqual(self.gather(first, second), [("gantry_gather", 2, False)])

    def test_dlpack_is_told_the_stream_for_device_memory_only(self) -> None:
        device, host = Versioned(Managed(self.memory, device=CUDA)), Versioned(Managed(self.memory))
        self.assertEqual(self.gather(device, host, 0x1234), [("gantry_gather", 0x1234, False)])
        self.assertEqual(device.calls, [{"max_version": (1, 3), "stream": 0x1234}])
        self.assertEqual(host.calls, [{"max_version": (1, 3), "stream": None}])
        legacy = Legacy(Managed(self.memory, versioned=False, device=CUDA))
        self.assertEqual(self.gather(legacy, host, 1), [("gantry_gather", 1, False)])

    def test_output_is_allocated_for_the_stream_and_the_device(self) -> None:
        asked = []

        def factory(*arguments: Any) -> Any:
            asked.append(arguments)
            return CudaArray(self.memory)

        self.binding.set_array_factory(factory)
        self.assertEqual(self.gather(CudaArray(self.memory, stream=2), None), [("gantry_gather", 2, False)])
        self.assertEqual(self.gather([self.memory.raw(), CudaArray(self.memory)], None, 5), [("gantry_gather", 5, False)])
        self.assertEqual(asked, [((2, 2), (2, 32, 1), (2, 0), 0, 2), ((2, 2), (2, 32, 1), (2, 0), 0, 5)])

    def test_output_of_the_tables_library_is_where_anything_is_on_a_device(self) -> None:
        other = Versioned(Managed(self.indices, device=(2, 3)))
        for table, indices, device in (
            (exchange_type()(Managed(self.memory)), self.indices.raw(), (1, 0)),
            (exchange_type()(Managed(self.memory)), other, (2, 3)),
            (exchange_type()(Managed(self.memory, device=(3, 0))), other, (2, 3)),
            (exchange_type()(Managed(self.memory, device=(2, 1))), self.indices.raw(), (2, 1)),
        ):
            self.binding.gather(1, table, indices, None, 0, 0, 1)
            self.assertEqual(type(table).devices, [device])

    def test_the_other_ops(self) -> None:
        raw = self.memory.raw()
        for name in ("scatter", "scatter_add"):
            getattr(self.binding, name)(1, self.device(3), self.indices.raw(), raw, 0, 0, None)
        for name in ("convert", "copy"):
            getattr(self.binding, name)(1, raw, self.device(4), 0, 0, None)
        self.assertEqual(self.library.calls, [("gantry_scatter", 3, False), ("gantry_scatter_add", 3, False),
                                              ("gantry_convert", 4, False), ("gantry_copy", 4, False)])


if __name__ == "__main__":
    unittest.main()
