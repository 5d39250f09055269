"""Threads, fork, the end of a process, and what an import brings with it."""

from __future__ import annotations

import json
import os
import threading
import time
import unittest

import gantry
from gantry import _library, errors
from support import child


class Threads(unittest.TestCase):
    def test_eight_threads_with_a_hundred_gathers_each(self) -> None:
        table = gantry.array([[i * 10 + c for c in range(10)] for i in range(1000)], "float32")
        wrong, done = [], []

        def work(number: int) -> None:
            for turn in range(100):
                wanted = [(number * 131 + turn * 17 + 7 * i) % 1000 for i in range(200)]
                out = gantry.gather(table, gantry.array(wanted)).buffer()
                if any(out[i, c] != wanted[i] * 10 + c for i in range(0, 200, 13) for c in (0, 9)):
                    wrong.append((number, turn))
            done.append(number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual((wrong, sorted(done)), ([], list(range(8))))

    def test_errors_stay_with_their_thread(self) -> None:
        table = gantry.zeros((10, 1))
        seen = {}

        def work(value: int) -> None:
            for _ in range(50):
                try:
                    gantry.gather(table, gantry.array([0, value]))
                except gantry.IndexOutOfRange as error:
                    seen.setdefault(value, set()).add((error.value, f"index {value} at position 1" in str(error)))

        threads = [threading.Thread(target=work, args=(value,)) for value in (100, 200, 300, 400)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(seen, {value: {(value, True)} for value in (100, 200, 300, 400)})

    def test_a_table_closed_by_another_thread_stays_for_the_ops_that_run(self) -> None:
        for _ in range(20):
            table = gantry.zeros((20000, 32))
            indices = gantry.array(list(range(20000)))
            results = []

            def work(table: gantry.Array = table, indices: gantry.Array = indices, results: list = results) -> None:
                try:
                    results.append(gantry.gather(table, indices).shape)
                except gantry.errors.ClosedError:
                    results.append("closed")

            thread = threading.Thread(target=work)
            thread.start()
            table.close()
            gantry.env.trim()
            thread.join(60)
            self.assertIn(results, ([(20000, 32)], ["closed"]))


class Processes(unittest.TestCase):
    def test_a_forked_child_computes_and_ends(self) -> None:
        done = child(
            """
import os, sys, time, gantry
table = gantry.array([[i] for i in range(200000)], "float32")
indices = gantry.array(list(range(0, 200000, 2)))
expected = gantry.gather(table, indices).buffer().tobytes()
pids = []
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        same = gantry.gather(table, indices).buffer().tobytes() == expected
        sys.exit(0 if same else 3)
    pids.append(pid)
print([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids])
print(gantry.gather(table, indices).buffer().tobytes() == expected)
"""
        )
        self.assertEqual((done.returncode, done.stdout), (0, "[0, 0, 0]\nTrue\n"), done.stderr)

    def test_fork_while_other_threads_run_ops(self) -> None:
        done = child(
            """
import os, sys, threading, gantry
table = gantry.array([[i] * 8 for i in range(20000)], "float32")
indices = gantry.array(list(range(20000)))
gantry.gather(table, indices)  # Python itself cannot fork while another thread imports
stop = threading.Event()
def work():
    while not stop.is_set():
        gantry.gather(table, indices)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
codes = []
for _ in range(10):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if gantry.gather(table, indices).buffer()[19999, 7] == 19999 else 3)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
stop.set()
for thread in threads: thread.join()
print(codes)
"""
        )
        self.assertEqual((done.returncode, done.stdout), (0, str([0] * 10) + "\n"), done.stderr)

    def test_a_process_ends_without_closing_anything(self) -> None:
        started = time.monotonic()
        done = child(
            """
import gantry
context = gantry.Context()
table = gantry.zeros((100000, 16))
out = gantry.gather(table, gantry.array(list(range(100000))), context=context)
capsule = out.__dlpack__(max_version=(1, 0))
buffer = out.buffer()
shared = gantry.shm.create(10, 10)
borrowed = gantry.asarray(bytearray(100))
print("end")
""",
            timeout=30,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "end\n", ""))
        self.assertLess(time.monotonic() - started, 20)

    def test_importing_brings_neither_torch_nor_numpy_nor_the_library(self) -> None:
        done = child(
            """
import json, sys
before = set(sys.modules)
import gantry
first = sorted(set(sys.modules) - before)
gantry.gather(gantry.zeros((2, 2)), gantry.array([1]))
print(json.dumps([first, [name for name in ("torch", "numpy", "multiprocessing") if name in sys.modules]]))
"""
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        first, forbidden = json.loads(done.stdout)
        self.assertEqual(forbidden, [])
        self.assertEqual([name for name in first if name.startswith(("gantry", "ctypes"))], ["gantry"])

    def test_a_missing_library_is_said_to_be(self) -> None:
        done = child("import gantry\ntry:\n gantry.zeros(1)\nexcept ImportError as e:\n print(type(e).__name__, e)", GANTRY_LIBRARY="/no/such.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("LibraryNotFound"), done.stdout)
        self.assertIn("/no/such.so", done.stdout)


class Facts(unittest.TestCase):
    def test_the_versions_are_one(self) -> None:
        self.assertEqual(gantry.library_version(), gantry.__version__)
        self.assertEqual(gantry.abi_version()[0], 1)
        self.assertIn(f"version={gantry.__version__}\n", gantry.build_info())

    def test_the_binding_is_the_one_that_was_asked_for(self) -> None:
        wanted = os.environ.get("GANTRY_BINDING")
        self.assertIn(gantry.binding(), [wanted] if wanted else ["abi3", "ctypes"])

    def test_every_public_name_is_there(self) -> None:
        for name in gantry.__all__:
            self.assertIsNotNone(getattr(gantry, name), name)
            self.assertIn(name, dir(gantry))
        with self.assertRaisesRegex(AttributeError, "has no attribute 'gather_all'"):
            gantry.gather_all

    def test_a_status_becomes_an_exception(self) -> None:
        error = errors.error_for(3, "index -7 at position 12 is outside of the table of 5 rows")
        self.assertIsInstance(error, gantry.IndexOutOfRange)
        self.assertEqual((error.status, error.name, error.position, error.value), (3, "GANTRY_ERROR_INDEX", 12, -7))  # type: ignore[attr-defined]
        error = errors.error_for(3, "index 9 at position 1", None, 4, 5)
        self.assertEqual((error.position, error.value), (4, 5))  # type: ignore[attr-defined]
        library = _library.load()
        names = {status: library.status_name(status) for status in range(1, 21)}
        for status, name in names.items():
            made = errors.error_for(status, "text")
            self.assertEqual((made.status, made.name, str(made)), (status, name, "text"))
            self.assertIsNot(type(made), errors.Error, name)
        self.assertEqual((errors.error_for(99, "text").status, errors.error_for(99, "text").name), (99, "unknown status"))
        for kind, builtin in (
            (errors.InvalidArgument, ValueError), (errors.OutOfMemory, MemoryError), (errors.Unsupported, TypeError),
            (errors.ReadOnly, BufferError), (errors.SizeOverflow, OverflowError), (errors.LibraryNotFound, ImportError),
        ):  # fmt: skip
            self.assertTrue(issubclass(kind, builtin) and issubclass(kind, RuntimeError), kind)

    def test_dtypes_are_read_from_many_names(self) -> None:
        for text in ("float32", "f32", "<f4", "torch.float32", "float", (2, 32), (2, 32, 1), gantry.dtype("f4")):
            self.assertEqual(gantry.dtype(text), gantry.DType(2, 32, 1), text)
        for kind, name in ((bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128")):
            self.assertEqual(str(gantry.dtype(kind)), name)
        self.assertEqual((gantry.dtype("|V12").itemsize, str(gantry.dtype("raw12")), gantry.dtype("|b1").name), (12, "raw12", "bool"))
        for text in ("", "float31", "f3", 7, None, object(), (2,), (300, 8), (2, 7), (2, 32, 0), "raw0", "raw70000"):
            with self.assertRaises(gantry.InvalidArgument, msg=repr(text)):
                gantry.dtype(text)

    def test_the_backends_say_what_they_are(self) -> None:
        host, cuda = gantry.backend("host"), gantry.backend()
        self.assertEqual((host.available, host.reason, cuda.name), (True, "GANTRY_REASON_AVAILABLE", "cuda"))
        self.assertEqual(cuda.available, cuda.reason == "GANTRY_REASON_AVAILABLE")
        self.assertGreater(len(cuda.text), 0)

    def test_a_context_has_the_threads_that_were_asked_for(self) -> None:
        with gantry.Context(threads=3) as context:
            self.assertEqual(context.threads, 3)
            self.assertEqual(repr(context), f"<gantry.Context threads=3 isa={context.isa}>")

    def test_the_context_of_the_process_stays_open(self) -> None:
        from gantry import context

        with self.assertRaisesRegex(gantry.InvalidArgument, "it ends with the process"):
            context.default().close()
        self.assertGreaterEqual(context.default().threads, 1)


if __name__ == "__main__":
    unittest.main()
