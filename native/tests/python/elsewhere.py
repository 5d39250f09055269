"""Runs a file of tests under the Pythons that have a torch."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from typing import NoReturn

VARIABLE = "GANTRY_TEST_TORCHES"


def run_under_torches(file: str) -> NoReturn:
    """Ends the process with 1 when the file's tests fail under one of the Pythons of GANTRY_TEST_TORCHES, else with 0; raises SkipTest
    when none is named."""
    pythons = [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]
    if not pythons:
        raise unittest.SkipTest(f"torch is not installed for this Python, and {VARIABLE} names no other")
    runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_tests.py")
    others = {name: value for name, value in os.environ.items() if name != VARIABLE}
    sys.stdout.flush()
    sys.exit(any([subprocess.run([python, runner, os.path.abspath(file)], env=others, check=False).returncode != 0 for python in pythons]))
