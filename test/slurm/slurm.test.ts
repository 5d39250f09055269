/** The executor against a real Slurm: munged, slurmctld and slurmd of this test's own, started and ended by it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CannotDo } from "../../src/workshop/workshop.ts";
import type { CellResult, CellTask } from "../../src/workshop/combinations/types.ts";
import { execute, newRun } from "./support/cells.ts";
import { startCluster, type Cluster } from "./support/cluster.ts";

let cluster: Cluster;
before(async () => {
  cluster = await startCluster(["MaxArraySize=9"]);
});
after(async () => {
  await cluster[Symbol.asyncDispose]();
});

const inFolder = (task: CellTask, name: string): string => readFileSync(join(task.folder, name), "utf8");
const written = (task: CellTask): CellResult => JSON.parse(inFolder(task, "result.json")) as CellResult;
const waitFor = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 30_000; !await condition(); await delay(50)) if (performance.now() > end) throw new Error(`Waited in vain until ${what}`);
};
/** Jobs that are in the queue, as "12_3 RUNNING". */
const queue = async (): Promise<string[]> => (await cluster.ask("squeue", "--noheader", "--array", "--format=%F_%K %T")).split("\n").filter((line) => line !== "");

/** The cell's own process has begun. */
const tried = (task: CellTask): Promise<void> => waitFor(`${task.cell.id} is tried`, () => existsSync(join(task.folder, "tries")));

