/** What Slurm's words for the state of a job mean for a cell. */
import table from "../../../../../data/slurm-states.json" with { type: "json" };
import type { CellResult } from "../../types.ts";

export type Phase = "waiting" | "running" | "ended";

/** A task of an array, as squeue or sacct has it. */
export interface TaskState {
  /** "TIMEOUT"; without what sacct adds to it. */
  readonly state: string;
  /** Why it waits, or what sacct adds: "Resources", "by 1000". */
  readonly reason?: string;
  readonly node?: string;
}

interface StateRow {
  readonly state: string;
  readonly phase: string;
  readonly outcome?: string;
  readonly says?: string;
  readonly advice?: string;
}

interface ReasonRow {
  readonly reason: string;
  readonly says: string;
  readonly hopeless?: boolean;
}

const states: ReadonlyMap<string, StateRow> = new Map(table.states.map((row) => [row.state, row]));
const reasons: ReadonlyMap<string, ReasonRow> = new Map(table.reasons.map((row) => [row.reason, row]));

/** A state that is not known counts as running: the job is there, and nothing is given up. */
export function phaseOf(state: string): Phase {
  const phase = states.get(state)?.phase;
  return phase === "waiting" || phase === "ended" ? phase : "running";
}

/** Why a job waits, to follow "Slurm job 12_3". */
export function waitingWords(reason: string | undefined): string {
  if (reason === undefined || reason === "" || reason === "None") {
    return "waits in the queue";
  }
  const [, bare = ""] = /^\(?(.*?)\)?$/.exec(reason) ?? [];
  return reasons.get(bare)?.says ?? `waits in the queue (${bare})`;
}

/** The job will never run by itself any more. */
export function isHopeless(reason: string | undefined): boolean {
  return reason !== undefined && reasons.get(reason.replace(/^\(|\)$/g, ""))?.hopeless === true;
}

export interface EndWords {
  readonly outcome: Extract<CellResult["outcome"], "unknown" | "cancelled">;
  /** To follow "Slurm job 12_3". */
  readonly says: string;
  readonly advice?: string;
}

/** What the end of a job makes of a cell that left no result. */
export function endWords({ state, reason }: TaskState): EndWords {
  const row = states.get(state);
  const by = reason !== undefined && /^by \S+$/.test(reason) ? ` ${reason.replace(/^by (\d+)$/, "by user $1")}` : "";
  return {
    outcome: row?.outcome === "cancelled" ? "cancelled" : "unknown",
    says: `${row?.says ?? `ended as ${state}, and left no result`}${by}`,
    ...(row?.advice === undefined ? {} : { advice: row.advice }),
  };
}

/** Slurm itself ended the job, and knows better why than the cell does, which was only told to end. */
export function slurmEndedIt(state: string): boolean {
  return phaseOf(state) === "ended" && !["COMPLETED", "FAILED"].includes(state);
}
