/** Slurm's programs: what they are asked, and what their answers mean. */
import { findProgram } from "../../../process/index.ts";
import type { ProcessResult, RunProcess, Variables } from "../../../process/types.ts";
import { CannotDo } from "../../../workshop.ts";
import { phaseOf } from "./states.ts";
import type { TaskState } from "./states.ts";

/** Slurm's controller did not answer: what it would have said is not known. The message is the program's own. */
export class NoAnswer extends Error {}

/** A job as `sbatch --parsable` names it. */
export interface JobName {
  readonly id: string;
  /** Of a cluster that is not the default one. */
  readonly cluster?: string;
}

/** Tasks of an array by their index. */
export type TaskStates = ReadonlyMap<number, TaskState>;

/** Milliseconds after which a program of Slurm's is given up: its own patience with a controller is shorter. */
const patience = 120_000;

/** Without MaxArraySize: what Slurm has where nothing else is configured (slurm.conf(5)). */
const defaultArraySize = 1001;

const noAnswer = /unable to contact slurm controller|socket timed out|zero bytes were transmitted|connection (?:refused|timed out|reset)|slurmctld.* not responding|unable to resolve|temporar/i;
const unknownJob = /invalid job id/i;

export class SlurmClient {
  readonly #run: RunProcess;
  readonly #environment: Variables;
  readonly #folder: string;
  #hasAccounting = true;

  /** Throws CannotDo when Slurm is not here. */
  constructor(run: RunProcess, environment: Variables, folder: string) {
    this.#run = run;
    this.#environment = outsideOfJobs(environment);
    this.#folder = folder;
    if (findProgram("sbatch", environment) === undefined) {
      throw new CannotDo("There is no sbatch on PATH: the executor \"slurm\" needs Slurm's programs, as login nodes of a cluster have them. The executor \"local\" tries the cells on this machine.");
    }
  }

  /** The most tasks that one array may have; 0: arrays are switched off. */
  async arraySize(): Promise<number> {
    const { stdout } = await this.#ask("scontrol", ["show", "config"]);
    const [, size] = /^MaxArraySize\s*=\s*(\d+)/m.exec(stdout.text) ?? [];
    return size === undefined ? defaultArraySize : Number(size);
  }

  /**
   * Hands in a job. Throws CannotDo with sbatch's own words when it is refused, and NoAnswer when nobody can tell whether it
   * was taken.
   */
  async submit(given: readonly string[]): Promise<JobName> {
    // The run's marker must not be in the job: a later run would take it for a process of its own on this machine.
    const result = await this.#ask("env", ["-u", "ABIDING_RUN", "sbatch", "--parsable", ...given]);
    const [, id, cluster] = /^(\d+)(?:;(\S+))?\s*$/m.exec(result.stdout.text) ?? [];
    if (isWell(result) && id !== undefined) {
      return { id, ...(cluster === undefined ? {} : { cluster }) };
    }
    const words = wordsOf(result);
    if (noAnswer.test(words) || result.ending.kind === "timed-out") {
      throw new NoAnswer(words);
    }
    throw new CannotDo(`Slurm's sbatch took no job: ${words}`);
  }

  /** The array of that name, when Slurm knows one. */
  async find(name: string): Promise<JobName | undefined> {
    const result = await this.#ask("squeue", ["--noheader", "--states=all", `--name=${name}`, "--format=%F"]);
    if (!isWell(result)) {
      throw new NoAnswer(wordsOf(result));
    }
    const [id] = /^\d+$/m.exec(result.stdout.text) ?? [];
    return id === undefined ? undefined : { id };
  }

  /**
   * What the controller still knows of the tasks of arrays, by the number of the array, in one question for each cluster. It
   * forgets a job some minutes after its end (MinJobAge).
   */
  async queue(jobs: readonly JobName[]): Promise<ReadonlyMap<string, TaskStates>> {
    const found = new Map<string, Map<number, TaskState>>();
    for (const cluster of new Set(jobs.map((job) => job.cluster))) {
      for (const [array, index, state] of await this.#queueOf(jobs.filter((job) => job.cluster === cluster))) {
        const tasks = found.get(array) ?? new Map<number, TaskState>();
        found.set(array, tasks.set(index, state));
      }
    }
    return found;
  }

