"""S30 and S31: the CUDA backend, as far as it can be tested without a GPU."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
from typing import List, Tuple

from .registry import child, equal, holds, output, skip, test

_QUERY = "import gantry; seen = gantry.backend(); print(seen.reason); print(seen.text)"

# What a driver answers to the first questions that are put to it. What only a GPU could answer is never asked.
_DRIVER = r"""
int cuDriverGetVersion(int* version) { *version = FAKE_VERSION; return 0; }
int cuInit(unsigned flags) { (void)flags; return FAKE_INIT; }
int cuDeviceGetCount(int* count) { *count = 0; return 0; }
int cuDeviceGet(int* device, int ordinal) { (void)device; (void)ordinal; return 101; }
int cuDeviceGetName(char* name, int length, int device) { (void)name; (void)length; (void)device; return 101; }
int cuDeviceGetAttribute(int* value, int attribute, int device) { (void)value; (void)attribute; (void)device; return 101; }
int cuDeviceTotalMem_v2(unsigned long* bytes, int device) { (void)bytes; (void)device; return 101; }
int cuCtxGetCurrent(void** context) { *context = 0; return 0; }
int cuCtxSetCurrent(void* context) { (void)context; return 0; }
"""


@test("S30", "why the CUDA backend cannot be used is told by name")
def reasons() -> str:
    from .. import backend

    def ask(**variables: str) -> str:
        return output(child(_QUERY, variables=variables)).splitlines()[0].replace("GANTRY_REASON_", "")

    told = []
    equal(ask(GANTRY_CUDA_PLUGIN="/no/such/plugin.so"), "PLUGIN_ABSENT", "a plug-in that is not there")
    told.append("PLUGIN_ABSENT")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "libgantry_cuda.so")
        with open(path, "w", encoding="utf-8") as file:
            file.write("no library")
        equal(ask(GANTRY_CUDA_PLUGIN=path), "PLUGIN_FOREIGN", "a file that is no plug-in")
        told.append("PLUGIN_FOREIGN")
        here = backend("cuda").reason.replace("GANTRY_REASON_", "")
        compiler = shutil.which("cc")
        if here not in ("PLUGIN_ABSENT", "PLUGIN_FOREIGN", "PLUGIN_UNLOADABLE") and compiler:
            for version, code, wanted in (
                (0, 0, "DRIVER_UNUSABLE"), (11000, 0, "DRIVER_TOO_OLD"), (13000, 100, "DRIVER_ERROR"), (13000, 802, "DRIVER_ERROR"),
                (13000, 999, "DRIVER_ERROR"), (13000, 0, "NO_DEVICE"),
            ):  # fmt: skip
                _compile_driver(compiler, folder, version, code)
                found = ask(LD_LIBRARY_PATH=f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}")
                equal(found, wanted, f"a driver of version {version} whose cuInit returns {code}")
                told.append(wanted)
    return f"{', '.join(dict.fromkeys(told))} were provoked; on this machine: {here}"


def _compile_driver(compiler: str, folder: str, version: int, code: int) -> None:
    source, target = os.path.join(folder, "driver.c"), os.path.join(folder, "libcuda.so.1")
    with open(source, "w", encoding="utf-8") as file:
        file.write(_DRIVER)
    command = [compiler, "-shared", "-fPIC", f"-DFAKE_VERSION={version}", f"-DFAKE_INIT={code}", "-Wl,-soname,libcuda.so.1", source, "-o", target]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    holds(done.returncode == 0, f"the made-up driver does not compile: {done.stdout}")


@test("S31", "the CUDA backend has code for every GPU that it names")
def architectures() -> str:
    from .. import info, stamp

    path = os.environ.get("GANTRY_CUDA_PLUGIN") or os.path.join(os.path.dirname(info.library_path()), "libgantry_cuda.so")
    if not os.path.exists(path):
        skip("this build has no CUDA backend")
    keys = stamp.read(path) or {}
    named = [name for name in keys.get("cuda.archs", "").split(",") if name]
    holds(named, f"the stamp of {path} names no architectures")
    equal(keys.get("build.id"), stamp.parse(info.build_info().encode()).get("build.id"), "build.id of the plug-in and of the library")
    with open(path, "rb") as file:
        found = _images(file.read())
    machine = {architecture for kind, architecture in found if kind == _SASS}
    portable = {architecture for kind, architecture in found if kind == _PTX}
    for name in named:
        number = int("".join(filter(str.isdigit, name)))
        if not name.startswith("ptx"):
            holds(number in machine, f"there is no machine code for {name}, only for {sorted(machine)}")
        if name.startswith("ptx") or name.endswith("+ptx"):
            holds(number in portable, f"there is no PTX for {name}, only for {sorted(portable)}")
    return f"{', '.join(named)}, toolkit {keys.get('cuda.toolkit', 'unknown')}, in one build with the library"


_PTX, _SASS = 1, 2
_FATBIN = 0xBA55ED50


def _images(data: bytes) -> List[Tuple[int, int]]:
    """Kind and compute capability of the images in CUDA's fat binaries: a header (magic, version, its size, bytes that follow), then
    for each image a header of its own (kind, its size, bytes that follow; the capability at 28) and the image."""
    found = []
    at = data.find(struct.pack("<I", _FATBIN))
    while at >= 0:
        _, _, header, size = struct.unpack_from("<IHHQ", data, at)
        place, end = at + header, min(at + header + size, len(data) - 32)
        while place < end:
            kind, _, own, length = struct.unpack_from("<HHIQ", data, place)
            found.append((kind, struct.unpack_from("<I", data, place + 28)[0]))
            place += max(own + length, 1)
        at = data.find(struct.pack("<I", _FATBIN), at + 4)
    return found
