"""Writes data/manylinux-policies.json: what each platform tag of Linux promises, by auditwheel's own tables.

    python3 scripts/data/read-manylinux-policies.py AUDITWHEEL_PACKAGE_FOLDER VERSION

A policy allows all that the older ones allow: a row holds only what it adds. The table is auditwheel's work (MIT
licence, Copyright (c) 2016 Robert T. McGibbon): the notice is kept in the file.
"""
import json
import pathlib
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "manylinux-policies.json"
MACHINES = ["x86_64", "aarch64"]


def rows(policies: list, machines: list[str]) -> list[dict]:
    found = []
    versions: dict[tuple[str, str], list[str]] = {}
    libraries: list[str] = []
    symbols: dict[str, list[str]] = {}
    for policy in sorted(policies, key=lambda one: -one["priority"]):
        if policy["name"] == "linux":
            continue
        added: dict[str, dict[str, list[str]]] = {}
        for machine in machines:
            for family, names in policy["symbol_versions"].get(machine, {}).items():
                known = versions.setdefault((machine, family), [])
                new = [one for one in names if one not in known]
                known.extend(new)
                # A family without a version is one of which no version is allowed.
                if new or family not in added.get(machine, {}) and not known:
                    added.setdefault(machine, {})[family] = new
        new_libraries = [one for one in policy["lib_whitelist"] if one not in libraries]
        libraries.extend(new_libraries)
        row = {"name": policy["name"], "aliases": policy["aliases"], "machines": [one for one in machines if one in policy["symbol_versions"]], "versions": added, "libraries": new_libraries}
        if policy["blacklist"] != symbols:
            symbols = policy["blacklist"]
            row["forbidden"] = {library: sorted(names) for library, names in symbols.items()}
        found.append(row)
    return found


def main() -> None:
    folder = pathlib.Path(sys.argv[1]) / "policy"
    read = {name: json.loads((folder / f"{name}-policy.json").read_text()) for name in ("manylinux", "musllinux")}
    out = {
        "about": "Platform tags of Linux wheels, the strictest first. A row adds to those before it: versions of symbols that a file may need, and libraries that every such machine has. `forbidden` (until the next row that has one): internals of a library that must not be used. Written by scripts/data/read-manylinux-policies.py.",
        "source": f"auditwheel {sys.argv[2]}, policy/manylinux-policy.json and policy/musllinux-policy.json",
        "licence": "MIT License. Copyright (c) 2016 Robert T. McGibbon. Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.",
        "manylinux": rows(read["manylinux"], MACHINES),
        "musllinux": rows(read["musllinux"], MACHINES),
    }
    lines = ["{"]
    for key in ("about", "source", "licence"):
        lines.append(f"  {json.dumps(key)}: {json.dumps(out[key])},")
    for key in ("manylinux", "musllinux"):
        lines.append(f"  {json.dumps(key)}: [")
        lines.append(",\n".join(f"    {json.dumps(row)}" for row in out[key]))
        lines.append("  ]," if key == "manylinux" else "  ]")
    TABLE.write_text("\n".join([*lines, "}"]) + "\n")


if __name__ == "__main__":
    main()
