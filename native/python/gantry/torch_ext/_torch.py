"""What an extension depends on of the torch that is running."""

from __future__ import annotations

import os
import platform
import re
import sys
import sysconfig
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Optional, Tuple

from gantry.stamp import _elf

from ._errors import NO_TORCH, BuildFailed


@dataclass(frozen=True)
class Torch:
    version: str  # torch.__version__
    git: str  # torch.version.git_version; "Unknown" in Debian's
    cuda: str  # torch.version.cuda; "" without
    hip: str
    cxx11_abi: int
    cxx_standard: int  # that torch was compiled with: 14, 17, 20
    folder: str  # of the package
    python: str  # cpython-311-x86_64-linux-gnu
    machine: str

    @property
    def release(self) -> Tuple[int, int]:
        numbers = re.match(r"(\d+)\.(\d+)", self.version)
        return (int(numbers.group(1)), int(numbers.group(2))) if numbers else (0, 0)

    @property
    def include_folders(self) -> List[str]:
        include = os.path.join(self.folder, "include")
        return [include, os.path.join(include, "torch", "csrc", "api", "include")]

    @property
    def library_folder(self) -> str:
        return os.path.join(self.folder, "lib")

    def library(self, name: str) -> str:
        return os.path.join(self.library_folder, f"lib{name}.so")

    def sonames(self) -> Dict[str, str]:
        """How the running torch's libraries call themselves: {"c10": "libc10.so"}. Wheels have plain names, Debian's have
        versions in them."""
        result = {}
        for name in ("c10", "torch_cpu"):
            path = self.library(name)
            if os.path.exists(path):
                result[name] = _elf.dynamic(path).soname or os.path.basename(path)
        return result

    def describe(self) -> str:
        return f"{self.version} ({self.git[:12]})"

    def as_dict(self) -> Dict[str, Any]:
        return asdict(self)


_STANDARD = re.compile(r"C\+\+ Version: (\d{6})")
_YEARS = {"201402": 14, "201703": 17, "202002": 20, "202302": 23}


def import_torch() -> Any:
    try:
        import torch
    except ImportError as failure:
        raise BuildFailed(
            NO_TORCH, f"gantry: torch cannot be imported in {sys.executable}: {failure}. The extension is for the torch of "
            "the Python that runs this; without torch Gantry works by itself."
        ) from failure
    return torch


_read: Optional[Torch] = None


def running() -> Torch:
    """Of the torch of this process, which is imported when it is not yet."""
    global _read
    if _read is None:
        torch = import_torch()
        standard = _STANDARD.search(torch.__config__.show())
        _read = Torch(
            version=str(torch.__version__),
            git=str(getattr(torch.version, "git_version", None) or "unknown"),
            cuda=str(getattr(torch.version, "cuda", None) or ""),
            hip=str(getattr(torch.version, "hip", None) or ""),
            cxx11_abi=int(torch._C._GLIBCXX_USE_CXX11_ABI),
            cxx_standard=_YEARS.get(standard.group(1), 17) if standard else 17,
            folder=os.path.dirname(os.path.abspath(torch.__file__)),
            python=sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag or "unknown",
            machine=platform.machine(),
        )
    return _read
