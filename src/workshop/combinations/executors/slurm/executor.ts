import { setTimeout as delay } from "node:timers/promises";
import { CouldNotWrite } from "../../../process/index.ts";
import type { Workshop } from "../../../workshop.ts";
import { CannotDo } from "../../../workshop.ts";
import type { CellEvent, CellTask, Executor, SlurmExecutorSettings } from "../../types.ts";
import { adopt } from "./adopt.ts";
import { NoAnswer, SlurmClient } from "./client.ts";
import type { JobName } from "./client.ts";
import { Following } from "./following.ts";
import { discardSubmission, prepareSubmission, sbatchArguments, writeSubmission } from "./submission.ts";
import type { Submission } from "./submission.ts";

export interface SlurmOptions {
  /** The run's folder, absolute: the nodes have to see it, and what was handed in is remembered in it. */
  readonly folder: string;
  /** The project, absolute. */
  readonly root: string;
  /** What starts Abiding here: Node.js and cli.js. The settings say where they differ on the nodes. */
  readonly node: string;
  readonly cli: string;
  readonly workshop: Pick<Workshop, "run" | "environment" | "version" | "now"> & { readonly activity: Pick<Workshop["activity"], "note"> };
  readonly pace?: Pace;
}

/** Milliseconds. */
export interface Pace {
  /** Between two looks at what the jobs have left in the cells' folders, which asks nothing of Slurm. */
  readonly look: number;
  /** Between two questions to Slurm's controller: the first after a change, and the longest while nothing does. */
  readonly ask: readonly [first: number, longest: number];
  /** How long a file may take to be seen here that was written on a node. */
  readonly settle: number;
  /** How long a controller that does not answer is asked to cancel, and a cancelled job waited for. */
  readonly patience: number;
}

/**
 * Slurm asks programs not to call squeue in loops and to keep to the least that they need (squeue(1), PERFORMANCE). A client of
 * NFS may remember for a minute what a folder holds (nfs(5), acdirmax).
 */
const politePace: Pace = { look: 2000, ask: [5000, 60_000], settle: 60_000, patience: 180_000 };

/**
 * Tries cells as tasks of job arrays. Every task runs `abiding combinations cell` on its cell's folder, which a shared file
 * system brings to the node. Job numbers are kept in the run's folder: after a kill the next run goes on with the jobs that are
 * still there.
 */
export function slurmExecutor(settings: SlurmExecutorSettings, options: SlurmOptions): Executor {
  return {
    kind: "slurm",
    async execute(tasks, tell, signal) {
      if (/[\\\n]/.test(options.folder)) {
        throw new CannotDo(`Slurm cannot write logs into ${options.folder}: a backslash or a line break in a path means something else to it.`);
      }
      const client = new SlurmClient(options.workshop.run, options.workshop.environment, options.folder);
      await new SlurmRun(settings, options, client, tell, signal).carryOut(tasks);
    },
  };
}

class SlurmRun {
  readonly #settings: SlurmExecutorSettings;
  readonly #options: SlurmOptions;
  readonly #client: SlurmClient;
  readonly #signal: AbortSignal;
  readonly #pace: Pace;
  readonly #following: Following;
  /** Tasks of arrays that are not handed in yet. */
  #waiting: (readonly CellTask[])[] = [];
  #hasSubmitted = false;
  /** How many were followed when sbatch last took no more. */
  #refusedAt: number | undefined;

  constructor(settings: SlurmExecutorSettings, options: SlurmOptions, client: SlurmClient, tell: (event: CellEvent) => void, signal: AbortSignal) {
    this.#settings = settings;
    this.#options = options;
    this.#client = client;
    this.#signal = signal;
    this.#pace = options.pace ?? politePace;
    const node = settings.node ?? options.node;
    this.#following = new Following({ client, tell, pace: this.#pace, program: node, now: options.workshop.now, note: (sentence) => options.workshop.activity.note(sentence) });
  }

