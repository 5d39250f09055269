"""Which checks there are, and their order."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from . import extensions, library, system, torch_probe
from .report import FAIL, SKIP, Check, Report


def _guarded(identity: str, title: str, run: Callable[[], Check]) -> Check:
    """A check that fails in a way of its own is a finding, and no reason to leave the others out."""
    try:
        return run()
    except Exception as error:
        text = f"the check itself failed: {type(error).__name__}: {error}"
        return Check(identity, title, FAIL, text, "Please report it.", {"error": type(error).__name__})


def _with_library(identity: str, title: str, run: Callable[[], Check], usable: bool) -> Check:
    if not usable:
        return Check(identity, title, SKIP, "not checked: the library cannot be used, see the check of the library", "", {})
    return _guarded(identity, title, run)


def run(import_torch: bool) -> Report:
    """Every check. `import_torch`: also import torch, in a child process (seconds)."""
    from .. import __version__

    checks: List[Check] = [_guarded("library", "Library", library.found)]
    usable = checks[0].status != FAIL
    for identity, title, check in (
        ("stamp", "Build stamp", library.stamp),
        ("binding", "Binding", library.binding),
        ("context", "Host backend", library.context),
        ("compute", "Computation", library.compute),
        ("cuda", "CUDA backend", library.cuda),
        ("driver", "CUDA driver", library.driver),
    ):
        checks.append(_with_library(identity, title, check, usable))
    threads: Any = next((check.data.get("threads") for check in checks if check.id == "context"), None)
    checks += [
        _guarded("python", "Python", system.python),
        _guarded("torch", "PyTorch", lambda: torch_probe.check(import_torch)),
        _guarded("torch.extensions", "Torch extensions", extensions.check),
        _guarded("compiler", "C++ compiler", system.compiler),
        _guarded("nvcc", "CUDA compiler", system.nvcc),
        _guarded("cpus", "Processors", lambda: system.cpus(_count(threads))),
        _guarded("thp", "Transparent huge pages", system.huge_pages),
        _guarded("memlock", "Memory lock limit", system.memory_lock),
        _guarded("shm.size", "Shared memory", system.shared_memory),
        _with_library("shm.leftovers", "Shared tables", library.leftovers, usable),
    ]
    return Report(__version__, checks)


def _count(threads: Any) -> Optional[int]:
    return threads if isinstance(threads, int) else None
