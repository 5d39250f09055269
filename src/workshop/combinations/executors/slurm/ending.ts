/** What is said of a cell whose job ended: its own result, or ours where it could leave none. */
import { constants } from "node:os";
import * as path from "node:path";
import type { CellResult, CellTask } from "../../types.ts";
import { traces } from "./script.ts";
import { endWords, slurmEndedIt } from "./states.ts";
import type { EndWords, TaskState } from "./states.ts";
import type { Trace } from "./submission.ts";

export interface Ended {
  readonly task: CellTask;
  /** "12_3". */
  readonly job: string;
  /** What Slurm and the script wrote. */
  readonly folder: string;
  readonly trace: Trace;
  /** Slurm's own word; absent: it has forgotten the job, and there is no accounting. */
  readonly state?: TaskState;
  readonly result?: CellResult;
  readonly started: Date;
  readonly now: Date;
  /** What was to be started on the node. */
  readonly program: string;
}

/** The result of a cell, as it is written and told. A cell that was only told to end does not know why; Slurm does. */
export function resultOf(ended: Ended): CellResult {
  const { task: { cell }, job, state, result, started, now } = ended;
  const hasBetter = ended.trace.problem !== undefined || (state !== undefined && slurmEndedIt(state.state));
  if (result !== undefined && !(result.outcome === "cancelled" && hasBetter)) {
    return result.where === job ? result : { ...result, where: job };
  }
  const { outcome, says } = wordsOf(ended);
  return {
    schema: 1, cell, outcome, reason: { message: says },
    steps: result?.steps ?? [], records: result?.records ?? [],
    started: result?.started ?? started.toISOString(), milliseconds: result?.milliseconds ?? Math.max(0, now.getTime() - started.getTime()), where: job,
  };
}

function wordsOf({ job, folder, trace, state, program }: Ended): EndWords {
  const node = trace.node ?? state?.node;
  const called = `Slurm job ${job}${node === undefined ? "" : ` on ${node}`}`;
  const log = path.join(folder, traces.stderr);
  if (trace.problem !== undefined) {
    return { outcome: "unknown", says: `${called} could not try the cell. ${trace.problem}` };
  }
  if (state !== undefined && slurmEndedIt(state.state)) {
    const { outcome, says, advice } = endWords(state);
    return { outcome, says: `${called} ${says} (${state.state}).${advice === undefined ? "" : ` ${advice}`}` };
  }
  if (trace.exit !== undefined) {
    return { outcome: "unknown", says: `${called} left no result: ${exitWords(trace.exit.status, program)} Its last words are in ${log}.` };
  }
  if (trace.job === undefined) {
    return { outcome: "unknown", says: blindWords(called, folder) };
  }
  return { outcome: "unknown", says: `${called} ${state === undefined ? "is not known to Slurm any more, and left no result" : endWords(state).says}: its script was ended before it could say how. Its last words are in ${log}.` };
}

/** A job that came to its end without having written a word where it should have. */
export function blindWords(called: string, folder: string): string {
  return `${called} ended before it could write into ${folder}. Most often the node does not see that folder: the project's .abiding folder has to lie on a file system that all nodes share. A single node that lacks it can be left out with "arguments": ["--exclude=NODE"] in "executor" of abiding.json.`;
}

/** An exit status as the shell gives it: 128 and the signal, 126 and 127 for a command that could not be started (POSIX, XCU 2.8.2). */
function exitWords(status: number, program: string): string {
  if (status === 126 || status === 127) {
    return `${program} could not be started there (exit status ${status}); "node" and "cli" of "executor" in abiding.json say where they are on the nodes.`;
  }
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
  return signal === undefined ? `the process that tried the cell ended with exit status ${status}.` : `the process that tried the cell was ended by ${signal}.`;
}
