"""Samples, ratios, roofs and the report, from figures that are given."""

from __future__ import annotations

import itertools
import unittest

from document import check
from gantry.bench import report
from gantry.bench.timing import Group, Samples, Variant, measure, ratio


def samples(name: str, *real: float, roof: bool = False, payload: float = 0.0) -> Samples:
    return Samples(Variant(name, payload_bytes=payload, rows=10 if payload else 0, is_roof=roof), 3, list(real), list(real))


class Timing(unittest.TestCase):
    def test_variants_take_turns_and_turn_round(self) -> None:
        order = []
        clock = itertools.count()

        def told(name: str):
            def seconds() -> float:
                order.append(name)
                return 1.0 + next(clock) / 1000
            return seconds

        taken = measure(Group("g", [Variant("a", seconds=told("a")), Variant("b", seconds=told("b"))]), repetitions=4, pause_seconds=0)
        # Two calls of each warm up and find out how many make a sample: one.
        self.assertEqual("".join(order), "aabb" + "ab" + "ba" + "ab" + "ba")
        self.assertEqual([len(one.real) for one in taken], [4, 4])
        self.assertEqual(taken[0].iterations, 1)

    def test_short_calls_are_repeated_until_a_sample_is_long_enough(self) -> None:
        calls = []
        (taken,) = measure(Group("g", [Variant("a", seconds=lambda: calls.append(1) or 0.01)]), 1, least_seconds=0.1, pause_seconds=0)
        self.assertGreaterEqual(taken.iterations, 10)
        self.assertLessEqual(taken.iterations, 12)
        self.assertAlmostEqual(taken.real[0], 0.01)

    def test_a_ratio_is_of_pairs(self) -> None:
        # The machine got twice as slow in the second repetition, for both.
        speed = ratio(samples("base", 2.0, 4.0, 2.0), samples("other", 1.0, 2.0, 1.0))
        self.assertEqual((speed.median, speed.low, speed.high, speed.variation), (2.0, 2.0, 2.0, 0.0))
        self.assertFalse(speed.noisy)
        self.assertTrue(ratio(samples("base", 2.0, 2.0, 2.0), samples("other", 1.0, 2.0, 1.0)).noisy)

    def test_median_and_variation(self) -> None:
        one = samples("a", 1.0, 3.0, 2.0)
        self.assertEqual(one.median, 2.0)
        self.assertAlmostEqual(one.variation, 0.5)
        self.assertTrue(one.noisy)


class Report(unittest.TestCase):
    def setUp(self) -> None:
        self.taken = [samples("fast", 1.0, 1.0, 1.0, payload=8e9), samples("base", 2.0, 2.0, 2.0, payload=8e9),
                      samples("roof: read", 0.5, 0.5, 0.5, roof=True, payload=8e9)]
        self.group = Group("job", [one.variant for one in self.taken], baseline="base", threads=2,
                           roof=lambda medians: medians["roof: read"] + 0.25)

    def test_table(self) -> None:
        self.assertEqual(report.table(self.group, self.taken).split("\n"), [
            "job",
            "  fast          1000.0 ms  cv   0 %    8.00 GB/s    75 % of the roof  2.00 x base",
            "  base          2000.0 ms  cv   0 %    4.00 GB/s    38 % of the roof",
            "  roof: read     500.0 ms  cv   0 %   16.00 GB/s",
        ])

    def test_a_noisy_pair_shows_its_range_only(self) -> None:
        self.taken[0].real[:] = [1.0, 2.0, 0.5]
        self.assertTrue(report.table(self.group, self.taken).split("\n")[1].endswith("noisy: 1.00 to 4.00 x base"))

    def test_json(self) -> None:
        document = {"context": report.context({"own": "kept"}), "benchmarks": report.benchmarks([(self.group, self.taken)])}
        check(self, document)
        self.assertEqual(document["context"]["own"], "kept")
        entries = {entry["name"]: entry for entry in document["benchmarks"] if entry["run_type"] == "aggregate"}
        fast = entries["job/fast/real_time_median"]
        self.assertEqual((fast["real_time"], fast["time_unit"], fast["threads"]), (1000.0, "ms", 2))
        self.assertEqual((fast["bytes_per_second"], fast["pct_of_roof"], fast["speedup_of_baseline"]), (8e9, 75.0, 2.0))
        self.assertEqual(fast["ns_per_row"], 1e8)
        self.assertNotIn("speedup_of_baseline", entries["job/base/real_time_median"])
        self.assertNotIn("pct_of_roof", entries["job/roof: read/real_time_median"])
        self.assertEqual(entries["job/fast/real_time_cv"]["real_time"], 0.0)
        self.assertEqual(sum(entry["run_type"] == "iteration" for entry in document["benchmarks"]), 9)


if __name__ == "__main__":
    unittest.main()