describe("slurm", { timeout: 120_000 }, () => {
  it("tries thirteen cells in two arrays: one crashes, one says nothing, one is cancelled from outside, the others tell what they found", async () => {
    using run = newRun();
    const kinds = ["passes", "fails", "crashes", "says nothing", "waits", "passes", "passes", "fails", "passes", "passes", "passes", "passes", "passes"];
    const tasks = kinds.map((kind, index) => run.task(`cell-${index}`, kind));
    const { results, events } = await execute(run.folder, cluster.environment, tasks, {
      onEvent(event) {
        if (event.kind === "started" && event.cell.torch === "waits") void tried(run.task("cell-4", "waits")).then(() => cluster.ask("scancel", event.where ?? ""));
      },
    });
    assert.deepEqual(tasks.map(({ cell }) => results.get(cell.id)?.outcome), ["passed", "failed", "unknown", "unknown", "cancelled", "passed", "passed", "failed", "passed", "passed", "passed", "passed", "passed"]);
    // What is told is what lies in the folders, and each says which job it was: indexes begin anew in the second array.
    for (const task of tasks) assert.deepEqual(written(task), results.get(task.cell.id));
    const jobs = tasks.map(({ cell }) => results.get(cell.id)?.where ?? "");
    assert.deepEqual(jobs.map((job) => job.replace(/^\d+/, "")), ["_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_0", "_1", "_2", "_3"]);
    assert.equal(new Set(jobs.map((job) => job.split("_")[0])).size, 2);
    const [, , crashed, silent, cancelled] = tasks.map(({ cell }) => results.get(cell.id)?.reason?.message ?? "");
    assert.equal(crashed, `Slurm job ${jobs[2]} on ${cluster.node} left no result: the process that tried the cell was ended by SIGSEGV. Its last words are in ${join(tasks[2]?.folder ?? "", "slurm-1", "stderr.log")}.`);
    assert.match(silent ?? "", /left no result: the process that tried the cell ended with exit status 3\. Its last words/);
    assert.equal(cancelled, `Slurm job ${jobs[4]} on ${cluster.node} was cancelled (CANCELLED).`);
    // The steps that it had behind it are kept.
    assert.deepEqual(results.get("cell-4")?.steps.map(({ name }) => name), ["build"]);
    const of = (kind: string): number => events.filter((event) => event.kind === kind).length;
    assert.deepEqual([of("started"), of("ended")], [13, 13]);
    const [first] = tasks;
    assert.ok(first !== undefined);
    assert.equal(inFolder(first, "slurm-1/stdout.log"), "trying passes\n");
    assert.equal(inFolder(first, "slurm-1/stderr.log"), "attempt 0\n");
    assert.deepEqual(await queue(), []);
    // Nothing of the folder's name was obeyed, and no job carries the mark by which this machine's own children are found.
    assert.ok(!existsSync(join(run.folder, "owned")) && !existsSync(join(run.folder, "slurm", "1", "owned")));
    assert.equal((JSON.parse(inFolder(first, "environment.json")) as Record<string, string>)["ABIDING_RUN"], undefined);
  });

  it("cancels exactly its own jobs, the waiting and the running, and stays until they are gone", async () => {
    using run = newRun();
    using other = newRun();
    const theirs = other.task("theirs", "waits");
    const foreign = new AbortController();
    const stop = new AbortController();
    let hasStarted = false;
    const elsewhere = execute(other.folder, cluster.environment, [theirs], { signal: foreign.signal, onEvent: (event) => void (hasStarted ||= event.kind === "started") });
    await waitFor("the other run's job runs", () => hasStarted);
    const tasks = ["passes", "waits", "waits", "waits", "waits", "waits", "waits"].map((kind, index) => run.task(`cell-${index}`, kind));
    const { results } = await execute(run.folder, cluster.environment, tasks, {
      settings: { jobs: 2 }, signal: stop.signal,
      onEvent(event) {
        if (event.kind === "started" && event.cell.id === "cell-2") stop.abort();
      },
    });
    assert.deepEqual(tasks.map(({ cell }) => results.get(cell.id)?.outcome), ["passed", ...Array<string>(6).fill("cancelled")]);
    assert.match(results.get("cell-6")?.reason?.message ?? "", /^It was cancelled, and so was Slurm job \d+_6\.$/);
    assert.equal((await queue()).length, 1);
    foreign.abort();
    assert.equal((await elsewhere).results.get("theirs")?.outcome, "cancelled");
    assert.deepEqual(await queue(), []);
    // Started again, cancelled cells are tried anew, and not taken for those of before.
    const again = tasks.slice(1, 3).map(({ cell }) => run.task(cell.id, "passes"));
    const second = await execute(run.folder, cluster.environment, again);
    assert.deepEqual(again.map(({ cell }) => second.results.get(cell.id)?.outcome), ["passed", "passed"]);
  });

  it("goes on with its jobs after it was killed, in whatever state they are", async () => {
    using run = newRun();
    const kinds = ["takes 4000", "crashes when told", "takes 4500", "takes 1", "passes"];
    const tasks = kinds.map((kind, index) => run.task(`cell-${index}`, kind));
    const script = `
      import { execute } from ${JSON.stringify(join(import.meta.dirname, "support", "cells.ts"))};
      void execute(${JSON.stringify(run.folder)}, process.env, ${JSON.stringify(tasks)}, { settings: { jobs: 2 } });`;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], { env: cluster.environment, stdio: ["ignore", "ignore", "inherit"] });
    const [first, second] = tasks;
    assert.ok(first !== undefined && second !== undefined);
    await tried(first);
    child.kill("SIGKILL");
    await once(child, "exit");
    // It crashes while nobody is looking.
    writeFileSync(join(second.folder, "told"), "");
    await waitFor("the second cell has ended", () => existsSync(join(second.folder, "slurm-1", "exit")));
    const left = tasks.filter(({ folder }) => !existsSync(join(folder, "result.json")));
    const { results, notes } = await execute(run.folder, cluster.environment, left, { settings: { jobs: 2 } });
    assert.match(notes[0] ?? "", /still with Slurm from before \(\d+\): going on with them\.$/);
    assert.equal(results.get("cell-1")?.outcome, "unknown");
    assert.match(results.get("cell-1")?.reason?.message ?? "", /ended by SIGSEGV/);
    for (const [index, task] of tasks.entries()) {
      if (index !== 1) assert.equal(written(task).outcome, "passed");
      assert.equal(inFolder(task, "tries"), "0\n", task.cell.id);
    }
    assert.deepEqual(readdirSync(join(run.folder, "slurm")), ["1"]);
  });

  it("has Slurm queue a cell again whose node was lost, and gives it up after as many times as are allowed", async () => {
    using run = newRun();
    const [lost, given] = [run.task("lost", "loses its node"), run.task("given up", "waits")];
    let begun = 0;
    const { results, notes, events } = await execute(run.folder, cluster.environment, [lost, given], {
      onEvent(event) {
        if (event.kind === "started" && (begun += 1) === 2) void Promise.all([lost, given].map(tried)).then(() => cluster.loseNode());
        if (event.kind === "started" && event.cell.id === "given up" && begun > 2) void cluster.ask("scontrol", "requeue", event.where ?? "");
      },
    });
    assert.equal(results.get("lost")?.outcome, "passed", results.get("lost")?.reason?.message);
    assert.equal(inFolder(lost, "tries"), "0\n1\n");
    assert.equal(events.filter((event) => event.kind === "started" && event.cell.id === "lost").length, 2);
    assert.match(notes.find((note) => note.includes("(torch loses its node)")) ?? "", /^Slurm job \d+_0 \(torch loses its node\) was taken off its node, .* Slurm has queued it again\.$/);
    assert.equal(results.get("given up")?.outcome, "unknown");
    assert.match(results.get("given up")?.reason?.message ?? "", /could not try the cell\. Slurm has started it 3 times, as its node failed or was taken away; "requeue" of the executor allows 1\.$/);
  });

  it("tells a cell whose node failed and that may not be queued again", async () => {
    using run = newRun();
    const lost = run.task("lost", "waits");
    const { results } = await execute(run.folder, cluster.environment, [lost], {
      settings: { requeue: 0 },
      onEvent(event) {
        if (event.kind === "started") void tried(lost).then(() => cluster.loseNode());
      },
    });
    assert.equal(results.get("lost")?.outcome, "unknown");
    assert.match(results.get("lost")?.reason?.message ?? "", new RegExp(`^Slurm job \\d+_0 on ${cluster.node} was lost: its node failed \\(NODE_FAIL\\)\\.$`));
  });

  it("waits for a controller that is away, while the jobs go on", async () => {
    using run = newRun();
    const tasks = [run.task("one", "takes 1500"), run.task("two", "crashes")];
    let isAway = false;
    const { results } = await execute(run.folder, cluster.environment, tasks, {
      onEvent(event) {
        if (event.kind !== "started" || isAway) return;
        isAway = true;
        void cluster.stopController().then(() => delay(2000)).then(() => cluster.startController());
      },
    });
    assert.deepEqual([results.get("one")?.outcome, results.get("two")?.outcome], ["passed", "unknown"]);
    assert.match(results.get("two")?.reason?.message ?? "", /SIGSEGV/);
  });

  it("refuses with sbatch's own words when no cell can be started", async () => {
    using run = newRun();
    const refused = async (settings: Parameters<typeof execute>[3]): Promise<string> => {
      const error = await execute(run.folder, cluster.environment, [run.task("cell", "passes")], settings).then(() => undefined, (reason: unknown) => reason);
      assert.ok(error instanceof CannotDo, String(error));
      return error.message;
    };
    assert.equal(await refused({ settings: { partition: "nowhere" } }), "Slurm's sbatch took no job: invalid partition specified: nowhere / Batch job submission failed: Invalid partition name specified.");
    assert.match(await refused({ settings: { gpus: 1 } }), /^Slurm's sbatch took no job: .*generic resource/i);
    assert.match(await refused({ settings: { arguments: ["--no-such-option"] } }), /^Slurm's sbatch took no job: .*no-such-option/);
    // What was prepared for it is gone.
    assert.deepEqual([readdirSync(join(run.folder, "slurm")), readdirSync(join(run.folder, "cells", "cell"))], [[], ["cell.json"]]);
    const nowhere = await execute(run.folder, { ...cluster.environment, PATH: "/nowhere" }, [run.task("cell", "passes")]).then(() => undefined, (reason: unknown) => reason);
    assert.ok(nowhere instanceof CannotDo);
    assert.match(nowhere.message, /^There is no sbatch on PATH: /);
  });

  it("says which node it was that lacks Node.js, the modules, or the folder", async () => {
    using run = newRun();
    const only = async (id: string, executing: Parameters<typeof execute>[3]): Promise<CellResult | undefined> => (await execute(run.folder, cluster.environment, [run.task(id, "passes")], executing)).results.get(id);
    const without = await only("node", { settings: { node: "/no such/node" } });
    assert.equal(without?.outcome, "unknown");
    assert.match(without.reason?.message ?? "", /left no result: \/no such\/node could not be started there \(exit status 127\); "node" and "cli"/);
    const modules = await only("modules", { settings: { modules: ["cuda/13.0", "it's"] } });
    assert.match(modules?.reason?.message ?? "", /could not try the cell\. (?:This node has no command "module"|The environment modules cuda\/13\.0, it's could not be loaded)/);
    const wrapped = await only("wrapped", { settings: { wrap: ["/usr/bin/env", "WRAPPED=a b $HOME"] } });
    assert.equal(wrapped?.outcome, "passed");
    assert.equal((JSON.parse(readFileSync(join(run.folder, "cells", "wrapped", "environment.json"), "utf8")) as Record<string, string>)["WRAPPED"], "a b $HOME");
  });

  it("refuses when the node does not see the run's folder, and tries the cells once it does", async () => {
    using run = newRun();
    const tasks = [run.task("one", "passes"), run.task("two", "passes")];
    const [place, elsewhere] = [join(run.folder, "slurm"), join(run.folder, "elsewhere")];
    // Held until its folder is out of sight, a job meets what it meets on a node that lacks the file system.
    const error = await execute(run.folder, cluster.environment, tasks, {
      settings: { arguments: ["--hold"] },
      onEvent(event) {
        if (event.kind !== "queued" || existsSync(elsewhere)) return;
        renameSync(place, elsewhere);
        void cluster.ask("scontrol", "release", /\d+/.exec(event.note ?? "")?.[0] ?? "");
      },
    }).then(() => undefined, (reason: unknown) => reason);
    assert.ok(error instanceof CannotDo, String(error));
    assert.match(error.message, new RegExp(`^Slurm job \\d+_[01] on ${cluster.node} ended before it could write into .*slurm-1\\. Most often the node does not see that folder`));
    assert.deepEqual(await queue(), []);
    renameSync(elsewhere, place);
    const { results } = await execute(run.folder, cluster.environment, tasks);
    assert.deepEqual([...results.values()].map(({ outcome }) => outcome), ["passed", "passed"]);
  });
});
