import assert from "node:assert/strict";
import * as fs from "node:fs";
import { describe, it } from "node:test";
import { exportRuns, readHistory } from "../../../src/workshop/benchmark/index.ts";
import { fractionsOf } from "../../../src/workshop/benchmark/fractions.ts";
import { historyFile } from "../../../src/workshop/benchmark/history.ts";
import { machine, Project, run } from "./support.ts";

describe("the history", () => {
  it("is empty before the first run", async () => {
    using project = new Project();
    const { runs, baselines, problems } = await readHistory(project.root);
    assert.deepEqual({ runs, baselines, problems }, { runs: [], baselines: [], problems: [] });
  });

  it("loses only the lines that are torn, foreign or of a newer Abiding, and names them", async () => {
    using project = new Project();
    const file = await historyFile(project.root);
    const baseline = { schema: 1, baseline: { name: "main", runs: ["one"], saved: "2026-11-30T18:00:00Z" } };
    const lines = [run({ a: [1] }, { id: "one" }), "{broken", { ...run({ a: [1] }), schema: 2 }, baseline, { schema: 1, id: "x" }, run({ a: [-1] }), run({ a: [2] }, { id: "two" })]
      .map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    fs.writeFileSync(file, `${lines.join("\n")}\n${JSON.stringify(run({ a: [3] })).slice(0, 50)}`);
    const history = await readHistory(project.root);
    assert.deepEqual(history.runs.map((one) => one.id), ["one", "two"]);
    assert.deepEqual(history.baselines, [baseline.baseline]);
    assert.match(history.problems[0] ?? "", /^Line 2 of .*benchmarks\.jsonl is left out: it is no JSON/);
    assert.match(history.problems[1] ?? "", /^Line 8 of .* is left out: the last line is not whole/);
    assert.match(history.problems[2] ?? "", /^One line of .* was written by a newer Abiding and is left out\.$/);
    assert.match(history.problems[3] ?? "", /^2 lines of .* are neither a run nor a baseline and are left out\.$/);
  });

  it("has the last runs of a name for a baseline", async () => {
    using project = new Project();
    const file = await historyFile(project.root);
    fs.writeFileSync(file, ["a", "b"].map((id) => `${JSON.stringify({ schema: 1, baseline: { name: "main", runs: [id], saved: "" } })}\n`).join(""));
    assert.deepEqual((await readHistory(project.root)).baselines.map((one) => one.runs), [["b"]]);
  });
});

describe("an export", () => {
  const exported = run({ "=cmd|' /C calc'!A0": [0.5, 0.25], 'with "quotes", and\nlines': [1] }, { id: "id", commit: "abc", ceilings: { copyBytes: 8, flops: 4 } });
  const withProblem = { ...exported, measurements: [...exported.measurements, { name: "b|<i>", seconds: [], counters: {}, problem: "-no GPU" }, { name: "c", seconds: [0.5], bytes: 1e7, bytesCount: "traffic" as const, counters: {} }], ceilings: { copyBytes: 4e7, flops: 4 } };

  it("as CSV has a row for each sample, quotes as RFC 4180 says, and starts no formula", () => {
    assert.equal(exportRuns([withProblem], "csv"), [
      "run,started,plan,variant,commit,benchmark,repetition,seconds,clock,bytes,flops,problem",
      "id,2026-11-30T18:00:00.000Z,bench,,abc,'=cmd|' /C calc'!A0,1,0.5,,,,",
      "id,2026-11-30T18:00:00.000Z,bench,,abc,'=cmd|' /C calc'!A0,2,0.25,,,,",
      'id,2026-11-30T18:00:00.000Z,bench,,abc,"with ""quotes"", and\nlines",1,1,,,,',
      "id,2026-11-30T18:00:00.000Z,bench,,abc,b|<i>,,,,,,'-no GPU",
      "id,2026-11-30T18:00:00.000Z,bench,,abc,c,1,0.5,,10000000,,", "",
    ].join("\r\n"));
  });

  it("as Markdown shows names and does not obey them", () => {
    const text = exportRuns([withProblem], "markdown");
    assert.ok(text.includes("| b\\|\\<i\\> | -no GPU |  | 0 |  |"), text);
    assert.ok(text.includes("| with \"quotes\", and lines | 1 s |  | 1 |  |"), text);
    assert.ok(text.includes("| c | 500 ms |  | 1 | 50 % of copy |"), text);
    assert.ok(text.includes("375 ms | 313 ms to 438 ms | 2 |"), text);
    assert.ok(text.startsWith("## id\n\nTest CPU, 4 cores, Linux 6.1 x64. Commit abc.\n"), text);
  });

  it("as JSON is everything", () => {
    assert.deepEqual(JSON.parse(exportRuns([withProblem], "json")), { schema: 1, runs: [withProblem] });
  });
});

describe("a fraction of the possible", () => {
  const of = (more: object, counters: Readonly<Record<string, number>> = {}): ReturnType<typeof fractionsOf> =>
    fractionsOf({ ...run({}), ceilings: { copyBytes: 20e9, flops: 100e9 }, measurements: [{ name: "a", seconds: [0.5, 1, 2], counters, ...more }] });

  it("is of the measured copy, both ways or what was processed, and of the measured arithmetic", () => {
    assert.deepEqual(of({ bytes: 10e9, bytesCount: "traffic" }), [{ name: "a", plan: "bench", fraction: 0.5, of: "copy" }]);
    assert.deepEqual(of({ bytes: 5e9, bytesCount: "processed" }), [{ name: "a", plan: "bench", fraction: 0.5, of: "copy" }]);
    assert.deepEqual(of({ flops: 25e9 }), [{ name: "a", plan: "bench", fraction: 0.25, of: "compute" }]);
    assert.deepEqual(of({}), []);
    assert.deepEqual(of({ seconds: [], bytes: 1 }), []);
  });

  it("is not cut off at one, but doubtful, and so is one of data that a cache holds", () => {
    const [over] = of({ bytes: 40e9, bytesCount: "traffic" });
    assert.equal(over?.fraction, 2);
    assert.match(over.doubtful ?? "", /^More than the measured limit/);
    const [cached] = of({ bytes: 1e6, bytesCount: "traffic" });
    assert.equal(cached?.doubtful, `One iteration moves 977 KiB, which the last-level cache of 977 KiB can hold: memory may not have been asked.`);
  });

  it("is of the limit that the benchmark counts itself, and of a GPU's memory only there", () => {
    assert.deepEqual(of({ bytes: 10e9, bytesCount: "processed" }, { bytes_per_second: 6, roof_bytes_per_second: 8 }), [{ name: "a", plan: "bench", fraction: 0.75, of: "roof" }]);
    assert.deepEqual(of({ clock: "gpu", bytes: 10e9 }, { memory_utilization: 0.9 }), [{ name: "a", plan: "bench", fraction: 0.9, of: "gpu-memory" }]);
    assert.deepEqual(of({ clock: "gpu", bytes: 10e9 }), []);
    assert.deepEqual(fractionsOf({ ...run({}), machine, measurements: [{ name: "a", seconds: [1], bytes: 1e9, counters: {} }] }), [], "no ceiling was measured");
  });
});
