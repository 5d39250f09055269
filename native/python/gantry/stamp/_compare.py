"""What a stamp says against what is here, one rule for each key."""

from __future__ import annotations

import os
import re
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from ._elf import machine
from ._read import read

FATAL = "fatal"
WARNING = "warning"
INFO = "info"

ALLOW_SKEW = "GANTRY_ALLOW_SKEW"

Keys = Mapping[str, str]


class Finding(NamedTuple):
    """A key whose value when the file was built does not hold here. FATAL: the file must not be loaded."""

    key: str
    built: str
    here: str
    severity: str
    message: str
    remedy: str


_REBUILD_TORCH = "Rebuild: python -m gantry.torch_ext build --flavour {flavour}{instead}."
_REBUILD_GANTRY = "Build all of Gantry's binaries anew from one state of the sources, or install those of one release."

# torch keeps its stable ABI for two years, and there are about four releases a year:
# https://docs.pytorch.org/docs/stable/notes/libtorch_stable_abi.html
_STABLE_RELEASES = 8


def check(file: "Union[str, os.PathLike[str], Keys]", here: Keys) -> List[Finding]:
    """What in the stamp of `file` (a path, or the keys of a stamp) does not hold `here` (see gantry.stamp.here); [] when all does,
    or when nothing can be compared. With GANTRY_ALLOW_SKEW=1 another torch is a warning."""
    if isinstance(file, Mapping):
        built: Dict[str, str] = dict(file)
    else:
        built = read(file) or {}
        # The header is what the loader looks at.
        built["arch"] = machine(file)
    findings = [found for rule in _RULES for found in [rule(built, here)] if found is not None]
    if os.environ.get(ALLOW_SKEW) == "1":
        return [found._replace(severity=WARNING) if found.key == "torch.version" else found for found in findings]
    return findings


def refusal(path: "str | os.PathLike[str]", findings: List[Finding]) -> Optional[str]:
    """Why a file is not loaded: one line with the fatal findings and the first remedy; None when none is fatal."""
    fatal = [found for found in findings if found.severity == FATAL]
    if not fatal:
        return None
    return f"gantry: refusing to load {os.fspath(path)}: {' '.join(found.message for found in fatal)} {fatal[0].remedy}"


def _arch(built: Keys, here: Keys) -> Optional[Finding]:
    values = _both("arch", built, here)
    if values is None or values[0] == values[1]:
        return None
    message = f"it was built for {values[0]}, and this machine is {values[1]}."
    return Finding("arch", *values, FATAL, message, "Use a file that was built for this machine.")


def _gantry_abi(built: Keys, here: Keys) -> Optional[Finding]:
    values = _both("gantry.abi", built, here)
    if values is None or values[0].split(".")[0] == values[1].split(".")[0]:
        return None
    message = f"it was built for version {values[0]} of Gantry's binary interface, and the loaded libgantry has {values[1]}."
    return Finding("gantry.abi", *values, FATAL, message, _REBUILD_GANTRY)


def _build_id(built: Keys, here: Keys) -> Optional[Finding]:
    """Equal ids are equal sources and flags, whatever the commit. A torch extension is compiled from other sources than libgantry,
    on another day: its id is its own."""
    values = _both("build.id", built, here)
    if values is None or values[0] == values[1] or built.get("torch.abi"):
        return None
    message = f"it was built from other sources or with other flags (build.id {values[0]}) than the loaded libgantry (build.id {values[1]}): the tree is half rebuilt."
    return Finding("build.id", *values, FATAL, message, _REBUILD_GANTRY)


def _torch_version(built: Keys, here: Keys) -> Optional[Finding]:
    """C++ extensions hold inlined code and layouts of one torch: any other is refused, a later patch release too."""
    values = _both("torch.version", built, here)
    if values is None or _is_stable(built) or (_same_version(*values) and _same_commit(built, here)):
        return None
    message = (
        f"it was built against torch {values[0]}{_commit(built)}, running torch is {values[1]}{_commit(here)}. "
        "C++ extensions are only valid for the torch they were compiled with."
    )
    remedy = _REBUILD_TORCH.format(flavour="classic", instead=" (or use the stable flavour, or none)")
    return Finding("torch.version", *values, FATAL, message, remedy)


def _torch_target(built: Keys, here: Keys) -> Optional[Finding]:
    target = _target(built.get("torch.target", ""))
    running = _release(here.get("torch.version", ""))
    if target is None or running is None or running >= target:
        return None
    text = ".".join(map(str, target))
    message = f"it was built for torch {text} and later (TORCH_TARGET_VERSION), running torch is {here['torch.version']}."
    remedy = f"Install torch {text} or later, or rebuild for the torch that is here: python -m gantry.torch_ext build --flavour stable."
    return Finding("torch.target", built["torch.target"], here["torch.version"], FATAL, message, remedy)


