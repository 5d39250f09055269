/** The history of benchmarks, and its chart. */
import assert from "node:assert/strict";
import test from "node:test";
import type { BenchmarksView } from "../../src/protocol/panel.ts";
import { chartOf, seriesOf } from "../../webview/panel/series.ts";
import type { Point, Series } from "../../webview/panel/series.ts";
import { intervalWords, pointWords, ratioWords } from "../../webview/panel/seriesWords.ts";

type Run = BenchmarksView["runs"][number];

function run(id: string, measurements: Run["measurements"], changes: Partial<Run> = {}): Run {
  return { id, started: "2026-11-29T18:01:02Z", plan: "gantry", machine: "EPYC", changes: [], measurements, fractions: [], warnings: [], ...changes };
}

function point(changes: Partial<Point> = {}): Point {
  return { run: "r", started: "2026-11-29T18:01:02Z", machine: "EPYC", changes: [], repetitions: 5, median: 1, ...changes };
}

const size = { width: 200, height: 100, left: 40, bottom: 20, top: 0 };
const series = (points: readonly Point[], comparison?: Series["comparison"]): Series => ({ name: "a", plan: "p", points, ...(comparison === undefined ? {} : { comparison }) });

test("each benchmark of each plan has its history, with its share of the limit and its comparison", () => {
  const fraction = { name: "gather", fraction: 0.5, of: "copy" } as const;
  const comparison = { name: "gather", plan: "gantry", verdict: "regressed", ratio: 1.2 } as const;
  const view: BenchmarksView = {
    runs: [
      run("r1", [{ name: "gather", median: 2, interval: [1.9, 2.1], repetitions: 5 }, { name: "scatter", repetitions: 0, problem: "It crashed." }], { commit: "abc", fractions: [fraction, { ...fraction, name: "scatter", plan: "other" }] }),
      run("r2", [{ name: "gather", median: 3, repetitions: 1 }], { changes: ["governor powersave, was performance"] }),
      run("r3", [{ name: "gather", median: 9, repetitions: 1 }], { plan: "other" }),
    ],
    baselines: [], comparison: { with: "r1", method: "", comparisons: [comparison] }, problems: [], file: "",
  };
  const found = seriesOf(view);
  assert.deepEqual(found.map(({ name, plan, points, comparison: one }) => [name, plan, points.map(({ run: id }) => id), one?.verdict]), [["gather", "gantry", ["r1", "r2"], "regressed"], ["scatter", "gantry", ["r1"], undefined], ["gather", "other", ["r3"], undefined]]);
  assert.deepEqual(found[0]?.points[0], { run: "r1", started: "2026-11-29T18:01:02Z", machine: "EPYC", changes: [], repetitions: 5, commit: "abc", median: 2, interval: [1.9, 2.1], fraction });
  assert.deepEqual(found[0]?.points[1]?.changes, ["governor powersave, was performance"]);
  assert.deepEqual(found[1]?.points[0]?.problem, "It crashed.");
  assert.equal(found[1]?.points[0]?.fraction, undefined);
});

test("marks stand where their numbers are: less is lower", () => {
  const { marks, lines, ticks } = chartOf(series([point({ median: 1 }), point({ median: 3 }), point({ median: 2, interval: [1.5, 2.5] })]), size);
  // From zero to 3.15, because the greatest is more than twice the least; 80 pixels are for it.
  const y = (seconds: number): number => Number((80 * (1 - seconds / 3.15)).toFixed(6));
  assert.deepEqual(marks.map((one) => [one.x, Number(one.y?.toFixed(6))]), [[47, y(1)], [95, y(3)], [143, y(2)]]);
  assert.deepEqual([marks[2]?.low, marks[2]?.high].map((one) => Number(one?.toFixed(6))), [y(1.5), y(2.5)]);
  assert.deepEqual(lines, [`47.0,${y(1).toFixed(1)} 95.0,${y(3).toFixed(1)} 143.0,${y(2).toFixed(1)}`]);
  assert.deepEqual(ticks.map(({ seconds }) => seconds), [0, 1, 2, 3]);
});

test("values that lie close together fill the chart", () => {
  const { ticks } = chartOf(series([point({ median: 1e-3 }), point({ median: 1.04e-3 })]), size);
  assert.deepEqual(ticks.map(({ seconds }) => Number((seconds * 1e3).toPrecision(4))), [1, 1.02, 1.04]);
});

test("a line breaks where there is no number and where the machine changed", () => {
  const points = [point(), point({ median: 1.1 }), (({ median: _median, ...rest }) => rest)(point()), point(), point({ machine: "Xeon" }), point({ machine: "Xeon", median: 1.2 })];
  const { lines, marks } = chartOf(series(points), size);
  assert.deepEqual(lines.map((line) => line.split(" ").length), [2, 2]);
  assert.equal(marks[2]?.y, undefined);
});

test("of more runs than there is room for, the newest are shown and the others counted", () => {
  const { marks, leftOut } = chartOf(series(Array.from({ length: 300 }, (_, index) => point({ run: `r${index}` }))), size);
  assert.deepEqual([marks.length, leftOut, marks.at(-1)?.point.run], [20, 280, "r299"]);
  assert.ok(marks.every(({ x }) => x >= 40 && x <= 200));
});

test("the baseline is within the chart, whatever the runs are", () => {
  const { baseline, marks } = chartOf(series([point({ median: 1 }), point({ median: 1.01 })], { name: "a", verdict: "improved", before: 1.5 }), size);
  assert.ok(baseline !== undefined && baseline >= 0 && baseline < (marks[0]?.y ?? 0));
});

test("a benchmark without any number, or with zeros, has a chart all the same", () => {
  for (const points of [[point({ median: 0 })], [(({ median: _median, ...rest }) => rest)(point({ problem: "skipped" }))], []]) {
    const chart = chartOf(series(points), size);
    assert.deepEqual(chart.ticks.every(({ y }) => Number.isFinite(y)), true);
    assert.ok(chart.ticks.length >= 2 && chart.ticks.length < 12);
  }
});

test("what is said of a run and of a comparison", () => {
  assert.equal(pointWords(point({ commit: "0123456789abcdef", median: 12.34e-6, interval: [12e-6, 13e-6], fraction: { name: "a", fraction: 0.5, of: "copy" }, changes: ["torch 2.15.0, was 2.14.1"] })),
    "2026-11-29 18:01, 012345678\n12.3 µs (12 µs to 13 µs), 5 repetitions\n50 % of copy bandwidth\ntorch 2.15.0, was 2.14.1");
  assert.equal(pointWords((({ median: _median, ...rest }) => rest)(point({ problem: "It crashed." }))), "2026-11-29 18:01\nIt crashed.");
  assert.equal(intervalWords(undefined), "");
  assert.deepEqual([ratioWords({ name: "a", verdict: "regressed", ratio: 1.1771, interval: [1.15, 1.2] }), ratioWords({ name: "a", verdict: "only-now" })], ["× 1.177 (1.150 to 1.200)", ""]);
});
