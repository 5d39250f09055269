import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { Ajv } from "ajv";
import { execa } from "execa";
import { UsageError } from "../../../../src/cli/arguments.ts";
import type { Terminal } from "../../../../src/cli/terminal.ts";
import { run } from "../../../../src/cli/workshop/combinations/run.ts";
import { runCombinations } from "../../../../src/workshop/combinations/index.ts";
import type { CellEvent, CombinationRecord, RunReport } from "../../../../src/workshop/combinations/types.ts";
import type { NightlyIndex } from "../../../support/nightlyIndex.ts";
import { bench, environment, scratchFolder } from "../../build/support.ts";
import { contents, git, index, onlyIndex, project, python } from "../cells/support.ts";

const { folder: scratch, remove } = scratchFolder("run");
const cli = path.resolve(import.meta.dirname, "../../../../src/cli/main.ts");
const schema = (name: string): object => JSON.parse(fs.readFileSync(`docs/schema/${name}.schema.json`, "utf8")) as object;
const isReport = new Ajv({ allErrors: true, strict: false, formats: { "date-time": true } }).addSchema(schema("combination-record"), "combination-record.schema.json").addSchema(schema("cell-result"), "cell-result.schema.json").compile(schema("combinations-run"));
let served: NightlyIndex;
let variables: Readonly<Record<string, string>>;
let root: string;
let number = 0;

before(async () => {
  served = await index({ since: { removed: "20261003" } });
  variables = { ...environment, ...onlyIndex(served, scratch) };
});
beforeEach(() => {
  served.bad.slow = undefined;
  number += 1;
  root = project(path.join(scratch, `project-${number}`), served.nightly(), { matrix: { torch: ["nightly:3"], python } });
});
after(async () => {
  await served.stop();
  remove();
});

function start(...words: readonly string[]): ReturnType<typeof execa> {
  return execa(process.execPath, [cli, "combinations", "run", root, ...words], { cwd: scratch, reject: false, env: variables, extendEnv: false });
}

/** The command in this process, which starts faster. */
async function command(...words: readonly string[]): Promise<{ readonly status: number; readonly text: string }> {
  let text = "";
  const terminal: Terminal = { workingDirectory: scratch, environment: variables, version: "1.2.3", colours: false, progress: () => undefined, say: () => undefined, deliver: (one) => { text += one; } };
  return { status: await run([root, ...words], terminal), text };
}

const said = (...words: readonly string[]): Promise<string> => command(...words).then(() => "nothing", (error: unknown) => (error instanceof UsageError ? error.message : String(error)));

async function report(...words: readonly string[]): Promise<RunReport> {
  const value: unknown = JSON.parse((await command("--format", "json", ...words)).text);
  assert.ok(isReport(value), JSON.stringify(isReport.errors));
  return value as RunReport;
}

/** "20261002 passed". */
function outcomes({ results }: Pick<RunReport, "results">): readonly string[] {
  return results.map(({ cell, outcome }) => `${/dev(\d+)/.exec(cell.torch)?.[1] ?? cell.torch} ${outcome}`);
}

function recorded(): readonly CombinationRecord[] {
  const file = path.join(root, ".abiding/combinations.jsonl");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as CombinationRecord) : [];
}

