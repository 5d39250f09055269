"""_core.abi3.so as a file: what it needs, and that every Python from 3.10 on imports and uses it."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
import unittest
from typing import Dict, List

try:
    from gantry import _core  # type: ignore[attr-defined]
except ImportError as failure:
    raise unittest.SkipTest(f"the module in C was not built: {failure}") from None

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.realpath(_core.__file__)
READELF = shutil.which("readelf")


def lines_of(*arguments: str) -> List[str]:
    return subprocess.run([READELF or "readelf", "-W", *arguments, PATH], capture_output=True, text=True, check=True).stdout.splitlines()


@unittest.skipUnless(READELF, "no readelf (binutils) on PATH")
class File(unittest.TestCase):
    def symbols(self, defined: bool) -> List[str]:
        rows = [line.split() for line in lines_of("--dyn-syms") if re.match(r"\s*\d+:", line)]
        return [row[7] for row in rows if len(row) > 7 and row[4] in ("GLOBAL", "WEAK") and (row[6] != "UND") == defined]

    def test_symbols_are_of_the_stable_abi(self) -> None:
        with open(os.path.join(HERE, "stable_abi_3_10.txt"), encoding="ascii") as file:
            stable = {line.strip() for line in file if not line.startswith("#")}
        self.assertIn("PyObject_GetAttr", stable)
        # Inlined, or newer than 3.10: as in modules that are "abi3" by their name only.
        self.assertEqual({"PyList_GET_SIZE", "PyObject_GetBuffer", "PyObject_Vectorcall"} & stable, set())
        needed = {name for name in self.symbols(defined=False) if re.match("_?Py", name)}
        self.assertIn("PyObject_GetAttr", needed)
        self.assertEqual(needed - stable, set())

    def test_other_symbols(self) -> None:
        others = [name for name in self.symbols(defined=False) if not re.match("_?Py", name)]
        self.assertEqual([name for name in others if re.match("_Z|gantry_|dl[a-z]+$", name)], [])
        self.assertEqual(sorted(name for name in self.symbols(defined=True)), ["PyInit__core", "gantry_core_build_info"])

    def test_libraries(self) -> None:
        needed = [re.findall(r"\[(.*)\]", line)[0] for line in lines_of("-d") if "(NEEDED)" in line]
        self.assertEqual([name for name in needed if not re.match(r"(libc\.so|libm\.so|ld-linux|lib[atu]+san\.so)", name)], [])


def pythons() -> Dict[str, str]:
    """Version -> executable: what PATH and pyenv have, each version once."""
    names = [os.path.join(folder, f"python3.{minor}") for folder in os.environ.get("PATH", "").split(os.pathsep) for minor in range(10, 20)]
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    names += glob.glob(os.path.join(root, "versions", "*", "bin", "python3"))
    found: Dict[str, str] = {}
    for name in [sys.executable, *names]:
        if not os.access(name, os.X_OK):
            continue
        told = subprocess.run(
            [name, "-c", "import platform, sys, sysconfig\nprint(platform.python_implementation(), *sys.version_info[:3], "
                         "sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"],
            capture_output=True, text=True).stdout.split()
        if len(told) == 5 and told[0] == "CPython" and told[4] == "0" and (int(told[1]), int(told[2])) >= (3, 10):
            found.setdefault(".".join(told[1:4]), name)
    return found


class Pythons(unittest.TestCase):
    def test_imported_and_used(self) -> None:
        code = (
            "import array, gc\nfrom gantry import _core\nfrom support import binding, open_context\n"
            "b = binding(); c = open_context()\nassert b.name == 'abi3', b.name\n"
            "t, i, o = array.array('f', range(6)), array.array('q', [4, 2]), array.array('f', [0.0, 0.0])\n"
            "for _ in range(1000): b.gather(c, t, i, o, 0, 0, None)\n"
            "try: b.gather(c, t, array.array('q', [9]), o[:1], 0, 0, None)\nexcept IndexError as e: bad = (e.position, e.value)\n"
            "b.scatter_add(c, t, i, o, 0, 0, None)\ndel b; gc.collect()\nprint(list(o), list(t), bad)")
        variables = {**os.environ, "GANTRY_BINDING": "abi3", "PYTHONDONTWRITEBYTECODE": "1",
                     "PYTHONPATH": os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])}
        found = pythons()
        self.assertGreaterEqual(len(found), 1)
        for version, executable in found.items():
            with self.subTest(version):
                ended = subprocess.run([executable, "-c", code], env=variables, capture_output=True, text=True, timeout=60)
                self.assertEqual((ended.returncode, ended.stdout),
                                 (0, "[4.0, 2.0] [0.0, 1.0, 4.0, 3.0, 8.0, 5.0] (0, 9)\n"), ended.stderr)
        print(f"imported by CPython {', '.join(sorted(found))}")


if __name__ == "__main__":
    unittest.main()
