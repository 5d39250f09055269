import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv } from "ajv";
import { tryCell } from "../../../../src/workshop/combinations/index.ts";
import type { CellFile } from "../../../../src/workshop/combinations/index.ts";
import { loadStep } from "../../../../src/workshop/combinations/cells/loading.ts";
import { StepLog } from "../../../../src/workshop/combinations/cells/trial.ts";
import type { Trial } from "../../../../src/workshop/combinations/cells/trial.ts";
import { IndexUsers } from "../../../../src/workshop/combinations/nightlies/index.ts";
import type { CellEvent, CellResult, CellWanted } from "../../../../src/workshop/combinations/types.ts";
import { gitVersionOf } from "../../../support/nightlyIndex.ts";
import type { NightlyIndex } from "../../../support/nightlyIndex.ts";
import { plantedSymbols, writeNightlyExtension } from "../../../support/nightlyTorch.ts";
import { bench, scratchFolder } from "../../build/support.ts";
import type { Bench } from "../../build/support.ts";
import { cellFolder, contents, git, index, onlyIndex, project, python } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("cells");
const schema = (name: string): object => JSON.parse(fs.readFileSync(`docs/schema/${name}.schema.json`, "utf8")) as object;
const isResult = new Ajv({ allErrors: true, strict: false, formats: { "date-time": true } }).addSchema(schema("combination-record"), "combination-record.schema.json").compile(schema("cell-result"));
let served: NightlyIndex;
let root: string;

before(async () => {
  served = await index({ since: { removed: "20261003" }, broken: ["20261004"] });
  root = project(path.join(scratch, "a project"), served.nightly());
});
after(async () => {
  await served.stop();
  remove();
});

function workshop(variables: Readonly<Record<string, string>> = {}): Bench {
  return bench({ ...onlyIndex(served, scratch), ...variables });
}

async function tried(name: string, wanted: Partial<CellWanted>, changes: Partial<CellFile> = {}, work: Bench = workshop(), events: CellEvent[] = []): Promise<CellResult> {
  const task = await cellFolder(path.join(scratch, "cells", name), root, { index: served.nightly(), ...wanted }, changes);
  const result = await tryCell(task, work, (event) => events.push(event));
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(task.folder, "result.json"), "utf8")), JSON.parse(JSON.stringify(result)));
  assert.ok(isResult(JSON.parse(JSON.stringify(result))), JSON.stringify(isResult.errors));
  return result;
}

/** "install passed". */
function stepsOf({ steps }: CellResult): readonly string[] {
  return steps.map((one) => `${one.name} ${one.outcome}`);
}

