"""Reads the limits of CUDA toolkits from NVIDIA's wheels and rewrites the measured rows of data/cuda-toolkits.json.

    python3 scripts/data/read-cuda-toolkits.py

Architectures are those that ptxas accepts, host compiler bounds stand in crt/host_config.h, and the PTX version that the
toolkit writes is the newest that its ptxas reads. Toolkits before 11.7 have no wheels with a compiler; their rows are
kept by hand.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

TABLE = pathlib.Path(__file__).resolve().parents[2] / "data" / "cuda-toolkits.json"
PACKAGES = ["nvidia-cuda-nvcc-cu11", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc"]


def newest_of_each_minor(package: str) -> list[str]:
    listing = subprocess.run([sys.executable, "-m", "pip", "index", "versions", package], check=True, capture_output=True, text=True).stdout
    line = next(line for line in listing.splitlines() if line.startswith("Available versions:"))
    found: dict[str, str] = {}
    for version in (one.strip() for one in line.partition(":")[2].split(",")):
        found.setdefault(".".join(version.split(".")[:2]), version)
    return list(found.values())


def wheel(package: str, version: str, folder: str) -> zipfile.ZipFile:
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-cache-dir", "-d", folder, f"{package}=={version}"], check=True, stderr=subprocess.DEVNULL)
    return zipfile.ZipFile(next(pathlib.Path(folder).glob(f"{package.replace('-', '_')}-{version}*.whl")))


def entry(archive: zipfile.ZipFile, suffix: str) -> bytes | None:
    name = next((one for one in archive.namelist() if one.endswith(suffix)), None)
    return None if name is None else archive.read(name)


def allowed_architectures(ptxas: bytes) -> set[str]:
    """ptxas lists what it accepts in its help; its strings also hold architectures that it no longer accepts."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "ptxas --help"
        program.write_bytes(ptxas)
        program.chmod(0o755)
        text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    option = text[text.index("--gpu-name"):]
    allowed = option[option.index("Allowed values"):].split("Default value", 1)[0]
    return set(re.findall(r"sm_(\d+[af]?)", allowed))


def ptx_version(ptxas: bytes) -> str:
    """ptxas names its own version of PTX when it refuses a newer one."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "ptxas"
        program.write_bytes(ptxas)
        program.chmod(0o755)
        source = pathlib.Path(folder) / "future.ptx"
        source.write_text(".version 99.9\n.target sm_75\n.address_size 64\n")
        said = subprocess.run([program, "-arch=sm_75", source, "-o", "/dev/null"], capture_output=True, text=True)
    found = re.search(r"current version is '(\d+\.\d+)'", said.stdout + said.stderr)
    if found is None:
        raise SystemExit(f"ptxas does not name its PTX version: {said.stderr}")
    return found[1]


def read(package: str, version: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        archive = wheel(package, version, folder)
        ptxas = entry(archive, "/ptxas")
        host = entry(archive, "crt/host_config.h")
        source = f"{package} {version}: ptxas --help and its refusal of a newer PTX"
        if host is None:
            host = entry(wheel("nvidia-cuda-crt", version, folder), "crt/host_config.h")
            source += f"; nvidia-cuda-crt {version}: crt/host_config.h"
        else:
            source += ", crt/host_config.h"
        if ptxas is None:
            raise SystemExit(f"{package} {version} holds no ptxas: {archive.namelist()[:40]}")
    names = allowed_architectures(ptxas)
    row: dict = {"version": ".".join(version.split(".")[:2]), "architectures": " ".join(sorted(names, key=lambda one: (int(re.sub(r"\D", "", one)), one))), "ptx": ptx_version(ptxas)}
    text = host.decode()
    gcc = re.search(r"__GNUC__ > (\d+)", text)
    clang = re.search(r"__clang_major__ >= (\d+)", text)
    older = re.search(r"__GNUC__ < (\d+)", text)
    if gcc:
        row["maximumGcc"] = int(gcc[1])
    if older:
        row["minimumGcc"] = int(older[1])
    if clang:
        row["maximumClang"] = int(clang[1]) - 1
    row["source"] = source
    return row


def main() -> None:
    table = json.loads(TABLE.read_text())
    rows = {row["version"]: row for row in table["toolkits"]}
    for package in PACKAGES:
        for version in newest_of_each_minor(package):
            row = read(package, version)
            rows[row["version"]] = row
            print(row, flush=True)
    ordered = sorted(rows.values(), key=lambda row: tuple(map(int, row["version"].split("."))))
    head = {key: value for key, value in table.items() if key != "toolkits"}
    body = ",\n".join("    " + json.dumps(row) for row in ordered)
    TABLE.write_text(json.dumps(head, indent=2)[:-2] + ',\n  "toolkits": [\n' + body + "\n  ]\n}\n")


main()
