"""A torch that is none: headers and libraries just large enough for the builder and the checks, with the real compiler. A build
takes a tenth of a second, and what goes wrong can be arranged."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple
from unittest import mock

from gantry.torch_ext import _recipe, _sources
from gantry.torch_ext._recipe import Recipe
from gantry.torch_ext._torch import Torch

_HEADERS = {
    "torch/headeronly/version.h": "#define TORCH_VERSION_MAJOR {0}\n#define TORCH_VERSION_MINOR {1}\n#define TORCH_VERSION_PATCH {2}\n",
    "torch/version.h": "#include <torch/headeronly/version.h>\n",
    "torch/library.h": "",
    "torch/csrc/stable/library.h": "",
}
_SOURCE = """
#include <torch/library.h>
#include "gantry/gantry.h"
extern "C" void toy_of_torch();
extern "C" __attribute__((visibility("default"))) int toy() {{ toy_of_torch(); return {flavour}; }}
"""

_compiled: Dict[Tuple[str, ...], str] = {}


def compiler() -> str:
    """A compiler, or the reason to skip."""
    found = shutil.which("c++") or shutil.which("g++")
    if found is None:
        raise unittest.SkipTest("there is no C++ compiler (c++ or g++)")
    return found


class Toy:
    """A folder with a torch, sources and a cache, for one test."""

    def __init__(self, case: unittest.TestCase) -> None:
        self.case = case
        self.folder = Path(tempfile.mkdtemp(prefix="gantry-toy-"))
        case.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cache = self.folder / "cache"
        self.compiler = compiler()
        self.environment({"GANTRY_CACHE_DIR": str(self.cache), "CXX": self.compiler, "CXXFLAGS": ""})
        real = _sources.find()
        self.sources = self.folder / "sources"
        for flavour in _recipe.FLAVOURS:
            for name, path in real.files(flavour).items():
                target = self.sources / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            (self.sources / f"gantry_torch_{flavour}.cpp").write_text(_SOURCE.format(flavour=len(flavour)))
        self.environment({"GANTRY_TORCH_SOURCES": str(self.sources)})

    def environment(self, values: Dict[str, str]) -> None:
        patch = mock.patch.dict(os.environ, values)
        patch.start()
        self.case.addCleanup(patch.stop)

    def torch(self, version: str = "2.13.0+cpu", git: str = "cf30153c4c131c8164ee7798e5022d810682e2cb", name: str = "torch",
              sonames: str = "lib{}.so", **other: Any) -> Torch:
        folder = self.folder / name
        numbers = version.split("+")[0].split(".")
        for header, text in _HEADERS.items():
            path = folder / "include" / header
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(*numbers))
        (folder / "lib").mkdir(exist_ok=True)
        for library, body in (("c10", ""), ("torch_cpu", 'extern "C" void toy_of_torch() {}')):
            self.shared_library(folder / "lib" / f"lib{library}.so", body, ["-Wl,-soname," + sonames.format(library)])
        facts: Dict[str, Any] = {
            "version": version, "git": git, "cuda": "", "hip": "", "cxx11_abi": 1, "cxx_standard": 17, "folder": str(folder),
            "python": "cpython-311-x86_64-linux-gnu", "machine": os.uname().machine,
        }
        return Torch(**{**facts, **other})

    def shared_library(self, path: Path, text: str, options: List[str]) -> Path:
        """Compiled once in a process, and copied."""
        if (text, *options) not in _compiled:
            folder = tempfile.mkdtemp(prefix="gantry-toy-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            made = os.path.join(folder, "library.so")
            subprocess.run([self.compiler, "-shared", "-fPIC", "-x", "c++", "-", "-o", made, *options], input=text.encode(),
                           check=True, timeout=60)
            _compiled[(text, *options)] = made
        shutil.copyfile(_compiled[(text, *options)], path)
        return path

    def recipe(self, flavour: str = "stable", **torch: Any) -> Recipe:
        return _recipe.recipe(flavour, self.torch(**torch))

    def script(self, name: str, text: str) -> str:
        """An executable shell script: a compiler that misbehaves. $REAL is the real one."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\nREAL={self.compiler}\n{text}\n")
        path.chmod(0o755)
        return str(path)

    def names(self) -> List[str]:
        """What is in the cache, keys cut to their first six digits."""
        folder = self.cache / "torch_ext"
        return sorted(name[:6] + name[64:] for name in os.listdir(folder)) if folder.is_dir() else []


VERSION = 'if [ "$1" = --version ]; then exec $REAL --version; fi'

# In another process: builds what the environment says and prints whether it compiled.
CHILD = """
import sys
sys.path[:0] = {path!r}
from gantry.torch_ext import _recipe, _builder
from gantry.torch_ext._torch import Torch
entry, compiled = _builder.build(_recipe.recipe("stable", Torch(**{torch!r})))
print("compiled" if compiled else "found", entry.path)
"""


def child(recipe: "object", **options: object) -> "subprocess.Popen[bytes]":
    code = CHILD.format(path=sys.path, torch=recipe.torch.as_dict())  # type: ignore[attr-defined]
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)  # type: ignore


def wait_for(condition: "object", what: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not happen within {seconds} s")
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """A process that has ended and was not yet waited for is not alive."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
