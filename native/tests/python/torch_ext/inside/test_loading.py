"""Loading: what is refused, what the child process catches, what is remembered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import gantry
import torch
from flavours import both_flavours, equal
from gantry import errors, stamp, torch_ext
from gantry.torch_ext import _cache, _check, _probe, _recipe, _sources, _torch


@both_flavours(globals())
class Loading(unittest.TestCase):
    def setUp(self) -> None:
        self.flavour = self.extension.flavour
        self.folder = Path(tempfile.mkdtemp(prefix="gantry-loading-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.torch = _torch.running()

    def copy(self, name: str = "copy.so") -> Path:
        path = self.folder / name
        shutil.copyfile(self.extension.path, path)
        return path

    def edited(self, old: str, new: str) -> Path:
        """A copy whose stamp says something else."""
        path = self.copy()
        data = path.read_bytes()
        self.assertEqual(len(old), len(new))
        self.assertEqual(data.count(old.encode()), 1, old)
        path.write_bytes(data.replace(old.encode(), new.encode()))
        return path

    def stamped(self, code: str) -> Path:
        """A library of other code, with the stamp that the builder would give it."""
        recipe = _recipe.recipe(self.flavour, self.torch)
        key = "e7" * 32
        (self.folder / "abiding_stamp_values.h").write_text(recipe.stamp_values(key))
        source = self.folder / "other.cpp"
        source.write_text(code)
        sources = _sources.find()
        command = [*recipe.compiler.command, *recipe.flags, f"-I{self.folder}"]
        for folder in self.torch.include_folders:
            command += ["-isystem", folder]
        path = self.folder / "other.so"
        subprocess.run([*command, str(source), sources.stamp, "-o", str(path)], check=True, timeout=120)
        return path

    def refused(self, path: Path, reason: str, pattern: str) -> str:
        with self.assertRaisesRegex(torch_ext.Refused, pattern) as caught:
            torch_ext.load(self.flavour, path=str(path))
        self.assertEqual(caught.exception.reason, reason)
        return str(caught.exception)

    def test_a_second_load_gives_the_same(self) -> None:
        self.assertIs(torch_ext.load(self.flavour), self.extension)

    def test_stamp_of_file_and_function_are_the_same(self) -> None:
        from gantry.stamp import parse

        keys = stamp.read(self.extension.path)
        self.assertEqual(parse(self.extension.build_info.encode()), keys)
        self.assertEqual(keys["torch.version"], torch.__version__)
        self.assertEqual(keys["torch.git"], torch.version.git_version)
        self.assertEqual(self.extension.namespace, f"gantry_{self.flavour}_{keys['build.id'][:8]}")

    def test_both_flavours_and_two_builds_live_side_by_side(self) -> None:
        with mock.patch.dict(os.environ, {"CXXFLAGS": "-O0"}):
            try:
                other = torch_ext.load("stable", build=True)
            except torch_ext.BuildFailed:
                self.skipTest(f"torch {torch.__version__} has no stable flavour, and the classic one takes too long without need")
        table, indices = torch.arange(6.0).reshape(3, 2), torch.tensor([2, 0])
        self.assertNotEqual(other.namespace, self.extension.namespace)
        equal(self, other.gather(table, indices), self.extension.gather(table, indices))

    def test_built_for_another_torch(self) -> None:
        version = str(torch.__version__)
        major, minor, rest = version.split(".", 2)
        other = f"{major}.{int(minor) - 1}.{rest}"
        path = self.edited(f"torch.version={version}\n", f"torch.version={other}\n")
        if self.flavour == "stable":
            self.assertEqual(_check.examine(str(path), "stable", self.torch), [])
            return
        git = torch.version.git_version[:12]
        text = self.refused(path, "torch.version", "built against torch")
        self.assertEqual(
            text,
            f"gantry: refusing to load {path}: it was built against torch {other} ({git}), running torch is {version} ({git}). "
            "C++ extensions are only valid for the torch they were compiled with. "
            "Rebuild: python -m gantry.torch_ext build --flavour classic (or use the stable flavour, or none).")
        with mock.patch.dict(os.environ, {"GANTRY_ALLOW_SKEW": "1"}), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _check.ensure(str(path), "classic", self.torch)
        self.assertEqual([one.category for one in caught], [torch_ext.SkewWarning])
        self.assertIn(f"built against torch {other}", str(caught[0].message))

    def test_built_for_a_later_stable_abi(self) -> None:
        if self.flavour == "classic":
            self.skipTest("the classic flavour has no target")
        self.refused(self.edited("torch.target=0x020a000000000000", "torch.target=0x0263000000000000"), "torch.target",
                     r"built for torch 2\.99 and later")

    def test_built_for_another_string(self) -> None:
        path = self.edited(f"torch.cxx11_abi={self.torch.cxx11_abi}", f"torch.cxx11_abi={1 - self.torch.cxx11_abi}")
        if self.flavour == "stable":
            self.assertEqual(_check.examine(str(path), "stable", self.torch), [])
        else:
            self.refused(path, "torch.cxx11_abi", "std::string is another type")

    def test_built_for_another_interface_of_gantry(self) -> None:
        self.refused(self.edited("gantry.abi=1.", "gantry.abi=7."), "gantry.abi", "Gantry's binary interface")

    def test_the_other_flavour(self) -> None:
        other = {"classic": "stable", "stable": "classic"}[self.flavour]
        if other == "stable" and self.torch.release < (2, 10):
            self.skipTest("this torch has one flavour only")
        with self.assertRaisesRegex(torch_ext.Refused, f"of the flavour {self.flavour}, and {other} was asked for"):
            torch_ext.load(other, path=self.extension.path)

    def test_without_a_stamp(self) -> None:
        path = self.copy()
        path.write_bytes(path.read_bytes().replace(b"Abiding\0", b"Another\0"))
        self.refused(path, "stamp", "carries no stamp")

    def test_what_is_no_library(self) -> None:
        self.refused(self.folder / "nothing.so", "file", "there is no such file")
        whole = self.copy().read_bytes()
        for size in (0, 3, 20, 64, 200, 1000, 5000):
            path = self.folder / f"{size}.so"
            path.write_bytes(whole[:size])
            with self.subTest(size=size):
                self.assertIn(self.refusal_reason(path), ("file", "stamp"))

    def refusal_reason(self, path: Path) -> str:
        with self.assertRaises(torch_ext.Refused) as caught:
            torch_ext.load(self.flavour, path=str(path))
        return caught.exception.reason

    def test_a_copy_of_what_is_loaded(self) -> None:
        text = self.refused(self.copy(), "already-registered", "registered as torch.ops")
        self.assertIn(self.extension.namespace, text)

    def test_a_name_without_a_slash(self) -> None:
        """The loader looks such a name up in LD_LIBRARY_PATH, where another file may lie than the one that was examined."""
        other = self.stamped('#include <stdio.h>\n__attribute__((constructor)) static void f() { puts("the other was run"); }')
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        os.rename(other, elsewhere / "gantry_torch.so")
        path = self.copy("gantry_torch.so")
        code = ("import warnings; warnings.simplefilter('ignore')\nimport torch\nfrom gantry import torch_ext\n"
                f"from gantry.torch_ext import _probe\nprint(_probe.run('gantry_torch.so', {self.flavour!r})['ok'])\n"
                f"extension = torch_ext.load({self.flavour!r}, path='gantry_torch.so')\nprint(extension.path)\n"
                f"print(torch_ext.load({self.flavour!r}, path={str(path)!r}) is extension)\n"
                "print(extension.gather(torch.tensor([[5], [7]]), torch.tensor([1])).tolist())")
        searched = os.pathsep.join(filter(None, [str(elsewhere), os.environ.get("LD_LIBRARY_PATH", "")]))
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "LD_LIBRARY_PATH": searched}, timeout=120)
        self.assertEqual(done.stdout.decode().splitlines(), ["True", str(path), "True", "[[7]]"], done.stderr.decode())

    def test_a_path_object(self) -> None:
        self.assertIs(torch_ext.load(self.flavour, path=Path(self.extension.path)), self.extension)

    def test_another_context(self) -> None:
        with gantry.Context() as other:
            with self.assertRaises(torch_ext.Refused) as caught:
                torch_ext.load(self.flavour, context=other)
            self.assertEqual(
                (caught.exception.reason, str(caught.exception)),
                ("other-context", f"gantry: {self.extension.path} is loaded already, and its ops run on {self.extension.context!r}, "
                 "which is another context than the one that was passed. A file is loaded once, for one context: leave out `context`."))
        self.assertIs(torch_ext.load(self.flavour, context=self.extension.context), self.extension)

    def test_a_context_of_its_own_cannot_be_closed(self) -> None:
        code = f"""
