"""What readers of Google Benchmark's JSON count on (its tools/compare.py and gbench/report.py)."""

from __future__ import annotations

import math
from typing import Any, Dict
from unittest import TestCase

UNITS = {"ns", "us", "ms", "s"}


def check(test: TestCase, document: Dict[str, Any]) -> None:
    context = document["context"]
    for key in ("date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches", "load_avg", "library_build_type"):
        test.assertIn(key, context)
    test.assertTrue(document["benchmarks"])
    for entry in document["benchmarks"]:
        for key in ("name", "run_name", "run_type", "repetitions", "threads", "iterations", "real_time", "cpu_time", "time_unit",
                    "family_index", "per_family_instance_index"):
            test.assertIn(key, entry, entry["name"])
        test.assertIn(entry["time_unit"], UNITS)
        test.assertTrue(math.isfinite(entry["real_time"]) and entry["real_time"] >= 0, entry)
        if entry["run_type"] == "iteration":
            test.assertGreater(entry["real_time"], 0)
            test.assertGreater(entry["iterations"], 0)
        else:
            test.assertEqual(entry["run_type"], "aggregate")
            test.assertIn(entry["aggregate_name"], {"mean", "median", "stddev", "cv"})
            test.assertEqual(entry["aggregate_unit"], "percentage" if entry["aggregate_name"] == "cv" else "time")
            test.assertEqual(entry["name"], f"{entry['run_name']}_{entry['aggregate_name']}")
