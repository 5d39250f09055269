"""The reader of stamps by the shared vectors, and each rule of the comparison."""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Dict, List
from unittest import mock

from gantry import stamp
from gantry.stamp import __main__ as command

VECTORS = Path(__file__).resolve().parents[2] / "stamp" / "vectors" / "vectors.json"


class ReadTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, data: bytes) -> Path:
        file = self.folder / "file.so"
        file.write_bytes(data)
        return file

    def test_vectors(self) -> None:
        vectors = json.loads(VECTORS.read_text("utf-8"))["vectors"]
        self.assertGreater(len(vectors), 60)
        for vector in vectors:
            with self.subTest(vector["name"]):
                file = self.written(b"".join(bytes.fromhex(piece["hex"]) * piece["times"] for piece in vector["file"]))
                if vector["refused"]:
                    with self.assertRaises(stamp.StampError) as raised:
                        stamp.read(file)
                    self.assertIn(str(file), str(raised.exception))
                    continue
                keys = stamp.read(file)
                self.assertEqual(keys, vector["stamp"])
                self.assertEqual(list(keys or {}), list(vector["stamp"] or {}))

    def test_no_prefix_of_a_file_breaks_the_reader(self) -> None:
        for vector in json.loads(VECTORS.read_text("utf-8"))["vectors"][:8]:
            data = b"".join(bytes.fromhex(piece["hex"]) * piece["times"] for piece in vector["file"])
            for size in range(len(data)):
                with contextlib.suppress(stamp.StampError):
                    keys = stamp.read(self.written(data[:size]))
                    self.assertIn(keys, (None, vector["stamp"]))

    def test_files_that_are_none(self) -> None:
        with self.assertRaises(FileNotFoundError):
            stamp.read(self.folder / "absent.so")
        with self.assertRaises(IsADirectoryError):
            stamp.read(self.folder)
        os.mkfifo(self.folder / "pipe")
        with self.assertRaises(OSError):
            stamp.read(self.folder / "pipe")

    def test_no_descriptor_is_left_open(self) -> None:
        before = len(os.listdir("/proc/self/fd"))
        for data in (b"", b"\x7fELF\2\1\1", bytes.fromhex("7f454c46020101") + b"\xff" * 57):
            with contextlib.suppress(stamp.StampError):
                stamp.read(self.written(data))
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_machine(self) -> None:
        for bits, order, number, name in ((2, "<", 62, "x86_64"), (2, "<", 183, "aarch64"), (2, "<", 21, "ppc64le"), (2, ">", 21, "ppc64"),
                                          (1, "<", 3, "i386"), (2, "<", 999, "machine 999")):  # fmt: skip
            head = b"\x7fELF" + bytes([bits, 1 if order == "<" else 2, 1]) + b"\0" * 9 + struct.pack(order + "HH", 3, number)
            self.assertEqual(stamp.machine(self.written(head.ljust(64, b"\0"))), name)


