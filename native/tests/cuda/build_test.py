"""What nvcc made: code for every architecture, no spilled registers, and no more registers than a block of 1024 threads has.

The report that ptxas wrote beside each object is collected into one file, for people.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import struct
import subprocess
import sys
import unittest
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

FATBIN_MAGIC = 0xBA55ED50
KIND_PTX = 1
KIND_SASS = 2
# __launch_bounds__(1024): 65536 registers for as many threads.
MOST_REGISTERS = 64
# Of src/cuda/units.h: bytes of five widths, twelve pairs of floats and any pair, fourteen sums.
MOVE_KERNELS = 5 + 12 + 1 + 13
OTHER_KERNELS = {"put_chunks_kernel": 1, "add_in_order_kernel": 4, "make_keys_kernel": 1}

arguments: argparse.Namespace


class Kernel(NamedTuple):
    name: str
    architecture: str
    registers: int
    stack_bytes: int
    spill_bytes: int
    compile_ms: float


def fatbins(data: bytes) -> Iterator[List[Tuple[int, int]]]:
    """(kind, architecture) of the entries of each fatbin in a file.

    The layout is not documented; it is what nvcc 11 to 13 write: a header of 16 bytes (magic, version, header's size, size of
    the entries), then entries (kind u16, u16, header's size u32, size u64, ..., architecture u32 at 28).
    """
    at = data.find(struct.pack("<I", FATBIN_MAGIC))
    while at >= 0:
        version, header, size = struct.unpack_from("<HHQ", data, at + 4)
        end = at + header + size
        if version == 1 and header == 16 and end <= len(data):
            entries = []
            entry = at + header
            while entry < end:
                kind, _, entry_header, entry_size = struct.unpack_from("<HHIQ", data, entry)
                entries.append((kind, struct.unpack_from("<I", data, entry + 28)[0]))
                entry += entry_header + entry_size
            yield entries
            at = end - 1
        at = data.find(struct.pack("<I", FATBIN_MAGIC), at + 1)


def expected_code(architectures: str) -> Tuple[Set[int], Set[int]]:
    """SASS and PTX of a list as CMAKE_CUDA_ARCHITECTURES has it, in commas."""
    sass: Set[int] = set()
    ptx: Set[int] = set()
    for item in architectures.split(","):
        number = int(re.match(r"\d+", item).group())  # type: ignore[union-attr]
        if not item.endswith("-virtual"):
            sass.add(number)
        if not item.endswith("-real"):
            ptx.add(number)
    return sass, ptx


def kernels(text: str) -> Iterator[Kernel]:
    """What ptxas -v says of each kernel."""
    for block in re.split(r"(?m)^ptxas info +: Compiling entry function ", text)[1:]:
        head = re.match(r"'(\S+)' for 'sm_(\w+)'", block)
        stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", block)
        used = re.search(r"Used (\d+) registers", block)
        time = re.search(r"Compile time = ([\d.]+) ms", block)
        if head is None or stack is None or used is None:
            raise ValueError("not understood: " + block[:300])
        spilled = int(stack.group(2)) + int(stack.group(3))
        yield Kernel(head.group(1), head.group(2), int(used.group(1)), int(stack.group(1)), spilled, float(time.group(1)) if time else 0.0)


def short_name(kernel: Kernel) -> str:
    for name in ("move_kernel", *OTHER_KERNELS):
        if re.search(r"\d+" + name, kernel.name):
            return name
    return "cub"


class BuildTest(unittest.TestCase):
    kernels: List[Kernel] = []

    @classmethod
    def setUpClass(cls) -> None:
        cls.kernels = []
        for item in arguments.objects.split(","):
            with open(item + ".ptxas", encoding="utf-8") as file:
                cls.kernels.extend(kernels(file.read()))
        by_architecture: Dict[str, Dict[str, Any]] = {}
        for kernel in cls.kernels:
            entry = by_architecture.setdefault("sm_" + kernel.architecture, {"ptxas_seconds": 0.0, "kernels": {}})
            entry["ptxas_seconds"] = round(entry["ptxas_seconds"] + kernel.compile_ms / 1000, 3)
            entry["kernels"][kernel.name] = {
                "registers": kernel.registers,
                "stack_bytes": kernel.stack_bytes,
                "spill_bytes": kernel.spill_bytes,
            }
        with open(arguments.report, "w", encoding="utf-8") as file:
            json.dump(by_architecture, file, indent=1, sort_keys=True)

    def own(self) -> List[Kernel]:
        return [kernel for kernel in self.kernels if short_name(kernel) != "cub"]

    def test_every_architecture_has_every_kernel(self) -> None:
        sass, _ = expected_code(arguments.architectures)
        for architecture in sass:
            counts: Dict[str, int] = {}
            for kernel in self.own():
                if int(re.match(r"\d+", kernel.architecture).group()) == architecture:  # type: ignore[union-attr]
                    counts[short_name(kernel)] = counts.get(short_name(kernel), 0) + 1
            self.assertEqual(counts, {"move_kernel": MOVE_KERNELS, **OTHER_KERNELS}, f"sm_{architecture}")

    def test_nothing_is_spilled(self) -> None:
        self.assertEqual([kernel for kernel in self.kernels if kernel.spill_bytes or kernel.stack_bytes], [])

    def test_registers_allow_blocks_of_1024_threads(self) -> None:
        self.assertEqual([kernel for kernel in self.own() if kernel.registers > MOST_REGISTERS], [])

    def test_the_library_has_the_code(self) -> None:
        with open(arguments.library, "rb") as file:
            found = list(fatbins(file.read()))
        # One for each source with kernels.
        self.assertEqual(len(found), len(arguments.objects.split(",")))
        sass, ptx = expected_code(arguments.architectures)
        for entries in found:
            self.assertEqual({architecture for kind, architecture in entries if kind == KIND_SASS}, sass)
            self.assertEqual({architecture for kind, architecture in entries if kind == KIND_PTX}, ptx)

    def test_it_exports_its_entry_and_needs_no_cuda_library(self) -> None:
        readelf = shutil.which("readelf")
        if readelf is None:
            self.skipTest("no readelf (binutils)")
        run = subprocess.run([readelf, "-dW", "--dyn-syms", arguments.library], check=True, capture_output=True, text=True, timeout=60)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run.stdout))
        self.assertIn("libc.so.6", needed)
        self.assertEqual([name for name in needed if re.match(r"libcuda|libcudart|libstdc\+\+|libgcc_s", name)], [])
        symbols = [line.split() for line in run.stdout.splitlines() if re.match(r" +\d+: ", line)]
        exported = [row[7] for row in symbols if len(row) > 7 and row[4] in ("GLOBAL", "WEAK") and row[6] != "UND"]
        self.assertEqual(exported, ["gantry_cuda_entry"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("library", "objects", "architectures", "report"):
        parser.add_argument("--" + name, required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest, verbosity=2)
