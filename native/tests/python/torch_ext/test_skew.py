"""Builds of one torch in the process of another, for every pair of GANTRY_TEST_TORCHES."""

from __future__ import annotations

import functools
import json
import unittest
from typing import Any, Dict

from torches import TorchPython, run, torches

# Loads a file and says what came of it, as JSON on the last line.
_LOAD = """
import json, sys, warnings
warnings.simplefilter("ignore")
import torch
from gantry import torch_ext
try:
    extension = torch_ext.load(sys.argv[1], path=sys.argv[2])
    table = torch.arange(12, dtype=torch.float32).reshape(4, 3)
    found = extension.gather(table, torch.tensor([3, 1, 3]))
    answer = {"loaded": True, "rows": found.tolist()}
except torch_ext.TorchExtensionError as error:
    answer = {"loaded": False, "kind": type(error).__name__, "reason": error.reason, "text": str(error)}
print(json.dumps(answer))
"""
STABLE = (2, 10)


class Skew(unittest.TestCase):
    @functools.lru_cache(maxsize=None)
    def build(self, torch: TorchPython, flavour: str) -> str:
        done = run(torch.python, ["-m", "gantry.torch_ext", "build", "--flavour", flavour, "--json"], timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = json.loads(done.stdout)["results"][0]
        self.assertEqual((result["status"], result["torch"]), ("ok", torch.version))
        return str(result["path"])

    def load(self, torch: TorchPython, flavour: str, path: str, **environment: str) -> Dict[str, Any]:
        done = run(torch.python, ["-c", _LOAD, flavour, path], timeout=300, environment=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer: Dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return answer

    def classic(self, built: TorchPython, running: TorchPython) -> None:
        path = self.build(built, "classic")
        answer = self.load(running, "classic", path)
        self.assertEqual((answer["loaded"], answer["kind"]), (False, "Refused"), answer)
        sentence = (f"it was built against torch {built.version} ({built.git[:12]}), running torch is {running.version} "
                    f"({running.git[:12]}). C++ extensions are only valid for the torch they were compiled with.")
        self.assertTrue(answer["text"].startswith(f"gantry: refusing to load {path}: "), answer["text"])
        self.assertIn(sentence, answer["text"])
        self.assertIn("Rebuild: python -m gantry.torch_ext build --flavour classic (or use the stable flavour, or none).",
                      answer["text"])
        answer = self.load(running, "classic", path, GANTRY_ALLOW_SKEW="1")
        if built.release < (2, 0) <= running.release or running.release < (2, 0) <= built.release:
            self.assertEqual(answer["loaded"], False, answer)
        elif not answer["loaded"]:
            # Whether it works is luck; when it does not, the child process shows it and this one goes on.
            self.assertEqual(answer["kind"], "LoadFailed", answer)

    def stable(self, built: TorchPython, running: TorchPython) -> None:
        answer = self.load(running, "stable", self.build(built, "stable"))
        if running.release >= STABLE:
            self.assertEqual(answer, {"loaded": True, "rows": [[9, 10, 11], [3, 4, 5], [9, 10, 11]]})
        else:
            self.assertEqual((answer["loaded"], answer["reason"]), (False, "torch-too-old"), answer)
            self.assertIn("the stable flavour needs torch 2.10 or later", answer["text"])

    def too_old(self, torch: TorchPython) -> None:
        for command in ("build", "check"):
            done = run(torch.python, ["-m", "gantry.torch_ext", command, "--flavour", "stable", "--json"])
            self.assertEqual(done.returncode, 1)
            self.assertEqual(json.loads(done.stdout)["results"][0]["reason"], "torch-too-old")


def _add(name: str, method: str, *torches: TorchPython) -> None:
    setattr(Skew, f"test_{name}", lambda self: getattr(self, method)(*torches))


for _built in torches():
    for _running in torches():
        if _built != _running:
            _add(f"classic_of_{_built.label}_in_{_running.label}", "classic", _built, _running)
            if _built.release >= STABLE:
                _add(f"stable_of_{_built.label}_in_{_running.label}", "stable", _built, _running)
    if _built.release < STABLE:
        _add(f"stable_with_{_built.label}", "too_old", _built)
if len(torches()) < 2:
    raise unittest.SkipTest("GANTRY_TEST_TORCHES names one torch: skew needs two")
