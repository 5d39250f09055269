"""What this process is, in the keys of a stamp."""

from __future__ import annotations

import platform
import sys
from typing import Any, Dict

from ._text import parse


def here() -> Dict[str, str]:
    """arch and python; torch.version, torch.git, torch.cuda and torch.cxx11_abi of the torch that is imported; gantry.abi, build.id,
    git and cxx.gxx_abi of the libgantry that is loaded. Nothing is imported or loaded: what is not there has no key."""
    found = {"arch": platform.machine(), "python": "{}.{}".format(*sys.version_info[:2])}
    torch: Any = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "version"):
        found["torch.version"] = str(torch.__version__)
        for key, name in (("torch.git", "git_version"), ("torch.cuda", "cuda")):
            value = getattr(torch.version, name, None)
            if value:
                found[key] = str(value)
        cxx11 = getattr(getattr(torch, "_C", None), "_GLIBCXX_USE_CXX11_ABI", None)
        if cxx11 is not None:
            found["torch.cxx11_abi"] = str(int(cxx11))
    library: Any = getattr(sys.modules.get("gantry._library"), "_loaded", None)
    if library is not None:
        keys = parse(library.gantry_build_info())
        found.update({key: keys[key] for key in ("gantry.abi", "build.id", "git", "cxx.gxx_abi") if key in keys})
    return found
