"""The ABI stamp of a binary: what it was built with, read without loading it, and compared with what is here.

    stamp.read("libgantry.so")                      # {"name": "gantry", "cxx.cxx11_abi": "1", ...}, or None without a stamp
    stamp.check("ext.so", stamp.here())             # findings: what was built otherwise than what is here
    python -m gantry.stamp FILE [--check] [--json]

The format is described in docs/stamp.md. Standard library only; neither torch nor the library is loaded.
"""

from __future__ import annotations

from ._compare import FATAL, INFO, WARNING, Finding, check, refusal
from ._elf import StampError, machine
from ._here import here
from ._read import read
from ._text import parse

__all__ = [
    "FATAL", "INFO", "WARNING", "Finding", "StampError", "check", "here", "machine", "parse", "read", "refusal",
]  # fmt: skip
