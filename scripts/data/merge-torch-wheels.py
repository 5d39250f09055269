"""Writes data/torch-wheels.json from what read-torch-wheels.py and read-companions.py found.

    python3 scripts/data/merge-torch-wheels.py FOLDER COMPANIONS.json [AARCH64_FOLDER]

A value that a wheel does not show is left out. Without AARCH64_FOLDER the rows for Linux aarch64 stay as they are.
"""
import json
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "torch-wheels.json"
STANDARDS = {"201103": 11, "201402": 14, "201703": 17, "202002": 20, "202302": 23}
PINNED = re.compile(r"^(triton|pytorch-triton|nvidia-[a-z-]+-cu\d+)\s*\(?==([0-9][^;)\s]*)\)?")


def order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def row(version: str, facts: dict) -> dict:
    found: dict = {"version": version, "wheel": facts["wheel"]}
    guards = [year for uses in facts["guards"].values() for name, condition in uses for year in re.findall(r"__cplusplus < (\d{6})L", condition) if not re.search(r"variant\.h$|google/", name)]
    # The oldest headers carry no guard; they are C++11 and torch compiles extensions as such.
    found["cxxStandardFloor"] = max((STANDARDS[year] for year in guards), default=11)
    watched = {name.rsplit("/", 1)[-1]: lines for name, lines in facts.get("watched", {}).items()}
    for line in watched.get("cpp_extension.py", []):
        match = re.search(r"^(?:common_)?cflags\s*(?:\+=|=\s*common_cflags\s*\+|\.append\().*-std=c\+\+(\d\d)", line)
        if match:
            found["cxxStandardDefault"] = int(match[1])
            break
    header = dict(facts.get("pybind11Header", []))
    patch = header.get("PYBIND11_VERSION_MICRO", header.get("PYBIND11_VERSION_PATCH"))
    if header and patch is not None:
        found["pybind11Version"] = f"{header['PYBIND11_VERSION_MAJOR']}.{header['PYBIND11_VERSION_MINOR']}.{patch}"
    internals = [int(one) for one in facts.get("pybind11InternalsHeader", [])]
    if internals:
        # Where the header names two, the first is for Python 3.12 and later.
        found["pybind11Internals"] = {"belowPython312": internals[-1], "fromPython312": internals[0]}
    libraries = facts.get("libraries", {})
    if "macosx" not in facts["wheel"]:
        found.update(linux_facts(facts, watched, libraries))
    return found


def linux_facts(facts: dict, watched: dict, libraries: dict) -> dict:
    found: dict = {}
    python = libraries.get("libtorch_python.so", {})
    keys = python.get("pybind11", [])
    if len(keys) == 1:
        found["pybind11Key"] = re.sub(r"^__pybind11_internals_|__$", "", keys[0])
        abi = re.search(r"cxxabi(\d{4})", keys[0])
        if abi:
            found["gxxAbiVersion"] = int(abi[1])
    found["hasPybind11BuildAbi"] = bool(python.get("pythonBuildAbi"))
    found["cmakeCarriesAbi"] = any("_GLIBCXX_USE_CXX11_ABI" in line for line in watched.get("TorchConfig.cmake", []))
    spellings = {("NSt7__cxx11" in name) for name in libraries.get("libc10.so", {}).get("error", [])}
    if len(spellings) == 1:
        found["libstdcxxAbi"] = int(spellings.pop())
    cuda = re.search(r"^cuda\b[^=\n]*= '(\d+\.\d+)", facts["versionPy"], re.M)
    if cuda:
        found["cudaVersion"] = cuda[1]
    found["platformTag"] = re.search(r"-([a-z0-9_]+)\.whl$", facts["wheel"])[1]
    return found


def companions(metadata: dict) -> dict:
    """What exactly torch pins, and which release of torchvision and torchaudio pins exactly this torch."""
    found: dict = {}
    for key, requires in metadata.items():
        package, _, version = key.partition("==")
        for requirement in requires or []:
            if package == "torch":
                match = PINNED.match(requirement)
                if match and ("x86_64" in requirement or "platform_machine" not in requirement):
                    found.setdefault(version, {})[match[1]] = match[2]
            else:
                match = re.match(r"^torch\s*\(?==(\d+\.\d+(?:\.\d+)?)\)?", requirement)
                if match:
                    torch = match[1] if match[1].count(".") == 2 else f"{match[1]}.0"
                    known = found.setdefault(torch, {}).get(package)
                    if known is None or order(version) > order(known):
                        found[torch][package] = version
    return found


def aarch64_row(version: str, facts: dict) -> dict:
    """What differs between platforms; the headers do not."""
    watched = {name.rsplit("/", 1)[-1]: lines for name, lines in facts.get("watched", {}).items()}
    found = linux_facts(facts, watched, facts.get("libraries", {}))
    kept = ["pybind11Key", "gxxAbiVersion", "libstdcxxAbi", "cudaVersion", "platformTag"]
    return {"version": version, "wheel": facts["wheel"], **{key: found[key] for key in kept if key in found}}


def aarch64_rows(folder: str) -> list[str]:
    read = {path.stem: json.loads(path.read_text()) for path in pathlib.Path(folder).glob("*.json")}
    return ["    " + json.dumps(aarch64_row(version, read[version])) for version in sorted(read, key=order)]


def main() -> None:
    folder, metadata = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    pins = companions(metadata)
    read = {path.stem: row(path.stem, json.loads(path.read_text())) for path in folder.glob("*.json")}
    rows = []
    for version in sorted({*read, *pins}, key=order):
        one = read.get(version, {"version": version})
        if version in pins:
            one["companions"] = pins[version]
        rows.append("    " + json.dumps(one))
    table = json.loads(TABLE.read_text())
    others = aarch64_rows(sys.argv[3]) if len(sys.argv) > 3 else ["    " + json.dumps(one) for one in table.get("aarch64", [])]
    TABLE.write_text(json.dumps({"about": table["about"], "source": table["source"]}, indent=2)[:-2] + ',\n  "wheels": [\n' + ",\n".join(rows)
                     + '\n  ],\n  "aarch64": [\n' + ",\n".join(others) + "\n  ]\n}\n")


main()
