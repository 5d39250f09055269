"""python -m gantry.bench: Gantry against torch and NumPy on this machine, and against the limits of its memory."""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import sys
from typing import Any, Callable, Iterator, List, Optional, Tuple

import gantry
from gantry.bench import calls, gather, loops, report, scatter
from gantry.bench.timing import Group, Samples, Variant, measure


def _noise_floor(torch: Any, threads: int) -> Group:
    """The same call twice: what its ratio differs from 1 is what the machine alone makes of a comparison."""
    table = torch.rand(1 << 20, 64)
    indices = torch.randint(0, 1 << 20, (1 << 18,))
    out = torch.empty(1 << 18, 64)

    def call() -> None:
        gantry.gather(table, indices, out, threads=threads)

    payload = float(out.numel() * 4)
    return Group(f"noise_floor/threads:{threads}",
                 [Variant("gantry.gather", call=call, payload_bytes=payload),
                  Variant("gantry.gather, again", call=call, payload_bytes=payload)], baseline="gantry.gather", threads=threads)


def _groups(torch: Any, threads: int, full: bool, build: bool) -> Iterator[Tuple[str, Callable[[], Optional[Group]]]]:
    yield f"noise_floor/threads:{threads}", lambda: _noise_floor(torch, threads)
    yield from gather.groups(torch, threads, full)
    yield from scatter.groups(torch, threads, full)
    yield from calls.groups(torch, threads, full, build)


def _context(torch: Any, threads: int) -> "dict[str, str]":
    stamp = {f"stamp.{key}": value for key, _, value in (line.partition("=") for line in gantry.build_info().splitlines())}
    return {**stamp, "gantry.binding": gantry.binding(), "gantry.threads": str(threads), "torch.version": str(torch.__version__),
            "torch.threads": str(torch.get_num_threads()), "torch.cpu_capability": torch.backends.cpu.get_cpu_capability(),
            "roofs": "measured" if loops.LIBRARY is not None else "not measured: libgantry_loops.so was not built"}


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m gantry.bench", description=__doc__)
    parser.add_argument("--filter", default="", help="only groups whose name this regular expression finds")
    parser.add_argument("--list", action="store_true", help="print the groups' names")
    parser.add_argument("--full", action="store_true", help="all distributions, index types and thread counts")
    parser.add_argument("--build", action="store_true", help="compile the torch extensions when they are not there")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--least-seconds", type=float, default=0.05, help="of one sample")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as the process may use")
    parser.add_argument("--json", help="where to write Google Benchmark's JSON; - is stdout, instead of the table")
    chosen = parser.parse_args(arguments)
    try:
        import torch
    except ImportError:
        print("These benchmarks compare with torch, and this Python has none.", file=sys.stderr)
        return 2
    context = gantry.Context(chosen.threads)
    threads = context.threads
    context.close()
    # Both sides get the same threads.
    torch.set_num_threads(threads)
    wanted = [(name, make) for name, make in _groups(torch, threads, chosen.full, chosen.build) if re.search(chosen.filter, name)]
    if chosen.list:
        print("\n".join(name for name, _ in wanted))
        return 0
    if not wanted:
        print(f"No group's name has {chosen.filter!r} in it; --list shows them.", file=sys.stderr)
        return 2
    table_out = sys.stderr if chosen.json == "-" else sys.stdout
    before = os.getloadavg()
    finished: "List[Tuple[Group, List[Samples]]]" = []
    for _, make in wanted:
        group = make()
        if group is None:
            continue
        samples = measure(group, chosen.repetitions, chosen.least_seconds)
        print(report.table(group, samples), end="\n\n", file=table_out, flush=True)
        # What was called holds tables of gigabytes.
        figures = [Samples(Variant(one.variant.name, payload_bytes=one.variant.payload_bytes, traffic_bytes=one.variant.traffic_bytes,
                                   rows=one.variant.rows, is_roof=one.variant.is_roof), one.iterations, one.real, one.cpu)
                   for one in samples]
        finished.append((Group(group.name, [one.variant for one in figures], group.baseline, group.threads, group.roof), figures))
        del group, samples, make
        gc.collect()
    if chosen.json:
        extra = {**_context(torch, threads), "load_before": " ".join(f"{value:.2f}" for value in before),
                 "load_after": " ".join(f"{value:.2f}" for value in os.getloadavg())}
        document = {"context": report.context(extra), "benchmarks": report.benchmarks(finished)}
        text = json.dumps(document, indent=1)
        if chosen.json == "-":
            print(text)
        else:
            with open(chosen.json, "w", encoding="utf-8") as file:
                file.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
