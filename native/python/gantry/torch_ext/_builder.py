"""Compiles an extension into the cache: one command, a time limit, a log, and nothing half done left behind."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List, Optional, Tuple

from . import _cache
from ._cache import Entry
from ._check import verify_output
from ._errors import (
    CANCELLED,
    COMPILER_FAILED,
    COMPILER_KILLED,
    NO_COMPILER,
    NO_SPACE,
    TIMEOUT,
    BuildFailed,
)
from ._recipe import Recipe, check_headers, namespace

DEFAULT_TIMEOUT = 600.0
_ERROR = re.compile(r"(?:fatal error|error|undefined reference|cannot find -l)\b")
_NO_SPACE = re.compile(r"No space left on device|Disk quota exceeded")
_FIRST_ERRORS = 3


def build(recipe: Recipe, *, force: bool = False, timeout: float = DEFAULT_TIMEOUT,
          cancel: Optional[threading.Event] = None) -> Tuple[Entry, bool]:
    """The finished build, and whether this call compiled it. Of several processes that want the same one, one compiles and
    the others wait. `timeout` (seconds) is for the compiler, and for the wait each. BuildFailed with the reason otherwise."""
    key = recipe.key
    if not force:
        entry = _cache.find(key)
        if entry is not None:
            return entry, False
    check_headers(recipe.flavour, recipe.torch)
    _cache.make_root()
    with _cache.locked(key, timeout, cancel):
        _cache.remove_temporaries(key)
        if not force:
            entry = _cache.find(key)
            if entry is not None:
                return entry, False
        temporary = _cache.make_temporary(key)
        try:
            return _build_in(recipe, key, temporary, timeout, cancel), True
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _build_in(recipe: Recipe, key: str, temporary: str, timeout: float, cancel: Optional[threading.Event]) -> Entry:
    output = os.path.join(temporary, recipe.file_name)
    log = os.path.join(temporary, "build.log")
    scratch = os.path.join(temporary, "scratch")
    command = recipe.command(key, scratch, output)
    record: Dict[str, Any] = {
        "schema": _cache.SCHEMA, "key": key, "flavour": recipe.flavour, "namespace": namespace(recipe.flavour, key),
        "ingredients": recipe.ingredients(), "command": command, "time": time.time(),
    }
    try:
        os.mkdir(scratch)
        with open(os.path.join(scratch, "abiding_stamp_values.h"), "w", encoding="utf-8") as file:
            file.write(recipe.stamp_values(key))
        with open(log, "w", encoding="utf-8") as file:
            file.write(shlex.join(command) + "\n")
    except OSError as error:
        raise _cache.failure(error, temporary) from error
    try:
        record.update(_compile(command, scratch, log, timeout, cancel))
        shutil.rmtree(scratch, ignore_errors=True)
        try:
            with open(output, "rb") as file:
                data = file.read()
        except OSError as error:
            raise BuildFailed(COMPILER_FAILED, f"gantry: the compiler ended with 0 and wrote no {output}.") from error
        verify_output(output, recipe, key)
    except BuildFailed as error:
        raise _kept(error, record, key, temporary) from error
    record.update(file=recipe.file_name, size=len(data), sha256=hashlib.sha256(data).hexdigest())
    _cache.write_record(temporary, record)
    folder = _cache.publish(temporary, key)
    shutil.rmtree(os.path.join(_cache.root(), key + ".failed"), ignore_errors=True)
    return Entry(folder, record)


def _kept(error: BuildFailed, record: Dict[str, Any], key: str, temporary: str) -> BuildFailed:
    """The failure with its log at a place that stays."""
    text, lines = str(error), error.first_errors
    with contextlib.suppress(BuildFailed):
        _cache.write_record(temporary, {**record, "failure": {"reason": error.reason, "text": text}})
    for name in os.listdir(temporary):
        if name not in ("build.json", "build.log"):
            path = os.path.join(temporary, name)
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):
                os.unlink(path)
    try:
        folder = _cache.publish(temporary, key + ".failed")
    except BuildFailed:
        return error
    return BuildFailed(error.reason, text.split("\n", 1)[0], os.path.join(folder, "build.log"), lines)


def _compile(command: List[str], scratch: str, log: str, timeout: float,
             cancel: Optional[threading.Event]) -> Dict[str, Any]:
    """Runs the compiler in a process group of its own; whatever ends this function ends the group."""
    environment = {**os.environ, "TMPDIR": scratch, "LC_ALL": "C"}
    report = os.path.join(scratch, "report.json")
    launcher = [sys.executable, "-S", "-E", os.path.join(os.path.dirname(os.path.abspath(__file__)), "_launcher.py"), report]
    started = time.monotonic()
    with open(log, "ab") as output:
        process = subprocess.Popen(launcher + command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, env=environment, start_new_session=True)
    try:
        _wait(process, started + timeout, cancel)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    seconds = time.monotonic() - started
    try:
        with open(report, encoding="utf-8") as file:
            result = json.load(file)
    except (OSError, ValueError):
        result = {"exit_code": process.returncode or 1}  # The group was ended, or the disk is full.
    if "failed" in result:
        raise BuildFailed(NO_COMPILER, f"gantry: {command[0]} could not be started: {result['failed']}.")
    if result["exit_code"] != 0:
        raise _failure(command, result["exit_code"], seconds, log)
    return {"seconds": round(seconds, 3), "cpu_seconds": result["cpu_seconds"], "peak_rss_kib": result["peak_rss_kib"]}


def _wait(process: "subprocess.Popen[bytes]", end: float, cancel: Optional[threading.Event]) -> None:
    pause = 0.002
    while process.poll() is None:
        if cancel is not None and cancel.is_set():
            raise BuildFailed(CANCELLED, "gantry: the build was cancelled.")
        if time.monotonic() >= end:
            raise BuildFailed(TIMEOUT, "gantry: the compiler did not finish in time and was ended. See --timeout.")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def _failure(command: List[str], code: int, seconds: float, log: str) -> BuildFailed:
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()[1:]
    errors = [line.strip() for line in lines if _ERROR.search(line)][:_FIRST_ERRORS] or [line.strip() for line in lines[:1]]
    program = os.path.basename(command[0])
    if any(_NO_SPACE.search(line) for line in lines):
        return BuildFailed(NO_SPACE, f"gantry: {program} found no space left on the disk. Free some, or set GANTRY_CACHE_DIR.",
                           first_errors=[line.strip() for line in lines if _NO_SPACE.search(line)][:1])
    if code < 0:
        name = signal.Signals(-code).name if -code in list(signal.Signals) else str(-code)
        return BuildFailed(COMPILER_KILLED, f"gantry: {program} was ended by {name} after {seconds:.1f} s (out of memory?).",
                           first_errors=errors)
    if any("Killed signal terminated program" in line for line in lines):
        return BuildFailed(COMPILER_KILLED, f"gantry: a part of {program} was killed after {seconds:.1f} s (out of memory?).",
                           first_errors=errors)
    return BuildFailed(COMPILER_FAILED, f"gantry: {program} ended with {code} after {seconds:.1f} s.", first_errors=errors)
