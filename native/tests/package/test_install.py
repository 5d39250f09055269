"""The installed tree, moved to another place: what is in it, and programs and Python that use it; the source tree inside another
project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List

from gantry import stamp

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BUILD = Path(os.environ["GANTRY_TEST_BUILD"])
CMAKE = os.environ.get("GANTRY_TEST_CMAKE", "cmake")
PRINTED = re.compile(r"\d+\.\d+\.\d+ 1: 6 7 0 1 4 5\n")


def environment(**changes: str) -> Dict[str, str]:
    """Without what would let a test find the build tree instead of the installed one."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH", "GANTRY_LIBRARY", "DESTDIR")}
    return {**kept, **changes}


def run(*command: "str | os.PathLike[str]", **changes: str) -> str:
    result = subprocess.run(
        [os.fspath(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False, text=True,
        env=environment(**changes),
    )  # fmt: skip
    if result.returncode != 0:
        raise AssertionError(f"{command} ended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def cached(name: str) -> str:
    match = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    assert match is not None, f"{name} is not in CMake's cache"
    return match[1]


class InstallTest(unittest.TestCase):
    folder: Path
    prefix: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "a moved place"
        (cls.folder / "first").rename(cls.prefix)
        cls.libraries = cls.prefix / cached("CMAKE_INSTALL_LIBDIR")

    def test_what_is_installed(self) -> None:
        names = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        library = str(self.libraries.relative_to(self.prefix))
        expected: List[str] = [
            f"{library}/libgantry.so", f"{library}/libgantry.so.1", f"{library}/libgantry.so.1.0", "include/gantry/gantry.h",
            f"{library}/pkgconfig/gantry.pc", f"{library}/cmake/gantry/gantryConfig.cmake", f"{library}/cmake/gantry/gantryConfigVersion.cmake",
            f"{library}/cmake/gantry/gantryTargets.cmake", f"{library}/cmake/gantry/AbidingStamp.cmake", f"{library}/cmake/gantry/abiding_stamp.cpp",
            f"{library}/gantry/python/gantry/__init__.py", f"{library}/gantry/python/gantry/_native/libgantry.so",
            "share/gantry/torch_ext/abiding_stamp.cpp", "share/gantry/torch_ext/gantry/gantry.h",
            f"{library}/gantry/python/gantry/torch_ext/sources/abiding_stamp.cpp",
            f"{library}/gantry/python/gantry/torch_ext/sources/gantry/gantry.h",
        ]  # fmt: skip
        for source in (SOURCE / "torch_ext").glob("*.[ch]*"):
            expected += [f"share/gantry/torch_ext/{source.name}", f"{library}/gantry/python/gantry/torch_ext/sources/{source.name}"]
        if (BUILD / "gantry" / "libgantry_cuda.so").exists():
            expected += [f"{library}/gantry/libgantry_cuda.so", f"{library}/gantry/python/gantry/_native/libgantry_cuda.so"]
        if (BUILD / "python" / "gantry" / "_core.abi3.so").exists():
            expected.append(f"{library}/gantry/python/gantry/_core.abi3.so")
        self.assertEqual(sorted(set(expected) - names), [])
        strange = [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".o", ".a"))]
        self.assertEqual(strange, [])
        for modules in (SOURCE / "python" / "gantry").rglob("*.py"):
            self.assertIn(f"{library}/gantry/python/gantry/{modules.relative_to(SOURCE / 'python' / 'gantry')}", names)

    def test_no_file_names_a_place_of_the_build(self) -> None:
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix in (".cmake", ".pc"):
                text = path.read_text("utf-8")
                for place in (str(BUILD), str(SOURCE), str(self.folder / "first")):
                    self.assertNotIn(place, text, path)

    def test_find_package(self) -> None:
        build = self.folder / "package"
        run(CMAKE, "-G", "Ninja", "-S", HERE / "consumer", "-B", build, "-DHOW=package", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(CMAKE, "--build", build)
        self.assertRegex(run(build / "consumer"), PRINTED)
        abi, sources, plugin = (build / "package.txt").read_text().splitlines()
        self.assertEqual(abi, "1.0")
        self.assertTrue((Path(sources) / "gantry_torch_stable.cpp").is_file(), sources)
        installed = self.libraries / "gantry" / "libgantry_cuda.so"
        self.assertEqual(plugin, str(installed) if installed.exists() else "")
        keys = stamp.read(build / "libstamped.so") or {}
        self.assertEqual((keys.get("name"), keys.get("version")), ("stamped", "2.0"))

    def test_find_package_of_another_version_is_refused(self) -> None:
        lists = self.folder / "newer"
        lists.mkdir()
        for version, found in (("0.1", True), ("0.2", False), ("1.0", False)):
            (lists / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.22)\nproject(newer LANGUAGES C CXX)\n"
                f'find_package(gantry {version} QUIET)\nif(gantry_FOUND)\n  message(STATUS "found it")\nendif()\n'
            )
            output = run(CMAKE, "-G", "Ninja", "-S", lists, "-B", lists / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
            self.assertEqual("found it" in output, found, version)

    def test_pkg_config(self) -> None:
        if shutil.which("pkg-config") is None:
            self.skipTest("no pkg-config on PATH")
        path = str(self.libraries / "pkgconfig")
        self.assertRegex(run("pkg-config", "--modversion", "gantry", PKG_CONFIG_PATH=path), r"^\d+\.\d+\.\d+\n$")
        # Blanks in a path are written with a backslash.
        flags = run("sh", "-c", "pkg-config --cflags --libs gantry", PKG_CONFIG_PATH=path)
        program = self.folder / "by-pkg-config"
        run(
            "sh",
            "-c",
            f'{cached("CMAKE_C_COMPILER")} -std=c11 -Wall -Wextra -Wpedantic -Werror "{HERE}/consumer/main.c" -o "{program}" {flags.strip()}',
        )
        self.assertRegex(run(program, LD_LIBRARY_PATH=str(self.libraries)), PRINTED)
        needed = run("readelf", "-dW", program)
        self.assertIn("[libgantry.so.1]", needed)

    def test_python(self) -> None:
        place = self.libraries / "gantry" / "python"
        code = (
            "import array, gantry\n"
            "table = memoryview(array.array('f', range(8))).cast('B').cast('f', [4, 2])\n"
            "rows = gantry.gather(table, array.array('q', [3, 0, 2]))\n"
            "print(gantry.library_path(), gantry.binding(), rows.tolist())\n"
        )
        for binding in ["ctypes"] + (["abi3"] if (place / "gantry" / "_core.abi3.so").exists() else []):
            output = run(sys.executable, "-B", "-c", code, PYTHONPATH=str(place), GANTRY_BINDING=binding)
            self.assertEqual(output, f"{place}/gantry/_native/libgantry.so {binding} [[6.0, 7.0], [0.0, 1.0], [4.0, 5.0]]\n")

    def test_binaries_of_one_build_have_one_id(self) -> None:
        ids = {
            str(path.relative_to(self.prefix)): (stamp.read(path) or {}).get("build.id")
            for path in self.prefix.rglob("*.so*")
            if not path.is_symlink()
        }
        self.assertGreaterEqual(len(ids), 2)
        self.assertEqual(len(set(ids.values())), 1, ids)


class InsideTest(unittest.TestCase):
    def test_inside_another_project(self) -> None:
        for how in ("subdirectory", "content"):
            with self.subTest(how), tempfile.TemporaryDirectory() as folder:
                output = run(
                    CMAKE, "-G", "Ninja", "-S", HERE / "consumer", "-B", folder, f"-DHOW={how}", f"-DGANTRY_SOURCE={SOURCE}",
                    "-DGANTRY_CUDA=OFF", "-DGANTRY_PYTHON=OFF",
                )  # fmt: skip
                self.assertIn("leaves out unit tests: GANTRY_TESTS is OFF", output)
                run(CMAKE, "--build", folder, "-j2", "--target", "consumer")
                self.assertRegex(run(Path(folder) / "consumer"), PRINTED)
                self.assertIn("CMAKE_BUILD_TYPE:STRING=\n", (Path(folder) / "CMakeCache.txt").read_text())
                # The other project's install tree stays its own.
                run(CMAKE, "--install", folder, "--prefix", Path(folder) / "prefix")
                self.assertFalse((Path(folder) / "prefix").exists())


if __name__ == "__main__":
    unittest.main()
