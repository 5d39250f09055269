/** Jobs that an earlier, killed run of the same name has handed in. */
import { CannotDo } from "../../../workshop.ts";
import { readResult } from "../../cells/files.ts";
import type { CellTask } from "../../types.ts";
import { NoAnswer } from "./client.ts";
import type { JobName, SlurmClient, TaskStates } from "./client.ts";
import type { FollowedTask } from "./following.ts";
import { phaseOf } from "./states.ts";
import { readSubmissions, readTrace, writeSubmission } from "./submission.ts";

export interface Adopted {
  readonly adopted: readonly FollowedTask[];
  /** To be handed in. */
  readonly left: readonly CellTask[];
}

/**
 * Of each task, its newest submission whose end nobody has told: a job that waits or runs is followed, and so is one that ended
 * meanwhile in a way that says something. One that was cancelled, that never began, or whose result was taken away is tried anew.
 */
export async function adopt(run: string, tasks: readonly CellTask[], client: SlurmClient): Promise<Adopted> {
  const candidates = new Map<string, FollowedTask>();
  try {
    for (const submission of await readSubmissions(run)) {
      const open = await openTasks(submission, tasks);
      const job = open.length === 0 ? undefined : submission.job ?? await client.find(submission.name);
      if (job === undefined) {
        continue;
      }
      if (submission.job === undefined) {
        await writeSubmission(run, { ...submission, job });
      }
      for (const [index, task] of open) {
        candidates.set(task.folder, { task, job, index, number: submission.number });
      }
    }
    const adopted = await stillOfUse([...candidates.values()], client);
    const folders = new Set(adopted.map(({ task }) => task.folder));
    return { adopted, left: tasks.filter(({ folder }) => !folders.has(folder)) };
  } catch (error) {
    if (!(error instanceof NoAnswer)) {
      throw error;
    }
    throw new CannotDo(`Slurm's controller does not answer, and jobs of this run may still be there: ${error.message} Nothing was handed in; start it again when it answers.`, { cause: error });
  }
}

async function openTasks({ cells, number }: { readonly cells: readonly string[]; readonly number: number }, tasks: readonly CellTask[]): Promise<readonly [number, CellTask][]> {
  const wanted = new Map(tasks.map((task) => [task.folder, task]));
  const mine = cells.flatMap((folder, index): [number, CellTask][] => {
    const task = wanted.get(folder);
    return task === undefined ? [] : [[index, task]];
  });
  const seen = await Promise.all(mine.map(async ([, { folder }]) => (await readTrace(folder, number)).isSeen));
  return mine.filter((_, at) => seen[at] !== true);
}

async function stillOfUse(candidates: readonly FollowedTask[], client: SlurmClient): Promise<readonly FollowedTask[]> {
  if (candidates.length === 0) {
    return [];
  }
  const jobs = [...new Map(candidates.map(({ job }) => [job.id, job])).values()];
  const queue = await client.queue(jobs);
  const accounts = new Map<string, TaskStates>();
  const accountsOf = async (job: JobName): Promise<TaskStates> => {
    const known = accounts.get(job.id) ?? await client.accounts(job);
    accounts.set(job.id, known);
    return known;
  };
  const kept: FollowedTask[] = [];
  for (const one of candidates) {
    const state = queue.get(one.job.id)?.get(one.index) ?? (await accountsOf(one.job)).get(one.index);
    if (state !== undefined && phaseOf(state.state) !== "ended") {
      kept.push(one);
      continue;
    }
    const trace = await readTrace(one.task.folder, one.number);
    const result = await readResult(one.task.folder);
    const hasResult = result !== undefined && result.outcome !== "cancelled";
    const hasCrashed = trace.exit?.hadResult === false && state?.state !== "CANCELLED";
    const wasEnded = trace.job !== undefined && trace.exit === undefined && state !== undefined && state.state !== "CANCELLED";
    if (hasResult || hasCrashed || wasEnded) {
      kept.push(one);
    }
  }
  return kept;
}
