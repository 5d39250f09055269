"""What libgantry and its neighbours need and export: nothing of torch's, of Python's or of libstdc++'s."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import List, Set

from gantry import stamp

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["GANTRY_TEST_BUILD"])
LIBRARY = BUILD / "libgantry.so"
PLUGIN = BUILD / "gantry" / "libgantry_cuda.so"
CORE = BUILD / "python" / "gantry" / "_core.abi3.so"

# libpthread, libdl and librt are names of their own until glibc 2.34.
ALLOWED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
LOADER = re.compile(r"ld-linux[\w.-]*\.so\.\d+")

# The newest symbol version that a build on glibc 2.36 needs: the unwinder of GCC 12's static libgcc asks for
# _dl_find_object@GLIBC_2.35. From glibc 2.38 on, headers turn strtol into __isoc23_strtol@GLIBC_2.38.
NEWEST_GLIBC = (2, 38) if tuple(map(int, platform.libc_ver()[1].split("."))) >= (2, 38) else (2, 35)


def run(*command: "str | os.PathLike[str]") -> str:
    return subprocess.run([os.fspath(part) for part in command], stdout=subprocess.PIPE, check=True, text=True, timeout=60).stdout


def header_functions() -> Set[str]:
    text = re.sub(r"/\*.*?\*/", "", (SOURCE / "include" / "gantry" / "gantry.h").read_text("utf-8"), flags=re.DOTALL)
    return set(re.findall(r"^GANTRY_API\b[^;(]*?\b(gantry_\w+)\(", text, re.MULTILINE))


def exported(file: Path) -> Set[str]:
    names = run("nm", "-D", "--defined-only", "--without-symbol-versions", file).splitlines()
    return {name for kind, name in (line.split()[-2:] for line in names) if kind != "A"}


def undefined(file: Path) -> List[str]:
    """Without weak ones, which may stay undefined."""
    names = [line.split() for line in run("nm", "-D", "--undefined-only", "--without-symbol-versions", file).splitlines()]
    return [name for kind, name in names if kind != "w"]


class AuditTest(unittest.TestCase):
    def needs_nothing_else(self, file: Path) -> None:
        dynamic = run("readelf", "-dW", file)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        self.assertEqual({name for name in needed if LOADER.fullmatch(name) is None} - ALLOWED, set())
        self.assertNotRegex(dynamic, "RPATH|RUNPATH|TEXTREL")
        foreign = re.compile(r"_?Py[A-Z_]|_ZN?K?\d*(3c10|2at|5torch)|aoti_|torch_|_Z|__cxa_throw|cuda[A-Z]|cu[A-Z]")
        self.assertEqual([name for name in undefined(file) if foreign.match(name)], [])
        versions = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", run("readelf", "-VW", file))}
        print(f"{file.name} needs {', '.join(sorted(needed))}; the newest symbol is of GLIBC_{'.'.join(map(str, max(versions)))}")
        self.assertLessEqual(max(versions), NEWEST_GLIBC)

    def test_library(self) -> None:
        self.needs_nothing_else(LIBRARY)
        functions = header_functions()
        self.assertGreater(len(functions), 40)
        self.assertEqual(exported(LIBRARY), functions)
        self.assertRegex(run("readelf", "-dW", LIBRARY), r"\(SONAME\).*\[libgantry\.so\.1\]")
        self.assertEqual(os.readlink(LIBRARY), "libgantry.so.1")

    def test_no_stack_or_relocation_can_be_written_to(self) -> None:
        segments = run("readelf", "-lW", LIBRARY)
        self.assertRegex(segments, r"GNU_STACK .* RW +0x")
        self.assertIn("GNU_RELRO", segments)

    def test_baseline_processor(self) -> None:
        keys = stamp.read(LIBRARY) or {}
        if platform.machine() == "x86_64":
            self.assertEqual(keys["isa"], "x86-64")

    def test_plug_in(self) -> None:
        if not PLUGIN.exists():
            self.skipTest("the CUDA backend was not built")
        self.needs_nothing_else(PLUGIN)
        self.assertEqual(exported(PLUGIN), {"gantry_cuda_entry"})
        keys = stamp.read(PLUGIN) or {}
        self.assertEqual((keys["name"], keys["cudart"]), ("gantry_cuda", "static"))

    def test_core(self) -> None:
        if not CORE.exists():
            self.skipTest("the Python module was not built")
        dynamic = run("readelf", "-dW", CORE)
        self.assertEqual(set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) - {"libc.so.6"}, set())
        self.assertNotRegex(dynamic, "RPATH|RUNPATH")
        self.assertEqual(exported(CORE) - {"gantry_core_build_info"}, {"PyInit__core"})
        self.assertEqual((stamp.read(CORE) or {})["py.limited"], "0x030a0000")

    def test_one_build(self) -> None:
        files = [file for file in (LIBRARY, PLUGIN, CORE) if file.exists()]
        for key in ("build.id", "gantry.abi", "version"):
            values = {file.name: (stamp.read(file) or {}).get(key) for file in files}
            self.assertEqual(len(set(values.values())), 1, values)
        self.assertEqual((stamp.read(LIBRARY) or {})["name"], "gantry")

    def test_stamp_of_the_function_and_of_the_file_are_one(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "libgantry.so"
            before = stamp.read(LIBRARY)
            assert before is not None
            for tool in ([], ["strip", "-s"], ["strip", "--strip-unneeded"], ["objcopy", "--strip-all", "-R", ".comment"]):
                shutil.copy(LIBRARY, copy)
                if tool:
                    run(*tool, copy)
                self.assertEqual(stamp.read(copy), before)
            function = ctypes.CDLL(str(copy)).gantry_build_info
            function.restype = ctypes.c_char_p
            text = function()
            self.assertEqual(stamp.parse(text), before)
            self.assertIn(b"Abiding\0" + text + b"\0", LIBRARY.read_bytes())


if __name__ == "__main__":
    unittest.main()
