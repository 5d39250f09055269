"""Writes data/cpython-stable-abi.json: the functions and objects of CPython's stable ABI, by the release that added them.

    python3 scripts/data/read-stable-abi.py VERSION_OF_ABI3INFO

Reads the package abi3info, which is generated from Misc/stable_abi.toml of CPython's main branch. Only what a library
for Linux can bind to is kept: names with a condition that Linux meets, or that only special builds have, are listed with it.
"""
import json
import pathlib
import sys

from abi3info import DATAS, FUNCTIONS

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "cpython-stable-abi.json"
# Conditions of CPython's own table that hold in every build for Linux.
ON_LINUX = {"HAVE_FORK", "PY_HAVE_THREAD_NATIVE_ID"}


def main() -> None:
    since: dict[tuple[int, int], list[str]] = {}
    elsewhere: dict[str, list[str]] = {}
    for table in (FUNCTIONS, DATAS):
        for symbol, entry in table.items():
            condition = entry.ifdef.name if entry.ifdef is not None else None
            if condition is not None and condition not in ON_LINUX:
                elsewhere.setdefault(condition, []).append(symbol.name)
            else:
                since.setdefault((entry.added.major, entry.added.minor), []).append(symbol.name)
    lines = [
        "{",
        '  "about": "Functions and objects of CPython\'s stable ABI on Linux by the CPython that first has them. `elsewhere`: those that only builds with the named condition have. Written by scripts/data/read-stable-abi.py.",',
        f'  "source": "abi3info {sys.argv[1]} (MIT), generated from Misc/stable_abi.toml of CPython main (Python Software Foundation License)",',
        '  "releases": [',
        ",\n".join(f'    {{ "since": "{major}.{minor}", "names": {json.dumps(sorted(names))} }}' for (major, minor), names in sorted(since.items())),
        "  ],",
        f'  "elsewhere": {json.dumps({key: sorted(names) for key, names in sorted(elsewhere.items())})}',
        "}",
    ]
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
