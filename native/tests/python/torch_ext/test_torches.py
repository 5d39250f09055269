"""The files in inside/, run by each Python of GANTRY_TEST_TORCHES: that Python has the torch, and this one need not."""

from __future__ import annotations

import unittest
from pathlib import Path

from torches import RUN_TESTS, run, torches

INSIDE = Path(__file__).parent / "inside"


class Inside(unittest.TestCase):
    def check(self, python: str, name: str) -> None:
        done = run(python, [str(RUN_TESTS), str(INSIDE / f"test_{name}.py")], timeout=900)
        text = done.stdout + done.stderr
        skipped = [line for line in text.splitlines() if line.startswith("skipped: ")]
        print("\n".join(skipped))
        if done.returncode == 77:
            self.skipTest("; ".join(skipped))
        self.assertEqual(done.returncode, 0, text[-20000:])
        self.assertRegex(text, r"Ran [1-9]\d* tests? in ")


for _name in ("ops", "derivatives", "environment", "loading", "cpp_extension"):
    for _torch in torches():

        def _test(self: Inside, python: str = _torch.python, name: str = _name) -> None:
            self.check(python, name)

        setattr(Inside, f"test_{_name}_{_torch.label}", _test)

