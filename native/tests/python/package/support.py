"""What several test files need."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import unittest
from typing import Any, Dict, List, NoReturn, Tuple

import gantry
from gantry import env

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(gantry.__file__)))
PATH = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH", "")]))  # torch may come from there
HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_NUMPY = importlib.util.find_spec("numpy") is not None


class Counting:
    """An allocator that knows which blocks are out, and fails at the wanted call."""

    def __init__(self, fail_at: int = 0, failure: BaseException = MemoryError("the test's allocator is empty")) -> None:
        self.fail_at, self.failure = fail_at, failure
        self.requests: List[env.Request] = []
        self.live: Dict[int, Tuple[Any, env.Request]] = {}
        self.returned: List[env.Request] = []

    def allocate(self, request: env.Request) -> int:
        self.requests.append(request)
        if len(self.requests) == self.fail_at:
            raise self.failure
        block = (ctypes.c_char * (request.bytes + request.alignment))()
        start = ctypes.addressof(block)
        address = start + -start % request.alignment
        self.live[address] = (block, request)
        return address

    def deallocate(self, request: env.Request, address: int) -> None:
        del self.live[address]
        self.returned.append(request)


def child(code: str, timeout: float = 60, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Runs Python code in a process of its own with the same package."""
    environment = {**os.environ, "PYTHONPATH": PATH, **variables}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, timeout=timeout, check=False,
    )  # fmt: skip


def run_elsewhere(file: str) -> NoReturn:
    """Runs a test file under the Pythons that GANTRY_TEST_TORCHES and GANTRY_TEST_TORCH_PYTHON name, which have torch; ends with their
    result, or raises SkipTest when none is named."""
    named = {path: None for name in ("GANTRY_TEST_TORCHES", "GANTRY_TEST_TORCH_PYTHON") for path in os.environ.get(name, "").split(os.pathsep)}
    pythons = [path for path in named if path]
    if not pythons:
        raise unittest.SkipTest("torch is not installed for this Python, and GANTRY_TEST_TORCHES names no other")
    runner = os.path.join(os.path.dirname(os.path.abspath(file)), "..", "run_tests.py")
    others = {name: value for name, value in os.environ.items() if not name.startswith("GANTRY_TEST_TORCH")}
    sys.stdout.flush()
    sys.exit(max(subprocess.run([python, runner, os.path.abspath(file)], env=others, check=False).returncode != 0 for python in pythons))
