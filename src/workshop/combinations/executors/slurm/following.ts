/** The tasks of arrays that were handed in, from then to their end. */
import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CannotDo } from "../../../workshop.ts";
import { logsOf, readResult, stepNames, writeResult } from "../../cells/files.ts";
import type { CellEvent, CellResult, CellStepName, CellTask } from "../../types.ts";
import { NoAnswer } from "./client.ts";
import type { JobName, SlurmClient, TaskStates } from "./client.ts";
import { blindWords, resultOf } from "./ending.ts";
import type { Pace } from "./executor.ts";
import { isHopeless, phaseOf, slurmEndedIt, waitingWords } from "./states.ts";
import type { TaskState } from "./states.ts";
import { markSeen, readTrace, taskFolder } from "./submission.ts";
import type { Trace } from "./submission.ts";

export interface FollowedTask {
  readonly task: CellTask;
  readonly job: JobName;
  readonly index: number;
  /** Of its submission. */
  readonly number: number;
}

export interface FollowingOptions {
  readonly client: SlurmClient;
  readonly tell: (event: CellEvent) => void;
  readonly note: (sentence: string) => void;
  readonly pace: Pace;
  readonly program: string;
  readonly now: () => Date;
}

interface Followed extends FollowedTask {
  readonly called: string;
  isRunning: boolean;
  /** What was last said of its waiting. */
  waits?: string;
  step?: CellStepName;
  restarts: number;
  started: Date;
  /** Slurm's last word, and since when it is that it has ended or is not known. */
  state?: TaskState;
  endedAt?: number;
}

export class Following {
  readonly #options: FollowingOptions;
  readonly #tasks = new Set<Followed>();
  readonly #jobs = new Map<string, JobName>();
  /** A job has written into a cell's folder: nodes see it. */
  #isSeen = false;
  #isAnswered = true;

