"""S01 to S06: header, library, stamp."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List

from .registry import child, equal, holds, output, skip, test

_ALLOWED = re.compile(r"(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1|ld-linux[-\w]*\.so\.\d)$")


def _run(command: List[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)


@test("S01", "the header compiles as C11 and as C++17")
def header() -> str:
    from ..torch_ext import _sources

    try:
        include = _sources.find().include
    except Exception as error:
        skip(f"the header is not installed: {error}")
    compilers = [(name, language) for name, language in (("cc", "c11"), ("c++", "c++17")) if shutil.which(name)]
    if not compilers:
        skip("neither cc nor c++ is on PATH")
    done = []
    with tempfile.TemporaryDirectory() as folder:
        for name, language in compilers:
            source = os.path.join(folder, "header.c" if language == "c11" else "header.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <gantry/gantry.h>\nint main(void) { return (int)gantry_abi_version(); }\n")
            result = _run([name, f"-std={language}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I", include, source])
            equal((result.returncode, result.stderr), (0, ""), f"{name} -std={language}")
            done.append(f"{name} -std={language}")
    return f"no warning from {' and '.join(done)} with -Wall -Wextra -pedantic"


@test("S02", "the library loads in an empty process")
def loads_alone() -> str:
    from .. import info

    path = info.library_path()
    code = f"""
import ctypes
library = ctypes.CDLL({path!r})
library.gantry_version.restype = ctypes.c_char_p
maps = open("/proc/self/maps").read()
print(library.gantry_version().decode(), *[name for name in ("libstdc++", "libc10", "libtorch", "libcuda") if name in maps])
"""
    equal(output(child(code, flags=["-I", "-S"])), info.library_version(), "version, and libraries that came along")
    return "without torch, NumPy, libstdc++ or CUDA coming along"


@test("S03", "the binary interface is negotiated")
def negotiation() -> str:
    from .. import _abi, _library, info

    library: Any = _library.load()
    major, minor = info.abi_version()
    handle = ctypes.c_void_p()
    for wanted in ((major + 1) << 16, major << 16 | (minor + 1)):
        equal(library.gantry_open(wanted, None, ctypes.byref(handle)), _abi.ERROR_ABI, f"gantry_open for {wanted >> 16}.{wanted & 0xFFFF}")
        text = library.gantry_last_error().decode()
        holds(f"{wanted >> 16}.{wanted & 0xFFFF}" in text and f"{major}.{minor}" in text, f"the text has not both interfaces: {text}")
        holds(not handle.value, "a context was made all the same")
    equal(library.gantry_open(_abi.ABI_VERSION, None, ctypes.byref(handle)), _abi.OK, "gantry_open for this package's interface")
    library.gantry_close(handle)
    return f"{major}.{minor} is accepted; another major and a newer minor are refused, with both numbers in the text"


def _stamp_of(path: str) -> Dict[str, str]:
    from .. import stamp

    found = stamp.read(path)
    if found is None:
        raise AssertionError(f"{path} has no stamp")
    return dict(found)


@test("S04", "the stamp in the file is the stamp of the loaded library")
def stamp_is_one() -> str:
    from .. import info, stamp

    path = info.library_path()
    told = dict(stamp.parse(info.build_info().encode()))
    equal(_stamp_of(path), told, "the stamp read from the file")
    with open(path, "rb") as file:
        holds(info.build_info().encode() in file.read(), "the file does not have the very bytes")
    return f"{len(told)} keys, build.id {told.get('build.id')}"


@test("S05", "the stamp survives strip")
def survives_strip() -> str:
    from .. import info

    strip = shutil.which("strip")
    if strip is None:
        skip("strip is not on PATH")
    path = info.library_path()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "libgantry.so")
        shutil.copyfile(path, copy)
        equal(_run([strip, "-s", copy]).returncode, 0, "strip -s")
        equal(_stamp_of(copy), _stamp_of(path), "the stamp of the stripped copy")
        return f"strip -s took {os.path.getsize(path) - os.path.getsize(copy)} bytes from a copy, and not the stamp"


@test("S06", "the library needs and shows nothing that it should not")
def audit() -> str:
    from .. import _abi, info
    from ..stamp import _elf

    path = info.library_path()
    needed = _elf.dynamic(path).needed
    equal([name for name in needed if not _ALLOWED.match(name)], [], "libraries that it must not need")
    nm = shutil.which("nm")
    if nm is None:
        return f"needs {', '.join(needed)}; its symbols were not looked at, since nm is not on PATH"
    shown = [line.split()[-1].split("@")[0] for line in _run([nm, "-D", "--defined-only", path]).stdout.splitlines()]
    strangers = [name for name in shown if not name.startswith("gantry_") and not re.match(r"GANTRY_[\d.]+$", name)]
    equal(strangers, [], "symbols that it must not show")
    equal(sorted(set(_abi.PROTOTYPES) - set(shown)), [], "functions of the header that are missing")
    undefined = _run([nm, "-D", "--undefined-only", path]).stdout
    equal(re.findall(r"\b(?:_ZN\w*(?:c10|2at|5torch)\w*|_?Py[A-Z_]\w*|\w+@GLIBCXX\S*)", undefined), [], "symbols that it must not want")
    versions = sorted({tuple(map(int, version.split("."))) for version in re.findall(r"@GLIBC_([\d.]+)", undefined)})
    newest = ".".join(map(str, versions[-1])) if versions else "none"
    return f"needs {', '.join(needed)} (glibc {newest} or later) and shows {len(shown)} functions, all of gantry.h"
