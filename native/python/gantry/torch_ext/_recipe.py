"""A build before it is made: everything that goes into it, its key, and the compiler's command line."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Tuple

from . import _compiler, _sources
from ._compiler import Compiler
from ._errors import NO_COMPILER, NO_HEADERS, OLD_TORCH, UNSUPPORTED_SYSTEM, BuildFailed
from ._sources import Sources
from ._torch import Torch

FLAVOURS = ("classic", "stable")
STABLE_TARGET = (2, 10)  # the oldest torch whose stable ABI has everything that the extension calls

# torch is on the include path as a system folder: its warnings are not ours. -z defs: what torch lacks is an error of the linker
# here, not one of the loader later.
_FLAGS = ["-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-Wl,-z,defs"]


@dataclass(frozen=True)
class Recipe:
    flavour: str
    torch: Torch
    compiler: Compiler
    sources: Sources
    hashes: Dict[str, str]  # of what the compiler reads of ours, when the recipe was made

    @property
    def flags(self) -> List[str]:
        flags = [f"-std=c++{max(self.torch.cxx_standard, 17)}", *_FLAGS,
                 f"-D_GLIBCXX_USE_CXX11_ABI={self.torch.cxx11_abi}"]
        if self.flavour == "stable":
            flags.append(f"-DTORCH_TARGET_VERSION=0x{STABLE_TARGET[0]:02x}{STABLE_TARGET[1]:02x}000000000000")
        return flags + self.compiler.flags

    @property
    def libraries(self) -> List[str]:
        names = ["c10", "torch_cpu"] if self.flavour == "classic" else ["torch_cpu"]
        return [f"-L{self.torch.library_folder}"] + [f"-l{name}" for name in names]

    def ingredients(self) -> Dict[str, Any]:
        """What the key is made of. A change of any of it makes another build."""
        return {
            "flavour": self.flavour,
            "torch": self.torch.as_dict(),
            "compiler": {"command": self.compiler.command, "version": self.compiler.version,
                         "environment": self.compiler.environment},
            "flags": self.flags + self.libraries,
            "sources": self.hashes,
        }

    @property
    def key(self) -> str:
        text = json.dumps(self.ingredients(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def file_name(self) -> str:
        return f"gantry_torch_{self.flavour}.so"

    def command(self, key: str, values_folder: str, output: str) -> List[str]:
        """One call of the compiler, as an argument array. `values_folder` has the stamp's values."""
        command = [*self.compiler.command, *self.flags, f"-DGANTRY_TORCH_NAMESPACE={namespace(self.flavour, key)}"]
        command += [f"-I{values_folder}", f"-I{self.sources.folder}", f"-I{self.sources.include}"]
        for folder in self.torch.include_folders:
            command += ["-isystem", folder]
        return command + self.sources.compiled(self.flavour) + self.libraries + ["-o", output]

    def stamp_values(self, key: str) -> str:
        """abiding_stamp_values.h. The compiler adds what only it knows: torch's version from the headers that it finds, flags."""
        plain = re.match(r"\d+\.\d+\.\d+", self.torch.version)
        local = self.torch.version[plain.end():] if plain else ""
        lines = [
            "#define ABIDING_STAMP_FUNCTION gantry_torch_build_info",
            f'#define ABIDING_STAMP_LINES "name=gantry_torch_{self.flavour}\\ngantry.abi={self.sources.interface()}\\n'
            f'build.id={key[:16]}\\n"',
            "#define ABIDING_STAMP_TORCH 1",
            f'#define ABIDING_STAMP_TORCH_ABI "{self.flavour}"',
            f"#define ABIDING_STAMP_TORCH_LOCAL {_quoted(local)}",
            f"#define ABIDING_STAMP_TORCH_GIT {_quoted(self.torch.git)}",
        ]
        if self.torch.cuda:
            lines.append(f"#define ABIDING_STAMP_TORCH_CUDA {_quoted(self.torch.cuda)}")
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def is_of(ingredients: Dict[str, Any], torch: Torch) -> bool:
    """Whether a build was made for that torch, by its version and commit."""
    built = ingredients.get("torch", {})
    return (built.get("version"), built.get("git")) == (torch.version, torch.git)