  constructor(options: FollowingOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** A script has ended without a result of its own: only Slurm knows why. */
  isCurious = false;

  add(one: FollowedTask): void {
    const called = `${one.job.id}_${one.index}`;
    this.#tasks.add({ ...one, called, isRunning: false, restarts: 0, started: this.#options.now() });
    this.#jobs.set(one.job.id, one.job);
    this.#options.tell({ kind: "queued", cell: one.task.cell, note: `Slurm job ${called}` });
  }

  /** Looks at what the jobs have left in the folders of their cells. Tells whether anything is new. */
  async look(): Promise<boolean> {
    let isNew = false;
    for (const one of [...this.#tasks]) {
      const trace = await readTrace(one.task.folder, one.number);
      isNew = this.#begin(one, trace) || isNew;
      if (one.isRunning) {
        await this.#tellStep(one);
      }
      if (trace.exit === undefined && trace.problem === undefined) {
        continue;
      }
      const result = await readResult(one.task.folder);
      if (trace.problem !== undefined || (result !== undefined && result.outcome !== "cancelled")) {
        await this.#conclude(one, trace, result);
        isNew = true;
      } else {
        this.isCurious = true;
      }
    }
    return isNew;
  }

  /** Asks Slurm. A controller that does not answer changes nothing: the jobs run on without it. */
  async ask(): Promise<boolean> {
    const { client, note } = this.#options;
    this.isCurious = false;
    const live = new Set([...this.#tasks].map(({ job }) => job.id));
    let queue: ReadonlyMap<string, TaskStates>;
    try {
      queue = await client.queue([...this.#jobs.values()].filter(({ id }) => live.has(id)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) {
        throw error;
      }
      if (this.#isAnswered) {
        note(`Slurm's controller does not answer: ${error.message} The jobs go on; it is asked again.`);
      }
      this.#isAnswered = false;
      return false;
    }
    this.#isAnswered = true;
    const forgotten = new Map<string, TaskStates>();
    let isNew = false;
    for (const one of [...this.#tasks]) {
      let state = queue.get(one.job.id)?.get(one.index);
      if (state === undefined) {
        const known = forgotten.get(one.job.id) ?? await client.accounts(one.job);
        forgotten.set(one.job.id, known);
        state = known.get(one.index);
      }
      isNew = await this.#hear(one, state) || isNew;
    }
    return isNew;
  }

  /** A node has begun with it. */
  #begin(one: Followed, trace: Trace): boolean {
    if (trace.job === undefined || (one.isRunning && trace.restarts <= one.restarts)) {
      return false;
    }
    // It waits for the attempt after the one that the trace is of.
    if (!one.isRunning && one.waits !== undefined && trace.restarts < one.restarts) {
      return false;
    }
    this.#isSeen = true;
    one.isRunning = true;
    one.restarts = trace.restarts;
    one.started = this.#options.now();
    delete one.waits;
    delete one.step;
    this.#options.tell({ kind: "started", cell: one.task.cell, where: one.called });
    return true;
  }

  /** The step that it is at: the one whose log was begun last. */
  async #tellStep(one: Followed): Promise<void> {
    const logs = new Set(await readdir(logsOf(one.task.folder)).catch((): string[] => []));
    const step = stepNames.findLast((name) => logs.has(`${name}.log`));
    if (step !== undefined && step !== one.step) {
      one.step = step;
      this.#options.tell({ kind: "step", cell: one.task.cell, step });
    }
  }

  async #hear(one: Followed, state: TaskState | undefined): Promise<boolean> {
    const phase = state === undefined ? "ended" : phaseOf(state.state);
    if (state !== undefined) {
      one.state = state;
    }
    if (phase === "waiting") {
      return this.#wait(one, state);
    }
    if (phase === "running") {
      delete one.endedAt;
      return false;
    }
    one.endedAt ??= performance.now();
    const trace = await readTrace(one.task.folder, one.number);
    this.#isSeen ||= trace.job !== undefined;
    const result = await readResult(one.task.folder);
    const hasSettled = performance.now() - one.endedAt >= this.#options.pace.settle;
    // What is written last is there. Of a job that was ended hard a result may still be under way from its node to here.
    const isWhole = result === undefined ? trace.exit?.hadResult === false : trace.exit !== undefined || (state !== undefined && slurmEndedIt(state.state));
    if (!isWhole && trace.problem === undefined && !hasSettled && !neverBegan(trace, state)) {
      return false;
    }
    if (!this.#isSeen && trace.job === undefined && !neverBegan(trace, state)) {
      throw new CannotDo(blindWords(`Slurm job ${one.called}${state?.node === undefined ? "" : ` on ${state.node}`}`, taskFolder(one.task.folder, one.number)));
    }
    await this.#conclude(one, trace, result);
    return true;
  }

  async #wait(one: Followed, state: TaskState | undefined): Promise<boolean> {
    const waits = waitingWords(state?.reason);
    delete one.endedAt;
    if (isHopeless(state?.reason)) {
      await this.#options.client.cancel(one.job, one.index).catch(() => undefined);
      await this.#write(one, { ...this.#blank(one), outcome: "unknown", reason: { message: `Slurm job ${one.called} ${waits}.` } });
      return true;
    }
    if (one.isRunning) {
      one.isRunning = false;
      one.restarts += 1;
      this.#options.note(`Slurm job ${one.called} (${one.task.cell.label}) was taken off its node, as a node that fails or is given to somebody else does; Slurm has queued it again.`);
    }
    if (one.waits === waits) {
      return false;
    }
    one.waits = waits;
    this.#options.tell({ kind: "queued", cell: one.task.cell, note: `Slurm job ${one.called} ${waits}` });
    return true;
  }

  async #conclude(one: Followed, trace: Trace, result: CellResult | undefined): Promise<void> {
    const { now, program } = this.#options;
    await this.#write(one, resultOf({
      task: one.task, job: one.called, folder: taskFolder(one.task.folder, one.number), trace, started: one.started, now: now(), program,
      ...(one.state === undefined || phaseOf(one.state.state) !== "ended" ? {} : { state: one.state }),
      ...(result === undefined ? {} : { result }),
    }), result);
  }

  #blank({ task: { cell }, started, called }: Followed): Omit<CellResult, "outcome"> {
    return { schema: 1, cell, steps: [], records: [], started: started.toISOString(), milliseconds: Math.max(0, this.#options.now().getTime() - started.getTime()), where: called };
  }

  async #write(one: Followed, result: CellResult, own?: CellResult): Promise<void> {
    await this.#keep(one.task, result, own);
    await markSeen(one.task.folder, one.number);
    this.#tasks.delete(one);
    this.#options.tell({ kind: "ended", result });
  }

  /** A result that cannot be written is told all the same; the cell's own is already there. */
  async #keep(task: CellTask, result: CellResult, own?: CellResult): Promise<void> {
    if (result === own) {
      return;
    }
    await writeResult(task.folder, result).catch((error: unknown) => this.#options.note(error instanceof Error ? error.message : String(error)));
  }

  /** Results of cells that were never handed in. */
  async neverStarted(tasks: readonly CellTask[], { outcome, message }: { readonly outcome: "unknown" | "cancelled"; readonly message: string }): Promise<void> {
    for (const task of tasks) {
      const result: CellResult = { schema: 1, cell: task.cell, outcome, reason: { message }, steps: [], records: [], started: this.#options.now().toISOString(), milliseconds: 0 };
      await this.#keep(task, result);
      this.#options.tell({ kind: "ended", result });
    }
  }

  /** Cancels what is left and waits until it is gone. `tells`: each cell gets its result; else they are left for a later run. */
  async cancel(tells: boolean): Promise<void> {
    const jobs = [...new Map([...this.#tasks].map(({ job }) => [job.id, job])).values()];
    const problem = jobs.length === 0 ? undefined : await this.#cancelAndWait(jobs);
    if (problem !== undefined) {
      this.#options.note(problem);
    }
    if (!tells) {
      return;
    }
    for (const one of [...this.#tasks]) {
      const result = await readResult(one.task.folder);
      await this.#write(one, result !== undefined && result.outcome !== "cancelled"
        ? { ...result, where: one.called }
        : { ...this.#blank(one), ...result, outcome: "cancelled", reason: { message: problem ?? `It was cancelled, and so was Slurm job ${one.called}.` }, where: one.called });
    }
  }

  /** A sentence when some of it could not be ended. */
  async #cancelAndWait(jobs: readonly JobName[]): Promise<string | undefined> {
    const { client, pace } = this.#options;
    const end = performance.now() + pace.patience;
    let open = jobs;
    for (let pause = Math.min(250, pace.look), because = ""; ; pause = Math.min(pause * 1.5, 5000)) {
      try {
        // Once more each time: a job that was just being queued again does not mind.
        for (const job of open) await client.cancel(job);
        const queue = await client.queue(open);
        open = open.filter(({ id }) => [...(queue.get(id)?.values() ?? [])].some(({ state }) => phaseOf(state) !== "ended"));
        because = "they have not ended yet";
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        because = error.message;
      }
      if (open.length === 0) {
        return undefined;
      }
      if (performance.now() > end) {
        const names = open.map(({ id }) => id).join(" ");
        return `Slurm jobs could not be ended: ${because}. \`scancel ${names}\` ends them later.`;
      }
      await delay(pause);
    }
  }

  /** All have their results; a job that stays on all the same, or was queued again meanwhile, is ended. */
  async leave(): Promise<void> {
    const { client, pace } = this.#options;
    let open = [...this.#jobs.values()];
    for (let round = 0; open.length > 0 && round < 10; round += 1) {
      const queue = await client.queue(open).catch((): ReadonlyMap<string, TaskStates> => new Map());
      open = open.filter(({ id }) => [...(queue.get(id)?.values() ?? [])].some(({ state }) => phaseOf(state) !== "ended"));
      if (open.length > 0) {
        await delay(Math.min(1000, pace.look));
      }
    }
    for (const job of open) {
      await client.cancel(job).catch(() => undefined);
    }
  }
}

/** Slurm ended it before a node began with it: there is nothing to wait for, and no folder to blame. */
function neverBegan(trace: Trace, state: TaskState | undefined): boolean {
  return trace.job === undefined && state !== undefined && ["CANCELLED", "DEADLINE", "REVOKED", "BOOT_FAIL", "NODE_FAIL", "PREEMPTED"].includes(state.state);
}
