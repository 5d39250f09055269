"""What torch is installed, without importing it into this process."""

from __future__ import annotations

import ast
import importlib.util
import json
import mmap
import os
import subprocess
import sys
from typing import Any, Dict, Optional

from .report import OK, SKIP, WARN, Check

_CHILD = """
import json, sys
import torch
print(json.dumps({
    "version": str(torch.__version__),
    "git": getattr(torch.version, "git_version", None),
    "cuda": torch.version.cuda,
    "cxx11_abi": bool(torch.compiled_with_cxx11_abi()),
    "cuda_available": bool(torch.cuda.is_available()),
    "devices": [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())] if torch.cuda.is_available() else [],
    "dlpack_exchange_api": hasattr(torch.Tensor, "__dlpack_c_exchange_api__"),
}))
"""

_CXX11_STRING = b"NSt7__cxx1112basic_string"
_OLD_STRING = b"_ZNSsC"


def folder() -> Optional[str]:
    """Where `import torch` would find torch; finding a top-level package does not run it."""
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or []) if spec else []
    return places[0] if places else None


def version_file(place: str) -> Dict[str, Any]:
    """The assignments of torch/version.py, read and not run."""
    with open(os.path.join(place, "version.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found: Dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if isinstance(value, ast.Constant):
            found.update({target.id: value.value for target in targets if isinstance(target, ast.Name)})
    return found


def cxx11_abi(place: str) -> Optional[bool]:
    """Which std::string libc10.so uses, by the names of its symbols; None when the library does not tell."""
    path = os.path.join(place, "lib", "libc10.so")
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data.find(_CXX11_STRING) >= 0:
                return True
            return False if data.find(_OLD_STRING) >= 0 else None
    except (OSError, ValueError):
        return None


def _ask_child() -> Dict[str, Any]:
    """Imports torch in a process of its own; raises RuntimeError with how that ended."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise RuntimeError("importing torch took longer than 120 seconds") from error
    if done.returncode < 0:
        raise RuntimeError(f"importing torch ended the process by signal {-done.returncode}")
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode != 0:
        raise RuntimeError(f"importing torch failed: {lines[-1] if lines else f'exit code {done.returncode}'}")
    answer: Dict[str, Any] = json.loads(done.stdout.decode().strip().splitlines()[-1])
    return answer


def check(import_torch: bool) -> Check:
    """`import_torch`: also import it, in a child process."""
    place = folder()
    if place is None:
        return Check("torch", "PyTorch", SKIP, "torch is not installed for this Python; Gantry does not need it", "", {"present": False})
    try:
        facts = version_file(place)
        version = str(facts["__version__"])
    except (OSError, SyntaxError, KeyError, UnicodeDecodeError) as error:
        return Check(
            "torch", "PyTorch", WARN, f"{place} is there, its version.py cannot be read: {error}",
            "Install torch anew.", {"present": True, "path": place},
        )  # fmt: skip
    abi = cxx11_abi(place)
    data: Dict[str, Any] = {
        "present": True, "path": place, "version": version, "git": facts.get("git_version"), "cuda": facts.get("cuda"),
        "hip": facts.get("hip"), "cxx11_abi": abi, "imported": False,
    }  # fmt: skip
    strings = {True: "the C++11 ABI", False: "the ABI before C++11", None: "an ABI that its libc10.so does not show"}[abi]
    text = f"torch {version} (CUDA {data['cuda'] or 'none'}), std::string of {strings}, {place}"
    if not import_torch:
        return Check("torch", "PyTorch", OK, f"{text}; read from its files, not imported", "", data)
    try:
        seen = _ask_child()
    except (RuntimeError, ValueError) as error:
        return Check("torch", "PyTorch", WARN, f"{text}; {error}", "Repair or reinstall torch.", data)
    data.update(seen, imported=True)
    if seen["version"] != version or (abi is not None and seen["cxx11_abi"] != abi):
        return Check(
            "torch", "PyTorch", WARN,
            f"{text}; imported it says {seen['version']} and C++11 ABI {seen['cxx11_abi']}: its files are of two installations",
            "Uninstall torch until nothing is left, then install it anew.", data,
        )  # fmt: skip
    gpu = f"GPUs: {', '.join(seen['devices'])}" if seen["devices"] else "it sees no GPU"
    return Check("torch", "PyTorch", OK, f"{text}; imported in a child process, {gpu}", "", data)
