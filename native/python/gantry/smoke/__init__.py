"""`gantry.smoke()` and `python -m gantry.smoke`: does Gantry work on this machine? It takes less than half a minute and does not
import torch into the process. The stable torch extension, where it can be compiled, stays in the cache of gantry.torch_ext.
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, List, Sequence, Tuple

if TYPE_CHECKING:
    from .runner import Report

__all__ = ["names", "run"]


def run(only: Sequence[str] = (), jit: bool = False) -> "Report":
    """Runs the tests of these ids ("S07"), or all. `jit`: also compile the extension that takes longer than a few seconds."""
    from . import runner

    return runner.run(only, jit)


def names() -> List[Tuple[str, str]]:
    """Every test's id and name."""
    from . import registry, runner  # noqa: F401: the runner brings the tests

    return [(identity, registry.TESTS[identity].name) for identity in sorted(registry.TESTS)]


class _Module(types.ModuleType):
    def __call__(self, only: Sequence[str] = (), jit: bool = False) -> "Report":
        return run(only, jit)


sys.modules[__name__].__class__ = _Module
