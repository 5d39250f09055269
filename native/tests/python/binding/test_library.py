"""Finding, loading and refusing libgantry; choosing the binding."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Dict
from unittest import mock

from gantry import _abi, _binding, _library, errors
from support import NAME

CC = shutil.which("cc")


def child(code: str, **changes: str) -> "subprocess.CompletedProcess[str]":
    variables: Dict[str, str] = {**os.environ, **changes}
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, timeout=60)


class Loading(unittest.TestCase):
    def test_every_function_of_the_header(self) -> None:
        library = _library.load()
        self.assertIs(_library.load(), library)
        self.assertEqual(library.gantry_abi_version(), _abi.ABI_VERSION)
        for name in _abi.PROTOTYPES:
            self.assertNotEqual(library.address(name), 0, name)
        self.assertEqual(library.status_name(3), "GANTRY_ERROR_INDEX")

    def test_status_texts_become_exceptions(self) -> None:
        library = _library.load()
        handle = ctypes.c_void_p()
        with self.assertRaises(errors.AbiMismatch) as caught:
            library.check(library.gantry_open(0x00020000, None, ctypes.byref(handle)))
        self.assertEqual((caught.exception.status, caught.exception.name), (2, "GANTRY_ERROR_ABI"))
        self.assertEqual(str(caught.exception), library.gantry_last_error().decode())

    def test_the_named_file_is_the_only_place(self) -> None:
        with mock.patch.dict(os.environ, GANTRY_LIBRARY="/nowhere/libgantry.so"):
            self.assertEqual(_library.candidates(), [("/nowhere/libgantry.so", "GANTRY_LIBRARY names it")])
        found = child("from gantry import _library\n_library.load()", GANTRY_LIBRARY="/nowhere/libgantry.so")
        self.assertIn("gantry.errors.LibraryNotFound: GANTRY_LIBRARY is /nowhere/libgantry.so, and there is no such file", found.stderr)

    def test_the_packages_own_file_comes_first(self) -> None:
        with mock.patch.dict(os.environ):
            os.environ.pop("GANTRY_LIBRARY", None)
            path, why = _library.candidates()[0]
        self.assertEqual(why, "the package's own")
        self.assertEqual(os.path.basename(os.path.dirname(path)), "_native")

    def test_a_file_that_is_no_library(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(b"not ELF at all, and long enough to be read as a header of an ELF file, which it is not")
            file.flush()
            with self.assertRaises(errors.LibraryNotFound) as caught:
                _library.load_from(file.name)
        self.assertTrue(str(caught.exception).startswith(f"{file.name} could not be loaded: "), str(caught.exception))
        self.assertIn("invalid ELF header", str(caught.exception))

    @unittest.skipUnless(CC, "no C compiler (cc) on PATH")
    def test_other_interfaces(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for number, (body, text) in enumerate((
                ("unsigned gantry_abi_version(void) { return 2u << 16; }",
                 "{path} has the binary interface 2.0; this package needs 1.0 or a later 1.x. Install the library and the package of "
                 "one release."),
                ("unsigned gantry_abi_version(void) { return 0x00000005u; }",
                 "{path} has the binary interface 0.5; this package needs 1.0 or a later 1.x. Install the library and the package of "
                 "one release."),
                ("int x;", "{path} is no Gantry library: it has no function gantry_abi_version"),
                ("unsigned gantry_abi_version(void) { return 1u << 16; } const char* gantry_version(void) { return \"\"; }",
                 "{path} has no function gantry_build_info, although it says that it has the binary interface 1.0; install the "
                 "library and the package of one release"),
            )):
                path = os.path.join(folder, f"lib{number}.so")
                subprocess.run([CC, "-shared", "-fPIC", "-xc", "-", "-o", path], input=body, text=True, check=True)
                with self.subTest(body), self.assertRaises(errors.AbiMismatch) as caught:
                    _library.load_from(path)
                self.assertEqual(str(caught.exception), text.format(path=path))


class Choosing(unittest.TestCase):
    def test_the_variable(self) -> None:
        self.assertEqual(_binding.binding().name, NAME)
        self.assertIs(_binding.binding(), _binding.binding())
        with self.assertRaisesRegex(ValueError, "^GANTRY_BINDING is 'cffi'; it may be 'ctypes' or 'abi3'$"):
            _binding.load("cffi")

    def test_the_default(self) -> None:
        code = "from gantry import _binding; print(_binding.binding().name)"
        self.assertEqual(child(code, GANTRY_BINDING="").stdout, "abi3\n" if has_core() else "ctypes\n")
        hidden = "import sys; sys.modules['gantry._core'] = None\n"
        self.assertEqual(child(hidden + code, GANTRY_BINDING="").stdout, "ctypes\n")
        asked_for = child(hidden + code, GANTRY_BINDING="abi3")
        self.assertEqual((asked_for.returncode, asked_for.stdout), (1, ""))
        self.assertRegex(asked_for.stderr.splitlines()[-1], "^(ImportError|ModuleNotFoundError): ")

    def test_a_module_of_another_interface(self) -> None:
        code = ("import sys, types\nfake = types.ModuleType('gantry._core'); fake.ABI_VERSION = 0x20001; fake.__file__ = '/x.so'\n"
                "sys.modules['gantry._core'] = fake\nimport gantry; gantry._core = fake\n"
                "from gantry import _binding; _binding.binding()")
        found = child(code, GANTRY_BINDING="")
        self.assertIn("gantry.errors.AbiMismatch: /x.so was compiled for the binary interface 2.1, and this package has 1.0; install "
                      "the files of one release", found.stderr)

    def test_the_factory_reaches_the_binding_whenever_it_is_set(self) -> None:
        code = ("from gantry import _binding\nfrom support import Memory, open_context\nimport array\n"
                "out = array.array('f', [0.0])\nmake = lambda *a: out\n{first}\nb = _binding.binding()\n{second}\n"
                "b.gather(open_context(), array.array('f', [5.0]), array.array('q', [0]), None, 0, 0, None)\nprint(out[0])")
        setting = "_binding.set_array_factory(make)"
        path = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH", "")])
        for first, second in ((setting, ""), ("", setting)):
            self.assertEqual(child(code.format(first=first, second=second), PYTHONPATH=path).stdout, "5.0\n")


def has_core() -> bool:
    try:
        from gantry import _core  # type: ignore[attr-defined]  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    unittest.main()
