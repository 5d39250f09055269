/** `abiding combinations run` on a real Slurm of this test's own, and on this machine: both must come to the same. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import type { CellResult, RunReport } from "../../src/workshop/combinations/types.ts";
import type { Variables } from "../../src/workshop/process/types.ts";
import { root as checkout } from "../harness/locations.ts";
import type { NightlyIndex } from "../support/nightlyIndex.ts";
import { scratchFolder } from "../workshop/build/support.ts";
import { index, onlyIndex, project, python } from "../workshop/combinations/cells/support.ts";
import { startCluster, type Cluster } from "./support/cluster.ts";

const { folder: scratch, remove } = scratchFolder("slurm-run");
let cluster: Cluster;
let served: NightlyIndex;
let environment: Variables;
let root: string;

/** By the day of its torch a cell passes, crashes, or does not end; from the 4th on the extension does not build. */
const smoke = `
import os, time, torch, nightly_ops
assert nightly_ops.materialize() == 1
if "20261001" in torch.__version__: time.sleep(600)
if "20261002" in torch.__version__: os.kill(os.getpid(), 11)
`;

before(async () => {
  [cluster, served] = await Promise.all([startCluster(), index({ since: { removed: "20261004" } })]);
  environment = { ...cluster.environment, ...onlyIndex(served, scratch) };
  root = project(path.join(scratch, "a 'project' of $USER"), served.nightly(), {
    matrix: { torch: ["nightly:4"], python, compiler: ["gcc", "gcc-98", "gcc-99"] },
    executor: { kind: "slurm", partition: "main", jobs: 4 },
  });
  const settings = JSON.parse(fs.readFileSync(path.join(root, "abiding.json"), "utf8")) as Record<string, unknown>;
  fs.writeFileSync(path.join(root, "abiding.json"), JSON.stringify({ ...settings, smoke: { name: "ops", command: ["python", "-c", smoke] } }));
});
after(async () => {
  await Promise.all([cluster[Symbol.asyncDispose](), served.stop()]);
  remove();
});

function abiding(...words: readonly string[]): ReturnType<typeof execa> {
  return execa(process.execPath, [path.join(checkout, "dist", "cli.js"), "combinations", "run", root, "--format", "json", ...words], { reject: false, env: environment, extendEnv: false, stdin: "ignore" });
}

async function report(run: ReturnType<typeof execa>): Promise<RunReport> {
  const { stdout, stderr } = await run;
  assert.equal(typeof stdout, "string");
  try {
    return JSON.parse(String(stdout)) as RunReport;
  } catch (error) {
    throw new Error(String(stderr), { cause: error });
  }
}

/** What both executors have to agree on. */
function found({ results, run }: RunReport, only: (result: CellResult) => boolean): readonly unknown[] {
  return results.filter(only).map(({ cell, outcome, reason, steps, records }) => [
    cell.id, outcome, reason?.message.replaceAll(run, "RUN"), reason?.rule, steps.map((step) => [step.name, step.outcome, step.counts, step.reason?.message.replaceAll(run, "RUN")]), records.map((record) => [record.how, record.outcome, record.combination.torch.version]),
  ]);
}

describe("combinations run --executor slurm", { timeout: 280_000 }, () => {
  it("comes to what the local executor comes to, for twelve cells of which one crashes, and one more is cancelled meanwhile", async () => {
    const planned = JSON.parse(String((await abiding("--plan")).stdout)) as { readonly cells: readonly { readonly id: string; readonly torch: string; readonly compiler: { readonly name: string } }[] };
    assert.equal(planned.cells.length, 12);
    const endless = planned.cells.find(({ torch, compiler }) => torch.includes("20261001") && compiler.name === "gcc");
    assert.ok(endless !== undefined);
    const running = report(abiding());
    let job = "";
    // In its smoke test, and not before: it has steps behind it.
    for (const end = performance.now() + 120_000; job === "" && performance.now() < end; await delay(100)) {
      const [folder] = fs.globSync(path.join(root, ".abiding/local/combinations/*/cells", endless.id));
      if (folder !== undefined && fs.existsSync(path.join(folder, "logs", "smoke.log"))) job = fs.readFileSync(path.join(folder, "slurm-1", "attempts"), "utf8").split(" ")[0] ?? "";
    }
    await cluster.ask("scancel", job);
    const remote = await running;
    const local = await report(abiding("--executor", "local", "--jobs", "2", ...planned.cells.filter((one) => one !== endless).flatMap(({ id }) => ["--only", id])));
    assert.deepEqual(found(remote, ({ cell }) => cell.id !== endless.id), found(local, () => true));
    assert.deepEqual([local.results.length, remote.executor, local.executor], [11, "slurm", "local"]);
    // All kinds are among them.
    const having = (outcome: CellResult["outcome"]): readonly CellResult[] => local.results.filter((one) => one.outcome === outcome);
    assert.deepEqual([having("passed").length, having("failed").length, having("unknown").length], [1, 2, 8]);
    assert.match(having("failed").map(({ reason }) => reason?.message).join("\n"), /SIGSEGV/);
    const cancelled = remote.results.find(({ cell }) => cell.id === endless.id);
    assert.deepEqual([cancelled?.outcome, cancelled?.reason?.message, cancelled?.where, cancelled?.steps.slice(0, 3).map(({ name, outcome }) => `${name} ${outcome}`)], ["cancelled", `Slurm job ${job} on ${cluster.node} was cancelled (CANCELLED).`, job, ["install passed", "build passed", "load passed"]]);
    assert.equal(await cluster.ask("squeue", "--noheader"), "");
  });
});
