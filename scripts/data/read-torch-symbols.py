"""Reads what the libraries of torch's wheels export, by HTTP ranges, without downloading the wheels.

    python3 scripts/data/read-torch-symbols.py FOLDER [VERSION ...] [--index URL]

Leaves FOLDER/VERSION/LIBRARY.txt.gz (one mangled name a line, sorted) and FOLDER/VERSION/wheel.json, for every release
from 1.8 unless versions are named. The RPATH of the libraries in these wheels was patched, which moved .dynstr and
.gnu.hash to the end of the file, so each library is streamed whole to a temporary file: about 450 MB a release.
`build-torch-symbols.py` makes data/torch-symbols.bin of these files.
"""
import argparse
import gzip
import json
import mmap
import pathlib
import re
import sys
import tempfile
import time

from elf_library import read_library
from remote_wheel import RemoteWheel, files_of, torch_wheels

LIBRARIES = r"torch/lib/(libc10|libc10_cuda|libtorch|libtorch_cpu|libtorch_cuda|libtorch_cuda_cpp|libtorch_cuda_cu|libtorch_python)\.so"
# Of these only what they load matters: it comes with `import torch`.
LOADED_TOO = r"torch/(?:lib/)?(_C|libtorch_global_deps|libshm)(?:\.cpython-\w+-x86_64-linux-gnu)?\.so"


def library(wheel: RemoteWheel, member, folder: pathlib.Path) -> dict:
    with tempfile.TemporaryFile(dir=folder) as whole:
        for piece in wheel.stream(member):
            whole.write(piece)
        whole.flush()
        with mmap.mmap(whole.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return read_library(data)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--index", default="https://pypi.org/simple")
    options.add_argument("versions", nargs="*")
    given = options.parse_args()
    served = torch_wheels(files_of("torch", given.index))
    versions = given.versions or sorted((one for one in served if tuple(map(int, one.split("."))) >= (1, 8, 0)), key=lambda one: tuple(map(int, one.split("."))), reverse=True)
    for version in versions:
        target = given.folder / version
        if (target / "wheel.json").exists():
            continue
        target.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        try:
            file = served[version]
            wheel = RemoteWheel(file["url"])
            facts: dict = {"wheel": file["filename"], "libraries": {}}
            for member in wheel.members.values():
                match = re.fullmatch(LIBRARIES, member.name) or re.fullmatch(LOADED_TOO, member.name)
                if match is None:
                    continue
                found = library(wheel, member, target)
                names = found.pop("exports")
                facts["libraries"][match[1]] = found
                if re.fullmatch(LIBRARIES, member.name) is not None:
                    with gzip.open(target / f"{match[1]}.txt.gz", "wt") as out:
                        out.write("\n".join(names) + "\n")
            metadata = next(one for one in wheel.members if one.endswith(".dist-info/METADATA"))
            facts["requires"] = re.findall(r"^Requires-Dist: (.*)$", wheel.read(metadata).decode(), re.M)
            facts["read"] = wheel.file.read_bytes
            (target / "wheel.json").write_text(json.dumps(facts, indent=1))
            print(version, f"{wheel.file.read_bytes >> 20} MiB read in {time.monotonic() - started:.0f} s", flush=True)
        except Exception as error:  # one wheel that cannot be read must not stop the others
            print(version, repr(error), file=sys.stderr, flush=True)


main()