import gc, gantry, torch
from gantry import torch_ext
context = gantry.Context(threads=3)
extension = torch_ext.load({self.flavour!r}, context=context)
try:
    context.close()
except gantry.InvalidArgument as refusal:
    print(refusal)
ops = extension.ops
torch_ext._loaded.clear()
del context, extension
gc.collect()
print(ops.gather(torch.tensor([[1.0], [2.0]]), torch.tensor([1]), 0).tolist())
"""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (
            0, "the context is held by 1 extension, whose ops use it for as long as they are loaded: it ends with the process\n"
            "[[2.0]]\n"), done.stderr)

    def test_the_child_aborts(self) -> None:
        path = self.stamped('#include <stdlib.h>\n#include <stdio.h>\n__attribute__((constructor)) static void f() { '
                            'fputs("what(): Invalid argument\\n", stderr); abort(); }')
        with self.assertRaisesRegex(torch_ext.LoadFailed, r"ended by SIGABRT: .*what\(\): Invalid argument") as caught:
            torch_ext.load(self.flavour, path=str(path))
        self.assertEqual((caught.exception.exit_code, caught.exception.signal), (-6, "SIGABRT"))

    def test_the_child_ends(self) -> None:
        path = self.stamped("#include <unistd.h>\n__attribute__((constructor)) static void f() { _exit(3); }")
        with self.assertRaisesRegex(torch_ext.LoadFailed, "ended with exit code 3") as caught:
            torch_ext.load(self.flavour, path=str(path))
        self.assertEqual((caught.exception.exit_code, caught.exception.signal), (3, None))

    def test_the_child_hangs(self) -> None:
        path = self.stamped("#include <unistd.h>\n__attribute__((constructor)) static void f() { for (;;) pause(); }")
        outcome = _probe.run(str(path), self.flavour, timeout=5)
        self.assertEqual(outcome["ok"], False)
        self.assertIn("did not end within 5 s", outcome["text"])

    def test_the_child_finds_no_extension_in_it(self) -> None:
        path = self.stamped("int f() { return 0; }")
        with self.assertRaisesRegex(torch_ext.LoadFailed, "AttributeError.*gantry_torch_open"):
            torch_ext.load(self.flavour, path=str(path))

    def test_a_trial_is_remembered(self) -> None:
        entry = torch_ext.check(self.flavour)[0]
        record = json.loads((Path(entry.folder) / "build.json").read_text())
        self.assertEqual(record["trials"][_probe.condition(self.torch)]["ok"], True)
        with mock.patch("subprocess.run", side_effect=AssertionError("a child was started")):
            self.assertEqual(_probe.ensure(entry, self.torch)["ok"], True)

    def test_a_trial_of_another_library_is_made_anew(self) -> None:
        before = _probe.condition(self.torch)
        with mock.patch.dict(os.environ, {"GANTRY_ALLOW_SKEW": "1"}):
            self.assertNotEqual(_probe.condition(self.torch), before)
        with mock.patch("gantry.torch_ext._probe._identity", return_value=["", 1, 2]):
            self.assertNotEqual(_probe.condition(self.torch), before)

    def test_nothing_in_the_cache(self) -> None:
        with mock.patch.dict(os.environ, {"GANTRY_CACHE_DIR": str(self.folder)}):
            with self.assertRaisesRegex(torch_ext.NotBuilt, "there is no torch extension of the flavour") as caught:
                torch_ext.load(self.flavour)
            self.assertIn(f"for torch {torch.__version__}", str(caught.exception))
            self.assertIn(f"python -m gantry.torch_ext build --flavour {self.flavour}", str(caught.exception))
            self.assertIsInstance(caught.exception, FileNotFoundError)

    def test_a_build_for_another_torch_is_named(self) -> None:
        record = {"schema": 1, "key": "ab" * 32, "flavour": self.flavour, "file": "x.so", "size": 0, "sha256": "",
                  "ingredients": {"torch": {"version": "1.2.3"}}}
        with mock.patch.dict(os.environ, {"GANTRY_CACHE_DIR": str(self.folder)}):
            folder = Path(_cache.root()) / ("ab" * 32)
            folder.mkdir(parents=True)
            (folder / "build.json").write_text(json.dumps(record))
            with self.assertRaisesRegex(torch_ext.NotBuilt, "there is one for torch 1.2.3"):
                torch_ext.load(self.flavour)

    def missing(self) -> str:
        with self.assertRaises(torch_ext.NotBuilt) as caught:
            torch_ext.load(self.flavour)
        return str(caught.exception)

    def test_a_build_for_this_torch_with_other_ingredients_is_told_apart(self) -> None:
        """What differs is named, and nothing says that there is none and that there is one."""
        cache = mock.patch.dict(os.environ, {"GANTRY_CACHE_DIR": str(self.folder)})
        folder = os.path.dirname(torch_ext.check(self.flavour)[0].path)
        cache.start()
        self.addCleanup(cache.stop)
        copied = os.path.join(_cache.root(), os.path.basename(folder))
        shutil.copytree(folder, copied)
        with mock.patch.dict(os.environ, {"CXXFLAGS": "-DOTHER=1 -g0"}):
            text = self.missing()
        self.assertIn(" that may be used: the newest one was built with other flags (none more; here -DOTHER=1 -g0). Build it: ", text)
        self.assertNotIn("there is one for", text)
        wrapper = self.folder / "c++"
        compiler = _recipe.recipe(self.flavour, self.torch).compiler
        wrapper.symlink_to(compiler.command[0])
        with mock.patch.dict(os.environ, {"CXX": str(wrapper)}):
            self.assertIn(f"was built with another compiler ({' '.join(compiler.command)}; here {wrapper}). Build it:", self.missing())
        with mock.patch.dict(os.environ, {"LIBRARY_PATH": "/nowhere", "CPATH": ""}):
            self.assertIn("was built with another environment of the compiler (", self.missing())
            self.assertIn("; here LIBRARY_PATH=/nowhere). Build it:", self.missing())
        sources = self.folder / "sources"
        for name, path in {**_sources.find().files("classic"), **_sources.find().files("stable")}.items():
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, sources / name)
        with open(sources / "gantry_torch_ops.h", "a") as file:
            file.write("\n")
        with mock.patch.dict(os.environ, {"GANTRY_TORCH_SOURCES": str(sources)}):
            self.assertIn("the newest one was built with other sources (gantry_torch_ops.h). Build it:", self.missing())
        os.truncate(os.path.join(copied, f"gantry_torch_{self.flavour}.so"), 9)
        self.assertIn("that may be used: the newest one is damaged (", self.missing())

    def test_without_a_compiler_a_build_that_is_there_is_used(self) -> None:
        with mock.patch.dict(os.environ, {"CXX": "no-such-compiler"}):
            found = torch_ext.load(self.flavour)
        self.assertIn(found.path, [entry.path for entry in torch_ext.builds() if entry.flavour == self.flavour])
        self.assertIn(f"torch.version={torch.__version__}\n", found.build_info)

    def test_no_file_appears_in_torch(self) -> None:
        def state() -> "list[tuple[str, int]]":
            found = []
            for folder, _, names in os.walk(self.torch.folder):
                found += [(os.path.join(folder, name), os.lstat(os.path.join(folder, name)).st_mtime_ns) for name in names
                          if not name.endswith(".pyc")]
            return sorted(found)

        before = state()
        with mock.patch.dict(os.environ, {"GANTRY_CACHE_DIR": str(self.folder)}):
            flavour = "stable" if self.torch.release >= (2, 10) else "classic"
            torch_ext.build(flavour)
        self.assertEqual(state(), before)


class Process(unittest.TestCase):
    def test_the_libraries_that_are_mapped_are_torchs_own(self) -> None:
        self.assertEqual(_check.examine_process(_torch.running()), [])
        other = _torch.Torch(**{**_torch.running().as_dict(), "folder": "/elsewhere"})
        self.assertEqual([finding.key for finding in _check.examine_process(other)], ["second-libtorch"])

    def test_an_unknown_flavour(self) -> None:
        with self.assertRaisesRegex(ValueError, "it may be 'classic' or 'stable'"):
            torch_ext.load("modern")

    def test_the_stable_flavour_needs_a_torch_that_has_one(self) -> None:
        if _torch.running().release >= (2, 10):
            self.skipTest(f"torch {torch.__version__} has it")
        with self.assertRaisesRegex(torch_ext.BuildFailed, r"needs torch 2\.10 or later, and this is torch 1\.13") as caught:
            torch_ext.load("stable", build=True)
        self.assertEqual(caught.exception.reason, "torch-too-old")
        self.assertIsInstance(caught.exception, errors.Error)


del Loading

if __name__ == "__main__":
    unittest.main()
