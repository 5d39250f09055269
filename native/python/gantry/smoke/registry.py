"""What a smoke test is, and the tools that tests share."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, NoReturn, Optional, Type

PASS = "pass"
FAIL = "fail"
SKIP = "skip"

HERE = "here"  # runs in the process of the runner
TORCH = "torch"  # runs in a child that imports torch, once for all tests of this kind
GPU = "gpu"  # as TORCH, when the CUDA backend can be used


@dataclasses.dataclass(frozen=True)
class Test:
    id: str
    name: str
    place: str
    run: Callable[[], str]


@dataclasses.dataclass(frozen=True)
class Result:
    id: str
    name: str
    status: str
    milliseconds: float
    text: str


class Skipped(Exception):
    """The test cannot run here; the text says why."""


TESTS: Dict[str, Test] = {}


def test(identity: str, name: str, place: str = HERE) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Registers a function as a smoke test. It returns what was checked, in one sentence; it raises Skipped, or anything else to
    fail."""

    def register(function: Callable[[], str]) -> Callable[[], str]:
        if identity in TESTS:
            raise ValueError(f"two smoke tests have the id {identity}")
        TESTS[identity] = Test(identity, name, place, function)
        return function

    return register


def skip(reason: str) -> NoReturn:
    raise Skipped(reason)


def equal(found: Any, wanted: Any, what: str) -> None:
    """Fails with both values."""
    if found != wanted:
        raise AssertionError(f"{what}: found {_short(found)}, wanted {_short(wanted)}")


def holds(condition: Any, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def raises(kind: Type[BaseException], call: Callable[[], Any], what: str) -> Any:
    """The exception that a call has to end with."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{what}: no {kind.__name__} was raised")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


def root() -> str:
    """The folder that holds the package."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def path() -> str:
    """PYTHONPATH of a child: this package, and whatever this process was given."""
    return os.pathsep.join(filter(None, [root(), os.environ.get("PYTHONPATH", "")]))


def child(
    code: str,
    *,
    python: Optional[str] = None,
    timeout: float = 60,
    pass_fds: Any = (),
    flags: Optional[List[str]] = None,
    variables: Optional[Dict[str, str]] = None,
) -> "subprocess.CompletedProcess[str]":
    """Runs code in a Python process of its own that finds this package."""
    environment = {**os.environ, "PYTHONPATH": path(), "PYTHONDONTWRITEBYTECODE": "1", **(variables or {})}
    return subprocess.run(
        [python or sys.executable, *(flags or []), "-c", code], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=timeout, pass_fds=pass_fds, check=False,
    )  # fmt: skip


def output(done: "subprocess.CompletedProcess[str]") -> str:
    """What a child printed; fails when it did not end well."""
    if done.returncode != 0:
        how = f"by signal {-done.returncode}" if done.returncode < 0 else f"with exit code {done.returncode}"
        lines = done.stderr.strip().splitlines()
        raise AssertionError(f"a child process ended {how}: {lines[-1] if lines else 'it printed no error'}")
    return done.stdout.strip()
