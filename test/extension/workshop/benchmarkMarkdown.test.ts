/** Results as the editor shows them: the same figures as on the command line, each with its own plan's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisonLine, historyMarkdown, reportMarkdown } from "../../../src/extension/workshop/benchmarkMarkdown.ts";
import type { BenchmarkReport, BenchmarkRun } from "../../../src/workshop/benchmark/types.ts";

function run(plan: string, seconds: readonly number[]): BenchmarkRun {
  return {
    schema: 1, id: `id-${plan}`, started: "2026-01-02T03:04:05.000Z", plan, format: "google-benchmark", line: "bench", warnings: [],
    machine: { cpu: "A CPU", cores: 4, memoryBytes: 1, system: "Linux", gpus: [], load: [0, 0.5] },
    measurements: [{ name: "copy|64", seconds, counters: {} }],
  };
}

function rows(markdown: string): string[] {
  return markdown.split("\n").filter((line) => line.startsWith("| copy"));
}

test("an even number of samples has the mean of the two in the middle; a second is not written as a power of ten", () => {
  const report: BenchmarkReport = {
    schema: 1, root: "/p", outcome: "measured", history: "/p/h", warnings: [],
    runs: [run("a", [1e-3, 2e-3, 4e-3, 9e-3]), run("b", [0.9996])],
    comparisons: [{ name: "copy|64", plan: "b", verdict: "regressed", before: 0.5, now: 0.9996, ratio: 1.9992, interval: [1.9, 2.1] }],
    fractions: [{ name: "copy|64", plan: "a", fraction: 0.051, of: "copy" }],
  };
  assert.deepEqual(rows(reportMarkdown(report, "p")), ["| copy\\|64 | 3 ms | 4 | 5.1 % of copy |  |", "| copy\\|64 | 1000 ms | 1 |  | slower × 1.999 (between 1.900 and 2.100) |"]);
  assert.deepEqual(rows(historyMarkdown(report.runs, "p")), ["| copy\\|64 | 3 ms | 4 |", "| copy\\|64 | 1000 ms | 1 |"]);
  assert.deepEqual(report.comparisons.map(comparisonLine), ["copy|64: slower, 500 ms before, 1000 ms now, × 1.999 (between 1.900 and 2.100)"]);
});