def differences(built: Dict[str, Any], wanted: Dict[str, Any]) -> List[str]:
    """In what the ingredients of two builds for one torch differ, in words, with what was there and what is here."""
    torch, here = built.get("torch", {}), wanted["torch"]
    words = {"python": "another Python", "folder": "torch in another folder"}
    found = [f"{words.get(name, 'another ' + name + ' of torch')} ({torch.get(name)}; here {here[name]})"
             for name in here if torch.get(name) != here[name]]
    compiler, compiler_here = built.get("compiler", {}), wanted["compiler"]
    parts: List[Tuple[str, str, Callable[[Any], str]]] = [
        ("command", "compiler", " ".join), ("version", "version of the compiler", str),
        ("environment", "environment of the compiler", _settings),
    ]  # fmt: skip
    for part, what, say in parts:
        if compiler.get(part) != compiler_here[part]:
            found.append(f"another {what} ({say(compiler.get(part) or '')}; here {say(compiler_here[part])})")
    flags, flags_here = built.get("flags", []), wanted["flags"]
    if flags != flags_here:
        only, only_here = [flag for flag in flags if flag not in flags_here], [flag for flag in flags_here if flag not in flags]
        found.append(f"other flags ({' '.join(only) or 'none more'}; here {' '.join(only_here) or 'none more'})")
    sources, sources_here = built.get("sources", {}), wanted["sources"]
    changed = sorted(name for name in {*sources, *sources_here} if sources.get(name) != sources_here.get(name))
    if changed:
        found.append(f"other sources ({', '.join(changed)})")
    return found


def outdated(ingredients: Dict[str, Any], folder: str, python: str) -> List[str]:
    """In what a build differs from the one that would be made now for the same torch, in that folder and for that Python: in words,
    and without importing torch. Empty when it is the one that load() takes."""
    try:
        torch = Torch(**ingredients["torch"])
    except (KeyError, TypeError):
        return ["what its build.json does not tell"]
    try:
        wanted = recipe(str(ingredients["flavour"]), replace(torch, folder=folder, python=python)).ingredients()
    except BuildFailed as failure:
        if failure.reason != NO_COMPILER:
            return [str(failure)]
        wanted = {**ingredients, "torch": replace(torch, folder=folder, python=python).as_dict()}
    return differences(ingredients, wanted)


def _settings(environment: Any) -> str:
    return " ".join(f"{name}={environment[name]}" for name in sorted(environment)) or "nothing set"


def namespace(flavour: str, key: str) -> str:
    """Of the ops in torch.ops: two builds never share one."""
    return f"gantry_{flavour}_{key[:8]}"


def check_torch(flavour: str, torch: Torch) -> None:
    """BuildFailed when this torch can have no extension of that flavour, with the way out."""
    if flavour not in FLAVOURS:
        raise ValueError(f"flavour is {flavour!r}; it may be 'classic' or 'stable'")
    if os.name != "posix" or os.uname().sysname != "Linux":
        raise BuildFailed(UNSUPPORTED_SYSTEM, "gantry: torch extensions are built on Linux only; Gantry works without them.")
    if flavour == "stable" and torch.release < STABLE_TARGET:
        raise BuildFailed(
            OLD_TORCH,
            f"gantry: the stable flavour needs torch {STABLE_TARGET[0]}.{STABLE_TARGET[1]} or later, and this is torch "
            f"{torch.describe()}, whose stable ABI lacks functions that the extension calls. Use the classic flavour "
            "(python -m gantry.torch_ext build --flavour classic), or none: Gantry works without an extension.",
        )


def check_headers(flavour: str, torch: Torch) -> None:
    """BuildFailed when the torch that is running has no headers or libraries to compile against."""
    header = "torch/library.h" if flavour == "classic" else "torch/csrc/stable/library.h"
    include = torch.include_folders[0]
    if not os.path.exists(os.path.join(include, header)):
        raise BuildFailed(
            NO_HEADERS,
            f"gantry: torch {torch.describe()} in {torch.folder} comes without its C++ headers: {header} is not in {include}. "
            "Debian has them in libtorch-dev; wheels bring them along.",
        )


def recipe(flavour: str, torch: Torch) -> Recipe:
    """Of an extension for that torch with the compiler and the sources that are found now."""
    check_torch(flavour, torch)
    sources = _sources.find()
    hashes = {}
    for name, path in sorted(sources.files(flavour).items()):
        with open(path, "rb") as file:
            hashes[name] = hashlib.sha256(file.read()).hexdigest()
    return Recipe(flavour, torch, _compiler.find(), sources, hashes)
