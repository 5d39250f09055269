/** What a run has handed in to Slurm, kept in its folder: a run that is started again finds its jobs by it. */
import { mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import * as path from "node:path";
import { codeOf, CouldNotWrite, lockName, makeFolder, sentenceOf, writeWhole } from "../../../process/index.ts";
import { CannotDo } from "../../../workshop.ts";
import { resultFileName } from "../../cells/files.ts";
import type { CellTask, SlurmExecutorSettings } from "../../types.ts";
import type { JobName } from "./client.ts";
import { batchScript, defaultRequeue, traces } from "./script.ts";
import type { ScriptWanted } from "./script.ts";

/** An array that was handed in, or was about to be. */
export interface Submission {
  /** From 1, in the run. */
  readonly number: number;
  /** Its name in Slurm: nobody else's. */
  readonly name: string;
  /** Absent: whoever was handing it in did not live to hear the number. */
  readonly job?: JobName;
  /** The folders of its cells, by the index of the task. */
  readonly cells: readonly string[];
}

const recordName = "submission.json";
/** In a task's folder: its end was seen, and needs no second look. */
const seenName = "seen";

function folderOf(run: string, number?: number): string {
  return path.join(run, "slurm", ...(number === undefined ? [] : [String(number)]));
}

/** What Slurm and the script write about a task: a folder in its cell's, of its own for each submission. */
export function taskFolder(cell: string, number: number): string {
  return path.join(cell, `slurm-${number}`);
}

/** The submissions of a run, the oldest first. What cannot be read was never handed in: its record is written before. */
export async function readSubmissions(run: string): Promise<readonly Submission[]> {
  const names = await readdir(folderOf(run)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw new CannotDo(sentenceOf(error, `read ${folderOf(run)}`), { cause: error });
  });
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b);
  const all = await Promise.all(numbers.map(async (number) => readFile(path.join(folderOf(run, number), recordName), "utf8").then((text): Submission | undefined => {
    const value: unknown = JSON.parse(text);
    return isSubmission(value) ? { ...value, number } : undefined;
  }, () => undefined).catch(() => undefined)));
  return all.filter((one) => one !== undefined);
}

function isSubmission(value: unknown): value is Submission {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string" && "cells" in value && Array.isArray(value.cells);
}

export async function writeSubmission(run: string, submission: Submission): Promise<void> {
  await writeWhole(path.join(folderOf(run, submission.number), recordName), `${JSON.stringify(submission, undefined, 2)}\n`);
}

/** The end of a task was told, so that a later run does not tell it again. */
export async function markSeen(cell: string, number: number): Promise<void> {
  await writeWhole(path.join(taskFolder(cell, number), seenName), "").catch(() => undefined);
}

/** How far a task has come, by what it left in its folder. */
export interface Trace {
  /** "12_3", the node and the restarts of the last attempt. */
  readonly job?: string;
  readonly node?: string;
  readonly restarts: number;
  /** The command's exit status as the shell gives it, and whether there was a result then. */
  readonly exit?: { readonly status: number; readonly hadResult: boolean };
  readonly problem?: string;
  readonly isSeen: boolean;
}

export async function readTrace(cell: string, number: number): Promise<Trace> {
  const folder = taskFolder(cell, number);
  // Reading the folder makes a client of NFS ask its server, where a lookup of a name would be answered from what it remembers.
  const names = new Set(await readdir(folder).catch((): string[] => []));
  const text = async (name: string): Promise<string> => (names.has(name) ? readFile(path.join(folder, name), "utf8").catch(() => "") : "");
  const [job, restarts, node] = (await text(traces.attempts)).trimEnd().split("\n").at(-1)?.split(" ") ?? [];
  const [, status, had] = /^(\d+) (none|there)$/m.exec(await text(traces.exit)) ?? [];
  const problem = (await text(traces.problem)).trim();
  return {
    ...(job === undefined || job === "" ? {} : { job }),
    ...(node === undefined ? {} : { node }),
    restarts: Number(restarts ?? 0),
    ...(status === undefined ? {} : { exit: { status: Number(status), hadResult: had === "there" } }),
    ...(problem === "" ? {} : { problem }),
    isSeen: names.has(seenName),
  };
}

