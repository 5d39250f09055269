import assert from "node:assert/strict";
import * as fs from "node:fs";
import { describe, it } from "node:test";
import { benchmarksView } from "../../../src/workshop/benchmark/index.ts";
import { historyFile } from "../../../src/workshop/benchmark/history.ts";
import { medianInterval } from "../../../src/workshop/benchmark/statistics/medianInterval.ts";
import type { BenchmarkRun } from "../../../src/workshop/benchmark/types.ts";
import { machine, Project, run } from "./support.ts";

const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => n - index);

describe("the interval of a median", () => {
  it("is between the order statistics of the binomial table", () => {
    const ends = new Map([5, 6, 8, 9, 10, 20, 30, 100].map((n) => [n, medianInterval(upTo(n))]));
    assert.deepEqual([...ends], [[5, undefined], [6, [1, 6]], [8, [1, 8]], [9, [2, 8]], [10, [2, 9]], [20, [6, 15]], [30, [10, 21]], [100, [40, 61]]]);
  });

  it("is there for more samples than two to that power can be divided by", () => {
    assert.deepEqual(medianInterval(upTo(10_000)), [4902, 5099]);
  });
});

async function keep(project: Project, ...lines: readonly object[]): Promise<void> {
  fs.writeFileSync(await historyFile(project.root), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const slow = [1.31, 1.3, 1.32, 1.29, 1.3, 1.31, 1.3, 1.32, 1.29, 1.3];
const fast = [1.01, 1, 1.02, 0.99, 1, 1.01, 1, 1.02, 0.99, 1];
const first = run({ gather: fast }, { id: "one", started: "2026-11-28T10:00:00.000Z", commit: "abc" });
const second = run({ gather: slow }, { id: "two", started: "2026-11-29T10:00:00.000Z" });

describe("benchmarks for people to look at", () => {
  it("are none before the first run", async () => {
    using project = new Project();
    const { file, ...view } = await benchmarksView(project.root, "last");
    assert.deepEqual(view, { runs: [], baselines: [], problems: [] });
    assert.equal(file, await historyFile(project.root));
  });

  it("have medians with intervals, fractions of what the machine can do, and what changed since the run before", async () => {
    using project = new Project();
    const moving: BenchmarkRun = {
      ...run({}, { id: "two", machine: { ...machine, governor: "powersave", gpus: [{ name: "H200" }] }, ceilings: { copyBytes: 8e9 }, warnings: ["Busy."] }),
      measurements: [
        { name: "copy", seconds: [1, 2, 3, 4, 5, 6], bytes: 7e9, bytesCount: "traffic", counters: {} },
        { name: "few", seconds: [2, 4], counters: {} },
        { name: "none", seconds: [], counters: {}, problem: "no GPU" },
      ],
      failures: [{ repetition: 1, ending: { kind: "exited", code: 1 }, message: "It ended with 1." }],
    };
    await keep(project, run({ copy: [1] }, { id: "other", plan: "elsewhere", machine: { ...machine, cores: 64 } }), { ...first, machine: { ...machine, governor: "performance" } }, moving);
    const view = await benchmarksView(project.root);
    assert.deepEqual(view.runs[1], {
      id: "one", started: "2026-11-28T10:00:00.000Z", plan: "bench", commit: "abc", machine: "Test CPU, 4 cores, Linux 6.1 x64", changes: [],
      measurements: [{ name: "gather", median: 1, interval: [0.99, 1.02], repetitions: 10 }], fractions: [], warnings: [],
    });
    assert.deepEqual(view.runs[2], {
      id: "two", started: "2026-11-30T18:00:00.000Z", plan: "bench", machine: "Test CPU, 4 cores, H200, Linux 6.1 x64",
      changes: ["frequency governor: performance, now powersave", "GPUs: none, now H200"],
      measurements: [{ name: "copy", median: 3.5, interval: [1, 6], repetitions: 6 }, { name: "few", median: 3, repetitions: 2 }, { name: "none", repetitions: 0, problem: "no GPU" }],
      fractions: [{ name: "copy", plan: "bench", fraction: 0.25, of: "copy" }],
      warnings: ["Busy.", "Repetition 2: It ended with 1."],
    });
    assert.equal(view.comparison, undefined);
  });

  it("are compared with the run before, plan by plan", async () => {
    using project = new Project();
    await keep(project, first, second, run({ a: [1] }, { id: "alone", plan: "new" }));
    const { comparison, problems } = await benchmarksView(project.root, "last");
    assert.equal(comparison?.with, "the last run");
    assert.deepEqual(comparison.comparisons.map((one) => [one.name, one.verdict, one.before, one.now]), [["gather", "regressed", 1, 1.3]]);
    assert.match(comparison.method, /corrected for 1 comparison by Holm's method/);
    assert.deepEqual(problems, ["There is no run of new in the last run: nothing is compared with it."]);
  });

  it("are compared with a saved baseline, and not with themselves", async () => {
    using project = new Project();
    const saved = (name: string, id: string): object => ({ schema: 1, baseline: { name, runs: [id], saved: "" } });
    await keep(project, first, second, saved("main", "one"), saved("today", "two"));
    const view = await benchmarksView(project.root, "main");
    assert.deepEqual(view.baselines, [{ name: "main", runs: ["one"] }, { name: "today", runs: ["two"] }]);
    assert.deepEqual([view.comparison?.with, view.comparison?.comparisons[0]?.verdict], ["baseline main", "regressed"]);
    const itself = await benchmarksView(project.root, "today");
    assert.deepEqual([itself.comparison, itself.problems], [undefined, ["The newest run of bench is the baseline itself: nothing is compared."]]);
  });

  it("say of a baseline that is not there which there are, and show the rest", async () => {
    using project = new Project();
    await keep(project, first);
    const view = await benchmarksView(project.root, "gone");
    assert.equal(view.runs.length, 1);
    assert.match(view.problems[0] ?? "", /^"gone" is neither a run nor a saved baseline in .*\(some of those there: one\) nor a file that can be read\./);
  });

  it("are the last 400 of a long history, and the 401st is still what changed before the first of them", async () => {
    using project = new Project();
    const many = Array.from({ length: 402 }, (_, index) => run({ a: [1] }, { id: String(index), machine: { ...machine, cores: index < 2 ? 2 : 4 } }));
    await keep(project, ...many);
    const view = await benchmarksView(project.root);
    assert.deepEqual([view.runs.length, view.runs[0]?.id, view.runs[0]?.changes], [400, "2", ["cores: 2, now 4"]]);
    assert.deepEqual(view.problems, ["The history has 402 runs; the last 400 are shown."]);
  });
});
