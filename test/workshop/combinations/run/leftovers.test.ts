import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, test } from "node:test";
import { removeLeftovers } from "../../../../src/workshop/combinations/run/leftovers.ts";
import { taskOf, writeRunFile } from "../../../../src/workshop/combinations/run/runFiles.ts";
import type { Cell, CellResult } from "../../../../src/workshop/combinations/types.ts";
import { exclusively } from "../../../../src/workshop/process/index.ts";
import { bench, scratchFolder } from "../../build/support.ts";

const { folder: scratch, remove } = scratchFolder("leftovers");
after(remove);

const all = path.join(scratch, ".abiding/local/combinations");
const cell = (id: string): Cell => ({ id, label: id, torch: "2.13.0", packages: {} });

/** A run with a copy of the project, whose cells ended so, or did not. */
async function left(name: string, outcomes: Readonly<Record<string, CellResult["outcome"] | undefined>>, days = 0): Promise<string> {
  const folder = path.join(all, name);
  fs.mkdirSync(path.join(folder, "source"), { recursive: true });
  for (const [id, outcome] of Object.entries(outcomes)) {
    const place = taskOf(folder, cell(id)).folder;
    for (const made of ["source", "environment/bin", "logs"]) fs.mkdirSync(path.join(place, made), { recursive: true });
    if (outcome !== undefined) fs.writeFileSync(path.join(place, "result.json"), JSON.stringify({ schema: 1, cell: cell(id), outcome, steps: [], records: [], started: "2026-11-30T00:00:00Z", milliseconds: 1 }));
  }
  await writeRunFile(folder, { schema: 1, run: name, root: scratch, executor: "local", started: "2026-11-30T00:00:00Z", cells: Object.keys(outcomes).map(cell), leftOut: [], warnings: [] });
  age(path.join(folder, "run.json"), days);
  return folder;
}

function age(file: string, days: number): void {
  const then = new Date(Date.now() - days * 86_400_000);
  fs.utimesSync(file, then, then);
}

function there(): readonly string[] {
  return fs.globSync(["*/source", "*/cells/*/{source,environment,logs}"], { cwd: all }).toSorted();
}

test("what killed runs left half made is removed; results, logs, what somebody works at and what was to stay is not, and old runs are spoken of", async () => {
  await left("2026-11-20T10-00-00Z", { done: "failed", half: undefined, stopped: "cancelled", used: undefined });
  await left("2026-11-10T10-00-00Z", { half: undefined }, 8);
  // Killed after its last cell, and before its copy was removed.
  await left("2026-11-09T10-00-00Z", { done: "passed" }, 8);
  const unprepared = path.join(all, "2026-11-08T10-00-00Z");
  fs.mkdirSync(path.join(unprepared, "source"), { recursive: true });
  age(unprepared, 8);
  // Nobody's file leads out of the run's folder.
  fs.mkdirSync(path.join(scratch, "build"));
  const strange = await left("2026-11-07T10-00-00Z", {});
  await writeRunFile(strange, { schema: 1, run: "x", root: scratch, executor: "local", started: "", cells: [cell("../../../../..")], leftOut: [], warnings: [] });
  const work = bench();
  const own = path.join(all, "2026-12-01T10-00-00Z");
  const used = taskOf(path.join(all, "2026-11-20T10-00-00Z"), cell("used")).folder;
  const warnings = await exclusively(used, "trying", work.activity, () => removeLeftovers(scratch, own, work));
  assert.deepEqual(there(), [
    "2026-11-07T10-00-00Z/source",
    "2026-11-09T10-00-00Z/cells/done/environment", "2026-11-09T10-00-00Z/cells/done/logs", "2026-11-09T10-00-00Z/cells/done/source",
    "2026-11-10T10-00-00Z/cells/half/logs", "2026-11-10T10-00-00Z/source",
    "2026-11-20T10-00-00Z/cells/done/environment", "2026-11-20T10-00-00Z/cells/done/logs", "2026-11-20T10-00-00Z/cells/done/source", "2026-11-20T10-00-00Z/cells/half/logs", "2026-11-20T10-00-00Z/cells/stopped/logs",
    "2026-11-20T10-00-00Z/cells/used/environment", "2026-11-20T10-00-00Z/cells/used/logs", "2026-11-20T10-00-00Z/cells/used/source", "2026-11-20T10-00-00Z/source",
  ]);
  assert.ok(!fs.existsSync(unprepared) && fs.existsSync(path.join(scratch, "build")));
  assert.deepEqual(warnings, [`A run was interrupted more than a week ago and never finished: 2026-11-10T10-00-00Z. abiding combinations run --resume NAME goes on with one; one that is of no use any more can be deleted in ${all}.`]);
  assert.deepEqual(work.notes, ["2026-11-10T10-00-00Z", "2026-11-20T10-00-00Z"].map((run) => `What the run ${run} left half made when it was interrupted was removed (environments, build trees). It can still be gone on with: --resume ${run}.`));
  // Of a run that somebody is at, nothing is touched.
  fs.rmSync(path.join(all, "2026-11-20T10-00-00Z"), { recursive: true });
  await left("2026-11-21T10-00-00Z", { half: undefined });
  const before = there();
  assert.deepEqual(await exclusively(path.join(all, "2026-11-21T10-00-00Z"), "run", work.activity, () => removeLeftovers(scratch, own, work)), warnings);
  assert.deepEqual(there(), before);
});
