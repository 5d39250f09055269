"""The optional torch extensions: compiled on this machine, for the torch of this Python, into a cache.

    extension = gantry.torch_ext.load("stable", build=True)
    rows = extension.gather(table, indices)         # through torch's dispatcher, memory from torch's allocator
    extension.environment                           # the same memory for gantry.gather(..., environment=...)

Gantry needs none of them. Flavour "stable" uses torch's stable ABI and is valid for every torch from 2.10 on; flavour "classic"
uses C10 and ATen and is valid for the very torch that it was compiled with.

Where gradients are recorded, use an extension: the plain ops (gantry.gather, gantry.scatter, ...) read and write torch's memory
behind autograd's back, without a derivative and without counting the write.
"""

from __future__ import annotations

import os
import threading
from typing import Dict, List, Optional, Tuple, Union

from gantry.context import Context
from gantry.stamp import Finding

from . import _builder, _cache, _check, _probe, _recipe, _torch
from ._cache import Entry
from ._errors import NO_COMPILER, BuildFailed, LoadFailed, NotBuilt, Refused, SkewWarning, TorchExtensionError
from ._extension import Extension, Output
from ._recipe import FLAVOURS

__all__ = [
    "FLAVOURS", "BuildFailed", "Entry", "Extension", "Finding", "LoadFailed", "NotBuilt", "Output", "Refused", "SkewWarning",
    "TorchExtensionError", "build", "builds", "check", "clean", "load", "missing",
]  # fmt: skip

_loaded: Dict[str, Extension] = {}
_lock = threading.RLock()


def build(flavour: str, *, force: bool = False, timeout: float = _builder.DEFAULT_TIMEOUT,
          cancel: Optional[threading.Event] = None) -> Tuple[Entry, bool]:
    """Compiles the extension for the running torch, unless the cache has it: (the build, whether it was compiled now).
    `timeout`: seconds for the compiler. Setting `cancel` from another thread ends the compiler. Raises BuildFailed."""
    return _builder.build(_recipe.recipe(flavour, _torch.running()), force=force, timeout=timeout, cancel=cancel)


def builds() -> List[Entry]:
    """All builds in the cache, the newest first. Needs no torch."""
    return _cache.entries()


def clean(keep_current: bool = False) -> List[str]:
    """Empties the cache, except of builds under way; with `keep_current` also except of those for the running torch. Returns the
    names of what was removed."""
    keep = []
    if keep_current:
        for flavour in FLAVOURS:
            entry = _current(flavour)
            if entry is not None:
                keep.append(entry.key)
    return _cache.clean(keep)


def check(flavour: str) -> Tuple[Optional[Entry], List[Finding]]:
    """The build for the running torch and what speaks against loading it; (None, []) when there is no build. BuildFailed when this
    torch can have none of that flavour."""
    _recipe.check_torch(flavour, _torch.running())
    entry = _current(flavour)
    if entry is None:
        return None, []
    return entry, _check.examine(entry.path, flavour, _torch.running())


def _current(flavour: str) -> Optional[Entry]:
    """The build for the running torch. On a machine that has no compiler the newest one that was made for this torch."""
    torch = _torch.running()
    try:
        return _cache.find(_recipe.recipe(flavour, torch).key)
    except BuildFailed as error:
        if error.reason != NO_COMPILER:
            return None
    for entry in _cache.entries():
        if entry.flavour == flavour and entry.record["ingredients"].get("torch") == torch.as_dict() and not entry.damage():
            return entry
    return None


def load(flavour: str, *, build: bool = False, path: Union[None, str, "os.PathLike[str]"] = None, context: Optional[Context] = None,
         timeout: float = _builder.DEFAULT_TIMEOUT) -> Extension:
    """The extension for the running torch. `build`: compile it when the cache has none. `path`: this file and no other.
    `context`: that its ops run on, which then cannot be closed; None: the process's.

    Before anything of the file is run its stamp and the libraries that it needs are compared with the running torch (Refused),
    and it is loaded in a child process (LoadFailed). NotBuilt, or BuildFailed, when there is nothing to load."""
    torch = _torch.running()
    _recipe.check_torch(flavour, torch)
    with _lock:
        entry = None if path is not None else _current(flavour)
        if entry is None and path is None:
            if not build:
                raise NotBuilt(missing(flavour))
            entry, _ = _builder.build(_recipe.recipe(flavour, torch), timeout=timeout)
        # Absolute: a name without a slash the loader would look up in its own folders, and load what nobody has examined.
        file = entry.path if entry is not None else os.path.abspath(os.fspath(path or ""))
        known = _loaded.get(file)
        if known is not None and known.flavour == flavour:
            if context in (None, known.context):
                return known
            raise Refused("other-context", f"gantry: {file} is loaded already, and its ops run on {known.context!r}, which is another "
                          "context than the one that was passed. A file is loaded once, for one context: leave out `context`.")
        _check.ensure(file, flavour, torch)
        _check.ensure_unregistered(file)
        if entry is not None:
            _probe.ensure(entry, torch)
        else:
            outcome = _probe.run(file, flavour)
            if not outcome["ok"]:
                raise LoadFailed(outcome["text"], outcome.get("exit_code"), outcome.get("signal"))
        extension = _loaded[file] = Extension(flavour, file, context)
        return extension


def missing(flavour: str) -> str:
    """Why there is nothing to load for the running torch, and what the cache has instead."""
    torch = _torch.running()
    entries = [entry for entry in _cache.entries() if entry.flavour == flavour]
    here = [entry for entry in entries if _recipe.is_of(entry.record["ingredients"], torch)]
    others = sorted({str(entry.record["ingredients"].get("torch", {}).get("version")) for entry in entries if entry not in here})
    text = (f"gantry: there is no torch extension of the flavour {flavour} for torch {torch.describe()} in {torch.python} under "
            f"{_cache.root()}")
    if here:
        text += f" that may be used: {_why_not(here[0], torch)}."
    else:
        text += f"; there is one for torch {', '.join(others)}." if others else "."
    return f"{text} Build it: python -m gantry.torch_ext build --flavour {flavour}, or gantry.torch_ext.load({flavour!r}, build=True)."


def _why_not(entry: Entry, torch: _torch.Torch) -> str:
    damage = entry.damage()
    if damage is not None:
        return f"the newest one is damaged ({damage})"
    try:
        wanted = _recipe.recipe(entry.flavour, torch).ingredients()
    except BuildFailed as failure:
        return f"whether the newest one is of the same sources and compiler cannot be told ({failure})"
    found = _recipe.differences(entry.record["ingredients"], wanted)
    return f"the newest one was built with {', '.join(found)}" if found else f"{entry.folder} does not bear the name of its key"