/** Processes that have a path of the project on their command line. */
function processesOf(folder: string): readonly string[] {
  return fs.readdirSync("/proc").filter((one) => /^\d+$/.test(one)).flatMap((id) => {
    try {
      const words = fs.readFileSync(`/proc/${id}/cmdline`, "utf8");
      return words.includes(`${folder}/.abiding`) ? [words.replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}

/** An environment is there from the begin of its making to the end of its cell, its processes may be gone between two looks. */
function environments(): readonly string[] {
  return fs.globSync(path.join(root, ".abiding/local/combinations/*/cells/*/environment"));
}

async function until(what: () => boolean): Promise<void> {
  for (const end = performance.now() + 300_000; !what();) {
    assert.ok(performance.now() < end, "waited too long");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("combinations run", () => {
  it("--plan shows the cells and starts nothing; the run tries them, a failing one among them, and records each", async () => {
    const plan = await command("--plan", "--format", "json");
    const planned = JSON.parse(plan.text) as { cells: readonly { id: string }[] };
    assert.ok(isReport(planned), JSON.stringify(isReport.errors));
    assert.deepEqual([plan.status, planned.cells.map((one) => one.id.replace(/-[0-9a-f]{8}$/, "")), fs.existsSync(path.join(root, ".abiding"))], [0, ["20261004", "20261003", "20261002"].map((day) => `torch-2.16.0.dev${day}-cpu-py${python}`), false]);
    const settings = JSON.parse(fs.readFileSync(path.join(root, "abiding.json"), "utf8")) as object;
    const timed = { context: {}, benchmarks: [{ name: "b", run_name: "b", run_type: "iteration", repetitions: 1, repetition_index: 0, threads: 1, iterations: 1, real_time: 1, cpu_time: 1, time_unit: "ms" }] };
    fs.writeFileSync(path.join(root, "abiding.json"), JSON.stringify({ ...settings, benchmarks: { command: ["python", "-c", "import sys; print(sys.argv[1])", JSON.stringify(timed)], prints: "google-benchmark" } }));
    git(root, "commit", "--quiet", "--all", "--message=benchmarks");
    const files = contents(root);
    const all = await report("--jobs", "2", "--steps", "build,load,benchmark", "--only", "torch-2.16.0.dev20261003", "--only", "torch-2.16.0.dev20261002");
    assert.deepEqual([all.outcome, ...outcomes(all)], ["failed", "20261003 failed", "20261002 passed"]);
    assert.deepEqual(contents(root), files);
    assert.equal(git(root, "status", "--porcelain"), "?? .abiding/");
    assert.deepEqual(recorded().map((one) => [one.combination.torch.version.slice(10, 18), one.how, one.outcome]).toSorted(), [["20261002", "benchmark", "passed"], ["20261002", "built", "passed"], ["20261002", "loaded", "passed"], ["20261003", "built", "failed"]]);
    assert.ok(all.warnings.includes("Benchmarks were measured while up to 2 cells were tried at once on this machine: that they run counts, their times say little. --jobs 1 measures one after the other."), all.warnings.join("\n"));
    // Neither environments nor copies of the project stay.
    assert.deepEqual(fs.readdirSync(path.join(root, ".abiding/local/combinations", all.run)).toSorted(), ["cells", "run.json"]);
    // Gone on with, it has nothing to do and records nothing again.
    const again = await report("--resume", "last");
    assert.deepEqual([outcomes(again), recorded().length], [outcomes(all), 4]);
  });

  it("goes on after a kill: what is done counts, what was under way is tried anew, and what it left running is ended", async () => {
    // The first cell cannot be told without a compiler; the second is held up by the index.
    root = project(path.join(scratch, "killed"), served.nightly(), { matrix: { torch: ["20261004", "20261003"].map((day) => `2.16.0.dev${day}`), python, compiler: ["gcc-99", "gcc"], exclude: [{ torch: "2.16.0.dev20261004", compiler: "gcc" }, { torch: "2.16.0.dev20261003", compiler: "gcc-99" }] } });
    const killed = start("--steps", "install");
    const results = (): readonly string[] => fs.globSync(path.join(root, ".abiding/local/combinations/*/cells/*/result.json"));
    await until(() => environments().length > 0);
    served.bad.slow = 600_000;
    await until(() => processesOf(root).some((one) => one.includes("pip install")));
    killed.kill("SIGKILL");
    await killed;
    assert.ok(processesOf(root).length > 0);
    const [first = ""] = results();
    const before = fs.readFileSync(first, "utf8");
    served.bad.slow = undefined;
    // Another run removes what the killed one left half made, and nothing that going on with it needs.
    const [interrupted = ""] = fs.readdirSync(path.join(root, ".abiding/local/combinations"));
    const made = (): readonly string[] => fs.globSync(path.join(root, ".abiding/local/combinations", interrupted, "cells/*/{environment,source}"));
    assert.equal(made().length, 2);
    const other = await runCombinations({ root, settings: { indexes: [served.nightly()], matrix: { torch: ["2.16.0.dev20261001"], python: [python], compiler: ["gcc-99"] } } }, { workshop: bench(onlyIndex(served, scratch)), tell: () => undefined });
    assert.deepEqual([made(), processesOf(root), other.warnings], [[], [], []]);
    fs.rmSync(path.join(root, ".abiding/local/combinations", other.run), { recursive: true });
    const resumed = await report("--resume", "last");
    assert.deepEqual(outcomes(resumed), ["20261004 unknown", "20261003 passed"]);
    assert.equal(fs.readFileSync(first, "utf8"), before);
    assert.deepEqual([results().length, processesOf(root), fs.globSync(path.join(root, ".abiding/local/combinations/*/cells/*/{environment,source}"))], [2, [], []]);
  });

  it("is cancelled by Ctrl-C: nothing runs on, half an environment is removed, and each cell says so", async () => {
    const cancelling = start("--format", "json", "--steps", "install");
    await until(() => environments().length > 0);
    served.bad.slow = 600_000;
    await until(() => processesOf(root).some((one) => one.includes("pip install")));
    cancelling.kill("SIGINT");
    const { exitCode, stdout, stderr } = await cancelling;
    assert.equal(exitCode, 130, String(stderr));
    const cancelled = JSON.parse(String(stdout)) as RunReport;
    assert.ok(isReport(cancelled));
    assert.deepEqual([cancelled.outcome, ...outcomes(cancelled)], ["cancelled", "20261004 cancelled", "20261003 cancelled", "20261002 cancelled"]);
    assert.deepEqual([processesOf(root), recorded(), fs.globSync(path.join(root, ".abiding/local/combinations/*/cells/*/{environment,source}"))], [[], [], []]);
  });

  it("runs twice at once in one project without one disturbing the other", async () => {
    const request = { root, settings: { indexes: [served.nightly()], matrix: { torch: ["2.16.0.dev20261001"], python: [python], compiler: ["gcc-99"] } } };
    const events: CellEvent[] = [];
    const both = await Promise.all([1, 2].map(() => runCombinations(request, { workshop: bench(onlyIndex(served, scratch)), tell: (event) => events.push(event) })));
    assert.deepEqual(both.map((one) => [one.outcome, ...outcomes(one)]), [["failed", "20261001 unknown"], ["failed", "20261001 unknown"]]);
    const runs = fs.readdirSync(path.join(root, ".abiding/local/combinations"));
    assert.deepEqual(runs.toSorted(), both.map((one) => one.run).toSorted());
    assert.equal(new Set(runs).size, 2);
    assert.deepEqual(events.map((one) => one.kind).toSorted(), ["ended", "ended", "queued", "queued", "started", "started", "step", "step"]);
  });

  it("says what is wrong with a request", async () => {
    assert.match(await said("--resume", "last"), /has no run that could be gone on with\.$/);
    assert.match(await said("--torch", "2.99.0"), /There is nothing to try\. torch 2\.99\.0: "2\.99\.0" names no torch that is known/);
    const empty = path.join(scratch, "no project");
    fs.mkdirSync(empty);
    root = empty;
    for (const words of [[], ["--plan"]]) assert.equal(await said(...words), `${empty} has nothing that could be tried: no build was found in it, no smoke test, no benchmark. If it is the project's folder, abiding.json can name them.`);
    assert.deepEqual(fs.readdirSync(empty), []);
  });

  it("says what is wrong with a choice", async () => {
    assert.match(await said("--only", "x"), /No cell of the matrix has an id that begins with x; --plan shows them\.$/);
    assert.match(await said("--steps", "compile"), /--steps must be one of install, build, load, smoke, benchmark; it is "compile"\.$/);
    assert.match(await said("--jobs", "0"), /--jobs must be a whole number from 1 on; it is "0"\.$/);
  });
});
