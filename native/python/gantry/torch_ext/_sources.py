"""Where the C++ sources of the extensions lie: beside the package when it is installed, else in the source tree."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List

from ._errors import NO_SOURCES, BuildFailed

VARIABLE = "GANTRY_TORCH_SOURCES"
_HEADERS = ("gantry_torch.h", "gantry_torch_environment.h", "gantry_torch_ops.h", "gantry_torch_types.h")


@dataclass(frozen=True)
class Sources:
    folder: str  # gantry_torch_*.cpp and their headers
    include: str  # gantry/gantry.h
    stamp: str  # abiding_stamp.cpp

    def interface(self) -> str:
        """The binary interface that gantry.h declares: "1.0"."""
        with open(os.path.join(self.include, "gantry", "gantry.h"), encoding="utf-8") as file:
            numbers = dict(re.findall(r"^#define GANTRY_ABI_(MAJOR|MINOR) (\d+)u", file.read(), re.MULTILINE))
        return f"{numbers['MAJOR']}.{numbers['MINOR']}"

    def compiled(self, flavour: str) -> List[str]:
        return [os.path.join(self.folder, f"gantry_torch_{flavour}.cpp"), self.stamp]

    def files(self, flavour: str) -> Dict[str, str]:
        """Everything of ours that the compiler reads: {name: path}."""
        files = {os.path.basename(path): path for path in self.compiled(flavour)}
        files.update({name: os.path.join(self.folder, name) for name in _HEADERS})
        files["gantry/gantry.h"] = os.path.join(self.include, "gantry", "gantry.h")
        return files


def _places() -> List[Sources]:
    package = Path(__file__).resolve().parent
    places = []
    named = os.environ.get(VARIABLE, "")
    if named:
        return [_flat(named)]
    places.append(_flat(str(package / "sources")))
    tree = package.parents[2]
    places.append(Sources(str(tree / "torch_ext"), str(tree / "include"), str(tree / "cmake" / "abiding_stamp.cpp")))
    return places


def _flat(folder: str) -> Sources:
    return Sources(folder, folder, os.path.join(folder, "abiding_stamp.cpp"))


def find() -> Sources:
    """BuildFailed("no-sources") with every place that was tried."""
    places = _places()
    for sources in places:
        if all(os.path.isfile(path) for flavour in ("classic", "stable") for path in sources.files(flavour).values()):
            return sources
    tried = ", ".join(sources.folder for sources in places)
    raise BuildFailed(NO_SOURCES, f"gantry: the sources of the torch extensions were not found. Tried: {tried}.")
