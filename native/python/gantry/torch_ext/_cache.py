"""The cache: one folder for each build, named by the key of everything that went into it.

    <root>/<key>/gantry_torch_<flavour>.so   build.json   build.log
    <root>/<key>.failed/                     build.json   build.log      of the last attempt, when it failed
    <root>/<key>.tmp.<pid>.<random>/         a build under way
    <root>/<key>.lock                        locked by flock, which ends with the process that holds it

A finished folder appears by rename, so that nobody sees half a build. A lock file that nobody holds means nothing.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional

from ._errors import CACHE_UNWRITABLE, CANCELLED, LOCK_TIMEOUT, NO_SPACE, BuildFailed

SCHEMA = 1
_POLL_SECONDS = 0.05


def root() -> str:
    """$GANTRY_CACHE_DIR/torch_ext, else $XDG_CACHE_HOME/gantry/torch_ext, else ~/.cache/gantry/torch_ext."""
    named = os.environ.get("GANTRY_CACHE_DIR", "")
    if not named:
        named = os.path.join(os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache"), "gantry")
    return os.path.join(os.path.abspath(named), "torch_ext")


def failure(error: OSError, what: str) -> BuildFailed:
    """An OSError of the cache as what it means to the person."""
    text = f"{what}: {error.strerror or error}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BuildFailed(NO_SPACE, f"gantry: there is no space left for the build: {text}. Free some, or set GANTRY_CACHE_DIR.")
    return BuildFailed(
        CACHE_UNWRITABLE, f"gantry: the cache cannot be written: {text}. Set GANTRY_CACHE_DIR to a folder that can."
    )


@dataclass(frozen=True)
class Entry:
    """A finished build: its folder and its build.json."""

    folder: str
    record: Dict[str, Any]

    @property
    def key(self) -> str:
        return str(self.record["key"])

    @property
    def flavour(self) -> str:
        return str(self.record["flavour"])

    @property
    def path(self) -> str:
        return os.path.join(self.folder, str(self.record["file"]))

    @property
    def log(self) -> str:
        return os.path.join(self.folder, "build.log")

    def damage(self) -> Optional[str]:
        """What is wrong with the file, against what build.json says of it; None when it is as it was built."""
        try:
            with open(self.path, "rb") as file:
                data = file.read()
        except OSError as error:
            return f"{self.path}: {error.strerror}"
        if len(data) != self.record["size"]:
            return f"{self.path} has {len(data)} bytes, and had {self.record['size']} when it was built"
        if hashlib.sha256(data).hexdigest() != self.record["sha256"]:
            return f"{self.path} has other contents than when it was built"
        return None


def _entry(folder: str) -> Optional[Entry]:
    try:
        with open(os.path.join(folder, "build.json"), encoding="utf-8") as file:
            record = json.load(file)
    except (OSError, ValueError):
        return None
    wanted = {"schema": int, "key": str, "flavour": str, "file": str, "size": int, "sha256": str, "ingredients": dict}
    if not isinstance(record, dict) or any(not isinstance(record.get(name), kind) for name, kind in wanted.items()):
        return None
    if record["schema"] != SCHEMA or os.path.basename(record["file"]) != record["file"]:
        return None
    return Entry(folder, record)


def find(key: str) -> Optional[Entry]:
    """The finished build of that key; None when there is none, or only a damaged one."""
    entry = _entry(os.path.join(root(), key))
    return entry if entry is not None and entry.key == key and entry.damage() is None else None


def entries() -> List[Entry]:
    """All finished builds, the newest first."""
    try:
        names = sorted(os.listdir(root()))
    except OSError:
        return []
    found = [_entry(os.path.join(root(), name)) for name in names if "." not in name]
    return sorted((entry for entry in found if entry is not None), key=lambda entry: -float(entry.record.get("time", 0)))


def make_root() -> None:
    try:
        os.makedirs(root(), mode=0o755, exist_ok=True)
    except OSError as error:
        raise failure(error, root()) from error


@contextlib.contextmanager
def locked(key: str, timeout: float, cancel: Optional[threading.Event] = None) -> Iterator[None]:
    """Holds the key's lock. The kernel lets go of it when this process ends, however it ends."""
    path = os.path.join(root(), key + ".lock")
    end = time.monotonic() + timeout
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise failure(error, path) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = os.fstat(descriptor)
            # clean() may have removed the file between the two calls: the lock would then keep nobody out.
            with contextlib.suppress(OSError):
                if os.path.samestat(held, os.stat(path)):
                    break
            os.close(descriptor)
            continue
        except OSError as error:
            os.close(descriptor)
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise failure(error, path) from error
        if cancel is not None and cancel.is_set():
            raise BuildFailed(CANCELLED, "gantry: the build was cancelled while it waited for another one.")
        if time.monotonic() >= end:
            raise BuildFailed(
                LOCK_TIMEOUT, f"gantry: another process has been building this extension for {timeout:.0f} s: {path} is locked."
            )
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        os.close(descriptor)


def make_temporary(key: str) -> str:
    try:
        return tempfile.mkdtemp(prefix=f"{key}.tmp.{os.getpid()}.", dir=root())
    except OSError as error:
        raise failure(error, root()) from error


def remove_temporaries(key: str) -> int:
    """What killed builders of this key left. The caller holds the key's lock, so that no build is under way."""
    count = 0
    for name in os.listdir(root()):
        if name.startswith(key + ".tmp."):
            shutil.rmtree(os.path.join(root(), name), ignore_errors=True)
            count += 1
    return count


def publish(temporary: str, name: str) -> str:
    """Makes a finished folder visible under its name; what was there before goes away. The caller holds the lock."""
    target = os.path.join(root(), name)
    try:
        if os.path.lexists(target):
            old = temporary + ".old"
            os.rename(target, old)
            os.rename(temporary, target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            os.rename(temporary, target)
    except OSError as error:
        raise failure(error, target) from error
    return target


def write_record(folder: str, record: Dict[str, Any]) -> None:
    """build.json, as a whole or not at all."""
    path = os.path.join(folder, "build.json")
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1, sort_keys=True)
            file.write("\n")
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise failure(error, path) from error


def clean(keep: Optional[List[str]] = None) -> List[str]:
    """Removes builds, logs of failures and what killed builders left, except of the keys to keep and of builds under way.
    Returns the names of what was removed."""
    removed: List[str] = []
    try:
        names = sorted(os.listdir(root()))
    except OSError:
        return removed
    for key in sorted({name.split(".", 1)[0] for name in names}):
        if key in (keep or []):
            continue
        with contextlib.suppress(BuildFailed), locked(key, 0):
            for name in names:
                path = os.path.join(root(), name)
                if name.split(".", 1)[0] != key or name.endswith(".lock"):
                    continue
                shutil.rmtree(path, ignore_errors=True)
                removed.append(name)
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(root(), key + ".lock"))
    return removed