def _torch_age(built: Keys, here: Keys) -> Optional[Finding]:
    then, now = _release(built.get("torch.version", "")), _release(here.get("torch.version", ""))
    if not _is_stable(built) or then is None or now is None or (now[0] == then[0] and now[1] - then[1] <= _STABLE_RELEASES):
        return None
    if now < then:
        return None
    message = (
        f"it was built with torch {built['torch.version']}, running torch is {here['torch.version']}: torch keeps its stable ABI "
        "for two years within a major version."
    )
    return Finding(
        "torch.age", built["torch.version"], here["torch.version"], WARNING, message,
        _REBUILD_TORCH.format(flavour="stable", instead=""),
    )  # fmt: skip


def _cxx11_abi(built: Keys, here: Keys) -> Optional[Finding]:
    values = _both("torch.cxx11_abi", built, here)
    if values is None or _is_stable(built) or values[0] == values[1]:
        return None
    message = (
        f"it was compiled with _GLIBCXX_USE_CXX11_ABI={values[0]}, running torch with {values[1]}: std::string is another type in "
        "each of them."
    )
    remedy = _REBUILD_TORCH.format(flavour="classic", instead=" (or use the stable flavour, or none)")
    return Finding("torch.cxx11_abi", *values, FATAL, message, remedy)


def _gxx_abi(built: Keys, here: Keys) -> Optional[Finding]:
    """Versions 1002 to 1999 name the same types alike but for corner cases; pybind11 takes them for one family."""
    values = _both("cxx.gxx_abi", built, here)
    if values is None or values[0] == values[1]:
        return None
    family = all(re.fullmatch(r"1\d{3}", value) and int(value) >= 1002 for value in values)
    message = f"it was compiled with C++ ABI version {values[0]} (-fabi-version), libgantry with {values[1]}."
    return Finding("cxx.gxx_abi", *values, INFO if family else WARNING, message, "Nothing, unless symbols are missing.")


def _cuda(built: Keys, here: Keys) -> Optional[Finding]:
    toolkit, driver = built.get("cuda.toolkit", ""), here.get("cuda.driver", "")
    numbers = [re.match(r"\d+", text) for text in (toolkit, driver)]
    if numbers[0] is None or numbers[1] is None or int(numbers[0][0]) <= int(numbers[1][0]):
        return None
    message = f"it was built with CUDA {toolkit}, and the driver supports CUDA {driver}."
    return Finding(
        "cuda.toolkit", toolkit, driver, FATAL, message,
        f"Install a driver for CUDA {numbers[0][0]}, or build with a toolkit of CUDA {numbers[1][0]}.",
    )  # fmt: skip


def _python(built: Keys, here: Keys) -> Optional[Finding]:
    limited = re.fullmatch(r"0x03([0-9a-f]{2})[0-9a-f]{4}", built.get("py.limited", ""))
    running = re.fullmatch(r"3\.(\d+)", here.get("python", ""))
    if limited is None or running is None or int(running[1]) >= int(limited[1], 16):
        return None
    least = f"3.{int(limited[1], 16)}"
    message = f"it uses the limited API of Python {least}, and this is Python {here['python']}."
    return Finding("py.limited", built["py.limited"], here["python"], FATAL, message, f"Use Python {least} or later.")


_RULES: Tuple[Callable[[Keys, Keys], Optional[Finding]], ...] = (
    _arch, _gantry_abi, _build_id, _torch_version, _torch_target, _torch_age, _cxx11_abi, _python, _cuda, _gxx_abi,
)  # fmt: skip


def _both(key: str, built: Keys, here: Keys) -> Optional[Tuple[str, str]]:
    return (built[key], here[key]) if key in built and key in here else None


def _is_stable(built: Keys) -> bool:
    return built.get("torch.abi") == "stable"


def _same_version(built: str, here: str) -> bool:
    """torch's headers know the release alone; a stamp has the rest where torch's package was beside them."""
    release = re.match(r"\d+\.\d+\.\d+", here)
    return built == here or (release is not None and built == release[0])


def _same_commit(built: Keys, here: Keys) -> bool:
    values = _both("torch.git", built, here)
    return values is None or values[0].startswith(values[1]) or values[1].startswith(values[0])


def _commit(keys: Keys) -> str:
    return f" ({keys['torch.git'][:12]})" if keys.get("torch.git") else ""


def _target(text: str) -> Optional[Tuple[int, int]]:
    """One byte each for major and minor: 0x020a000000000000 is 2.10."""
    match = re.fullmatch(r"0x([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{12}", text)
    return None if match is None else (int(match[1], 16), int(match[2], 16))


def _release(text: str) -> Optional[Tuple[int, int]]:
    match = re.match(r"(\d+)\.(\d+)", text)
    return None if match is None else (int(match[1]), int(match[2]))
