"""Whether a file may be loaded into this process, told from the file alone: nothing of it is run."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Dict, List

from gantry import _abi, stamp
from gantry.stamp import FATAL, WARNING, Finding, _elf

from ._errors import COMPILER_FAILED, WRONG_OUTPUT, BuildFailed, Refused, SkewWarning
from ._recipe import Recipe, namespace
from ._torch import Torch


def _rebuild(flavour: str) -> str:
    other = "the stable flavour, or none" if flavour == "classic" else "none"
    return f"Rebuild: python -m gantry.torch_ext build --flavour {flavour} (or use {other})."


def _fatal(key: str, built: str, here: str, message: str, remedy: str) -> Finding:
    return Finding(key, built, here, FATAL, message, remedy)


def _here(torch: Torch) -> Dict[str, str]:
    """In the keys of a stamp, for what gantry.stamp.check compares. An extension has a build.id of its own: it is compiled from
    other sources than libgantry."""
    return {
        "arch": torch.machine, "gantry.abi": f"{_abi.ABI_MAJOR}.{_abi.ABI_MINOR}", "torch.version": torch.version,
        "torch.git": torch.git, "torch.cxx11_abi": str(torch.cxx11_abi),
    }  # fmt: skip


def examine(path: str, flavour: str, torch: Torch) -> List[Finding]:
    """Everything that speaks against loading `path`; empty when nothing does."""
    remedy = _rebuild(flavour)
    try:
        keys = stamp.read(path)
        dynamic = _elf.dynamic(path)
    except FileNotFoundError:
        return [_fatal("file", "", "", "there is no such file.", remedy)]
    except (OSError, ValueError) as error:
        return [_fatal("file", "", "", f"it cannot be read as a shared library: {error}.", remedy)]
    if keys is None:
        return [_fatal("stamp", "", "", "it carries no stamp that says what it was built against, and so is none of Gantry's torch "
                       "extensions.", remedy)]
    abi = keys.get("torch.abi", "")
    if abi != flavour:
        return [_fatal("torch.abi", abi, flavour, f"it is of the flavour {abi or '(none)'}, and {flavour} was asked for.", remedy)]
    findings = list(stamp.check(path, _here(torch)))
    for key in ("arch", "gantry.abi", "torch.version", "build.id"):
        if not keys.get(key):
            findings.append(_fatal(key, "", "", f"its stamp does not say {key}.", remedy))
    if flavour == "stable" and not keys.get("torch.target"):
        findings.append(_fatal("torch.target", "", "", f"it was built against torch {keys.get('torch.version')} without "
                               "TORCH_TARGET_VERSION, so that it may need functions which only that torch has.", remedy))
    return findings + _libraries(dynamic, torch, remedy)


def _libraries(dynamic: _elf.Dynamic, torch: Torch, remedy: str) -> List[Finding]:
    """The file has to ask for torch's libraries by the names that the running torch's have: the loader then takes those. Asked
    for by another name it would load a second libtorch, and two of them end the process."""
    findings = []
    sonames = torch.sonames()
    for needed in dynamic.needed:
        for name, own in sonames.items():
            if needed != own and needed.startswith((f"lib{name}.so", f"lib{name}-")):
                findings.append(_fatal(
                    "second-libtorch", needed, own,
                    f"it needs {needed}, and the running torch's is {own}: the loader would bring a second libtorch into the process, "
                    "which ends it.", remedy))
    return findings


def _mapped(name: str) -> List[str]:
    """The files whose names begin like that (libc10.so, libc10.so.1.13) that this process has loaded."""
    found: List[str] = []
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line[line.find("/"):].rstrip("\n") if "/" in line else ""
            if os.path.basename(path).startswith(name) and path not in found:
                found.append(path)
    return found


def examine_process(torch: Torch) -> List[Finding]:
    """What in this process would bind an extension to another torch than the running one."""
    if "torch" not in sys.modules:
        return [_fatal("torch-not-imported", "", "", "torch is not imported, so that the loader would look for its libraries "
                       "elsewhere on this machine.", "Import torch first.")]
    own = os.path.realpath(torch.library("c10"))
    others = [path for path in _mapped("libc10.so") if os.path.realpath(path) != own]
    if others:
        return [_fatal("second-libtorch", others[0], own, f"this process has loaded {others[0]} beside torch's own {own}: the "
                       "extension could be bound to either.", "Find what loads it, and import torch before it.")]
    return []


def ensure(path: str, flavour: str, torch: Torch) -> None:
    """Raises Refused when something forbids to load; warns of what GANTRY_ALLOW_SKEW=1 lets pass."""
    findings = examine(path, flavour, torch) + examine_process(torch)
    text = stamp.refusal(path, findings)
    if text is not None:
        raise Refused([finding.key for finding in findings if finding.severity == FATAL][0], text)
    for finding in findings:
        if finding.severity == WARNING:
            warnings.warn(f"gantry: loading {path} all the same: {finding.message} {finding.remedy}", SkewWarning, stacklevel=3)


def ensure_unregistered(path: str) -> None:
    """Raises Refused when torch has ops of the file's namespace already: a second registration ends the process (classic:
    SIGABRT, stable: SIGSEGV)."""
    import torch

    keys = stamp.read(path) or {}
    space = namespace(keys.get("torch.abi", ""), keys.get("build.id", ""))
    if torch._C._jit_get_schemas_for_operator(f"{space}::nop"):
        raise Refused("already-registered", f"gantry: refusing to load {path}: its ops are registered as torch.ops.{space} already, "
                      "from another copy of the same build. Use that one.")


def verify_output(path: str, recipe: Recipe, key: str) -> None:
    """What the compiler wrote has to be what was asked for; BuildFailed otherwise."""
    try:
        keys = stamp.read(path)
    except (OSError, ValueError) as error:
        raise BuildFailed(COMPILER_FAILED, f"gantry: the compiler's output is no shared library: {error}.") from error
    if keys is None or keys.get("build.id") != key[:16]:
        raise BuildFailed(WRONG_OUTPUT, f"gantry: the stamp of the compiler's output says build.id={(keys or {}).get('build.id')}, "
                          f"and {key[:16]} was asked for.")
    if keys.get("torch.version") != recipe.torch.version:
        raise BuildFailed(WRONG_OUTPUT, f"gantry: the compiler found the headers of torch {keys.get('torch.version')}, and running torch "
                          f"is {recipe.torch.version}. Something puts other headers first: CPATH, CXXFLAGS?")
    findings = examine(path, recipe.flavour, recipe.torch)
    if findings:
        raise BuildFailed(WRONG_OUTPUT, f"gantry: the compiler's output is not for the running torch: {findings[0].message}")
