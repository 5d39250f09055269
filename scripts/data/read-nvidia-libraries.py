"""Which NVIDIA distribution on the package index brings which library: read from the wheels that torch's wheels require.

    python3 scripts/data/read-nvidia-libraries.py FOLDER [--index URL]

FOLDER is the one in which torch-symbols.ts keeps what it read (each release's Requires-Dist). Of every required distribution and version only
the directory of the Linux x86_64 wheel is fetched, by HTTP ranges; `cuda-toolkit`'s extras are followed. Writes
data/nvidia-libraries.json.
"""
import argparse
import collections
import json
import pathlib
import re
import sys

from remote_wheel import RemoteWheel, files_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Libraries that extensions name and torch does not: of these the newest version is read.
BESIDE = ["nvidia-npp", "nvidia-npp-cu12", "nvidia-npp-cu11", "nvidia-nvjpeg", "nvidia-nvjpeg-cu12", "nvidia-nvjpeg-cu11"]


def wheel_of(files: list[dict], version: str | None) -> dict | None:
    found = [one for one in files if re.search(r"linux[\w.]*_x86_64\.whl$", one["filename"]) or one["filename"].endswith("-none-any.whl")]
    found = [one for one in found if version is None or is_version(one["filename"].split("-")[1], version)]
    return max(found, key=lambda one: [int(part) for part in re.findall(r"\d+", one["filename"].split("-")[1])], default=None)


def is_version(one: str, wanted: str) -> bool:
    """13.0.3.0 is 13.0.3, and 13.0.* every version below 13.0."""
    if wanted.endswith(".*"):
        return f"{one}.".startswith(wanted[:-1])
    return re.sub(r"(\.0)+$", "", one) == re.sub(r"(\.0)+$", "", wanted)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--index", default="https://pypi.org/simple")
    given = options.parse_args()
    wanted: dict[str, set] = collections.defaultdict(set, {name: {None} for name in BESIDE})
    files: dict[str, list[dict]] = {}
    listed = lambda name: files[name] if name in files else files.setdefault(name, files_of(name, given.index))
    queue = [(text, frozenset()) for path in given.folder.glob("*/wheel.json") for text in json.loads(path.read_text())["requires"]]
    seen = set()
    while queue:
        text, extras = queue.pop()
        match = re.match(r"((?:nvidia|cuda-toolkit)[\w-]*)(?:\[([^\]]*)\])?\s*\(?(?:([=<>!~]=?)\s*([\w.*]+))?", text)
        marker = re.search(r"extra == .([\w-]+)", text)
        if match is None or (marker is not None and marker[1] not in extras) or (match[0], extras) in seen:
            continue
        seen.add((match[0], extras))
        pinned = match[4] if match[3] == "==" else None
        if match[1] != "cuda-toolkit":
            wanted[match[1]].add(pinned)
            continue
        toolkit = RemoteWheel(wheel_of(listed(match[1]), pinned)["url"])
        metadata = toolkit.read(next(one for one in toolkit.members if one.endswith("/METADATA"))).decode()
        queue += [(one, frozenset((match[2] or "").split(","))) for one in re.findall(r"^Requires-Dist: (.*)$", metadata, re.M)]
    rows: dict[tuple, list[str]] = collections.defaultdict(list)
    for name in sorted(wanted):
        for version in wanted[name]:
            try:
                file = wheel_of(listed(name), version)
            except OSError as error:
                print(name, error, file=sys.stderr)
                continue
            if file is None:
                print(name, version, "has no wheel here", file=sys.stderr)
                continue
            for member in RemoteWheel(file["url"]).members:
                library = re.fullmatch(r"nvidia/(?:.*/)?lib/(lib[\w-]+\.so\.[\d.]+)", member)
                if library is not None:
                    rows[library[1], name].append(file["filename"].split("-")[1])
    numbers = lambda version: [int(part) for part in version.split(".")]
    lines = [json.dumps({"soname": soname, "distribution": name, "versions": sorted(set(versions), key=numbers)}) for (soname, name), versions in sorted(rows.items())]
    about = "names of the libraries in the Linux x86_64 wheels that torch's wheels require, and in the newest of npp and nvjpeg; a file is named like its soname there"
    (ROOT / "data" / "nvidia-libraries.json").write_text(f'{{\n  "source": {json.dumps(about)},\n  "libraries": [\n    ' + ",\n    ".join(lines) + "\n  ]\n}\n")


main()