/** Makes the folders, the script and the record of a new submission. Throws CouldNotWrite. */
export async function prepareSubmission(run: string, tasks: readonly CellTask[], script: Omit<ScriptWanted, "tasks">): Promise<Submission> {
  try {
    return await prepare(run, tasks, script);
  } catch (error) {
    throw error instanceof CouldNotWrite ? error : new CouldNotWrite(sentenceOf(error, `prepare the jobs in ${folderOf(run)}`), { cause: error });
  }
}

async function prepare(run: string, tasks: readonly CellTask[], script: Omit<ScriptWanted, "tasks">): Promise<Submission> {
  await makeFolder(folderOf(run));
  const number = await nextNumber(run);
  const folder = folderOf(run, number);
  const links = path.join(folder, "tasks");
  await makeFolder(links);
  await Promise.all(tasks.map(async (task, index) => {
    const place = taskFolder(task.folder, number);
    await makeFolder(place);
    // Nobody works on the cell now: a lock in it is that of a job that was lost with its node, and no node can tell that of another.
    // A result is that of an attempt which was cancelled.
    for (const name of [lockName, resultFileName]) await rm(path.join(task.folder, name), { recursive: true, force: true });
    await symlink(place, path.join(links, String(index)));
  }));
  await writeWhole(path.join(folder, "batch.sh"), batchScript({ ...script, tasks: links }));
  const submission: Submission = { number, name: `abiding-${randomUUID().slice(0, 13)}`, cells: tasks.map((task) => task.folder) };
  await writeSubmission(run, submission);
  return submission;
}

async function nextNumber(run: string): Promise<number> {
  for (let number = 1; ; number += 1) {
    try {
      await mkdir(folderOf(run, number));
      return number;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/**
 * The arguments of sbatch. What the settings add comes first, so that it cannot replace what everything here rests upon. Of a
 * path in --output `%` and `\` mean something (sbatch(1), "filename pattern").
 */
export function sbatchArguments(run: string, { number, name, cells }: Submission, settings: SlurmExecutorSettings): readonly string[] {
  const folder = folderOf(run, number);
  const output = path.join(folder, "tasks").replaceAll("%", "%%");
  const { partition, account, gpus, cpus, memory, timeLimit, jobs, requeue = defaultRequeue } = settings;
  return [
    ...(settings.arguments ?? []),
    ...(partition === undefined ? [] : [`--partition=${partition}`]),
    ...(account === undefined ? [] : [`--account=${account}`]),
    ...(gpus === undefined || gpus === 0 ? [] : [`--gpus=${gpus}`]),
    ...(cpus === undefined ? [] : [`--cpus-per-task=${cpus}`]),
    ...(memory === undefined ? [] : [`--mem=${memory}`]),
    // Slurm counts whole minutes.
    ...(timeLimit === undefined ? [] : [`--time=${Math.max(1, Math.ceil(timeLimit / 60_000))}`]),
    "--nodes=1", "--ntasks=1",
    requeue > 0 ? "--requeue" : "--no-requeue",
    "--open-mode=append",
    `--job-name=${name}`,
    `--chdir=${folder}`,
    `--output=${output}/%a/${traces.stdout}`,
    `--error=${output}/%a/${traces.stderr}`,
    `--array=0-${cells.length - 1}${jobs === undefined ? "" : `%${jobs}`}`,
    path.join(folder, "batch.sh"),
  ];
}

/** Takes back what was prepared for an array that Slurm did not take. */
export async function discardSubmission(run: string, { number, cells }: Submission): Promise<void> {
  await Promise.all([folderOf(run, number), ...cells.map((cell) => taskFolder(cell, number))].map((folder) => rm(folder, { recursive: true, force: true })));
}
