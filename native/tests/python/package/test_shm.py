"""Tables in shared memory, seen by several processes."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import unittest

import gantry
from gantry import errors, shm
from support import ROOT, child

NAME = f"/gantry-test-{os.getpid()}"


def write_row(table: shm.SharedTable, row: int, values: list) -> None:
    gantry.scatter(table, gantry.array([row]), gantry.array([values], "float32"))
    table.publish()


def answer(queue: "multiprocessing.JoinableQueue[shm.SharedTable]") -> None:
    table = queue.get(timeout=60)
    write_row(table, 0, [5, 6])
    queue.task_done()


class Segments(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(self.remove)

    def remove(self) -> None:
        for segment in shm.segments():
            if segment.name.startswith(NAME):
                shm.unlink(segment.name)

    def test_a_table_without_a_name(self) -> None:
        table = shm.create(5, 3, "float64")
        self.assertEqual((table.shape, str(table.dtype), table.name, table.read_only), ((5, 3), "float64", None, False))
        self.assertEqual(table.tolist(), [[0] * 3] * 5)
        self.assertGreater(table.fd, 2)
        gantry.scatter(table, gantry.array([4]), gantry.array([[1, 2, 3]], "float64"))
        again = shm.attach(table.fd)
        self.assertEqual(again.tolist()[4], [1, 2, 3])
        self.assertNotEqual(again.address, table.address)
        with self.assertRaisesRegex(errors.InvalidArgument, "has no name"):
            table.unlink()

    def test_rows_may_have_gaps(self) -> None:
        table = shm.create(4, 3, "int8", row_stride=64)
        self.assertEqual((table.row_stride, shm.attach(table.fd).row_stride, table[1:3].shape), (64, 64, (2, 3)))
        self.assertNotIsInstance(table[1:3], shm.SharedTable)

    def test_what_no_table_agrees_with_is_refused(self) -> None:
        table = shm.create(5, 3)
        for what in ("rows", "columns"):
            with self.assertRaisesRegex(errors.InvalidArgument, f"^{what} is 0, with which no table's {what} can be compared"):
                shm.attach(table.fd, **{what: 0})
        self.assertEqual(shm.attach(table.fd, rows=5, columns=3).shape, (5, 3))

    def test_a_name_that_is_no_text(self) -> None:
        with self.assertRaisesRegex(errors.InvalidArgument, r"^name is '/gantry-\\udc80'; it has a lone surrogate"):
            shm.create(1, 1, name="/gantry-\udc80")

    def test_a_descriptor_that_is_open_for_reading_only(self) -> None:
        table = shm.create(1, 1)
        with open(f"/proc/self/fd/{table.fd}", "rb") as file:
            with self.assertRaises(errors.ReadOnly) as caught:
                shm.attach(file.fileno())
            self.assertEqual(str(caught.exception), f"descriptor {file.fileno()} is open for reading only; attach with read_only=True")
            self.assertTrue(shm.attach(file.fileno(), read_only=True).read_only)

    def test_a_descriptor_of_a_pipe(self) -> None:
        for end in os.pipe():
            self.addCleanup(os.close, end)
            with self.assertRaises(errors.Error) as caught:
                shm.attach(end)
            self.assertIn(str(caught.exception), (
                "what was to be attached is a pipe and no segment", f"descriptor {end} is not open for reading"))

    def test_copies_are_memory_of_their_own_or_say_that_they_are_not(self) -> None:
        table = shm.create(2, 2, name=NAME)
        write_row(table, 1, [7, 8])
        deep, shallow = copy.deepcopy(table), copy.copy(table)
        write_row(table, 0, [1, 2])
        self.assertEqual((type(deep), deep.tolist(), shallow.tolist()), (gantry.Table, [[0, 0], [7, 8]], [[1, 2], [7, 8]]))
        with self.assertRaisesRegex(TypeError, "^a Table cannot be pickled: its memory is this process's. A table of gantry.shm.create"):
            pickle.dumps(table[:1])

    def test_a_table_with_a_name(self) -> None:
        table = shm.create(2, 2, "float32", name=NAME)
        write_row(table, 1, [7, 8])
        self.assertEqual(shm.attach(NAME).tolist(), [[0, 0], [7, 8]])
        found = [segment for segment in shm.segments() if segment.name == NAME]
        self.assertEqual([(segment.creator, segment.creator_alive) for segment in found], [(os.getpid(), True)])
        self.assertNotIn(NAME, [segment.name for segment in shm.leftovers()])
        with self.assertRaises(errors.Error):
            shm.create(2, 2, name=NAME)
        table.unlink()
        self.assertEqual(table.tolist(), [[0, 0], [7, 8]])
        with self.assertRaises(errors.Error):
            shm.attach(NAME)
        with self.assertRaises(errors.Error):
            shm.unlink(NAME)

    def test_the_generation_counts_publications(self) -> None:
        table = shm.create(1, 1)
        other = shm.attach(table.fd)
        self.assertEqual((table.generation, table.publish(), other.publish(), table.generation), (0, 1, 2, 2))

    def test_what_is_expected_has_to_agree(self) -> None:
        table = shm.create(10, 4, "bfloat16")
        self.assertEqual(shm.attach(table.fd, rows=10, columns=4, dtype="bfloat16").shape, (10, 4))
        for wrong in ({"rows": 11}, {"columns": 3}, {"dtype": "float16"}):
            with self.assertRaises(errors.SegmentLayoutError) as caught:
                shm.attach(table.fd, **wrong)  # type: ignore[arg-type]
            self.assertGreater(len(str(caught.exception)), 20)

    def test_foreign_and_truncated_files(self) -> None:
        with tempfile.TemporaryFile() as file:
            with self.assertRaises(errors.SegmentError):
                shm.attach(file.fileno())
            file.write(b"x" * 8192)
            file.flush()
            with self.assertRaises(errors.SegmentLayoutError):
                shm.attach(file.fileno())
        table = shm.create(1000, 100)
        with tempfile.TemporaryFile() as file:
            with open(f"/proc/self/fd/{table.fd}", "rb") as source:
                file.write(source.read(8192))
            file.flush()
            with self.assertRaises(errors.SegmentTruncated):
                shm.attach(file.fileno())

    def test_numbers_and_names_that_are_refused(self) -> None:
        for rows, columns in ((-1, 2), (2, -1), ("a", 2), (1.5, 2)):
            with self.assertRaises(errors.InvalidArgument):
                shm.create(rows, columns)  # type: ignore[arg-type]
        with self.assertRaises(errors.Error):
            shm.create(1 << 50, 1 << 10)
        with self.assertRaises(errors.Error):
            shm.create(4, 4, row_stride=3)
        for name in ("", "no-slash", "/other", "/gantry-a/b", "/gantry-" + "x" * 300, "/gantry-\0", 7, None):
            with self.assertRaises(errors.Error, msg=repr(name)):
                shm.attach(name) if isinstance(name, str) else shm.unlink(name)  # type: ignore[arg-type]
        for descriptor in (-1, 1 << 40, 1.5, None):
            with self.assertRaises(errors.InvalidArgument, msg=repr(descriptor)):
                shm.attach(descriptor)  # type: ignore[arg-type]
        with self.assertRaises(errors.Error):
            shm.attach(999_999)
        with self.assertRaises(errors.InvalidArgument):
            shm.attach("/gantry-x", dtype="float31")

    def test_more_than_there_is(self) -> None:
        space = os.statvfs("/dev/shm")
        with self.assertRaises(errors.SegmentSpaceError) as caught:
            shm.create(space.f_blocks * space.f_frsize // 4 + 1, 1024, "float32", name=NAME)
        self.assertRegex(str(caught.exception), r"\d")
        self.assertNotIn(NAME, [segment.name for segment in shm.segments()])


class ReadOnly(unittest.TestCase):
    def setUp(self) -> None:
        self.table = shm.create(4, 2)
        self.view = shm.attach(self.table.fd, read_only=True)

    def test_reads_and_refused_writes(self) -> None:
        write_row(self.table, 3, [1, 2])
        self.assertTrue(self.view.read_only)
        self.assertEqual(gantry.gather(self.view, gantry.array([3])).tolist(), [[1, 2]])
        rows, indices = gantry.zeros((1, 2)), gantry.array([0])
        for write in (
            lambda: gantry.scatter(self.view, indices, rows), lambda: gantry.scatter_add(self.view, indices, rows),
            lambda: gantry.gather(self.table, gantry.array([0] * 4), self.view), lambda: gantry.copy(self.table, self.view),
        ):  # fmt: skip
            with self.assertRaisesRegex(errors.ReadOnly, "read-only"):
                write()
        self.assertTrue(self.view.buffer().readonly)
        with self.assertRaises(TypeError):
            self.view.buffer()[0, 0] = 1

    def test_the_pages_themselves_are_protected(self) -> None:
        code = f"""
