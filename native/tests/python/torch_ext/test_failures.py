"""What ends a build, with a toy torch and the real compiler: each with its reason, its log, and nothing left behind."""

from __future__ import annotations

import errno
import json
import os
import pickle
import subprocess
import sys
import threading
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from gantry.torch_ext import BuildFailed, LoadFailed, NotBuilt, Refused, TorchExtensionError
from gantry.torch_ext._builder import build

from toy import CHILD, VERSION, Toy, alive, wait_for


class Failures(unittest.TestCase):
    def setUp(self) -> None:
        self.toy = Toy(self)

    def fails(self, reason: str, pattern: str, **options: object) -> BuildFailed:
        with self.assertRaisesRegex(BuildFailed, pattern) as caught:
            build(self.toy.recipe(), **options)  # type: ignore[arg-type]
        self.assertEqual(caught.exception.reason, reason)
        self.assertEqual([name for name in self.toy.names() if ".tmp." in name], [])
        return caught.exception

    def test_no_compiler(self) -> None:
        with mock.patch.dict(os.environ, {"CXX": "no-such-compiler-here"}):
            self.fails("no-compiler", "CXX is 'no-such-compiler-here', and no-such-compiler-here was not found")
        with mock.patch.dict(os.environ, {"CXX": "", "PATH": str(self.toy.folder)}):
            self.fails("no-compiler", r"CXX is not set, and c\+\+ was not found")
        with mock.patch.dict(os.environ, {"CXX": self.toy.script("broken", "echo libmpc.so.3: missing >&2; exit 127")}):
            self.fails("no-compiler", "--version ended with 127: libmpc.so.3: missing")

    def test_an_error_of_the_compiler(self) -> None:
        (self.toy.sources / "gantry_torch_stable.cpp").write_text("int main() { return undeclared; }\n#error one more\n")
        failure = self.fails("compiler-failed", r"ended with 1 after \d+\.\d s\.")
        self.assertRegex(failure.first_errors[0], r"gantry_torch_stable\.cpp:\d+:\d+: error: #error one more")
        self.assertIn("undeclared", "\n".join(failure.first_errors))
        self.assertTrue(failure.log and failure.log.endswith(".failed/build.log"))
        self.assertIn("undeclared", Path(failure.log or "").read_text())
        self.assertIn(f"The compiler's whole output: {failure.log}", str(failure))
        with open(os.path.join(os.path.dirname(failure.log or ""), "build.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["failure"]["reason"], "compiler-failed")

    def test_an_error_of_the_linker(self) -> None:
        (self.toy.sources / "gantry_torch_stable.cpp").write_text('extern "C" void not_in_torch();\nvoid f() { not_in_torch(); }\n')
        failure = self.fails("compiler-failed", "undefined reference to `not_in_torch'")
        self.assertIsNotNone(failure.log)

    def test_the_log_of_a_failure_goes_when_it_is_mended(self) -> None:
        source = self.toy.sources / "gantry_torch_stable.cpp"
        good = source.read_text()
        flag = self.toy.folder / "fail"
        flag.touch()
        with mock.patch.dict(os.environ, {"CXX": self.toy.script("moody", f'{VERSION}\n[ -e {flag} ] && exit 3\nexec $REAL "$@"')}):
            self.fails("compiler-failed", "ended with 3")
            key = self.toy.recipe().key[:6]
            self.assertEqual(self.toy.names(), [f"{key}.failed", f"{key}.lock"])
            flag.unlink()
            build(self.toy.recipe())
        self.assertEqual(source.read_text(), good)
        self.assertEqual(self.toy.names(), [key, f"{key}.lock"])

    def test_no_headers(self) -> None:
        recipe = self.toy.recipe()
        os.unlink(os.path.join(recipe.torch.folder, "include", "torch", "csrc", "stable", "library.h"))
        with self.assertRaisesRegex(BuildFailed, "without its C\\+\\+ headers.*libtorch-dev") as caught:
            build(recipe)
        self.assertEqual(caught.exception.reason, "no-headers")

    def test_no_sources(self) -> None:
        with mock.patch.dict(os.environ, {"GANTRY_TORCH_SOURCES": "/nowhere"}):
            self.fails("no-sources", "Tried: /nowhere")

    def test_headers_of_another_torch_than_the_package(self) -> None:
        recipe = self.toy.recipe(version="2.13.0")
        wrong = replace(recipe, torch=replace(recipe.torch, version="2.12.1"))
        with self.assertRaises(BuildFailed) as caught:
            build(wrong)
        self.assertEqual(caught.exception.reason, "wrong-output")

    def test_a_compiler_that_writes_nothing_and_one_that_writes_something_else(self) -> None:
        with mock.patch.dict(os.environ, {"CXX": self.toy.script("lazy", f"{VERSION}\nexit 0")}):
            self.fails("compiler-failed", "ended with 0 and wrote no ")
        other = f'{VERSION}\nfor last; do :; done\necho text > "$last"'
        with mock.patch.dict(os.environ, {"CXX": self.toy.script("liar", other)}):
            self.fails("compiler-failed", "is no shared library")
        plain = self.toy.shared_library(self.toy.folder / "plain.so", "", [])
        with mock.patch.dict(os.environ, {"CXX": self.toy.script("swap", f'{VERSION}\nfor last; do :; done\ncp {plain} "$last"')}):
            self.fails("wrong-output", "build.id=None")

    def test_a_compiler_that_is_killed(self) -> None:
        with mock.patch.dict(os.environ, {"CXX": self.toy.script("oom", f"{VERSION}\nkill -9 $$")}):
            self.fails("compiler-killed", r"was ended by SIGKILL after .* \(out of memory\?\)")

    def test_no_space(self) -> None:
        say = f"{VERSION}\necho 'fatal error: error writing to x.s: No space left on device' >&2; exit 1"
        with mock.patch.dict(os.environ, {"CXX": self.toy.script("full", say)}):
            failure = self.fails("no-space", "found no space left on the disk")
            self.assertEqual(failure.first_errors, ["fatal error: error writing to x.s: No space left on device"])
        with mock.patch("tempfile.mkdtemp", side_effect=OSError(errno.ENOSPC, "No space left on device")):
            self.fails("no-space", "no space left for the build")

    def test_a_cache_that_cannot_be_written(self) -> None:
        blocked = self.toy.folder / "file"
        blocked.touch()
        with mock.patch.dict(os.environ, {"GANTRY_CACHE_DIR": str(blocked)}):
            self.fails("cache-unwritable", "Set GANTRY_CACHE_DIR")
        recipe = self.toy.recipe()
        with mock.patch("os.open", side_effect=OSError(errno.EROFS, "Read-only file system")):
            with self.assertRaisesRegex(BuildFailed, "Read-only file system") as caught:
                build(recipe)
        self.assertEqual(caught.exception.reason, "cache-unwritable")

    def test_a_disk_that_is_full(self) -> None:
        """A real one, of 8 KiB."""
        script = 'mount -t tmpfs -o size=8k none "$1" && GANTRY_CACHE_DIR="$1" exec "$2" -c "$3"'
        folder = self.toy.folder / "small"
        folder.mkdir()
        code = CHILD.format(path=sys.path, torch=self.toy.recipe().torch.as_dict())
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", str(folder), sys.executable, code],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        text = done.stderr.decode()
        if "unshare" in text or "mount:" in text:
            self.skipTest(f"no small disk can be mounted here: {text.strip()}")
        self.assertRegex(text, "BuildFailed: gantry: .*no space left")

    def test_time_limit_ends_the_whole_process_group(self) -> None:
        pids = self.toy.folder / "pids"
        slow = self.toy.script("slow", f"{VERSION}\nsleep 300 &\necho $$ $! > {pids}\nwait")
        with mock.patch.dict(os.environ, {"CXX": slow}):
            self.fails("timeout", "did not finish in time", timeout=1.0)
        shell, sleeper = map(int, pids.read_text().split())
        wait_for(lambda: not alive(shell) and not alive(sleeper), "the end of the compiler and its child")

    def test_cancelling_ends_the_whole_process_group(self) -> None:
        pids = self.toy.folder / "pids"
        slow = self.toy.script("slow", f"{VERSION}\nsleep 300 &\necho $$ $! > {pids}.new; mv {pids}.new {pids}\nwait")
        cancel = threading.Event()

        def stop() -> None:
            wait_for(pids.exists, "the compiler's start")
            cancel.set()

        thread = threading.Thread(target=stop)
        with mock.patch.dict(os.environ, {"CXX": slow}):
            thread.start()
            self.fails("cancelled", "was cancelled", cancel=cancel)
        thread.join()
        shell, sleeper = map(int, pids.read_text().split())
        wait_for(lambda: not alive(shell) and not alive(sleeper), "the end of the compiler and its child")


class Pickled(unittest.TestCase):
    """Failures cross processes (concurrent.futures)."""

    def test_as_they_were(self) -> None:
        for error in (
            BuildFailed("timeout", "one\ntwo", "/x/build.log", ["a: error", "b: error"]), NotBuilt("there is none"),
            Refused("torch.version", "it is of another torch"), LoadFailed("it ended", -6, "SIGABRT"),
            TorchExtensionError("reason", "text"),
        ):
            with self.subTest(type(error).__name__):
                again = pickle.loads(pickle.dumps(error))
                self.assertIs(type(again), type(error))
                self.assertEqual((str(again), again.args, again.name, vars(again)), (str(error), error.args, error.name, vars(error)))
                self.assertEqual(again.as_dict(), error.as_dict())


if __name__ == "__main__":
    unittest.main()