  async carryOut(tasks: readonly CellTask[]): Promise<void> {
    const { adopted, left } = await adopt(this.#options.folder, tasks, this.#client);
    for (const one of adopted) {
      this.#hasSubmitted = true;
      this.#following.add(one);
    }
    if (adopted.length > 0) {
      this.#options.workshop.activity.note(`${adopted.length === 1 ? "One cell is" : `${adopted.length} cells are`} still with Slurm from before (${[...new Set(adopted.map(({ job }) => job.id))].join(", ")}): going on with ${adopted.length === 1 ? "it" : "them"}.`);
    }
    this.#waiting = left.length === 0 ? [] : inChunks(left, await this.#arraySize());
    try {
      await this.#untilDone();
    } catch (error) {
      // Nothing of ours stays in the queue when nobody follows it any more.
      await this.#following.cancel(false);
      throw error;
    }
    if (this.#signal.aborted) {
      await this.#following.cancel(true);
      await this.#following.neverStarted(this.#waiting.flat(), { outcome: "cancelled", message: "It was cancelled before it was handed to Slurm." });
    } else {
      await this.#following.leave();
    }
  }

  async #arraySize(): Promise<number> {
    const size = await this.#client.arraySize();
    if (size === 0) {
      throw new CannotDo("Job arrays are switched off on this cluster (MaxArraySize = 0 in `scontrol show config`), and cells are tried as job arrays.");
    }
    return size;
  }

  async #untilDone(): Promise<void> {
    let nextQuestion = 0;
    let pause = this.#pace.ask[0];
    while (!this.#signal.aborted) {
      await this.#submitMore();
      if (this.#following.size === 0 && this.#waiting.length === 0) {
        return;
      }
      let hasChanged = await this.#following.look();
      if (performance.now() >= nextQuestion || this.#following.isCurious) {
        hasChanged = await this.#following.ask() || hasChanged;
        pause = hasChanged ? this.#pace.ask[0] : Math.min(pause * 1.5, this.#pace.ask[1]);
        nextQuestion = performance.now() + pause;
      }
      if (this.#following.size > 0 && !this.#signal.aborted) {
        // Thousands of folders are not read every two seconds.
        await delay(Math.max(this.#pace.look, this.#following.size * 5), undefined, { signal: this.#signal }).catch(() => undefined);
      }
    }
  }

  /** With a limit of cells at once an array follows the other; without, all are handed in as soon as Slurm takes them. */
  async #submitMore(): Promise<void> {
    for (let [chunk] = this.#waiting; chunk !== undefined && !this.#signal.aborted; [chunk] = this.#waiting) {
      const { size } = this.#following;
      if (size > 0 && (this.#settings.jobs !== undefined || (this.#refusedAt !== undefined && size >= this.#refusedAt))) {
        return;
      }
      try {
        await this.#submit(chunk);
        this.#waiting.shift();
        this.#refusedAt = undefined;
      } catch (error) {
        if (!(error instanceof CannotDo || error instanceof CouldNotWrite) || !this.#hasSubmitted) {
          throw error;
        }
        if (size === 0) {
          await this.#following.neverStarted(this.#waiting.flat(), { outcome: "unknown", message: error.message });
          this.#waiting = [];
          return;
        }
        if (this.#refusedAt === undefined) {
          this.#options.workshop.activity.note(`${error.message} The other cells are handed in when some of these have ended.`);
        }
        this.#refusedAt = size;
        return;
      }
    }
  }

  async #submit(tasks: readonly CellTask[]): Promise<void> {
    const { folder, root, workshop } = this.#options;
    const node = this.#settings.node ?? this.#options.node;
    const cli = this.#settings.cli ?? this.#options.cli;
    const submission = await prepareSubmission(folder, tasks, { settings: this.#settings, node, cli, mounts: [root, folder], version: workshop.version });
    const job = await this.#handIn(submission);
    this.#hasSubmitted = true;
    await writeSubmission(folder, { ...submission, job });
    tasks.forEach((task, index) => this.#following.add({ task, job, index, number: submission.number }));
  }

  async #handIn(submission: Submission): Promise<JobName> {
    try {
      return await this.#client.submit(sbatchArguments(this.#options.folder, submission, this.#settings));
    } catch (error) {
      if (!(error instanceof NoAnswer)) {
        await discardSubmission(this.#options.folder, submission);
        throw error;
      }
      // It may have been taken all the same: its name is nobody else's.
      const found = await this.#client.find(submission.name).catch(() => undefined);
      if (found === undefined) {
        throw new CannotDo(`Slurm's controller did not answer sbatch: ${error.message} Should it have taken the job, named ${submission.name}, the next start of this run finds it.`, { cause: error });
      }
      return found;
    }
  }
}

function inChunks(tasks: readonly CellTask[], size: number): (readonly CellTask[])[] {
  return Array.from({ length: Math.ceil(tasks.length / size) }, (_, index) => tasks.slice(index * size, (index + 1) * size));
}
