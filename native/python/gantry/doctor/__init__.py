"""`gantry.doctor()` and `python -m gantry.doctor`: what is installed, what works, what is missing, and what to do about it.

The module itself can be called: `report = gantry.doctor(); report.exit_code; report["cuda"].text`. Nothing is changed, and torch is
not imported into the process.
"""

from __future__ import annotations

import sys
import types

from .report import FAIL, OK, SKIP, WARN, Check, Report

__all__ = ["FAIL", "OK", "SKIP", "WARN", "Check", "Report", "report"]


def report(import_torch: bool = False) -> Report:
    """Runs every check. `import_torch`: also import torch in a child process, which takes seconds."""
    from . import checks

    return checks.run(import_torch)


class _Module(types.ModuleType):
    def __call__(self, import_torch: bool = False) -> Report:
        return report(import_torch)


sys.modules[__name__].__class__ = _Module
