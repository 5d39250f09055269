"""python -m gantry.bench: Gantry against torch and NumPy on this machine, and against the limits of its memory."""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import sys
from dataclasses import replace
from typing import Any, Callable, Iterator, List, Optional, Tuple

import gantry
from gantry import context as contexts
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
    return {**stamp, "gantry.binding": gantry.binding(), "gantry.isa": contexts.default().isa, "gantry.threads": str(threads), "torch.version": str(torch.__version__),
            "torch.threads": str(torch.get_num_threads()), "torch.cpu_capability": torch.backends.cpu.get_cpu_capability(),
            "roofs": "measured" if loops.LIBRARY is not None else "not measured: libgantry_loops.so was not built"}


def _pattern(text: str) -> "re.Pattern[str]":
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def _count(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= 100_000:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {least} to 100000")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 60:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0 and up to 60")
    return value


def _writable(path: str) -> str:
    if path != "-":
        try:
            open(path, "a", encoding="utf-8").close()
        except OSError as error:
            raise argparse.ArgumentTypeError(f"{path} cannot be written: {error.strerror}") from None
    return path


def _without_data(group: Group, samples: List[Samples]) -> Tuple[Group, List[Samples]]:
    """The figures alone: what was called holds tables of gigabytes."""
    figures = [replace(one, variant=replace(one.variant, call=None, seconds=None)) for one in samples]
    return replace(group, variants=[one.variant for one in figures]), figures


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m gantry.bench", description=__doc__)
    parser.add_argument("--filter", type=_pattern, default=re.compile(""), help="only groups whose name this regular expression finds")
    parser.add_argument("--list", action="store_true", help="print the groups' names")
    parser.add_argument("--full", action="store_true", help="all distributions, index types and thread counts")
    parser.add_argument("--build", action="store_true", help="compile the torch extensions when they are not there")
    parser.add_argument("--repetitions", type=_count(1), default=9)
    parser.add_argument("--least-seconds", type=_seconds, default=0.05, help="of one sample")
    parser.add_argument("--threads", type=_count(0), default=0, help="0: as many as the process may use")
    parser.add_argument("--json", type=_writable, help="where to write Google Benchmark's JSON; - is stdout, instead of the table")
    chosen = parser.parse_args(arguments)
    try:
        import torch
    except ImportError:
        print("These benchmarks compare with torch, and this Python has none.", file=sys.stderr)
        return 2
    with gantry.Context(chosen.threads) as context:
        threads = context.threads
    # Both sides get the same threads.
    torch.set_num_threads(threads)
    wanted = [(name, make) for name, make in _groups(torch, threads, chosen.full, chosen.build) if chosen.filter.search(name)]
    if chosen.list:
        print("\n".join(name for name, _ in wanted))
        return 0
    if not wanted:
        print(f"No group's name has {chosen.filter.pattern!r} in it; --list shows them.", file=sys.stderr)
        return 2
    table_out = sys.stderr if chosen.json == "-" else sys.stdout
    before = os.getloadavg()
    facts = _context(torch, threads)
    print(f"gantry {facts['stamp.version']} ({facts['gantry.isa']}, {threads} threads), torch {torch.__version__} "
          f"({facts['torch.cpu_capability']}), load {before[0]:.1f}; roofs {facts['roofs']}", end="\n\n", file=table_out, flush=True)
    finished: "List[Tuple[Group, List[Samples]]]" = []
    interrupted = False
    try:
        for _, make in wanted:
            group = make()
            if group is None:
                continue
            samples = measure(group, chosen.repetitions, chosen.least_seconds)
            print(report.table(group, samples), end="\n\n", file=table_out, flush=True)
            finished.append(_without_data(group, samples))
            del group, samples, make
            gc.collect()
    except KeyboardInterrupt:
        interrupted = True
        print(f"Interrupted after {len(finished)} of {len(wanted)} groups.", file=sys.stderr)
    if chosen.json:
        extra = {**facts, "load_before": " ".join(f"{value:.2f}" for value in before),
                 "load_after": " ".join(f"{value:.2f}" for value in os.getloadavg())}
        document = {"context": report.context(extra), "benchmarks": report.benchmarks(finished)}
        text = json.dumps(document, indent=1)
        if chosen.json == "-":
            print(text)
        else:
            with open(chosen.json, "w", encoding="utf-8") as file:
                file.write(text + "\n")
    return 130 if interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
