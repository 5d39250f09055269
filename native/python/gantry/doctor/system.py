"""Checks of the machine: what the library's speed and its shared segments depend on."""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
from typing import List, Optional, Tuple

from .report import OK, SKIP, WARN, Check

_MIB = 1 << 20
_SMALL_SHARED_MEMORY = 256 * _MIB  # containers get 64 MiB when nobody asks for more
_OLDEST_PYTHON = (3, 10)


def amount(count: int) -> str:
    """Bytes for people: "512 MiB"."""
    value = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "bytes" or value >= 10 else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def _read(path: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def _first_line(command: List[str]) -> Tuple[Optional[str], str]:
    """The first line that a program prints, and why there is none."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    text = done.stdout.decode(errors="replace").strip()
    if done.returncode != 0:
        return None, f"exit code {done.returncode}: {text[:200]}"
    return text.splitlines()[0] if text else "", ""


def python() -> Check:
    version = platform.python_version()
    data = {
        "version": version,
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
        "machine": platform.machine(),
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "gil": bool(getattr(sys, "_is_gil_enabled", lambda: True)()),
    }
    text = f"{data['implementation']} {version}, {data['bits']} bits, {data['machine']}, {sys.executable}"
    if sys.version_info < _OLDEST_PYTHON:
        return Check("python", "Python", WARN, f"{text}; the package is tested with 3.10 and later", "Use Python 3.10 or later.", data)
    return Check("python", "Python", OK, text, "", data)


def compiler() -> Check:
    """The C++ compiler that would compile torch extensions on this machine."""
    wanted = os.environ.get("CXX")
    for name in [wanted] if wanted else ["c++", "g++", "clang++"]:
        path = shutil.which(name.split()[0])
        if path is None:
            continue
        line, why = _first_line([path, "--version"])
        if line is None:
            return Check(
                "compiler", "C++ compiler", WARN, f"{path} does not run: {why}",
                "Install a C++17 compiler, or name one in CXX, if torch extensions shall be compiled here.", {"path": path},
            )  # fmt: skip
        return Check("compiler", "C++ compiler", OK, f"{line} ({path})", "", {"path": path, "version": line})
    text = f"CXX names {wanted}, which is not there" if wanted else "None of c++, g++ and clang++ is on PATH"
    return Check(
        "compiler", "C++ compiler", WARN if wanted else SKIP,
        f"{text}; it is needed only to compile the optional torch extensions",
        "Install a C++17 compiler if torch extensions shall be compiled here.", {},
    )  # fmt: skip


def nvcc() -> Check:
    """CUDA's compiler: needed to build the CUDA backend from source, not to use it."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    path = shutil.which("nvcc", path=os.path.join(home, "bin")) if home else None
    path = path or shutil.which("nvcc")
    if path is None:
        return Check(
            "nvcc", "CUDA compiler", SKIP, "nvcc is not on PATH; it is needed only to build the CUDA backend from source", "", {}
        )
    try:
        done = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20, check=False)
        output, code = done.stdout.decode(errors="replace"), done.returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        output, code = str(error), 1
    found = re.search(r"release (\d+\.\d+), V([\d.]+)", output)
    if code != 0 or found is None:
        return Check(
            "nvcc", "CUDA compiler", WARN, f"{path} does not tell its version: {output.strip()[:200]}",
            "Repair the CUDA toolkit, or take nvcc off PATH.", {"path": path},
        )  # fmt: skip
    return Check("nvcc", "CUDA compiler", OK, f"nvcc {found.group(2)} ({path})", "", {"path": path, "version": found.group(2)})


def shared_memory() -> Check:
    try:
        space = os.statvfs("/dev/shm")
    except OSError as error:
        return Check(
            "shm.size", "Shared memory", WARN, f"/dev/shm cannot be used: {error.strerror}",
            "Mount a tmpfs on /dev/shm; tables without a name (memfd) need it less than named ones.", {},
        )  # fmt: skip
    total, free = space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize
    data = {"bytes": total, "bytes_free": free}
    text = f"/dev/shm has {amount(total)}, of which {amount(free)} are free"
    if free < _SMALL_SHARED_MEMORY:
        return Check(
            "shm.size", "Shared memory", WARN, f"{text}; named tables larger than that are refused",
            "Give the container more (docker run --shm-size=8g), or share tables without a name.", data,
        )  # fmt: skip
    return Check("shm.size", "Shared memory", OK, text, "", data)


def huge_pages() -> Check:
    text = _read("/sys/kernel/mm/transparent_hugepage/enabled")
    found = re.search(r"\[(\w+)\]", text or "")
    if found is None:
        return Check("thp", "Transparent huge pages", SKIP, "The kernel does not tell its setting", "", {})
    setting = found.group(1)
    said = {
        "always": "always: large tables get huge pages",
        "madvise": "madvise: memory gets huge pages where a program asks for them",
        "never": "never: random reads of large tables pay for more TLB misses",
    }.get(setting, setting)
    remedy = "As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled" if setting == "never" else ""
    return Check("thp", "Transparent huge pages", WARN if setting == "never" else OK, said, remedy, {"enabled": setting})


def _quota() -> Optional[float]:
    """CPUs that the control group may use, by version 2 or 1 of its files; None without a limit."""
    line = _read("/proc/self/cgroup") or ""
    version2 = re.search(r"^0::(\S+)$", line, re.MULTILINE)
    for folder in [version2.group(1).rstrip("/") if version2 else "", ""]:
        text = _read(f"/sys/fs/cgroup{folder}/cpu.max")
        parts = text.split() if text else []
        if len(parts) == 2 and parts[0].isdigit() and int(parts[1]) > 0:
            return int(parts[0]) / int(parts[1])
    quota, period = _read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), _read("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
    if quota and period and int(quota) > 0 and int(period) > 0:
        return int(quota) / int(period)
    return None


def cpus(threads: Optional[int]) -> Check:
    """`threads`: of the default context, when the library could be loaded."""
    total = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else total
    quota = _quota()
    data = {"cpus": total, "affinity": allowed, "cgroup_quota": quota, "threads": threads}
    limit = f"a quota of {quota:.2f} CPUs" if quota is not None else "no quota"
    text = f"{total} in the machine, {allowed} by the affinity mask, {limit} by the control group"
    if threads is not None:
        text += f"; ops use {threads} thread{'' if threads == 1 else 's'}"
    usable = min(allowed, quota if quota is not None else allowed)
    if threads is not None and threads > max(1, int(usable + 0.999)):
        return Check(
            "cpus", "Processors", WARN, f"{text}, more than the process may run at once",
            "Set GANTRY_NUM_THREADS to no more than the CPUs that the process may use.", data,
        )  # fmt: skip
    return Check("cpus", "Processors", OK, text, "", data)


def memory_lock() -> Check:
    soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    unlimited = soft == resource.RLIM_INFINITY
    data = {"soft": None if unlimited else soft, "hard": None if hard == resource.RLIM_INFINITY else hard}
    text = "unlimited" if unlimited else f"{amount(soft)} (ulimit -l)"
    return Check(
        "memlock", "Memory lock limit", OK, f"{text}; Gantry locks no memory itself, the CUDA driver pins pages outside of it", "", data
    )  # fmt: skip
