"""torch's own just-in-time builder with the same sources: that they compile there too, and why Gantry has a builder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import torch
from flavours import equal
from gantry import stamp
from gantry.torch_ext import Extension, _recipe, _sources, _torch


class CppExtension(unittest.TestCase):
    def setUp(self) -> None:
        if _torch.running().release < (2, 10):
            self.skipTest(f"torch {torch.__version__} has no stable flavour; the classic one takes half a minute there")
        if shutil.which("ninja") is None:
            self.skipTest("torch.utils.cpp_extension needs ninja")
        try:
            from torch.utils import cpp_extension
        except ImportError as error:
            self.skipTest(f"torch.utils.cpp_extension cannot be imported: {error}")
        self.cpp_extension = cpp_extension
        self.folder = Path(tempfile.mkdtemp(prefix="gantry-cpp-extension-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def load(self) -> str:
        recipe = _recipe.recipe("stable", _torch.running())
        sources = _sources.find()
        (self.folder / "abiding_stamp_values.h").write_text(recipe.stamp_values("cd" * 32))
        with mock.patch.dict(os.environ, {"CXX": recipe.compiler.command[0]}):
            self.cpp_extension.load(
                "gantry_torch_jit", recipe.sources.compiled("stable"), build_directory=str(self.folder), is_python_module=False,
                extra_cflags=["-DTORCH_TARGET_VERSION=0x020a000000000000", "-DGANTRY_TORCH_NAMESPACE=gantry_stable_cdcdcdcd"],
                extra_include_paths=[str(self.folder), sources.folder, sources.include])
        return str(self.folder / "gantry_torch_jit.so")

    def test_the_sources_compile_there_and_torchs_headers_are_no_dependency(self) -> None:
        path = self.load()
        self.assertEqual((stamp.read(path) or {})["torch.version"], torch.__version__)
        extension = Extension("stable", path)
        equal(self, extension.gather(torch.eye(3), torch.tensor([2])), torch.tensor([[0.0, 0.0, 1.0]]))
        deps = subprocess.run(["ninja", "-t", "deps"], cwd=self.folder, stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode()
        self.assertIn("gantry_torch_ops.h", deps)
        self.assertEqual([line for line in deps.splitlines() if f"{os.sep}torch{os.sep}include{os.sep}" in line], [],
                         "a torch that is exchanged under the same path would now be seen: the claim in the docs has to go")


if __name__ == "__main__":
    unittest.main()
