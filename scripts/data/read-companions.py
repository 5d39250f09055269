"""Asks pip for the metadata of torch, torchvision and torchaudio releases and writes what they pin.

    python3 scripts/data/read-companions.py FILE [PACKAGE=VERSION ...]

The index lists only what suits the running Python; older versions are named on the command line. Only metadata is fetched (pip install --dry-run). `merge-torch-wheels.py` puts the result into data/torch-wheels.json.
"""
import json
import pathlib
import re
import subprocess
import sys

OLDEST = {"torch": (1, 0, 0), "torchvision": (0, 2, 2), "torchaudio": (0, 7, 0)}
PYTHONS = [("3.11", "cp311"), ("3.8", "cp38"), ("3.7", "cp37m")]
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64", "linux_x86_64"]


def pip(*arguments: str) -> str:
    return subprocess.run([sys.executable, "-m", "pip", *arguments], check=True, capture_output=True, text=True).stdout


def versions(package: str) -> list[str]:
    line = next(line for line in pip("index", "versions", package).splitlines() if line.startswith("Available versions:"))
    found = [one.strip() for one in line.partition(":")[2].split(",")]
    return [one for one in found if re.fullmatch(r"\d+\.\d+\.\d+", one) and tuple(map(int, one.split("."))) >= OLDEST[package]]


def requirements(package: str, version: str):
    for python, abi in PYTHONS:
        command = ["install", "-q", "--dry-run", "--ignore-installed", "--no-deps", "--report", "-", "--only-binary=:all:", "--target", "unused",
                   "--implementation", "cp", "--python-version", python, "--abi", abi]
        for platform in PLATFORMS:
            command += ["--platform", platform]
        try:
            report = json.loads(pip(*command, f"{package}==={version}"))
            return report["install"][0]["metadata"].get("requires_dist", [])
        except (subprocess.CalledProcessError, IndexError):
            continue
    return None


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    known = json.loads(target.read_text()) if target.exists() else {}
    extra = sys.argv[2:]
    for package in OLDEST:
        for version in [*versions(package), *[one.partition("=")[2] for one in extra if one.startswith(f"{package}=")]]:
            key = f"{package}=={version}"
            if key not in known:
                known[key] = requirements(package, version)
                target.write_text(json.dumps(known, indent=1))
                print(key, known[key] is not None, flush=True)


main()