import ctypes, faulthandler
from gantry import shm
table = shm.attach({self.table.fd}, read_only=True)
ctypes.memset(table.address, 1, 1)
"""
        environment = {**os.environ, "PYTHONPATH": ROOT}
        done = subprocess.run(
            [sys.executable, "-c", code], pass_fds=[self.table.fd], env=environment, stderr=subprocess.DEVNULL, timeout=60, check=False
        )
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertEqual(self.table.tolist()[0], [0, 0])


class Processes(unittest.TestCase):
    def test_another_program_attaches_by_descriptor(self) -> None:
        table = shm.create(3, 2)
        code = f"""
import gantry
table = gantry.shm.attach({table.fd}, dtype="float32")
gantry.scatter(table, gantry.array([2]), gantry.array([[3, 4]], "float32"))
print(table.publish())
"""
        environment = {**os.environ, "PYTHONPATH": ROOT}
        done = subprocess.run(
            [sys.executable, "-c", code], pass_fds=[table.fd], env=environment, stdout=subprocess.PIPE, timeout=60, check=True
        )
        self.assertEqual(done.stdout, b"1\n")
        self.assertEqual((table.tolist(), table.generation), ([[0, 0], [0, 0], [3, 4]], 1))

    def test_multiprocessing_passes_tables_on(self) -> None:
        for method in ("spawn", "fork", "forkserver"):
            context = multiprocessing.get_context(method)
            table = shm.create(2, 2)
            process = context.Process(target=write_row, args=(table, 1, [1.5, 2.5]))
            process.start()
            process.join(60)
            self.assertEqual((process.exitcode, table.tolist(), table.generation), (0, [[0, 0], [1.5, 2.5]], 1), method)

    def test_read_only_is_passed_on(self) -> None:
        table = shm.create(2, 2)
        view = shm.attach(table.fd, read_only=True)
        process = multiprocessing.get_context("spawn").Process(target=write_row, args=(view, 1, [1, 2]))
        stderr = os.dup(2)
        with open(os.devnull, "w") as quiet:
            os.dup2(quiet.fileno(), 2)
            try:
                process.start()
                process.join(60)
            finally:
                os.dup2(stderr, 2)
                os.close(stderr)
        self.assertEqual((process.exitcode, table.tolist()), (1, [[0, 0], [0, 0]]))

    def test_queues_pass_tables_on(self) -> None:
        context = multiprocessing.get_context("spawn")
        queue = context.JoinableQueue()
        process = context.Process(target=answer, args=(queue,))
        process.start()
        table = shm.create(2, 2)
        queue.put(table)
        queue.join()
        process.join(60)
        self.assertEqual(table.tolist(), [[5, 6], [0, 0]])

    def test_what_a_killed_process_leaves_behind_is_listed(self) -> None:
        name = f"{NAME}-left"
        done = child(
            f"""
import os, signal
from gantry import shm
table = shm.create(10, 10, name={name!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
        )
        self.assertEqual(done.returncode, -signal.SIGKILL)
        try:
            found = [segment for segment in shm.leftovers() if segment.name == name]
            self.assertEqual([(segment.creator_alive, segment.bytes >= 400) for segment in found], [(False, True)])
            check = gantry.doctor()["shm.leftovers"]  # type: ignore[operator]
            self.assertEqual(check.status, "warn")
            self.assertIn(name, check.text)
        finally:
            shm.unlink(name)
        self.assertNotIn(name, [segment.name for segment in shm.segments()])


if __name__ == "__main__":
    unittest.main()
