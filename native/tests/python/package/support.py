"""What several test files need."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import unittest
from typing import Any, Dict, List, Tuple

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
