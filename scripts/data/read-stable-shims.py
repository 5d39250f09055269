"""Writes data/stable-shims.json: the first torch with each C function of the stable ABI, by the headers of one torch.

    python3 scripts/data/read-stable-shims.py TORCH_FOLDER VERSION

A function stands under `#if TORCH_FEATURE_VERSION >= TORCH_VERSION_x_y_z`; the innermost and strictest guard counts.
Functions without a guard are older than 2.10, and the headers do not say by how much; they are not listed.
"""
import json
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "stable-shims.json"
HEADERS = ["torch/csrc/stable/c/*.h", "torch/csrc/inductor/aoti_torch/c/*.h", "torch/csrc/inductor/aoti_torch/generated/*.h"]
GUARD = re.compile(r"TORCH_FEATURE_VERSION\s*>=\s*TORCH_VERSION_(\d+)_(\d+)_(\d+)")
FUNCTION = re.compile(r"\b((?:aoti_torch|aoti_record|torch)_[a-z0-9_A-Z]+)\s*\(")


def main() -> None:
    include = pathlib.Path(sys.argv[1]) / "include"
    found: dict[str, tuple[int, int, int]] = {}
    for header in sorted(path for pattern in HEADERS for path in include.glob(pattern)):
        stack: list[tuple[int, int, int]] = []
        for line in header.read_text().splitlines():
            if re.match(r"\s*#\s*if", line):
                guard = GUARD.search(line)
                stack.append(tuple(map(int, guard.groups())) if guard else (0, 0, 0))
            elif re.match(r"\s*#\s*endif", line) and stack:
                stack.pop()
            elif not line.lstrip().startswith(("//", "*", "#")):
                for name in FUNCTION.findall(line):
                    since = max(stack, default=(0, 0, 0))
                    found.setdefault(name, since)
    groups: dict[str, list[str]] = {}
    for name, since in sorted(found.items()):
        if since > (0, 0, 0):
            groups.setdefault(".".join(map(str, since)), []).append(name)
    about = (f"C functions of torch's stable ABI by the first release that has them, from the TORCH_FEATURE_VERSION guards in the headers of torch {sys.argv[2]}. "
             "Functions that are older than 2.10 carry no guard and are not listed. Written by scripts/data/read-stable-shims.py.")
    source = f"headers of the torch {sys.argv[2]} wheel: torch/csrc/stable/c, torch/csrc/inductor/aoti_torch/c and torch/csrc/inductor/aoti_torch/generated"
    lines = [f'    {{ "since": "{since}", "functions": {json.dumps(groups[since])} }}' for since in sorted(groups, key=lambda one: tuple(map(int, one.split("."))))]
    TABLE.write_text('{\n  "about": ' + json.dumps(about) + ',\n  "source": ' + json.dumps(source) + ',\n  "releases": [\n' + ",\n".join(lines) + "\n  ]\n}\n")


main()
