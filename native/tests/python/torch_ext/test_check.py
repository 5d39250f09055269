"""What is read from a file before it is loaded, with a toy torch: no torch is needed here."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import unittest
import warnings
from dataclasses import replace
from pathlib import Path
from unittest import mock

from gantry import stamp
from gantry.stamp import _elf
from gantry.torch_ext import Refused, SkewWarning, _check
from gantry.torch_ext._builder import build

from toy import Toy


class Needed(unittest.TestCase):
    """A file that asks for another libtorch than the running one: two of them end the process."""

    def setUp(self) -> None:
        self.toy = Toy(self)
        self.torch = self.toy.torch()

    def library(self, *needed: str, flavour: str = "classic") -> str:
        """With the stamp of the toy torch, and DT_NEEDED of those names."""
        recipe = self.toy.recipe(flavour)
        folder = self.toy.folder / "built"
        folder.mkdir(exist_ok=True)
        (folder / "abiding_stamp_values.h").write_text(recipe.stamp_values("ab" * 32))
        stubs = [str(self.toy.shared_library(folder / f"stub{i}.so", "", [f"-Wl,-soname,{name}"]))
                 for i, name in enumerate(needed)]
        path = str(folder / "extension.so")
        command = [self.toy.compiler, *recipe.flags, f"-I{folder}"]
        for include in self.torch.include_folders:
            command += ["-isystem", include]
        subprocess.run([*command, recipe.sources.stamp, "-Wl,--no-as-needed", *stubs, "-o", path], check=True, timeout=60)
        return path

    def reasons(self, *needed: str) -> "list[str]":
        return [finding.key for finding in _check.examine(self.library(*needed), "classic", self.torch)]

    def test_plain_names_are_the_wheels_own(self) -> None:
        self.assertEqual(self.reasons("libc10.so", "libtorch_cpu.so"), [])

    def test_other_libraries_do_not_matter(self) -> None:
        self.assertEqual(self.reasons("libc10.so", "libgomp-a34b3233.so.1", "libc10_cuda.so", "libcudart.so.13"), [])

    def test_names_with_a_version_or_a_hash(self) -> None:
        for name in ("libc10.so.1.13", "libc10-8b5a0d8e.so", "libtorch_cpu.so.1.13"):
            with self.subTest(name):
                path = self.library(name)
                self.assertEqual(_elf.dynamic(path).needed[0], name)
                (finding,) = _check.examine(path, "classic", self.torch)
                self.assertEqual((finding.key, finding.built, finding.severity), ("second-libtorch", name, "fatal"))
                self.assertIn(f"it needs {name}, and the running torch's is {finding.here}", finding.message)

    def test_debians_names_are_right_for_debians_torch(self) -> None:
        path = self.library("libc10.so.1.13")
        debian = self.toy.torch(name="debian", sonames="lib{}.so.1.13")
        self.assertEqual(debian.sonames(), {"c10": "libc10.so.1.13", "torch_cpu": "libtorch_cpu.so.1.13"})
        self.assertEqual(_check.examine(path, "classic", debian), [])
        (finding,) = _check.examine(self.library("libc10.so"), "classic", debian)
        self.assertEqual((finding.built, finding.here), ("libc10.so", "libc10.so.1.13"))

    def test_no_override(self) -> None:
        path = self.library("libc10.so.1.13")
        with mock.patch.dict(os.environ, {"GANTRY_ALLOW_SKEW": "1"}), mock.patch.dict(sys.modules, {"torch": mock.Mock()}):
            with self.assertRaisesRegex(Refused, "bring a second libtorch into the process") as caught:
                _check.ensure(path, "classic", self.torch)
        self.assertEqual(caught.exception.reason, "second-libtorch")


class Skew(unittest.TestCase):
    def setUp(self) -> None:
        self.toy = Toy(self)
        self.recipe = self.toy.recipe("classic", version="2.13.0+cpu")
        self.path = build(self.recipe)[0].path
        self.torch = self.recipe.torch
        patch = mock.patch.dict(sys.modules, {"torch": mock.Mock()})
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_torch_that_it_was_built_for(self) -> None:
        _check.ensure(self.path, "classic", self.torch)

    def test_another_one(self) -> None:
        other = replace(self.torch, version="2.14.1+cu130", git="5c4886908584e5e0c1d9f24e0ae4e8e5f1b6b7a1")
        with self.assertRaises(Refused) as caught:
            _check.ensure(self.path, "classic", other)
        self.assertEqual(
            str(caught.exception),
            f"gantry: refusing to load {self.path}: it was built against torch 2.13.0+cpu (cf30153c4c13), running torch is "
            "2.14.1+cu130 (5c4886908584). C++ extensions are only valid for the torch they were compiled with. "
            "Rebuild: python -m gantry.torch_ext build --flavour classic (or use the stable flavour, or none).")

    def test_another_commit_of_the_same_version(self) -> None:
        with self.assertRaisesRegex(Refused, "built against torch 2.13.0.cpu .cf30153c4c13.*running torch is 2.13.0.cpu .aaaaaaaaaaaa"):
            _check.ensure(self.path, "classic", replace(self.torch, git="a" * 40))

    def test_allowed(self) -> None:
        other = replace(self.torch, version="2.14.1")
        for value, passes in (("1", True), ("0", False), ("yes", False)):
            with self.subTest(value), mock.patch.dict(os.environ, {"GANTRY_ALLOW_SKEW": value}):
                if passes:
                    with self.assertWarnsRegex(SkewWarning, "loading .* all the same: it was built against torch 2.13.0"):
                        _check.ensure(self.path, "classic", other)
                else:
                    with self.assertRaises(Refused):
                        _check.ensure(self.path, "classic", other)

    def test_its_build_id_is_its_own(self) -> None:
        self.assertEqual(stamp.check(self.path, {"build.id": "0123456789abcdef", "gantry.abi": "1.0"}), [])

    def test_another_machine(self) -> None:
        (finding,) = _check.examine(self.path, "classic", replace(self.torch, machine="sparc64"))
        self.assertEqual((finding.key, finding.here, finding.severity), ("arch", "sparc64", "fatal"))

    def test_torch_is_not_imported(self) -> None:
        del sys.modules["torch"]
        with self.assertRaisesRegex(Refused, "torch is not imported.*Import torch first"):
            _check.ensure(self.path, "classic", self.torch)

    def test_the_stable_flavour_in_an_older_and_in_a_later_torch(self) -> None:
        recipe = self.toy.recipe("stable", version="2.13.0+cpu")
        path = build(recipe)[0].path
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for version in ("2.10.0", "2.14.1+cu130", "2.16.0"):
                _check.ensure(path, "stable", replace(recipe.torch, version=version, git="b" * 40))
        for version in ("2.9.1", "1.13.0a0"):
            with self.subTest(version), self.assertRaisesRegex(Refused, r"built for torch 2\.10 and later"):
                _check.ensure(path, "stable", replace(recipe.torch, version=version))

    def test_a_stable_binary_without_a_target(self) -> None:
        """What a forgotten TORCH_TARGET_VERSION gives: it asks for its own torch's functions."""
        path = self.toy.folder / "copy.so"
        data = Path(build(self.toy.recipe("stable"))[0].path).read_bytes()
        path.write_bytes(data.replace(b"torch.target=", b"torch.xarget="))
        findings = _check.examine(str(path), "stable", self.torch)
        self.assertIn("without TORCH_TARGET_VERSION", findings[0].message)


