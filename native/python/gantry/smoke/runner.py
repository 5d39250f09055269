"""Runs smoke tests here and in a child process, and reports them."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import re
import subprocess
import sys
import time
from typing import Any, Dict, Iterable, List, Optional, Sequence

from . import cuda_tests, gpu_tests, library_tests, memory_tests, op_tests, process_tests, tensor_tests, torch_tests  # noqa: F401
from .registry import FAIL, GPU, HERE, PASS, SKIP, TESTS, TORCH, Result, Skipped, Test, path

SCHEMA = 1
JIT_VARIABLE = "GANTRY_SMOKE_JIT"
_CHILD_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Report:
    version: str
    binding: str
    milliseconds: float
    results: List[Result]

    @property
    def exit_code(self) -> int:
        """0 when no test failed, else 1."""
        return 1 if any(result.status == FAIL for result in self.results) else 0

    def __getitem__(self, identity: str) -> Result:
        for result in self.results:
            if result.id == identity:
                return result
        raise KeyError(identity)

    def counts(self) -> Dict[str, int]:
        return {status: sum(result.status == status for result in self.results) for status in (PASS, FAIL, SKIP)}

    def to_dict(self) -> Dict[str, Any]:
        """As schema/smoke.schema.json describes."""
        return {
            "schema": SCHEMA,
            "tool": "gantry.smoke",
            "version": self.version,
            "binding": self.binding,
            "python": platform.python_version(),
            "status": FAIL if self.exit_code else PASS,
            "exit_code": self.exit_code,
            "milliseconds": round(self.milliseconds, 1),
            "counts": self.counts(),
            "tests": [dataclasses.asdict(result) for result in self.results],
        }

    def to_text(self) -> str:
        counts = self.counts()
        lines = [line_of(result) for result in self.results]
        lines.append(
            f"{len(self.results)} tests in {self.milliseconds / 1000:.1f} s with the binding {self.binding}: {counts[PASS]} passed, "
            f"{counts[FAIL]} failed, {counts[SKIP]} skipped"
        )
        return "\n".join(lines)


def line_of(result: Result) -> str:
    return f"{result.status}  {result.id}  {result.milliseconds:6.0f} ms  {result.name}: {result.text}"


def run_one(test: Test) -> Result:
    """A test in this process; whatever it raises is its result."""
    started = time.perf_counter()
    try:
        status, text = PASS, test.run()
    except Skipped as reason:
        status, text = SKIP, str(reason)
    except Exception as error:
        status = FAIL
        text = str(error) if isinstance(error, AssertionError) and str(error) else f"{type(error).__name__}: {error}"
    return Result(test.id, test.name, status, round((time.perf_counter() - started) * 1000, 3), text)


def _skipped(tests: Iterable[Test], reason: str) -> List[Result]:
    return [Result(test.id, test.name, SKIP, 0.0, reason) for test in tests]


def _in_child(tests: Sequence[Test], jit: bool) -> List[Result]:
    """Tests in one process that imports torch. What has no result when that process ends has failed."""
    command = [sys.executable, "-m", "gantry.smoke.child", *(test.id for test in tests)]
    environment = {**os.environ, "PYTHONPATH": path(), JIT_VARIABLE: "1" if jit else "0"}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=_CHILD_SECONDS, check=False,
        )  # fmt: skip
        printed, code, errors = done.stdout, done.returncode, done.stderr.strip().splitlines()
    except subprocess.TimeoutExpired as error:
        partial = error.stdout or b""
        printed = partial.decode(errors="replace") if isinstance(partial, bytes) else partial
        code, errors = None, [f"longer than {_CHILD_SECONDS} seconds"]
    found: Dict[str, Result] = {}
    for line in printed.splitlines():
        if line.startswith("{"):
            result = Result(**json.loads(line))
            found[result.id] = result
    how = "took too long" if code is None else f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    lost = f"the process that runs the tests with torch {how}: {errors[-1] if errors else 'it printed no error'}"
    return [found.get(test.id) or Result(test.id, test.name, FAIL, 0.0, lost) for test in tests]


def _without_torch(tests: List[Test]) -> Optional[List[Result]]:
    from ..doctor import torch_probe

    if torch_probe.folder() is None:
        return _skipped(tests, "torch is not installed for this Python")
    return None


def _gpu_reason() -> Optional[str]:
    """Why no test with a GPU can run; None when they can."""
    from .. import backend

    try:
        seen = backend("cuda")
    except Exception as error:
        return f"the CUDA backend was not asked: {error}"
    if seen.available:
        return None
    first = re.split(r"(?<=[.)]) (?=[A-Z])", seen.text, maxsplit=1)[0].rstrip(".")
    return f"{first} ({seen.reason.replace('GANTRY_REASON_', '')})"


def run(only: Sequence[str] = (), jit: bool = False) -> Report:
    """The tests of these ids, or all. `jit`: also compile what takes longer than a few seconds."""
    from .. import __version__, binding

    unknown = sorted(set(only) - set(TESTS))
    if unknown:
        raise KeyError(f"there is no smoke test {', '.join(unknown)}")
    chosen = [TESTS[identity] for identity in sorted(TESTS) if not only or identity in only]
    started = time.perf_counter()
    results = {test.id: run_one(test) for test in chosen if test.place == HERE}
    elsewhere = [test for test in chosen if test.place == TORCH]
    gpu = [test for test in chosen if test.place == GPU]
    reason = _gpu_reason() if gpu else None
    if reason:
        results.update({result.id: result for result in _skipped(gpu, reason)})
    else:
        elsewhere += gpu
    if elsewhere:
        outcome = _without_torch(elsewhere) or _in_child(elsewhere, jit)
        results.update({result.id: result for result in outcome})
    elapsed = (time.perf_counter() - started) * 1000
    try:
        name = binding()
    except Exception:
        name = os.environ.get("GANTRY_BINDING") or "ctypes"
    return Report(__version__, name, elapsed, [results[test.id] for test in chosen])
