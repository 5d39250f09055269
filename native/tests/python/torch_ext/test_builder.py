"""The builder and its cache, with a toy torch and the real compiler."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import threading
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from gantry import stamp
from gantry.doctor import extensions
from gantry.torch_ext import BuildFailed, _cache, _recipe
from gantry.torch_ext._builder import build

from toy import VERSION, Toy, alive, child, wait_for


class Build(unittest.TestCase):
    def setUp(self) -> None:
        self.toy = Toy(self)

    def test_once(self) -> None:
        recipe = self.toy.recipe()
        entry, compiled = build(recipe)
        self.assertTrue(compiled)
        again, compiled = build(recipe)
        self.assertFalse(compiled)
        self.assertEqual(again.path, entry.path)
        self.assertEqual(entry.path, str(self.toy.cache / "torch_ext" / recipe.key / "gantry_torch_stable.so"))
        self.assertEqual(sorted(os.listdir(entry.folder)), ["build.json", "build.log", "gantry_torch_stable.so"])
        self.assertEqual(self.toy.names(), [recipe.key[:6], recipe.key[:6] + ".lock"])

    def test_the_record(self) -> None:
        recipe = self.toy.recipe()
        entry, _ = build(recipe)
        with open(os.path.join(entry.folder, "build.json"), encoding="utf-8") as file:
            record = json.load(file)
        self.assertEqual(record["key"], recipe.key)
        self.assertEqual(record["namespace"], f"gantry_stable_{recipe.key[:8]}")
        self.assertEqual(record["size"], os.path.getsize(entry.path))
        self.assertEqual(record["ingredients"], recipe.ingredients())
        self.assertEqual(record["command"][0], self.toy.compiler)
        self.assertGreater(record["seconds"], 0)
        self.assertGreater(record["cpu_seconds"], 0)
        self.assertGreater(record["peak_rss_kib"], 1000)

    def test_memory_is_the_compilers_not_the_builders(self) -> None:
        large = b"x" * (300 << 20)
        entry, _ = build(self.toy.recipe())
        self.assertLess(entry.record["peak_rss_kib"], 250 << 10)
        self.assertEqual(len(large), 300 << 20)
        self.assertTrue(Path(entry.log).read_text().startswith(self.toy.compiler + " -std=c++17"))

    def test_the_stamp(self) -> None:
        for flavour in ("classic", "stable"):
            recipe = self.toy.recipe(flavour, version="2.13.0+cpu")
            entry, _ = build(recipe)
            keys = stamp.read(entry.path) or {}
            wanted = {
                "name": f"gantry_torch_{flavour}", "build.id": recipe.key[:16], "torch.version": "2.13.0+cpu",
                "torch.git": "cf30153c4c131c8164ee7798e5022d810682e2cb", "torch.abi": flavour, "torch.cxx11_abi": "1",
                "torch.target": "0x020a000000000000" if flavour == "stable" else None, "gantry.abi": "1.0",
            }
            self.assertEqual({key: keys.get(key) for key in wanted}, wanted)

    def test_a_prerelease_and_a_cuda_build_in_the_stamp(self) -> None:
        recipe = self.toy.recipe(version="2.14.0")
        recipe = replace(recipe, torch=replace(recipe.torch, version="2.14.0a0+git1", cuda="13.0"))
        keys = stamp.read(build(recipe)[0].path) or {}
        self.assertEqual((keys["torch.version"], keys["torch.cuda"]), ("2.14.0a0+git1", "13.0"))

    def test_force_compiles_anew(self) -> None:
        recipe = self.toy.recipe()
        first = os.stat(build(recipe)[0].path).st_ino
        entry, compiled = build(recipe, force=True)
        self.assertTrue(compiled)
        self.assertNotEqual(os.stat(entry.path).st_ino, first)
        self.assertEqual(len(self.toy.names()), 2)

    def test_nothing_is_written_beside_torch_and_the_sources(self) -> None:
        recipe = self.toy.recipe("classic")
        before = sorted(self.toy.folder.rglob("*"))
        build(recipe)
        after = [path for path in sorted(self.toy.folder.rglob("*")) if self.toy.cache not in (path, *path.parents)]
        self.assertEqual(after, before)


class Key(unittest.TestCase):
    """Every ingredient alone changes the key."""

    def setUp(self) -> None:
        self.toy = Toy(self)
        self.recipe = self.toy.recipe()

    def differs(self, other: "object") -> None:
        self.assertNotEqual(self.recipe.key, other.key)  # type: ignore[attr-defined]

    def test_nothing_else_does(self) -> None:
        self.assertEqual(self.recipe.key, self.toy.recipe().key)
        with mock.patch.dict(os.environ, {"SOMETHING": "else", "LD_LIBRARY_PATH": "/x"}):
            self.assertEqual(self.recipe.key, self.toy.recipe().key)

    def test_torch(self) -> None:
        for name, value in {"version": "2.13.0", "git": "0" * 40, "cuda": "13.0", "hip": "6.4", "cxx11_abi": 0, "cxx_standard": 20,
                            "folder": "/elsewhere", "python": "cpython-312-x86_64-linux-gnu", "machine": "riscv64"}.items():
            with self.subTest(name):
                self.differs(replace(self.recipe, torch=replace(self.recipe.torch, **{name: value})))

    def test_flavour(self) -> None:
        self.differs(self.toy.recipe("classic"))

    def test_compiler(self) -> None:
        for name, value in {"command": ["/usr/bin/other"], "version": "g++ 99.1", "flags": ["-g"], "environment": {"CPATH": "/x"}}.items():
            with self.subTest(name):
                self.differs(replace(self.recipe, compiler=replace(self.recipe.compiler, **{name: value})))

    def test_what_the_environment_says(self) -> None:
        for name, value in {"CXXFLAGS": "-O1", "CPATH": "/tmp", "LIBRARY_PATH": "/tmp", "CXX": f"{self.toy.compiler} -m64"}.items():
            with self.subTest(name), mock.patch.dict(os.environ, {name: value}):
                self.differs(self.toy.recipe())

    def test_every_source(self) -> None:
        for name in ("gantry_torch_stable.cpp", "gantry_torch.h", "gantry_torch_environment.h", "gantry_torch_ops.h",
                     "gantry_torch_types.h", "gantry/gantry.h", "abiding_stamp.cpp"):
            with self.subTest(name):
                path = self.toy.sources / name
                text = path.read_text()
                path.write_text(text + "\n")
                self.differs(self.toy.recipe())
                path.write_text(text)
        (self.toy.sources / "gantry_torch_classic.cpp").write_text("other")
        self.assertEqual(self.recipe.key, self.toy.recipe().key)


class Outdated(unittest.TestCase):
    """What the doctor tells of a build without importing torch: whether load() would take it, and what differs if not."""

    def setUp(self) -> None:
        self.toy = Toy(self)
        self.recipe = self.toy.recipe("classic")

    def found(self, **here: str) -> "list[str]":
        torch = self.recipe.torch
        return _recipe.outdated(self.recipe.ingredients(), here.get("folder", torch.folder), here.get("python", torch.python))

    def test_the_one_that_is_taken(self) -> None:
        self.assertEqual(self.found(), [])
        with mock.patch.dict(os.environ, {"CXX": "no-such-compiler"}):
            self.assertEqual(self.found(), [])

    def test_what_differs(self) -> None:
        self.assertEqual(self.found(folder="/x"),
                         [f"torch in another folder ({self.recipe.torch.folder}; here /x)",
                          f"other flags (-L{self.recipe.torch.folder}/lib; here -L/x/lib)"])
        self.assertEqual(self.found(python="cpython-312"), ["another Python (cpython-311-x86_64-linux-gnu; here cpython-312)"])
        with mock.patch.dict(os.environ, {"CXXFLAGS": "-O1"}):
            self.assertEqual(self.found(), ["other flags (none more; here -O1)"])
        with mock.patch.dict(os.environ, {"CPATH": "/x"}):
            self.assertEqual(self.found(), ["another environment of the compiler (nothing set; here CPATH=/x)"])
        other = self.toy.script("other", "echo other 1.0")
        with mock.patch.dict(os.environ, {"CXX": other}):
            self.assertEqual(self.found(), [f"another compiler ({self.toy.compiler}; here {other})",
                                            f"another version of the compiler ({self.recipe.compiler.version}; here other 1.0)"])
        (self.toy.sources / "gantry_torch_classic.cpp").write_text("other")
        self.assertEqual(self.found(), ["other sources (gantry_torch_classic.cpp)"])
        with mock.patch.dict(os.environ, {"GANTRY_TORCH_SOURCES": "/nowhere"}):
            self.assertRegex(self.found()[0], "the sources of the torch extensions were not found")

    def test_a_record_that_tells_little(self) -> None:
        self.assertEqual(_recipe.outdated({"torch": {"version": "1.2.3"}}, "/x", "y"), ["what its build.json does not tell"])

    def test_the_doctor(self) -> None:
        build(self.recipe)
        place = Path(self.recipe.torch.folder)
        (place / "version.py").write_text(f"__version__ = {self.recipe.torch.version!r}\ngit_version = {self.recipe.torch.git!r}\n")
        python = "gantry.doctor.extensions.sysconfig.get_config_var"
        with mock.patch("gantry.doctor.torch_probe.folder", return_value=str(place)), \
                mock.patch(python, return_value=self.recipe.torch.python):
            found = extensions.check()
            self.assertEqual((found.status, found.text), ("ok", "classic for torch 2.13.0+cpu, built today; 0 others in the cache"))
            with mock.patch.dict(os.environ, {"CXXFLAGS": "-O1"}):
                found = extensions.check()
            self.assertEqual((found.status, found.text), ("skip", "1 in the cache, none that would be used: classic for torch 2.13.0+cpu "
                                                          "was built with other flags (none more; here -O1)"))


class Cache(unittest.TestCase):
    def setUp(self) -> None:
        self.toy = Toy(self)

    def test_four_processes_compile_once(self) -> None:
        count = self.toy.folder / "count"
        counting = self.toy.script("counting", f'{VERSION}\necho x >> {count}\nsleep 0.5\nexec $REAL "$@"')
        with mock.patch.dict(os.environ, {"CXX": counting}):
            recipe = self.toy.recipe()
            children = [child(recipe) for _ in range(4)]
            said = [process.communicate(timeout=120) for process in children]
        self.assertEqual([process.returncode for process in children], [0] * 4, said)
        self.assertEqual(count.read_text().count("x"), 1)
        self.assertEqual(sorted(out.split()[0] for out, _ in said), [b"compiled", b"found", b"found", b"found"])
        self.assertEqual(len({out.split()[1] for out, _ in said}), 1)

    def test_a_killed_builder_leaves_nothing_that_stops_the_next(self) -> None:
        started = self.toy.folder / "started"
        hanging = self.toy.script("hanging", f'{VERSION}\n[ -e {started} ] && exec $REAL "$@"\necho $$ > {started}.new\nmv {started}.new {started}\nsleep 300')
        with mock.patch.dict(os.environ, {"CXX": hanging}):
            recipe = self.toy.recipe()
            builder = child(recipe)
            wait_for(started.exists, "the compiler's start")
            builder.kill()
            builder.communicate(timeout=30)
            compiler = int(started.read_text())
            wait_for(lambda: not alive(compiler), "the end of the compiler of a builder that was killed")
            key = recipe.key[:6]
            self.assertTrue(any(name.startswith(key + ".tmp.") for name in self.toy.names()))
            self.assertIn(key + ".lock", self.toy.names())
            _, compiled = build(recipe, timeout=30)
        self.assertTrue(compiled)
        self.assertEqual(self.toy.names(), [key, key + ".lock"])

    def test_a_lock_file_without_a_holder_means_nothing(self) -> None:
        recipe = self.toy.recipe()
        os.makedirs(_cache.root())
        (Path(_cache.root()) / f"{recipe.key}.lock").touch()
        self.assertTrue(build(recipe, timeout=10)[1])

    def test_a_lock_that_is_held_too_long(self) -> None:
        recipe = self.toy.recipe()
        os.makedirs(_cache.root())
        with open(os.path.join(_cache.root(), recipe.key + ".lock"), "w", encoding="ascii") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with self.assertRaisesRegex(BuildFailed, "another process has been building") as caught:
                build(recipe, timeout=0.3)
            self.assertEqual(caught.exception.reason, "lock-timeout")
            cancel = threading.Event()
            cancel.set()
            with self.assertRaises(BuildFailed) as caught:
                build(recipe, cancel=cancel)
            self.assertEqual(caught.exception.reason, "cancelled")
        self.assertTrue(build(recipe)[1])

    def test_sigterm_ends_the_compiler_of_the_command(self) -> None:
        pids = self.toy.folder / "pids"
        slow = self.toy.script("slow", f"{VERSION}\nsleep 300 &\necho $$ $! > {pids}.new; mv {pids}.new {pids}\nwait")
        code = ("import sys; sys.path[:0] = {path!r}\nfrom gantry.torch_ext import _torch, __main__\nfrom gantry.torch_ext._torch import Torch\n"
                "_torch._read = Torch(**{torch!r})\nsys.exit(__main__.main(['build', '--flavour', 'stable']))")
        with mock.patch.dict(os.environ, {"CXX": slow}):
            recipe = self.toy.recipe()
            process = subprocess.Popen([sys.executable, "-c", code.format(path=sys.path, torch=recipe.torch.as_dict())],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for(pids.exists, "the compiler's start")
            process.terminate()
            said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, said)
        shell, sleeper = map(int, pids.read_text().split())
        wait_for(lambda: not alive(shell) and not alive(sleeper), "the end of the compiler and its child")
        self.assertEqual([name for name in self.toy.names() if ".tmp." in name], [])

    def test_damaged_builds_are_made_anew(self) -> None:
        recipe = self.toy.recipe()
        entry, _ = build(recipe)
        good = Path(entry.path).read_bytes()
        record = Path(entry.folder) / "build.json"
        text = record.read_text()
        for what, spoil in {
            "half of the file": lambda: Path(entry.path).write_bytes(good[: len(good) // 2]),
            "one byte": lambda: Path(entry.path).write_bytes(good[:1000] + bytes([good[1000] ^ 1]) + good[1001:]),
            "no file": lambda: os.unlink(entry.path),
            "half of the record": lambda: record.write_text(text[: len(text) // 2]),
            "an empty record": lambda: record.write_text("{}"),
            "a record of another build": lambda: record.write_text(text.replace(recipe.key, "0" * 64)),
            "a path in the record": lambda: record.write_text(text.replace('"gantry_torch_stable.so"', '"../x.so"')),
            "no record": record.unlink,
        }.items():
            with self.subTest(what):
                spoil()
                self.assertIsNone(_cache.find(recipe.key))
                again, compiled = build(recipe)
                self.assertTrue(compiled)
                self.assertIsNone(again.damage())
                self.assertEqual(self.toy.names(), [recipe.key[:6], recipe.key[:6] + ".lock"])

    def test_torch_swapped_under_the_same_path(self) -> None:
        """What torch's own loader does not see: it took the binary of the torch that was there before."""
        first, _ = build(self.toy.recipe("classic", version="2.13.0+cpu"))
        second, compiled = build(self.toy.recipe("classic", version="2.14.1+cu130", git="5c4886908584"))
        self.assertTrue(compiled)
        self.assertNotEqual(first.path, second.path)
        self.assertEqual((stamp.read(second.path) or {})["torch.version"], "2.14.1+cu130")

    def test_list_and_clean(self) -> None:
        one, _ = build(self.toy.recipe("stable"))
        two, _ = build(self.toy.recipe("classic"))
        self.assertEqual([entry.flavour for entry in _cache.entries()], ["classic", "stable"])
        os.mkdir(os.path.join(_cache.root(), "ab" * 32 + ".tmp.1.x"))
        with _cache.locked(one.key, 1):
            removed = _cache.clean()
        self.assertEqual(sorted(removed), sorted([two.key, "ab" * 32 + ".tmp.1.x"]))
        self.assertEqual([entry.key for entry in _cache.entries()], [one.key])
        self.assertEqual(_cache.clean([one.key]), [])
        self.assertEqual(_cache.clean(), [one.key])
        self.assertEqual(self.toy.names(), [])
        self.assertEqual(_cache.clean(), [])

    def test_where_the_cache_is(self) -> None:
        home = {"HOME": "/home/somebody"}
        for environment, wanted in (
            ({"GANTRY_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "/a/torch_ext"),
            ({"GANTRY_CACHE_DIR": "", "XDG_CACHE_HOME": "/b"}, "/b/gantry/torch_ext"),
            ({"GANTRY_CACHE_DIR": "", "XDG_CACHE_HOME": ""}, "/home/somebody/.cache/gantry/torch_ext"),
        ):
            with mock.patch.dict(os.environ, {**home, **environment}):
                self.assertEqual(_cache.root(), wanted)


class CommandLine(unittest.TestCase):
    def test_one_command_as_an_argument_array(self) -> None:
        toy = Toy(self)
        for flavour, libraries in (("classic", ["-lc10", "-ltorch_cpu"]), ("stable", ["-ltorch_cpu"])):
            recipe = toy.recipe(flavour, cxx_standard=14)
            command = recipe.command("k" * 64, "/values folder", "/out put.so")
            self.assertEqual([word for word in command if word.startswith("-l")], libraries)
            self.assertIn("-std=c++17", command)
            self.assertIn("-I/values folder", command)
            self.assertEqual(command[-2:], ["-o", "/out put.so"])
            self.assertEqual([word for word in command if re.search("rpath|python", word)], [])
            self.assertEqual("-DTORCH_TARGET_VERSION=0x020a000000000000" in command, flavour == "stable")

    def test_flags_of_the_user_come_last_but_for_names(self) -> None:
        toy = Toy(self)
        with mock.patch.dict(os.environ, {"CXXFLAGS": "-O0 '-DNAME=a b'"}):
            flags = toy.recipe().flags
        self.assertEqual(flags[-2:], ["-O0", "-DNAME=a b"])


if __name__ == "__main__":
    unittest.main()