describe("a cell that is tried", { concurrency: 2 }, () => {
  it("installs, builds, loads and tests in its own folder, and says so in records; the project stays as it was", async () => {
    fs.writeFileSync(path.join(root, "new.txt"), "not known to git yet\n");
    fs.writeFileSync(path.join(root, "ignored.txt"), "left where it is\n");
    const files = contents(root);
    const events: CellEvent[] = [];
    const result = await tried("works", {}, { keep: "always" }, workshop(), events);
    assert.deepEqual([result.outcome, ...stepsOf(result)], ["passed", "install passed", "build passed", "load passed", "smoke passed"], JSON.stringify(result.reason));
    assert.deepEqual(contents(root), files);
    const folder = path.join(scratch, "cells", "works");
    assert.deepEqual([fs.existsSync(path.join(folder, "source/new.txt")), fs.existsSync(path.join(folder, "source/ignored.txt"))], [true, false]);
    const [first] = result.records;
    assert.deepEqual(result.records.map((one) => [one.how, one.outcome, one.counts, one.run]), [["built", "passed", undefined, "2026-11-30T10-00-00Z"], ["loaded", "passed", undefined, "2026-11-30T10-00-00Z"], ["smoke", "passed", { passed: 1, failed: 0, skipped: 0 }, "2026-11-30T10-00-00Z"]]);
    assert.deepEqual(first?.combination.project, { name: "a project", commit: git(root, "rev-parse", "HEAD") });
    assert.deepEqual(first.combination.torch, { version: "2.16.0.dev20261001+cpu", gitVersion: gitVersionOf("2.16.0.dev20261001+cpu"), index: served.nightly() });
    assert.deepEqual([first.combination.python, first.combination.cuda, first.combination.compiler?.split(" ")[0]], [python, null, "gcc"]);
    assert.deepEqual(events.flatMap((one) => (one.kind === "step" && one.fraction === undefined ? [one.step] : [])), ["install", "build", "load", "smoke", "benchmark"]);
    const log = fs.readFileSync(path.join(folder, "logs/install.log"), "utf8");
    assert.match(log, /Successfully installed torch-2\.16\.0\.dev20261001\+cpu/);
    // No other server than the test's own was asked.
    assert.deepEqual([...new Set(log.match(/https?:\/\/[^/\s,]+/g))], [served.server.origin]);
    await explainsLoads(folder);
  });

  it("fails to build, with the place and the compiler's words, and leaves neither environment nor copy", async () => {
    const result = await tried("does not build", { torch: "2.16.0.dev20261003+cpu" });
    assert.deepEqual([result.outcome, ...stepsOf(result)], ["failed", "install passed", "build failed"]);
    assert.match(result.reason?.message ?? "", /^The build failed: csrc\/ops\.cpp:5: .c10::impl. has not been declared/);
    assert.deepEqual(result.records.map((one) => [one.how, one.outcome, one.reason?.message]), [["built", "failed", result.reason?.message]]);
    assert.deepEqual(fs.readdirSync(path.join(scratch, "cells/does not build")).toSorted(), ["cell.json", "constraints.txt", "logs", "result.json"]);
    assert.match(fs.readFileSync(result.steps[1]?.log ?? "", "utf8"), /error: .c10::impl. has not been declared/);
  });

  it("cannot tell of a torch that does not install, says why, and records that of the combination alone", async () => {
    const result = await tried("does not install", { torch: "2.16.0.dev20261004+cpu" });
    assert.deepEqual([result.outcome, ...stepsOf(result)], ["unknown", "install unknown"]);
    assert.equal(result.reason?.message, "The index has no nobody-has-this==1 for this Python and platform.");
    assert.deepEqual(result.records.map((one) => [one.how, one.outcome]), [["built", "unknown"]]);
  });

  it("is not carried out without room, Python or compiler: a sentence each, no record", async () => {
    const room = await tried("no room", {}, { space: 1e18 });
    assert.match(room.reason?.message ?? "", /^Trying torch 2\.16\.0\.dev20261001\+cpu, Python \S+ needs 1000000000\.00 GB, and the disk of .+ has .+ left\.$/);
    const [missing, compiler] = [await tried("no Python", { python: "3.99" }), await tried("no compiler", { compiler: { name: "gcc-99", cc: "gcc-99", cxx: "g++-99" } })];
    assert.match(missing.reason?.message ?? "", /^No Python 3\.99 was found on this machine \(none of that name is on PATH\)\. Install it, or take 3\.99 out of the matrix\.$/);
    assert.equal(compiler.reason?.message, 'The compiler gcc-99 of "gcc-99" was not found on PATH.');
    assert.deepEqual([room, missing, compiler].map((one) => [one.outcome, one.records.length]), [["unknown", 0], ["unknown", 0], ["unknown", 0]]);
  });
});

/** With the environment of a cell that worked: files that were built for another torch. */
async function explainsLoads(folder: string): Promise<void> {
  const work = workshop();
  const environment = path.join(folder, "environment");
  const trial: Trial = {
    task: { cell: { id: "x", label: "x", torch: "2.16.0.dev20261001+cpu", packages: {} }, folder }, file: { schema: 1, cell: { id: "x", label: "x", torch: "2.16.0", packages: {} }, root, source: root, run: "r", steps: [], install: [], indexes: [], repetitions: 3, keep: "never", space: 0 },
    tell: () => undefined, users: new IndexUsers(root, [], {}), workshop: work, source: root, root, environment, interpreter: path.join(environment, "bin/python"), log: new StepLog(folder, "load"),
  };
  const newer = path.join(scratch, "newer/_C.so");
  writeNightlyExtension(newer, ["changed"], { changed: true });
  const drift = await loadStep(trial, [newer]);
  assert.deepEqual([drift.outcome, drift.reason?.rule, drift.reason?.symbols], ["failed", "torch-symbols", [plantedSymbols.changedTo]]);
  assert.match(drift.reason?.message ?? "", /^_C\.so does not load: /);
  const crash = path.join(scratch, "crash.so");
  execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", crash], { input: "#include <csignal>\n__attribute__((constructor)) static void begin() { std::raise(SIGSEGV); }\n" });
  assert.deepEqual(await loadStep(trial, [crash]), { outcome: "failed", reason: { message: "crash.so does not load: the process was ended by SIGSEGV." } });
  await trial.log.close();
}
