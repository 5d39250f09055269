"""The Pythons with torch that the tests are run with."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import unittest
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

VARIABLE = "GANTRY_TEST_TORCHES"
RUN_TESTS = Path(__file__).parents[1] / "run_tests.py"
_PROBE = """
import json, warnings
warnings.simplefilter("ignore")
import torch
print(json.dumps({"version": torch.__version__, "git": str(torch.version.git_version)}))
"""


class TorchPython(NamedTuple):
    python: str  # an executable; a script that sets up an environment is one too
    version: str
    git: str

    @property
    def label(self) -> str:
        return "torch_" + "".join(c if c.isalnum() else "_" for c in self.version)

    @property
    def release(self) -> "tuple[int, int]":
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)


def run(python: str, arguments: List[str], timeout: float = 120, environment: Optional[Dict[str, str]] = None) -> Any:
    return subprocess.run([python, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, check=False, universal_newlines=True, env={**os.environ, **(environment or {})})


@functools.lru_cache(maxsize=None)
def torches() -> "tuple[TorchPython, ...]":
    """Raises SkipTest when GANTRY_TEST_TORCHES names none, and AssertionError for one that has no torch."""
    named = [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]
    if not named:
        raise unittest.SkipTest(f"{VARIABLE} names no Python that has torch (executables, separated by {os.pathsep!r})")
    found = []
    for python in named:
        done = run(python, ["-c", _PROBE])
        if done.returncode != 0:
            raise AssertionError(f"{VARIABLE} names {python}, and torch cannot be imported there: {done.stderr.strip()[-500:]}")
        found.append(TorchPython(python, **json.loads(done.stdout.strip().splitlines()[-1])))
    return tuple(found)
