/** What Slurm's programs may answer and a cluster of a test does not: programs of that name say it. The real ones are in test/slurm. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { CellTask } from "../../../../src/workshop/combinations/types.ts";
import { CannotDo } from "../../../../src/workshop/workshop.ts";
import { execute, newRun, type Run } from "../../../slurm/support/cells.ts";

/** Says the answers to its name one after the other, the last one again and again; `!` before one: it failed, and says it on standard error. */
const program = `#!/bin/sh
name=$(basename "$0")
here=$(dirname "$0")
count=$(( $(cat "$here/$name.count" 2> /dev/null || echo 0) + 1 ))
echo "$count" > "$here/$name.count"
for word in "$@"; do printf '%s\\n' "$word"; done >> "$here/$name.asked"
echo -- >> "$here/$name.asked"
while [ "$count" -gt 1 ] && [ ! -e "$here/$name.$count" ]; do count=$((count - 1)); done
case "$(head -c 1 "$here/$name.$count")" in
'!') tail -c +2 "$here/$name.$count" >&2; exit 1 ;;
*) cat "$here/$name.$count" ;;
esac
`;

interface Programs {
  readonly environment: Readonly<Record<string, string>>;
  readonly asked: (name: string) => readonly (readonly string[])[];
}

function programs(run: Run, answers: Readonly<Record<string, readonly string[]>>): Programs {
  const folder = join(run.folder, "bin");
  mkdirSync(folder, { recursive: true });
  const all = { scontrol: ["MaxArraySize            = 1001\n"], sbatch: ["77\n"], scancel: [""], sacct: ["!Slurm accounting storage is disabled\n"], squeue: [""], ...answers };
  for (const [name, said] of Object.entries(all)) {
    writeFileSync(join(folder, name), program);
    chmodSync(join(folder, name), 0o755);
    said.forEach((text, index) => writeFileSync(join(folder, `${name}.${index + 1}`), text));
  }
  return {
    environment: { PATH: `${folder}:/usr/bin:/bin` },
    asked: (name) => (existsSync(join(folder, `${name}.asked`)) ? readFileSync(join(folder, `${name}.asked`), "utf8").split("--\n").filter((one) => one !== "").map((one) => one.trimEnd().split("\n")) : []),
  };
}

/** What a job's script leaves when it begins, and when it is done. */
function begins(task: CellTask, job: string, number = 1): void {
  mkdirSync(join(task.folder, `slurm-${number}`), { recursive: true });
  writeFileSync(join(task.folder, `slurm-${number}`, "attempts"), `${job} 0 node7\n`);
}

function passes(task: CellTask, job: string, number = 1): void {
  begins(task, job, number);
  writeFileSync(join(task.folder, "result.json"), JSON.stringify({ schema: 1, cell: task.cell, outcome: "passed", steps: [], records: [], started: "2026-11-30T00:00:00.000Z", milliseconds: 1, where: job }));
  writeFileSync(join(task.folder, `slurm-${number}`, "exit"), "0 there\n");
}

const pace = { look: 20, ask: [20, 40], settle: 60, patience: 500 } as const;
const options = { pace };

