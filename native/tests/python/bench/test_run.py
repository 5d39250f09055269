"""The benchmarks run, check their own results, and write JSON that Google Benchmark's tools read. No figure is judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Dict, List

from document import check


def run(arguments: List[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False)


class Cpp(unittest.TestCase):
    def test_writes_json_with_the_stamp(self) -> None:
        program = os.environ.get("GANTRY_TEST_BENCHMARKS", "")
        if not program:
            self.skipTest("gantry_benchmarks was not built: no Google Benchmark")
        done = run([program, "--benchmark_filter=^one_row$|^one_block|gather/table:l2/row:64/uniform/i64/threads:1$",
                    "--benchmark_min_time=0.01", "--benchmark_repetitions=2", "--benchmark_format=json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        document: Dict[str, Any] = json.loads(done.stdout)
        check(self, document)
        self.assertEqual(document["context"]["stamp.name"], "gantry")
        gather = next(entry for entry in document["benchmarks"] if entry["name"].startswith("gather/") and entry["run_type"] == "iteration")
        self.assertEqual(gather["payload_bytes"], 64 << 20)
        self.assertGreater(gather["bytes_per_second"], 0)


class Python(unittest.TestCase):
    def setUp(self) -> None:
        pythons = [path for path in os.environ.get("GANTRY_TEST_TORCHES", "").split(os.pathsep) if path]
        if not pythons:
            self.skipTest("GANTRY_TEST_TORCHES names no Python that has a torch")
        self.python = pythons[0]

    def test_measures_and_writes_json(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "figures.json")
            done = run([self.python, "-m", "gantry.bench", "--filter", "^stamp$|^call/|table:l2/.*row:64/|^scatter_add/rows:2048/.*uniform",
                        "--repetitions", "2", "--least-seconds", "0.001", "--json", path])
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
        check(self, document)
        families = {entry["family_index"] for entry in document["benchmarks"]}
        self.assertEqual(len(families), 4)
        names = {entry["run_name"] for entry in document["benchmarks"]}
        self.assertIn("stamp/gantry.stamp.read/real_time", names)
        self.assertIn("call/rows:1/given_output/gantry.gather(out)/real_time", names)

    def test_arguments_are_refused_before_anything_is_measured(self) -> None:
        for arguments, text in ((["--filter", "("], "no regular expression"), (["--repetitions", "0"], "no number from 1"),
                                (["--threads", "-1"], "no number from 0"), (["--least-seconds", "nan"], "no number of seconds"),
                                (["--json", os.path.join(os.sep, "no", "such", "folder", "x")], "cannot be written")):
            done = run([self.python, "-m", "gantry.bench", *arguments])
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(text, done.stderr)

    def test_a_filter_that_finds_nothing(self) -> None:
        done = run([self.python, "-m", "gantry.bench", "--filter", "nothing like this"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--list shows them", done.stderr)


class WithoutTorch(unittest.TestCase):
    def test_says_that_torch_is_needed(self) -> None:
        done = run([sys.executable, "-c", "import sys; sys.modules['torch'] = None; from gantry.bench.__main__ import main; sys.exit(main([]))"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("this Python has none", done.stderr)


if __name__ == "__main__":
    unittest.main()
