"""abiding_stamp() on every kind of target, with GCC and Clang, CMake's generators, link-time optimisation and git."""

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
from typing import Dict, List, Optional

from gantry import stamp

HERE = Path(__file__).resolve().parent
CMAKE = os.environ.get("GANTRY_TEST_CMAKE", "cmake")
FOLDER = os.environ.get("GANTRY_TEST_STAMP_FOLDER", str(HERE.parents[1] / "cmake"))
X86 = platform.machine() == "x86_64"


def run(*command: "str | os.PathLike[str]", environment: Optional[Dict[str, str]] = None, fails: bool = False) -> str:
    result = subprocess.run(
        [os.fspath(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
        env={**os.environ, **(environment or {})}, text=True,
    )  # fmt: skip
    if (result.returncode != 0) != fails:
        raise AssertionError(f"{command} ended with {result.returncode}:\n{result.stdout}")
    return result.stdout


class Project:
    """A copy of the project, outside of any checkout."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.build = folder / "build"
        shutil.copytree(HERE / "project", self.source)

    def configure(self, *options: str, fails: bool = False) -> str:
        return run(CMAKE, "-S", self.source, "-B", self.build, f"-DSTAMP_FOLDER={FOLDER}", *options, fails=fails)

    def make(self, *targets: str) -> str:
        return run(CMAKE, "--build", self.build, "-j2", *(["--target", *targets] if targets else []))

    def file(self, target: str) -> Path:
        return self.build / {"program": "program", "module": "libmodule.so"}.get(target, f"lib{target}.so")

    def stamp(self, target: str) -> Dict[str, str]:
        keys = stamp.read(self.file(target))
        assert keys is not None, f"{target} has no stamp"
        return keys


class StampTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = Project(Path(folder.name))

    def expect(self, target: str, compiler: str, own: Dict[str, str], **changes: str) -> None:
        """The stamp is `own` and what the compiler says of its flags, and nothing else."""
        predefined = macros(compiler)
        keys = {
            "schema": "1",
            "compiler": compiler_name(predefined),
            "cxx.std": "201703L",
            "cxx.gxx_abi": predefined["__GXX_ABI_VERSION"],
            "cxx.cxx11_abi": "1",
            "cxx.glibcxx": predefined["__GLIBCXX__"],
            "cxx.debug": "0",
            "libc": f"glibc {predefined['__GLIBC__']}.{predefined['__GLIBC_MINOR__']}",
            "arch": platform.machine(),
            **({"isa": "x86-64"} if X86 else {}),
            **own,
        }
        keys.update({key.replace("__", "."): value for key, value in changes.items()})
        self.assertEqual(self.project.stamp(target), {key: value for key, value in keys.items() if value != ""})

    def check_all(self, compiler: str) -> None:
        build_id = self.project.stamp("shared").get("build.id", "")
        self.assertRegex(build_id, "^[0-9a-f]{16}$")
        self.expect("shared", compiler, {
            "name": "shared", "version": "4.5.6", "quoted": 'a "b" \\c %d', "utf8": "ü世", "my.key": "1", "git": "unknown",
            "build.id": build_id,
        })  # fmt: skip
        self.expect(
            "module", compiler, {"name": "my.module", "version": "7.8", "git": "0123abcd", "py.limited": "0x030a0000"},
            cxx__cxx11_abi="0", cxx__std="201402L", isa="x86-64-v3" if X86 else "",
        )  # fmt: skip
        self.expect("program", compiler, {"name": "program", "version": "1"})
        self.expect("from_objects", compiler, {"name": "objects", "version": "4.5.6"})
        self.expect("from_archive", compiler, {"name": "archive", "version": "4.5.6"})
        nothing = {f"cxx__{key}": "" for key in ("std", "gxx_abi", "cxx11_abi", "glibcxx", "debug")}
        self.expect("plain", compiler, {"name": "plain", "version": "4.5.6"}, **nothing)
        torch = {
            "version": "4.5.6", "torch.version": "9.21.3+cu130", "torch.git": "0123456789abcdef0123456789abcdef01234567",
            "torch.cuda": "13.0", "torch.cxx11_abi": "1",
        }  # fmt: skip
        self.expect("classic", compiler, {**torch, "name": "classic", "torch.abi": "classic"})
        self.expect("stable", compiler, {
            **torch, "name": "stable", "torch.abi": "stable", "torch.target": "0x020a010000000000", "flavour": "own",
        })  # fmt: skip
        self.expect("said", compiler, {**torch, "name": "said", "torch.abi": "stable"})

    def check_text(self) -> None:
        """The function returns the note's bytes, from a file without symbols and section names too."""
        functions = {
            "shared": "abiding_stamp_shared", "module": "abiding_stamp_my_module", "from_objects": "abiding_stamp_objects",
            "from_archive": "abiding_stamp_archive", "plain": "abiding_stamp_plain", "stable": "abiding_stamp_stable",
        }  # fmt: skip
        for target, name in functions.items():
            before = self.project.stamp(target)
            file = self.project.file(target)
            run("strip", "-s", file)
            self.assertEqual(self.project.stamp(target), before)
            run("objcopy", "--strip-all", "-R", ".comment", file)
            self.assertEqual(self.project.stamp(target), before)
            function = getattr(ctypes.CDLL(str(file)), name)
            function.restype = ctypes.c_char_p
            text = function()
            self.assertIn(b"Abiding\0" + text + b"\0", file.read_bytes())
            self.assertEqual(stamp.parse(text), before)
        self.assertEqual(stamp.parse(run(self.project.file("program")).encode()), self.project.stamp("program"))

    def test_gcc_with_link_time_optimisation(self) -> None:
        compiler = needed("g++")
        self.project.configure(
            "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", f"-DCMAKE_CXX_COMPILER={compiler}"
        )
        self.project.make()
        self.check_all(compiler)
        self.check_text()
        self.check_readelf()

    def check_readelf(self) -> None:
        listing = run("readelf", "-lSW", self.project.file("shared"))
        self.assertRegex(listing, r"\.note\.abiding +NOTE +[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ 00 +A +0 +0 +4\n")
        notes = run("readelf", "-nW", self.project.file("shared"))
        self.assertRegex(notes, r"Abiding +0x[0-9a-f]+")

    def test_gcc_debug_with_makefiles(self) -> None:
        compiler = needed("g++")
        needed("make")
        self.project.configure("-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_COMPILER={compiler}")
        self.project.make()
        self.check_all(compiler)
        self.check_text()

    def test_clang_with_link_time_optimisation(self) -> None:
        compiler = clang()
        needed("ld.lld")
        self.project.configure(
            "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld",
            "-DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DCMAKE_C_COMPILER={compiler.replace('clang++', 'clang')}",
        )  # fmt: skip
        self.project.make()
        self.check_all(compiler)
        self.check_text()

    def test_sanitizers_leave_the_note_as_it_is(self) -> None:
        for compiler in (needed("g++"), clang()):
            with self.subTest(compiler):
                shutil.rmtree(self.project.build, ignore_errors=True)
                self.project.configure(
                    "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined",
                    f"-DCMAKE_CXX_COMPILER={compiler}",
                )  # fmt: skip
                self.project.make("shared", "stable")
                self.expect("stable", compiler, {
                    "name": "stable", "version": "4.5.6", "torch.version": "9.21.3+cu130", "torch.abi": "stable",
                    "torch.git": "0123456789abcdef0123456789abcdef01234567", "torch.cuda": "13.0", "torch.cxx11_abi": "1",
                    "torch.target": "0x020a010000000000", "flavour": "own",
                })  # fmt: skip

    def test_several_configurations_in_one_build(self) -> None:
        self.project.configure("-G", "Ninja Multi-Config")
        ids = []
        for configuration in ("Debug", "Release"):
            run(CMAKE, "--build", self.project.build, "--config", configuration, "--target", "shared")
            keys = stamp.read(self.project.build / configuration / "libshared.so") or {}
            self.assertEqual(keys["name"], "shared")
            ids.append(keys["build.id"])
        self.assertNotEqual(*ids)

    def test_a_build_without_changes_builds_nothing(self) -> None:
        self.project.configure("-G", "Ninja")
        self.project.make("shared")
        before = self.project.file("shared").stat().st_mtime_ns
        self.project.make("shared")
        self.assertEqual(self.project.file("shared").stat().st_mtime_ns, before)

    def test_build_id_is_of_the_sources_and_the_flags(self) -> None:
        self.project.configure("-G", "Ninja")
        ids: List[str] = []

        def made() -> str:
            self.project.make("shared")
            ids.append(self.project.stamp("shared")["build.id"])
            return ids[-1]

        first = made()
        main = self.project.source / "main.cpp"
        text = main.read_text()
        main.write_text(text + "// another state\n")
        self.assertNotEqual(made(), first)
        main.write_text(text)
        self.assertEqual(made(), first)
        (self.project.source / "new.cpp").write_text("")
        self.assertNotEqual(made(), first)
        (self.project.source / "new.cpp").unlink()
        # A glob reaches into folders, a file's own name does not.
        (self.project.source / "below").mkdir()
        (self.project.source / "below" / "CMakeLists.txt").write_text("")
        self.assertEqual(made(), first)
        (self.project.source / "below" / "more.cpp").write_text("")
        self.assertNotEqual(made(), first)
        (self.project.source / "below" / "more.cpp").unlink()
        self.project.configure("-DCMAKE_CXX_FLAGS=-g0")
        self.assertNotEqual(made(), first)
        self.project.configure("-DCMAKE_CXX_FLAGS=")
        self.assertEqual(made(), first)

    def test_git_is_asked_at_every_build(self) -> None:
        git = [needed("git"), "-C", str(self.project.source), "-c", "user.name=test", "-c", "user.email=test@localhost"]
        self.project.configure("-G", "Ninja")

        def made() -> str:
            self.project.make("shared")
            return self.project.stamp("shared")["git"]

        self.assertEqual(made(), "unknown")
        run(*git, "init", "-q")
        self.assertEqual(made(), "unknown")
        run(*git, "add", ".")
        run(*git, "commit", "-q", "-m", "first")
        commit = run(*git, "rev-parse", "HEAD").strip()
        self.assertEqual(made(), commit)
        part = self.project.source / "part.cpp"
        part.write_text(part.read_text() + "// changed\n")
        self.assertEqual(made(), f"{commit}-dirty")
        run(*git, "commit", "-q", "-a", "-m", "second")
        second = run(*git, "rev-parse", "HEAD").strip()
        self.assertEqual(made(), second)
        self.assertNotEqual(second, commit)
        run(*git, "rm", "-q", "--cached", "-r", ".")
        run(*git, "commit", "-q", "-m", "third: no file of the project is in it")
        self.assertEqual(made(), "unknown")

    def test_torch_of_another_version_than_its_headers(self) -> None:
        version = self.project.source / "torch" / "version.py"
        version.write_text(version.read_text().replace("9.21.3", "9.21.4"))
        self.project.configure("-G", "Ninja")
        output = run(CMAKE, "--build", self.project.build, "--target", "classic", fails=True)
        self.assertIn("is of another version than torch's headers that are found first", output)

    def test_torch_in_a_libtorch_archive(self) -> None:
        torch = self.project.source / "torch"
        (torch / "version.py").unlink()
        (torch / "build-version").write_text("9.21.3+cpu\n")
        (torch / "build-hash").write_text("fedcba9876543210fedcba9876543210fedcba98\n")
        self.project.configure("-G", "Ninja")
        self.project.make("classic")
        keys = self.project.stamp("classic")
        self.assertEqual((keys["torch.version"], keys["torch.git"]), ("9.21.3+cpu", "fedcba9876543210fedcba9876543210fedcba98"))
        self.assertNotIn("torch.cuda", keys)

    def test_torch_without_its_package_or_without_headers(self) -> None:
        (self.project.source / "torch" / "version.py").unlink()
        self.project.configure("-G", "Ninja")
        self.project.make("classic")
        keys = self.project.stamp("classic")
        self.assertEqual(keys["torch.version"], "9.21.3")
        self.assertNotIn("torch.git", keys)
        shutil.rmtree(self.project.source / "torch" / "include" / "torch")
        output = run(CMAKE, "--build", self.project.build, "--target", "classic", fails=True)
        self.assertIn("torch's headers are not on this target's include path", output)

    def test_arguments_that_are_wrong(self) -> None:
        for wrong, text in (
            ("abiding_stamp(other)", "other"),
            ("add_library(other INTERFACE)\nabiding_stamp(other)", "a target of type INTERFACE_LIBRARY has no compiled code"),
            ("abiding_stamp(shared KEYS name)", 'KEYS takes <key>=<value> on one line and without a semicolon, not "name"'),
            ("abiding_stamp(shared KEYS git=1)", "the stamp itself writes git"),
            ('abiding_stamp(shared KEYS "a=1\nb=2")', "KEYS takes <key>=<value> on one line"),
            ('abiding_stamp(shared KEYS "a=1;b=2")', 'KEYS takes <key>=<value> on one line and without a semicolon, not "a=1;b=2"'),
            ("abiding_stamp(shared TORCH_ABI new)", "TORCH_ABI is classic or stable, not new"),
            ("abiding_stamp(shared NAMED x)", "not understood: NAMED;x"),
            ("abiding_stamp(shared NAME)", "not understood:"),
        ):
            with self.subTest(wrong):
                lists = self.project.source / "CMakeLists.txt"
                lists.write_text(
                    "cmake_minimum_required(VERSION 3.22)\nproject(wrong LANGUAGES CXX)\n"
                    f'include("{FOLDER}/AbidingStamp.cmake")\nadd_library(shared SHARED part.cpp)\n{wrong}\n'
                )
                output = self.project.configure("-G", "Ninja", fails=True)
                self.assertIn(text, re.sub(r"\s+", " ", output))

    def test_from_another_directory_than_the_one_that_includes_it(self) -> None:
        """The function is known everywhere after add_subdirectory, and after a find_package inside a function."""
        library = self.project.source / "library"
        library.mkdir()
        (library / "CMakeLists.txt").write_text(
            f'list(APPEND CMAKE_MODULE_PATH "{FOLDER}")\ninclude(AbidingStamp)\nadd_library(below SHARED ../part.cpp)\n'
        )
        (library / "libraryConfig.cmake").write_text(f'include("{FOLDER}/AbidingStamp.cmake")\n')
        for way in (
            "add_subdirectory(library)",
            'function(find)\n  find_package(library REQUIRED PATHS "${PROJECT_SOURCE_DIR}/library" NO_DEFAULT_PATH)\nendfunction()\nfind()',
        ):
            with self.subTest(way):
                shutil.rmtree(self.project.build, ignore_errors=True)
                (self.project.source / "CMakeLists.txt").write_text(
                    f"cmake_minimum_required(VERSION 3.22)\nproject(root VERSION 3.4 LANGUAGES CXX)\n{way}\n"
                    "add_library(shared SHARED part.cpp)\nabiding_stamp(shared GIT OFF)\n"
                )
                self.project.configure("-G", "Ninja")
                self.project.make("shared")
                keys = self.project.stamp("shared")
                self.assertEqual((keys["name"], keys["version"]), ("shared", "3.4"))

    def test_c_alone(self) -> None:
        """A project without C++, whatever CMake can tell of the target's sources when it is stamped."""
        (self.project.source / "exports.map").write_text("{ global: plain; abiding_stamp_*; local: *; };\n")
        for target in (
            "add_library(shared SHARED plain.c)\nabiding_stamp(shared GIT OFF)",
            "add_library(shared SHARED $<IF:1,plain.c,>)\nabiding_stamp(shared GIT OFF)",
            "add_library(shared SHARED plain.c exports.map)\nabiding_stamp(shared GIT OFF)",
            "add_library(objects OBJECT plain.c)\nadd_library(shared SHARED $<TARGET_OBJECTS:objects>)\nabiding_stamp(shared GIT OFF)",
            "add_library(shared SHARED)\nabiding_stamp(shared GIT OFF)\ntarget_sources(shared PRIVATE plain.c)",
        ):
            with self.subTest(target):
                shutil.rmtree(self.project.build, ignore_errors=True)
                (self.project.source / "CMakeLists.txt").write_text(
                    "cmake_minimum_required(VERSION 3.22)\nproject(alone LANGUAGES C)\nset(CMAKE_POSITION_INDEPENDENT_CODE ON)\n"
                    f'include("{FOLDER}/AbidingStamp.cmake")\n{target}\n'
                )
                self.project.configure("-G", "Ninja")
                self.project.make()
                keys = self.project.stamp("shared")
                self.assertEqual(keys["name"], "shared")
                self.assertNotIn("cxx.std", keys)

    def test_cuda(self) -> None:
        needed("nvcc")
        self.project.configure("-G", "Ninja", "-DSTAMP_WITH_CUDA=ON", "-DCMAKE_CUDA_ARCHITECTURES=90")
        self.project.make("cuda")
        keys = self.project.stamp("cuda")
        version = re.search(r"V(\d+\.\d+\.\d+)", run("nvcc", "--version"))
        assert version is not None
        self.assertEqual((keys["cuda.toolkit"], keys["cuda.archs"], keys["cudart"]), (version[1], "80,ptx90,120+ptx", "shared"))

    def test_cuda_beside_c(self) -> None:
        """nvcc compiles the stamp of a target of CUDA alone, and of no other."""
        needed("nvcc")
        (self.project.source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nset(CMAKE_CUDA_ARCHITECTURES 90-real)\nset(CMAKE_CUDA_STANDARD 17)\n"
            "set(CMAKE_POSITION_INDEPENDENT_CODE ON)\n"
            f'project(both LANGUAGES C CUDA)\ninclude("{FOLDER}/AbidingStamp.cmake")\n'
            "add_library(kernels SHARED kernel.cu)\nabiding_stamp(kernels CUDA)\n"
            "add_library(mixed SHARED kernel.cu plain.c)\nabiding_stamp(mixed CUDA)\n"
        )
        self.project.configure("-G", "Ninja")
        self.project.make()
        self.assertEqual(self.project.stamp("kernels")["cxx.std"], "201703L")
        self.assertNotIn("cxx.std", self.project.stamp("mixed"))

    def test_cuda_alone(self) -> None:
        """A project without C++: nvcc compiles the stamp."""
        needed("nvcc")
        (self.project.source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nset(CMAKE_CUDA_ARCHITECTURES 90-real)\nset(CMAKE_CUDA_STANDARD 17)\n"
            f'project(alone LANGUAGES CUDA)\ninclude("{FOLDER}/AbidingStamp.cmake")\n'
            "add_library(shared SHARED kernel.cu)\nabiding_stamp(shared CUDA)\n"
        )
        self.project.configure("-G", "Ninja")
        self.project.make()
        keys = self.project.stamp("shared")
        self.assertEqual((keys["cuda.archs"], keys["cudart"], keys["cxx.std"], keys["cxx.cxx11_abi"]), ("90", "static", "201703L", "1"))


def needed(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise unittest.SkipTest(f"no {program} on PATH")
    return found


def clang() -> str:
    folders = os.environ.get("PATH", "").split(os.pathsep)
    names = sorted(
        {path.name for folder in folders for path in Path(folder or ".").glob("clang++*") if re.fullmatch(r"clang\+\+(-\d+)?", path.name)}
    )
    if not names:
        raise unittest.SkipTest("no clang++ on PATH")
    return needed(names[-1])


def macros(compiler: str) -> Dict[str, str]:
    source = "#include <cstddef>\n#include <limits.h>\n"
    output = subprocess.run(
        [compiler, "-std=c++17", "-dM", "-E", "-x", "c++", "-"], input=source, stdout=subprocess.PIPE, check=True, text=True, timeout=60
    ).stdout
    return dict(match.groups() for match in re.finditer(r"^#define (\w+) (.*)$", output, re.MULTILINE))  # type: ignore[misc]


def compiler_name(predefined: Dict[str, str]) -> str:
    if "__clang__" in predefined:
        return "Clang {__clang_major__}.{__clang_minor__}.{__clang_patchlevel__}".format(**predefined)
    return "GNU {__GNUC__}.{__GNUC_MINOR__}.{__GNUC_PATCHLEVEL__}".format(**predefined)


if __name__ == "__main__":
    unittest.main()
