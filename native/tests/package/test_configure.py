"""What a configuration says of settings that cannot be."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
CMAKE = os.environ.get("GANTRY_TEST_CMAKE", "cmake")
SMALL = ("-DGANTRY_TESTS=OFF", "-DGANTRY_BENCHMARKS=OFF", "-DGANTRY_PYTHON=OFF")
# With a GPU nvcc is silent; without one it warns, compiles for another, and ends with 0.
NVCC = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -arch=native) echo "nvcc warning : Cannot find valid GPU for '-arch=native', default arch is used" >&2 ;;
    -o) : > "$2" ;;
  esac
  shift
done
"""


class ConfigureTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.nvcc = self.folder / "nvcc"
        self.nvcc.write_text(NVCC)
        self.nvcc.chmod(0o755)

    def configure(self, *options: str, source: Path = SOURCE, fails: bool = False) -> str:
        """What CMake says, blanks and ends of lines as one blank."""
        build = self.folder / "build"
        shutil.rmtree(build, ignore_errors=True)
        result = subprocess.run(
            [CMAKE, "-G", "Ninja", "-S", str(source), "-B", str(build), *SMALL, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=300, check=False, text=True,
        )  # fmt: skip
        self.assertEqual(result.returncode != 0, fails, result.stdout)
        return re.sub(r"\s+", " ", result.stdout)

    def test_architectures_that_are_none(self) -> None:
        cmake = re.search(r"\d+(\.\d+)+", subprocess.run([CMAKE, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout)
        assert cmake is not None
        newer = [("100f-real", f'CMake {cmake[0]} does not know "100f-real"')] if cmake[0].startswith("3.") else []
        for architectures, reason in (
            *newer,
            ("banana", '"banana" is no architecture'),
            ("90-real;banana", '"banana" is no architecture'),
            ("90-really", '"90-really" is no architecture'),
            ("90;native", '"native" is no architecture'),
            ("native", "nvcc warning : Cannot find valid GPU for '-arch=native', default arch is used"),
            ("", "GANTRY_CUDA_ARCHITECTURES is empty"),
        ):
            with self.subTest(architectures):
                options = (f"-DCMAKE_CUDA_COMPILER={self.nvcc}", f"-DGANTRY_CUDA_ARCHITECTURES={architectures}")
                sentence = f'{self.nvcc} does not compile a kernel for "{architectures}": {reason}'
                self.assertIn(f"leaves out CUDA backend: {sentence}", self.configure(*options))
                output = self.configure(*options, "-DGANTRY_CUDA=ON", fails=True)
                self.assertIn(f"GANTRY_CUDA is ON, and CUDA backend cannot be built: {sentence}", output)

    def test_sanitizers_that_exclude_each_other(self) -> None:
        for sanitizers in ("address,thread", "thread,undefined,leak"):
            output = self.configure(f"-DGANTRY_SANITIZE={sanitizers}", fails=True)
            self.assertIn(f'GANTRY_SANITIZE is "{sanitizers}": no compiler takes thread together with address or leak.', output)
        self.assertIn("sanitizers: thread,undefined;", self.configure("-DGANTRY_SANITIZE=thread,undefined"))

    def test_no_build_type(self) -> None:
        inside = ("-DHOW=subdirectory", f"-DGANTRY_SOURCE={SOURCE}", "-DGANTRY_CUDA=OFF")
        sentence = "no build type: the host kernels are compiled without optimisation"
        self.assertIn(sentence, self.configure(*inside, source=HERE / "consumer"))
        self.assertNotIn(sentence, self.configure(*inside, "-DCMAKE_BUILD_TYPE=Release", source=HERE / "consumer"))
        self.assertNotIn(sentence, self.configure("-DGANTRY_CUDA=OFF"))


if __name__ == "__main__":
    unittest.main()