class Elf(unittest.TestCase):
    def setUp(self) -> None:
        self.toy = Toy(self)
        self.file = self.toy.folder / "x.so"
        shutil.copyfile(build(self.toy.recipe("classic"))[0].path, self.file)
        self.data = self.file.read_bytes()

    def test_against_readelf(self) -> None:
        if shutil.which("readelf") is None:
            self.skipTest("there is no readelf (binutils)")
        for path in (self.file, Path(self.toy.torch().library("c10"))):
            text = subprocess.run(["readelf", "-dW", str(path)], stdout=subprocess.PIPE, check=True, timeout=30).stdout.decode()
            wanted = [line.split("[")[1].rstrip("]") for line in text.splitlines() if "(NEEDED)" in line]
            soname = [line.split("[")[1].rstrip("]") for line in text.splitlines() if "(SONAME)" in line]
            found = _elf.dynamic(str(path))
            self.assertEqual((found.needed, [found.soname] if found.soname else []), (wanted, soname))

    def test_files_that_end_too_early(self) -> None:
        whole = _elf.dynamic(str(self.file))
        for size in [*range(0, 70), *range(70, len(self.data), 97)]:
            self.file.write_bytes(self.data[:size])
            try:
                self.assertEqual(_elf.dynamic(str(self.file)), whole)
            except stamp.StampError as error:
                self.assertIn(str(self.file), str(error))

    def test_a_copy_that_was_interrupted(self) -> None:
        """The stamp and the dynamic section may be there, and a page that the loader maps is not: it would end the process with
        SIGBUS."""
        table, count = struct.unpack_from("<Q", self.data, 32)[0], struct.unpack_from("<H", self.data, 56)[0]
        segments = [struct.unpack_from("<IIQQQQQQ", self.data, table + 56 * i) for i in range(count)]
        end = max(offset + size for kind, _, offset, _, _, size, _, _ in segments if kind == 1)
        torch = self.toy.torch()
        for size in (end // 3, end // 2, end - 1):
            self.file.write_bytes(self.data[:size])
            self.assertIsNotNone(stamp.read(self.file))
            (finding,) = _check.examine(str(self.file), "classic", torch)
            self.assertEqual((finding.key, finding.severity), ("file", "fatal"))
            self.assertRegex(finding.message, f"it cannot be read as a shared library: .* is cut off: it has {size} bytes, and a segment of ")
        self.file.write_bytes(self.data[:end])
        self.assertEqual(_check.examine(str(self.file), "classic", torch), [])

    def test_numbers_that_lie(self) -> None:
        """Every byte of the headers and of the dynamic section, turned over."""
        for at in [*range(16, 64), *range(64, 64 + 56 * 10)]:
            for value in (0xFF, self.data[at] ^ 0x80):
                self.file.write_bytes(self.data[:at] + bytes([value]) + self.data[at + 1:])
                try:
                    _elf.dynamic(str(self.file))
                except stamp.StampError:
                    pass

    def test_of_32_bits_and_of_the_other_byte_order(self) -> None:
        for order, code in (("<", 1), (">", 2)):
            strings = b"\0libc10.so.1.13\0x\0"
            header = b"\x7fELF" + bytes([1, code, 1]) + bytes(9)
            header += struct.pack(order + "HHIIIIIHHHHHH", 3, 8, 1, 0, 52, 0, 0, 52, 32, 2, 0, 0, 0)
            at = 52 + 64
            dynamic = struct.pack(order + "iIiIiIiI", 5, at + 32, 10, len(strings), 1, 1, 0, 0)
            segments = struct.pack(order + "IIIIIIII", 1, 0, 0, 0, 200, 200, 4, 4096)
            segments += struct.pack(order + "IIIIIIII", 2, at, at, 0, len(dynamic), len(dynamic), 4, 4)
            self.file.write_bytes((header + segments + dynamic + strings).ljust(200, b"\0"))
            self.assertEqual(_elf.dynamic(str(self.file)).needed, ["libc10.so.1.13"])

    def test_what_is_no_library(self) -> None:
        self.file.write_text("#!/bin/sh\n" * 20)
        with self.assertRaisesRegex(stamp.StampError, "is no ELF file"):
            _elf.dynamic(str(self.file))


if __name__ == "__main__":
    unittest.main()
