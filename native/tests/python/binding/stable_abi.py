"""Writes stable_abi_3_10.txt: the symbols that a module for the limited API of CPython 3.10 may need.

    python3.11 stable_abi.py > stable_abi_3_10.txt

Run by CPython 3.11, whose test.test_stable_abi_ctypes lists the symbols of the stable ABI (made by CPython from its
Misc/stable_abi.toml). Of these, the ones stay that the headers declare when they are preprocessed for 3.10.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from test.test_stable_abi_ctypes import SYMBOL_NAMES


def declared(limited_api: str, definition: str) -> set:
    headers = subprocess.run(
        ["cc", "-E", "-P", f"-DPy_LIMITED_API={limited_api}", "-I", sysconfig.get_paths()["include"], "-xc", "-"],
        input=f"{definition}#include <Python.h>\n", capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b_?Py\w+", headers))


def main() -> None:
    if sys.version_info[:2] != (3, 11):
        sys.exit(f"this is Python {sys.version_info[0]}.{sys.version_info[1]}; the list is made from CPython 3.11's")
    # Some functions have a second name for the modules that define this.
    names = declared("0x030a0000", "") | declared("0x030a0000", "#define PY_SSIZE_T_CLEAN\n")
    print("# Stable ABI of CPython 3.10: made by stable_abi.py from CPython 3.11's test_stable_abi_ctypes and headers.")
    for name in sorted(set(SYMBOL_NAMES) & names):
        print(name)


if __name__ == "__main__":
    main()