BUILT = {
    "arch": "x86_64", "gantry.abi": "1.0", "build.id": "0123456789abcdef", "torch.version": "2.13.0+cpu", "torch.abi": "classic",
    "torch.git": "cf30153c4c131c8164ee7798e5022d810682e2cb", "torch.cxx11_abi": "1", "cxx.gxx_abi": "1017", "cuda.toolkit": "13.0.88",
    "py.limited": "0x030a0000",
}  # fmt: skip
HERE = {
    "arch": "x86_64", "gantry.abi": "1.0", "build.id": "0123456789abcdef", "torch.version": "2.13.0+cpu", "python": "3.11",
    "torch.git": "cf30153c4c131c8164ee7798e5022d810682e2cb", "torch.cxx11_abi": "1", "cxx.gxx_abi": "1017", "cuda.driver": "13.1",
}  # fmt: skip
OTHER_TORCH = {"torch.version": "2.14.1+cu130", "torch.git": "5c4886908584aaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
STABLE = {"torch.abi": "stable", "torch.target": "0x020a000000000000"}


def found(built: Dict[str, str], here: Dict[str, str]) -> List[stamp.Finding]:
    return stamp.check({**BUILT, **built}, {**HERE, **here})


def short(built: Dict[str, str], here: Dict[str, str]) -> List[str]:
    return [f"{one.severity} {one.key} {one.built} {one.here}" for one in found(built, here)]


class CheckTest(unittest.TestCase):
    def test_nothing_to_say(self) -> None:
        self.assertEqual(found({}, {}), [])
        self.assertEqual(stamp.check({}, HERE), [])
        self.assertEqual(stamp.check(BUILT, {}), [])

    def test_severities(self) -> None:
        for built, here, expected in (
            ({"arch": "aarch64"}, {}, ["fatal arch aarch64 x86_64"]),
            ({"gantry.abi": "2.0"}, {}, ["fatal gantry.abi 2.0 1.0"]),
            ({"gantry.abi": "1.7"}, {}, []),
            ({"build.id": "fedcba9876543210", "torch.abi": ""}, {}, ["fatal build.id fedcba9876543210 0123456789abcdef"]),
            # A torch extension has an id of its own.
            ({"build.id": "fedcba9876543210"}, {}, []),
            ({}, OTHER_TORCH, ["fatal torch.version 2.13.0+cpu 2.14.1+cu130"]),
            ({}, {"torch.version": "2.13.1+cpu"}, ["fatal torch.version 2.13.0+cpu 2.13.1+cpu"]),
            ({}, {"torch.version": "2.13.0+cu130"}, ["fatal torch.version 2.13.0+cpu 2.13.0+cu130"]),
            ({}, {"torch.git": OTHER_TORCH["torch.git"]}, ["fatal torch.version 2.13.0+cpu 2.13.0+cpu"]),
            ({"torch.git": "cf30153c4c13"}, {}, []),
            # What torch's headers know.
            ({"torch.version": "2.13.0"}, {}, []),
            ({"torch.version": "1.13.0"}, {"torch.version": "1.13.0a0"}, []),
            ({"torch.version": "2.13.1"}, {}, ["fatal torch.version 2.13.1 2.13.0+cpu"]),
            (STABLE, OTHER_TORCH, []),
            (STABLE, {"torch.version": "2.9.1"}, ["fatal torch.target 0x020a000000000000 2.9.1"]),
            (STABLE, {"torch.version": "2.10.0"}, []),
            (STABLE, {"torch.version": "2.21.0"}, []),
            (STABLE, {"torch.version": "2.22.0"}, ["warning torch.age 2.13.0+cpu 2.22.0"]),
            (STABLE, {"torch.version": "3.0.0"}, ["warning torch.age 2.13.0+cpu 3.0.0"]),
            ({"torch.cxx11_abi": "0"}, {}, ["fatal torch.cxx11_abi 0 1"]),
            ({**STABLE, "torch.cxx11_abi": "0"}, {}, []),
            ({"cxx.gxx_abi": "1002"}, {}, ["info cxx.gxx_abi 1002 1017"]),
            ({"cxx.gxx_abi": "102"}, {}, ["warning cxx.gxx_abi 102 1017"]),
            ({"cxx.gxx_abi": "1001"}, {}, ["warning cxx.gxx_abi 1001 1017"]),
            ({}, {"cuda.driver": "12.9"}, ["fatal cuda.toolkit 13.0.88 12.9"]),
            ({"cuda.toolkit": "13.9.1"}, {"cuda.driver": "13.0"}, []),
            ({}, {"python": "3.9"}, ["fatal py.limited 0x030a0000 3.9"]),
            ({}, {"python": "3.10"}, []),
            ({"torch.target": "nonsense", "py.limited": "x", "cuda.toolkit": "?"}, {"torch.version": "?", "python": ""},
             ["fatal torch.version 2.13.0+cpu ?"]),
        ):  # fmt: skip
            with self.subTest(built=built, here=here):
                self.assertEqual(short(built, here), expected)

    def test_skew_that_is_allowed(self) -> None:
        with mock.patch.dict(os.environ, {"GANTRY_ALLOW_SKEW": "1"}):
            self.assertEqual(short({"arch": "aarch64"}, OTHER_TORCH), [
                "fatal arch aarch64 x86_64", "warning torch.version 2.13.0+cpu 2.14.1+cu130",
            ])  # fmt: skip

    def test_refusal(self) -> None:
        self.assertEqual(
            stamp.refusal("/cache/ext.so", found({}, OTHER_TORCH)),
            "gantry: refusing to load /cache/ext.so: it was built against torch 2.13.0+cpu (cf30153c4c13), running torch is "
            "2.14.1+cu130 (5c4886908584). C++ extensions are only valid for the torch they were compiled with. Rebuild: python -m "
            "gantry.torch_ext build --flavour classic (or use the stable flavour, or none).",
        )
        self.assertIsNone(stamp.refusal("/cache/ext.so", found({"cxx.gxx_abi": "1002"}, {})))
        self.assertIsNone(stamp.refusal("/cache/ext.so", []))

    def test_sentences(self) -> None:
        """Whole sentences with both values, and a remedy."""
        for built, here in (({"arch": "aarch64"}, {}), ({"gantry.abi": "2.0"}, {}), ({"build.id": "f", "torch.abi": ""}, {}), ({}, OTHER_TORCH),
                            (STABLE, {"torch.version": "2.9.1"}), (STABLE, {"torch.version": "3.0"}), ({"torch.cxx11_abi": "0"}, {}),
                            ({"cxx.gxx_abi": "1002"}, {}), ({}, {"cuda.driver": "12.9"}), ({}, {"python": "3.9"})):  # fmt: skip
            (one,) = found(built, here)
            with self.subTest(one.key):
                said = {"0x020a000000000000": "2.10", "0x030a0000": "3.10"}.get(one.built, one.built)
                self.assertIn(said, one.message)
                self.assertIn(one.here, one.message)
                self.assertTrue(one.message.endswith(".") and one.remedy.endswith("."), one)

    def test_the_header_counts_for_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            vector = json.loads(VECTORS.read_text("utf-8"))["vectors"][0]
            file = Path(folder) / "x.so"
            file.write_bytes(b"".join(bytes.fromhex(piece["hex"]) * piece["times"] for piece in vector["file"]))
            self.assertEqual(stamp.check(file, {"arch": "x86_64"}), [])
            self.assertEqual([one.built for one in stamp.check(file, {"arch": "aarch64"})], ["x86_64"])


class HereTest(unittest.TestCase):
    def test_nothing_is_imported(self) -> None:
        with mock.patch.dict(sys.modules):
            for name in ("torch", "gantry._library"):
                sys.modules.pop(name, None)
            self.assertEqual(sorted(stamp.here()), ["arch", "python"])
            self.assertNotIn("torch", sys.modules)

    def test_torch_and_library(self) -> None:
        torch = types.ModuleType("torch")
        torch.__dict__.update(
            __version__="2.13.0+cpu",
            version=types.SimpleNamespace(git_version="cf30", cuda=None),
            _C=types.SimpleNamespace(_GLIBCXX_USE_CXX11_ABI=True),
        )
        library = types.ModuleType("gantry._library")
        library.__dict__["_loaded"] = types.SimpleNamespace(gantry_build_info=lambda: b"gantry.abi=1.0\nbuild.id=77\nname=gantry\n")
        with mock.patch.dict(sys.modules, {"torch": torch, "gantry._library": library}):
            keys = stamp.here()
        self.assertEqual({key: value for key, value in keys.items() if key not in ("arch", "python")}, {
            "torch.version": "2.13.0+cpu", "torch.git": "cf30", "torch.cxx11_abi": "1", "gantry.abi": "1.0", "build.id": "77",
        })  # fmt: skip


class CommandTest(unittest.TestCase):
    def run_command(self, *arguments: str) -> "tuple[int, str]":
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            status = command.main(list(arguments))
        return status, output.getvalue()

    def file(self, name: str) -> str:
        (vector,) = [one for one in json.loads(VECTORS.read_text("utf-8"))["vectors"] if one["name"] == name]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name) / "x.so"
        file.write_bytes(b"".join(bytes.fromhex(piece["hex"]) * piece["times"] for piece in vector["file"]))
        return str(file)

    def test_output_and_exit_status(self) -> None:
        stamped = self.file("segment, 64-bit, little-endian")
        self.assertEqual(self.run_command(stamped), (0, "schema=1\nname=vector\nversion=1.2\ncxx.cxx11_abi=1\n"))
        status, output = self.run_command(stamped, "--json")
        self.assertEqual((status, json.loads(output)), (0, {
            "file": stamped, "stamp": {"schema": "1", "name": "vector", "version": "1.2", "cxx.cxx11_abi": "1"}, "findings": [],
        }))  # fmt: skip
        unstamped = self.file("no stamp")
        self.assertEqual(self.run_command(unstamped), (3, f"{unstamped} has no stamp.\n"))
        self.assertEqual(self.run_command(self.file("a text file"))[0], 2)
        self.assertEqual(self.run_command("/nonexistent")[0], 2)

    def test_a_reader_that_has_seen_enough(self) -> None:
        """`| head -1`: no traceback, and the status says what it always does."""
        for name, status in (("segment, 64-bit, little-endian", 0), ("no stamp", 3)):
            reader, writer = os.pipe()
            os.close(reader)
            with os.fdopen(writer, "wb") as output:
                result = subprocess.run(
                    [sys.executable, "-m", "gantry.stamp", self.file(name)], stdout=output, stderr=subprocess.PIPE, timeout=60, check=False,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                )  # fmt: skip
            self.assertEqual((result.returncode, result.stderr), (status, b""), name)

    def test_check(self) -> None:
        with mock.patch.object(command, "_environment", return_value={"arch": "riscv64"}):
            status, output = self.run_command(self.file("segment, 64-bit, little-endian"), "--check")
        self.assertEqual(status, 1)
        self.assertIn("fatal: arch: it was built for x86_64, and this machine is riscv64. Use a file", output)


if __name__ == "__main__":
    unittest.main()
