"""Torch is never found by CMake: no file of the build names it as something to look for, and configuring works where every way to
torch fails loudly."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CMAKE = os.environ.get("GANTRY_TEST_CMAKE", "cmake")
SEEKS = re.compile(
    r"find_package\(\s*(Torch|Caffe2|ATen|c10)|find_library\([^)]*\b(torch|c10)|import torch|torch\.utils|CMAKE_PREFIX_PATH.*torch",
    re.IGNORECASE,
)


class WithoutTorchTest(unittest.TestCase):
    def test_no_file_of_the_build_looks_for_torch(self) -> None:
        files = [path for path in SOURCE.rglob("*") if path.name == "CMakeLists.txt" or path.suffix in (".cmake", ".in")]
        files = [path for path in files if "build" not in path.relative_to(SOURCE).parts[:1]] + [SOURCE / "CMakePresets.json"]
        self.assertGreater(len(files), 10)
        self.assertTrue(SEEKS.search("  find_package(Torch REQUIRED)"))
        self.assertTrue(SEEKS.search('execute_process(COMMAND python -c "import torch")'))
        found = [f"{path.relative_to(SOURCE)}: {match[0]}" for path in files for match in SEEKS.finditer(path.read_text("utf-8"))]
        self.assertEqual(found, [])

    def test_configuring_where_torch_cannot_be_used(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trap = Path(folder) / "trap"
            (trap / "torch").mkdir(parents=True)
            (trap / "torch" / "__init__.py").write_text(
                f"open({str(trap / 'imported')!r}, 'w').close()\nraise ImportError('torch was imported')\n"
            )
            config = trap / "share" / "cmake" / "Torch"
            config.mkdir(parents=True)
            (config / "TorchConfig.cmake").write_text('message(FATAL_ERROR "torch was looked for")\n')
            result = subprocess.run(
                [CMAKE, "-G", "Ninja", "-S", str(SOURCE), "-B", str(Path(folder) / "build"), "-DGANTRY_CUDA=OFF",
                 f"-DCMAKE_PREFIX_PATH={trap}", f"-DTorch_DIR={config}"],
                env={**os.environ, "PYTHONPATH": str(trap)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
            )  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertNotIn("torch was", result.stdout)
            self.assertFalse((trap / "imported").exists())
            # CMake says of a variable that was given whether anything read it.
            self.assertRegex(result.stdout, r"(?s)Manually-specified variables were not used by the project:.*Torch_DIR")


if __name__ == "__main__":
    unittest.main()
