"""The optional torch extensions: what is in their cache, for which torch, and how old it is."""

from __future__ import annotations

import os
import sys
import sysconfig
import time
from typing import Any, Dict, List

from . import torch_probe
from .report import OK, SKIP, WARN, Check

_DAY = 24 * 60 * 60


def _age(built: float) -> str:
    days = int((time.time() - built) // _DAY)
    return "built today" if days < 1 else "built yesterday" if days == 1 else f"built {days} days ago"


def check() -> Check:
    """Builds for the torch of this Python are told apart from others by torch's version and commit, read from its files."""
    from .. import torch_ext
    from ..torch_ext import _cache, _recipe

    python = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag or "unknown"
    place = torch_probe.folder()
    here: Dict[str, Any] = {}
    if place is not None:
        facts = torch_probe.version_file(place)
        here = {"version": facts.get("__version__"), "git": facts.get("git_version")}
    builds: List[Dict[str, Any]] = []
    for entry in torch_ext.builds():
        torch = entry.record["ingredients"].get("torch", {})
        current = bool(here) and torch.get("version") == here["version"] and torch.get("git") in (None, "", here["git"])
        builds.append({
            "flavour": entry.flavour, "torch": torch.get("version"), "path": entry.path, "built": entry.record.get("time"),
            "current": current, "damage": entry.damage(),
            "outdated": _recipe.outdated(entry.record["ingredients"], os.path.abspath(place), python) if current and place else [],
        })  # fmt: skip
    data = {"cache": _cache.root(), "builds": builds}
    damaged = [build for build in builds if build["damage"]]
    if damaged:
        return Check(
            "torch.extensions", "Torch extensions", WARN, f"{len(damaged)} of {len(builds)} builds are damaged: {damaged[0]['damage']}",
            "python -m gantry.torch_ext clean", data,
        )  # fmt: skip
    if not builds:
        text = f"none is built; Gantry does not need them ({_cache.root()} is empty)"
        return Check("torch.extensions", "Torch extensions", SKIP, text, "", data)
    of_this_torch = [build for build in builds if build["current"]]
    current = [build for build in of_this_torch if not build["outdated"]]
    if current:
        told = ", ".join(f"{build['flavour']} for torch {build['torch']}, {_age(float(build['built'] or 0))}" for build in current)
        return Check("torch.extensions", "Torch extensions", OK, f"{told}; {len(builds) - len(current)} others in the cache", "", data)
    if of_this_torch:
        newest = of_this_torch[0]
        text = (f"{len(builds)} in the cache, none that would be used: {newest['flavour']} for torch {newest['torch']} was built with "
                f"{', '.join(newest['outdated'])}")
        return Check("torch.extensions", "Torch extensions", SKIP, text, "python -m gantry.torch_ext build, if an extension shall be used.", data)
    text = f"{len(builds)} in the cache, none for the torch of this Python ({here.get('version') or 'none is installed'})"
    return Check(
        "torch.extensions", "Torch extensions", SKIP, text, "python -m gantry.torch_ext build, if an extension shall be used." if here else "", data
    )
