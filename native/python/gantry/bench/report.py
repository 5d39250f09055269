"""Reports: Google Benchmark's JSON, and a table for people."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
import sys
from typing import Any, Dict, List, Optional

from gantry.bench.timing import Group, Samples, ratio


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return ""


def context(extra: Dict[str, str]) -> Dict[str, Any]:
    """What a reader of the figures has to know about the machine. Flat, as Google Benchmark writes user context."""
    base: Dict[str, Any] = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "host_name": platform.node(),
        "executable": f"{sys.executable} -m gantry.bench",
        "num_cpus": os.cpu_count() or 1,
        "affinity": ",".join(map(str, sorted(os.sched_getaffinity(0)))),
        "mhz_per_cpu": 0,
        "cpu_scaling_enabled": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") not in ("", "performance"),
        "caches": [],
        "load_avg": list(os.getloadavg()),
        "library_build_type": "release",
        "json_schema_version": 1,
        "machine": platform.machine(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "thp": _first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "governor": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    }
    base.update(extra)
    return base


def roof_of(group: Group, samples: List[Samples]) -> Optional[float]:
    """The least seconds that the group's job can take; None where the group has no roof."""
    if group.roof is None:
        return None
    return group.roof({one.variant.name: one.median for one in samples if one.variant.is_roof})


def _counters(group: Group, one: Samples, seconds: float, samples: List[Samples]) -> Dict[str, float]:
    variant = one.variant
    counters: Dict[str, float] = {}
    if variant.payload_bytes:
        counters["payload_bytes"] = variant.payload_bytes
        counters["bytes_per_second"] = variant.payload_bytes / seconds
    if variant.traffic_bytes:
        counters["traffic_bytes"] = variant.traffic_bytes
        counters["traffic_bytes_per_second"] = variant.traffic_bytes / seconds
    if variant.rows:
        counters["rows"] = variant.rows
        counters["ns_per_row"] = seconds * 1e9 / variant.rows
    roof = roof_of(group, samples)
    if roof is not None and not variant.is_roof and variant.payload_bytes:
        counters["roof_bytes_per_second"] = variant.payload_bytes / roof
        counters["pct_of_roof"] = 100 * roof / seconds
    return counters


def _unit(seconds: float) -> "tuple[str, float]":
    for unit, factor in (("ns", 1e9), ("us", 1e6)):
        if seconds * factor < 10_000:
            return unit, factor
    return "ms", 1e3


def benchmarks(groups: "List[tuple[Group, List[Samples]]]") -> List[Dict[str, Any]]:
    """Entries of the JSON's `benchmarks`: each repetition, then mean, median, stddev and cv; `speedup_of_baseline` stands in the
    medians. Names end as those of Google Benchmark's `UseRealTime()`: readers take CPU time for what is meant otherwise."""
    entries: List[Dict[str, Any]] = []
    for family, (group, samples) in enumerate(groups):
        baseline = next((one for one in samples if one.variant.name == group.baseline), None)
        for index, one in enumerate(samples):
            name = f"{group.name}/{one.variant.name}/real_time"
            unit, factor = _unit(one.median)
            shared = {"family_index": family, "per_family_instance_index": index, "run_name": name, "repetitions": len(one.real),
                      "threads": group.threads, "time_unit": unit}
            for repetition, (real, cpu) in enumerate(zip(one.real, one.cpu)):
                entries.append({"name": name, **shared, "run_type": "iteration", "repetition_index": repetition,
                                "iterations": one.iterations, "real_time": real * factor, "cpu_time": cpu * factor,
                                **_counters(group, one, real, samples)})
            spread_real = statistics.stdev(one.real) if len(one.real) > 1 else 0.0
            spread_cpu = statistics.stdev(one.cpu) if len(one.cpu) > 1 else 0.0
            mean_real, mean_cpu = statistics.fmean(one.real), statistics.fmean(one.cpu)
            for aggregate, real, cpu in (("mean", mean_real, mean_cpu), ("median", one.median, statistics.median(one.cpu)),
                                         ("stddev", spread_real, spread_cpu)):
                entry = {"name": f"{name}_{aggregate}", **shared, "run_type": "aggregate", "aggregate_name": aggregate,
                         "aggregate_unit": "time", "iterations": len(one.real), "real_time": real * factor, "cpu_time": cpu * factor}
                if aggregate == "median":
                    entry.update(_counters(group, one, real, samples))
                    if baseline is not None and one is not baseline and not one.variant.is_roof:
                        speed = ratio(baseline, one)
                        entry["speedup_of_baseline"] = speed.median
                        if speed.noisy:
                            entry["label"] = "noisy"
                entries.append(entry)
            entries.append({"name": f"{name}_cv", **shared, "run_type": "aggregate", "aggregate_name": "cv",
                            "aggregate_unit": "percentage", "iterations": len(one.real), "time_unit": unit,
                            "real_time": one.variation, "cpu_time": spread_cpu / mean_cpu if mean_cpu else 0.0})
    return entries


def _time(seconds: float) -> str:
    unit, factor = _unit(seconds)
    return f"{seconds * factor:.1f} {unit}"


def table(group: Group, samples: List[Samples]) -> str:
    """One line for each variant: median, rate, share of the roof, speed against the baseline. A noisy pair shows its range only."""
    baseline = next((one for one in samples if one.variant.name == group.baseline), None)
    roof = roof_of(group, samples)
    width = max(len(one.variant.name) for one in samples)
    lines = [group.name]
    for one in samples:
        cells = [f"  {one.variant.name.ljust(width)}", _time(one.median).rjust(11), f"cv {one.variation * 100:3.0f} %"]
        cells.append(f"{one.variant.payload_bytes / one.median / 1e9:6.2f} GB/s" if one.variant.payload_bytes else " " * 11)
        if roof is not None and not one.variant.is_roof:
            cells.append(f"{100 * roof / one.median:4.0f} % of the roof")
        if baseline is not None and one is not baseline and not one.variant.is_roof:
            speed = ratio(baseline, one)
            cells.append(f"noisy: {speed.low:.2f} to {speed.high:.2f} x {group.baseline}" if speed.noisy
                         else f"{speed.median:.2f} x {group.baseline}")
        lines.append("  ".join(cells))
    return "\n".join(lines)
