import type { PredictRequest } from "../predict/types.ts";
import type { BenchmarkRun } from "../../benchmark/types.ts";
import type { BisectBy, CellResult, CombinationReason, CombinationSettings, IndexKnowledge, KnownWheel, WheelWanted } from "../types.ts";

export interface BisectRequest {
  readonly root: string;
  /** Libraries or wheels whose symbols are asked, absolute; empty: what is built in the project. */
  readonly files: readonly string[];
  /** A version, or the day of a nightly: "2.13.0", "2.15.0.dev20261101+cu130", "20261101". */
  readonly good: string;
  readonly bad: string;
  readonly by: BisectBy;
  readonly wanted: WheelWanted;
  readonly settings: CombinationSettings | undefined;
  /** Bytes that reading symbols may cost. */
  readonly budget: number;
  readonly offline: boolean;
  /** Whether what is found out goes into the records. */
  readonly record: boolean;
  /** Forgets what an interrupted bisect of the same kind found out. */
  readonly restart: boolean;
  readonly cacheFolder?: string;
  readonly interpreter?: string;
  readonly network?: PredictRequest["network"];
}

/** A torch that was really tried. */
export interface Tried {
  readonly result: CellResult;
  /** What was measured, when that was asked for. */
  readonly runs?: readonly BenchmarkRun[];
}

/** Tries a torch: installs it, builds the project with it, and does what `by` names. */
export type TryTorch = (torch: KnownWheel, by: Exclude<BisectBy, "fits">) => Promise<Tried>;

/** Makes what tries torches in a folder, once it is known which wheels there are; `end` clears up after it. */
export type MakeTrier = (known: { readonly folder: string; readonly wanted: WheelWanted; readonly knowledge: IndexKnowledge }) => { readonly tries: TryTorch; end(): Promise<void> };

/** What a torch was found to be. */
export interface Answer {
  readonly verdict: "good" | "bad" | "skipped";
  /** In a sentence: why it is bad, or cannot be told. */
  readonly because?: string;
  readonly reason?: CombinationReason;
}

/** The bisect cannot go on: cancelled, nothing left of the budget, an end that is not what it was said to be. */
export class Stopped extends Error {
  readonly outcome: "cancelled" | "inconclusive";

  constructor(outcome: "cancelled" | "inconclusive", message: string) {
    super(message);
    this.outcome = outcome;
  }
}
