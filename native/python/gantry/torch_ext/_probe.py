"""The first load of a build happens in a child process: when it goes wrong there, this process has lost nothing."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional

from gantry import _library

from . import _cache
from ._cache import Entry
from ._errors import BuildFailed, LoadFailed
from ._torch import Torch

TIMEOUT = 180.0
_ANSWER = "gantry-torch-ext-answer "
_RUN = "import sys; sys.path[:] = {path!r}; from gantry.torch_ext import _probe; _probe.child({file!r}, {flavour!r})"


def _identity(path: str) -> List[Any]:
    found = os.stat(path)
    return [os.path.realpath(path), found.st_size, found.st_mtime_ns]


def condition(torch: Torch) -> str:
    """What the outcome of a trial depends on: another of these needs another trial."""
    facts = [torch.as_dict(), sys.executable, sys.version, _identity(torch.library("torch_cpu")),
             _identity(_library.load().path), os.environ.get("GANTRY_ALLOW_SKEW") == "1"]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def ensure(entry: Entry, torch: Torch) -> Dict[str, Any]:
    """The record of a trial that went well: the remembered one, or of a new child. LoadFailed with how the child ended."""
    key = condition(torch)
    remembered = entry.record.get("trials", {}).get(key)
    if isinstance(remembered, dict) and remembered.get("ok") is True:
        return remembered
    outcome = run(entry.path, entry.flavour)
    trials = {**entry.record.get("trials", {}), key: outcome}
    entry.record["trials"] = trials
    try:
        _cache.write_record(entry.folder, entry.record)
    except BuildFailed:
        outcome["remembered"] = False  # A cache that cannot be written costs a trial each time.
    if not outcome["ok"]:
        raise LoadFailed(outcome["text"], outcome.get("exit_code"), outcome.get("signal"))
    return outcome


def run(path: str, flavour: str, timeout: float = TIMEOUT) -> Dict[str, Any]:
    """Loads the file in a child and computes something there. Never raises for what the child does."""
    code = _RUN.format(path=sys.path, file=os.path.abspath(path), flavour=flavour)
    started = time.monotonic()
    try:
        done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return {"ok": False, "text": f"gantry: a trial load of {path} in a child process did not end within {timeout:.0f} s."}
    seconds = round(time.monotonic() - started, 3)
    answer = _answer(done.stdout.decode("utf-8", "replace"))
    if done.returncode == 0 and answer is not None and answer.get("ok") is True:
        return {"ok": True, "seconds": seconds}
    lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    said = answer["text"] if answer and "text" in answer else (lines[-1].strip() if lines else "it said nothing")
    result: Dict[str, Any] = {"ok": False, "exit_code": done.returncode, "seconds": seconds}
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name if -done.returncode in list(signal.Signals) else str(-done.returncode)
        result["signal"] = name
        said = " ".join(line.strip() for line in lines[-3:]) if lines else "it said nothing"
        ended = f"ended by {name}"
    else:
        ended = f"ended with exit code {done.returncode}"
    result["text"] = f"gantry: a trial load of {path} in a child process {ended}: {said} Nothing was loaded into this process."
    return result


def _answer(text: str) -> Optional[Dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith(_ANSWER):
            try:
                found = json.loads(line[len(_ANSWER):])
            except ValueError:
                return None
            return found if isinstance(found, dict) else None
    return None


def child(path: str, flavour: str) -> None:
    """In the child: loads, gathers, compares."""
    import torch

    from ._extension import Extension

    try:
        extension = Extension(flavour, path)
        table = torch.arange(12, dtype=torch.float32).reshape(4, 3)
        indices = torch.tensor([2, 0, 3, 3])
        found = extension.gather(table, indices)
        wanted = table.index_select(0, indices)
        if not torch.equal(found, wanted):
            raise ValueError(f"gather gave {found.tolist()}, and {wanted.tolist()} is right")
        answer: Dict[str, Any] = {"ok": True}
    except Exception as error:
        answer = {"ok": False, "text": f"{type(error).__name__}: {error}"}
    print(_ANSWER + json.dumps(answer), flush=True)
    if not answer["ok"]:
        sys.exit(1)
