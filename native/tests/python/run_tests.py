"""Runs one file of unittest tests for CTest: every skipped test is named with its reason, and a file of which nothing ran ends
with 77, CTest's code for "skipped"."""

from __future__ import annotations

import importlib.util
import os
import sys
import unittest

SKIPPED = 77


def load(path: str) -> unittest.TestSuite:
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except unittest.SkipTest as reason:
        print(f"skipped: {name}: {reason}")
        sys.exit(SKIPPED)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def main(path: str) -> int:
    suite = load(path)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if result.testsRun == 0:
        print(f"{path} has no tests")
        return 1
    if not result.wasSuccessful():
        return 1
    return SKIPPED if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
