import type { Fix, TextEdit } from "../../../engine/model/index.ts";
import type { IndexRequest } from "../nightlies/types.ts";
import type { PinStanding } from "./standing.ts";

/** What the pins are to become. */
export interface RollTarget {
  /** With its local label, where it has one. */
  readonly torch: string;
  /** "torchvision" -> version. */
  readonly packages: Readonly<Record<string, string>>;
  /** The index that has them; absent: not known. */
  readonly index?: string;
  readonly gitVersion?: string;
}

/** A pin that is rewritten. `line` counts from 1. */
export interface PinChange {
  readonly path: string;
  readonly line: number;
  /** "torch", "torchvision"; "torch commit" for a file that holds torch's commit; "index" for the address of an index. */
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly edit: TextEdit;
}

/** A place that asks for something else than the target and is not rewritten. `line` counts from 1. */
export interface PinLeft {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly because: string;
  /** It belongs to what is rolled and has to be changed by hand; false: it is meant for something else, or a tool writes it. */
  readonly byHand: boolean;
}

export interface PinPlan {
  readonly changes: readonly PinChange[];
  readonly left: readonly PinLeft[];
  /** What to mind of the changes, in sentences. */
  readonly notes: readonly string[];
  /** The pinned torch that is rolled, without its label; absent: none is pinned. */
  readonly from?: string;
  /** Pins that ask for the target, now or by the changes. */
  readonly atTarget: number;
}

export interface RollRequest extends Omit<IndexRequest, "packages"> {
  readonly packages?: readonly string[];
  /** The file of records. */
  readonly records: string;
  /** A version, "latest" (the newest release that is recorded as working) or "latest-nightly"; absent: the one of the pin's kind. */
  readonly to?: string;
  /** The pinned torch that is rolled where the project pins several; absent: the one of its main files. */
  readonly from?: string;
  readonly write: boolean;
}

/** The JSON of `combinations roll` (docs/schema/combinations-roll.schema.json) is made of this. */
export interface RollReport {
  readonly root: string;
  /** "up-to-date": all pins are at it already. "stopped": see `reason`. "changed-meanwhile": a file was changed since it was read, and nothing was written. */
  readonly outcome: "planned" | "written" | "up-to-date" | "stopped" | "changed-meanwhile";
  /** Why nothing is planned, or was written, in sentences. */
  readonly reason?: string;
  readonly from?: string;
  readonly to?: RollTarget;
  /** How the target is known to work: the records' words; absent: no record says so. */
  readonly because?: string;
  readonly changes: readonly PinChange[];
  readonly left: readonly PinLeft[];
  readonly notes: readonly string[];
  /** All changes as one edit. */
  readonly fix?: Fix;
  /** The same as a unified diff, as git applies it. */
  readonly patch: string;
  readonly standing?: PinStanding;
  readonly problems: readonly string[];
}