  async #queueOf(jobs: readonly JobName[]): Promise<readonly [string, number, TaskState][]> {
    const [first] = jobs;
    if (first === undefined) {
      return [];
    }
    const result = await this.#ask("squeue", [...clusterOf(first), "--noheader", "--array", "--states=all", `--jobs=${jobs.map(({ id }) => id).join(",")}`, "--format=%F|%K|%T|%N|%r"]);
    if (!isWell(result)) {
      const words = wordsOf(result);
      // It is forgotten, and there is no other in the list.
      if (unknownJob.test(words)) {
        return [];
      }
      throw new NoAnswer(words);
    }
    return result.stdout.text.split("\n").flatMap((line): [string, number, TaskState][] => {
      const [array = "", index = "", state, node, ...reason] = line.trim().split("|");
      return state === undefined || !/^\d+$/.test(index) ? [] : [[array, Number(index), taskState(state, node, reason.join("|"))]];
    });
  }

  /** What the accounting knows of an array's tasks that have ended; nothing where there is no accounting. */
  async accounts(job: JobName): Promise<TaskStates> {
    if (!this.#hasAccounting) {
      return new Map();
    }
    const result = await this.#ask("sacct", [...clusterOf(job), "--noheader", "--parsable2", "--allocations", `--jobs=${job.id}`, "--format=JobID,State,NodeList"]);
    if (!isWell(result)) {
      // "Slurm accounting storage is disabled", or a database that does not answer: the rest of the run does without.
      this.#hasAccounting = false;
      return new Map();
    }
    return new Map(result.stdout.text.split("\n").flatMap((line): [number, TaskState][] => {
      const [id = "", state = "", node] = line.trim().split("|");
      const [, index] = id.startsWith(`${job.id}_`) ? (/_(\d+)$/.exec(id) ?? []) : [];
      const [, bare = "", more] = /^(\w+)(?:\s+(.*))?$/.exec(state) ?? [];
      // One that it takes for running is a job whose end it has missed: the controller knows those that do.
      return index === undefined || phaseOf(bare) !== "ended" ? [] : [[Number(index), taskState(bare, node, more)]];
    }));
  }

  /** Cancels tasks of an array, or with no index all of it. A job that has ended is no mistake. Throws NoAnswer. */
  async cancel(job: JobName, index?: number): Promise<void> {
    const result = await this.#ask("scancel", [...clusterOf(job), index === undefined ? job.id : `${job.id}_${index}`]);
    if (!isWell(result) && !unknownJob.test(wordsOf(result))) {
      throw new NoAnswer(wordsOf(result));
    }
  }

  /** None of these may be cancelled half-way: a job could have been taken whose number nobody knows. */
  #ask(program: string, given: readonly string[]): Promise<ProcessResult> {
    return this.#run({ file: program, arguments: given, folder: this.#folder, environment: this.#environment }, { timeLimit: patience, keep: 64 << 20 });
  }
}

function isWell({ ending }: ProcessResult): boolean {
  return ending.kind === "exited" && ending.code === 0;
}

/** What a program of Slurm's says, in one line and without its own name before it, with a full stop. */
function wordsOf({ ending, stdout, stderr, command }: ProcessResult): string {
  const said = (stderr.text.trim() === "" ? stdout : stderr).text.split("\n").map((line) => line.replace(/^\w+: (?:error|fatal): /, "").trim()).filter((line) => line !== "");
  if (said.length > 0) {
    return said.slice(0, 10).join(" / ").replace(/([^.!?])$/, "$1.");
  }
  switch (ending.kind) {
    case "not-started": return ending.message;
    case "exited": return `${command.file} ended with exit code ${ending.code} and said nothing.`;
    case "signalled": return `${command.file} was ended by ${ending.signal}.`;
    case "timed-out": return `${command.file} did not answer within ${ending.limit / 1000} seconds.`;
    case "cancelled": return `${command.file} was interrupted.`;
  }
}

function taskState(state: string, node: string | undefined, reason: string | undefined): TaskState {
  return { state, ...(node === undefined || node === "" ? {} : { node }), ...(reason === undefined || reason === "" || reason === "None" ? {} : { reason }) };
}

function clusterOf({ cluster }: JobName): readonly string[] {
  return cluster === undefined ? [] : [`--clusters=${cluster}`];
}

/** What a user may have set for all that he submits stays; what describes a job in which Abiding itself runs, and what would make sbatch wait, goes. */
function outsideOfJobs(environment: Variables): Variables {
  const isInJob = environment["SLURM_JOB_ID"] !== undefined;
  const kept = /^SLURM_(?:CONF|CLUSTERS|CONF_SERVER|JWT|TIME_FORMAT)$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name !== "SBATCH_WAIT" && name !== "SBATCH_ARRAY_INX" && !(isInJob && /^SLURM_/.test(name) && !kept.test(name))));
}