describe("Slurm's answers", () => {
  it("says of each end what it was, and what helps", async () => {
    using run = newRun();
    const states = ["TIMEOUT", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "CANCELLED", "FAILED", "A_NEW_END"];
    const tasks = states.map((state) => run.task(state, "x"));
    const said = (state: string, index: number): string => `77|${index}|${index < 7 ? state : "A_NEW_STATE"}|node7|None`;
    const { environment } = programs(run, { squeue: [`${states.map(said).join("\n")}\n`, `${states.map(said).slice(0, 7).join("\n")}\n`] });
    const { results } = await execute(run.folder, environment, tasks, { options, onEvent: (event) => { if (event.kind === "queued") tasks.forEach((task, index) => begins(task, `77_${index}`)); } });
    const log = (state: string): string => join(run.folder, "cells", state, "slurm-1", "stderr.log");
    assert.deepEqual(states.map((state) => [results.get(state)?.outcome, results.get(state)?.reason?.message]), [
      ["unknown", "Slurm job 77_0 on node7 was ended at its time limit (TIMEOUT). A longer timeLimit in \"executor\" of abiding.json, or a partition that allows one, gives it more."],
      ["unknown", "Slurm job 77_1 on node7 used more memory than it was given, and was ended (OUT_OF_MEMORY). More memory in \"executor\" of abiding.json, as \"16G\", or fewer compile jobs, helps."],
      ["unknown", "Slurm job 77_2 on node7 had to make room for a job of higher priority (PREEMPTED)."],
      ["unknown", "Slurm job 77_3 on node7 was lost: its node did not boot (BOOT_FAIL)."],
      ["unknown", "Slurm job 77_4 on node7 was ended at its deadline (DEADLINE)."],
      ["cancelled", "Slurm job 77_5 on node7 was cancelled (CANCELLED)."],
      ["unknown", `Slurm job 77_6 on node7 failed, and left no result: its script was ended before it could say how. Its last words are in ${log("FAILED")}.`],
      // A state that this Abiding does not know is no end; then the job is forgotten, and there is no accounting.
      ["unknown", `Slurm job 77_7 on node7 is not known to Slurm any more, and left no result: its script was ended before it could say how. Its last words are in ${log("A_NEW_END")}.`],
    ]);
  });

  it("asks the accounting for jobs that the controller has forgotten", async () => {
    using run = newRun();
    const tasks = ["one", "two", "three", "four"].map((id) => run.task(id, "x"));
    const { environment, asked } = programs(run, {
      squeue: ["!slurm_load_jobs error: Invalid job id specified\n"],
      sacct: ["77_0|CANCELLED by 1000|node7\n77_0.batch|CANCELLED|node7\n77_1|OUT_OF_MEMORY|node7\n77_[2-9]|PENDING|\n77_2|TIMEOUT|node8\n77_3|RUNNING|node8\n177_1|FAILED|node9\n"],
    });
    const { results } = await execute(run.folder, environment, tasks, { options, onEvent: (event) => { if (event.kind === "queued") tasks.forEach((task, index) => begins(task, `77_${index}`)); } });
    assert.deepEqual(tasks.map(({ cell }) => [results.get(cell.id)?.outcome, results.get(cell.id)?.reason?.message.split(" (")[0]]), [
      ["cancelled", "Slurm job 77_0 on node7 was cancelled by user 1000"],
      ["unknown", "Slurm job 77_1 on node7 used more memory than it was given, and was ended"],
      ["unknown", "Slurm job 77_2 on node7 was ended at its time limit"],
      // The accounting has missed its end.
      ["unknown", `Slurm job 77_3 on node7 is not known to Slurm any more, and left no result: its script was ended before it could say how. Its last words are in ${join(run.folder, "cells", "four", "slurm-1", "stderr.log")}.`],
    ]);
    assert.ok(asked("sacct").every((one) => one.includes("--jobs=77") && one.includes("--parsable2")));
  });

  it("says once that the controller does not answer, and goes on when it does", async () => {
    using run = newRun();
    const task = run.task("one", "x");
    const { environment } = programs(run, { squeue: [...Array<string>(4).fill("!slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"), "77|0|TIMEOUT|node7|TimeLimit\n"] });
    const { results, notes } = await execute(run.folder, environment, [task], { options, onEvent: (event) => { if (event.kind === "queued") begins(task, "77_0"); } });
    assert.deepEqual(notes, ["Slurm's controller does not answer: slurm_load_jobs error: Unable to contact slurm controller (connect failure). The jobs go on; it is asked again."]);
    assert.match(results.get("one")?.reason?.message ?? "", /TIMEOUT/);
  });

  it("finds a job again by its name when sbatch did not hear whether it was taken", async () => {
    using run = newRun();
    const task = run.task("one", "x");
    const { environment, asked } = programs(run, { sbatch: ["!sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n"], squeue: ["88\n", "88|0|RUNNING|node7|None\n", "88|0|TIMEOUT|node7|None\n"] });
    const { results } = await execute(run.folder, environment, [task], { options, onEvent: (event) => { if (event.kind === "queued") begins(task, "88_0"); } });
    assert.equal(results.get("one")?.where, "88_0");
    const name = asked("sbatch")[0]?.find((word) => word.startsWith("--job-name="))?.slice("--job-name=".length) ?? "";
    assert.match(name, /^abiding-[0-9a-f-]{13}$/);
    assert.ok(asked("squeue")[0]?.includes(`--name=${name}`));
    // And when it was not taken, nobody knows; the next start of the run asks for that name before it hands in anything.
    using second = newRun();
    const other = programs(second, { sbatch: ["!Unable to contact slurm controller\n", "99\n"], squeue: ["!Unable to contact slurm controller\n", "\n", "99|0|TIMEOUT|node7|None\n"] });
    const lost = second.task("lost", "x");
    const error = await execute(second.folder, other.environment, [lost], { options }).then(() => undefined, (reason: unknown) => reason);
    assert.ok(error instanceof CannotDo && error.message.startsWith("Slurm's controller did not answer sbatch: Unable to contact slurm controller"), String(error));
    const again = await execute(second.folder, other.environment, [lost], { options, onEvent: (event) => { if (event.kind === "queued") begins(lost, "99_0", 2); } });
    assert.deepEqual([again.results.get("lost")?.where, other.asked("sbatch").length], ["99_0", 2]);
  });

  it("cancels a job that Slurm would hold for ever, and waits for one that somebody holds", async () => {
    using run = newRun();
    const [hopeless, held] = [run.task("hopeless", "x"), run.task("held", "x")];
    const { environment, asked } = programs(run, { squeue: ["77|0|PENDING||(launch failed requeued held)\n77|1|PENDING||JobHeldUser\n", "77|1|PENDING||JobHeldUser\n", "77|1|PENDING||JobHeldUser\n", "77|1|CANCELLED||None\n"] });
    const { results, events } = await execute(run.folder, environment, [hopeless, held], { options });
    assert.deepEqual([results.get("hopeless")?.outcome, results.get("hopeless")?.reason?.message], ["unknown", "Slurm job 77_0 could not be launched on its node, and Slurm holds it back."]);
    assert.equal(results.get("held")?.outcome, "cancelled");
    assert.deepEqual(asked("scancel"), [["77_0"]]);
    assert.deepEqual(events.flatMap((event) => (event.kind === "queued" && event.cell.id === "held" ? [event.note] : [])), ["Slurm job 77_1", "Slurm job 77_1 is held back by its user; `scontrol release` lets it go"]);
  });

  it("hands in the next array when some have ended, where Slurm takes no more at once", async () => {
    using run = newRun();
    const tasks = ["one", "two", "three"].map((id) => run.task(id, "x"));
    const { environment, asked } = programs(run, { scontrol: ["MaxArraySize            = 2\n"], sbatch: ["77\n", "!sbatch: error: QOSMaxSubmitJobPerUserLimit\n", "78\n"], squeue: ["77|0|COMPLETED|node7|None\n77|1|RUNNING|node7|None\n", ""] });
    const { results, notes } = await execute(run.folder, environment, tasks, {
      options,
      onEvent(event) {
        const [one, two, three] = tasks;
        assert.ok(one !== undefined && two !== undefined && three !== undefined);
        if (event.kind === "queued" && event.cell.id === "two") passes(one, "77_0");
        if (event.kind === "ended" && event.result.cell.id === "one") passes(two, "77_1");
        if (event.kind === "queued" && event.cell.id === "three") passes(three, "78_0", 2);
      },
    });
    assert.deepEqual([...results.values()].map(({ outcome, where }) => [outcome, where]), [["passed", "77_0"], ["passed", "77_1"], ["passed", "78_0"]]);
    assert.deepEqual(asked("sbatch").map((words) => words.find((word) => word.startsWith("--array="))), ["--array=0-1", "--array=0-0", "--array=0-0"]);
    assert.deepEqual(notes, ["Slurm's sbatch took no job: QOSMaxSubmitJobPerUserLimit. The other cells are handed in when some of these have ended."]);
  });

  it("asks sbatch for what the settings say, and keeps to itself what everything rests upon", async () => {
    using run = newRun();
    const task = run.task("one", "x");
    const { environment, asked } = programs(run, { sbatch: ["77;fast\n"], squeue: ["CLUSTER: fast\n77|0|COMPLETED|node7|None\n"] });
    await execute(run.folder, { ...environment, SLURM_JOB_ID: "5", SLURM_MEM_PER_CPU: "1", SBATCH_WAIT: "1" }, [task], {
      options: { ...options, root: "/the project" },
      settings: { partition: "gpu", account: "us", gpus: 2, cpus: 8, memory: "16G", timeLimit: 90_000, jobs: 3, requeue: 0, arguments: ["--qos=short", "--array=9"], container: { image: "docker://x y", mounts: ["/a", "/b:/c"] }, wrap: ["env", "A=$B"], modules: ["gcc/13"], node: "/opt/node", cli: "/opt/it's/cli.js" },
      onEvent: (event) => { if (event.kind === "queued") passes(task, "77_0"); },
    });
    const folder = join(run.folder, "slurm", "1");
    const output = join(folder, "tasks").replaceAll("%", "%%");
    assert.deepEqual(asked("sbatch")[0]?.filter((word) => !word.startsWith("--job-name=")), [
      "--parsable", "--qos=short", "--array=9", "--partition=gpu", "--account=us", "--gpus=2", "--cpus-per-task=8", "--mem=16G", "--time=2", "--nodes=1", "--ntasks=1", "--no-requeue", "--open-mode=append",
      `--chdir=${folder}`, `--output=${output}/%a/stdout.log`, `--error=${output}/%a/stderr.log`, "--array=0-0%3", join(folder, "batch.sh"),
    ]);
    assert.ok(asked("squeue").every((words) => words[0] === "--clusters=fast"));
    const script = readFileSync(join(folder, "batch.sh"), "utf8");
    assert.match(script, /^#!\/bin\/bash -l\n/);
    assert.ok(script.includes("\nif ! module load gcc/13; then\n"));
    const mounts = ["/the project", run.folder].map((one) => `${one}:${one}`).join(",").replaceAll("'", "'\\''");
    assert.ok(script.includes(`\nsrun --ntasks=1 --cpus-per-task=8 '--container-image=docker://x y' '--container-mounts=${mounts},/a:/a,/b:/c' env 'A=$B' /opt/node '/opt/it'\\''s/cli.js' combinations cell --task "$cell"\n`), script);
  });

  it("starts nothing where arrays are switched off, or the folder's name means something to sbatch", async () => {
    using run = newRun();
    const { environment, asked } = programs(run, { scontrol: ["MaxArraySize            = 0\n"] });
    const refusal = async (folder: string): Promise<string> => {
      const error = await execute(folder, environment, [run.task("one", "x")], { options }).then(() => undefined, (reason: unknown) => reason);
      assert.ok(error instanceof CannotDo, String(error));
      return error.message;
    };
    assert.match(await refusal(run.folder), /^Job arrays are switched off on this cluster/);
    assert.match(await refusal(join(dirname(run.folder), "back\\slash")), /^Slurm cannot write logs into .*: a backslash or a line break/);
    assert.deepEqual(asked("sbatch"), []);
  });
});
