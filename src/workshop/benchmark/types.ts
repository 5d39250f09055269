import type { BenchmarkFormat, BenchmarkPlan } from "../project/types.ts";

/** A machine as far as it moves a measurement. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly governor?: string;
  readonly memoryBytes: number;
  readonly system: string;
  readonly gpus: readonly { readonly name: string; readonly driver?: string; readonly clocks?: string }[];
  /** Load average over a minute at the begin and the end. */
  readonly load: readonly [number, number];
}

/** All samples of one benchmark of one run. */
export interface Measurement {
  /** With its arguments: "gather/64B/threads:2". */
  readonly name: string;
  /** Seconds for one iteration, one number for each repetition, in the order in which they were taken. */
  readonly seconds: readonly number[];
  /** What was moved or computed in one iteration, where the benchmark counts it. */
  readonly bytes?: number;
  readonly flops?: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Why there is no number. */
  readonly problem?: string;
}

export interface BenchmarkRun {
  readonly schema: 1;
  /** "2026-11-30T18:01:02Z-gantry". */
  readonly id: string;
  readonly started: string;
  readonly plan: string;
  readonly format: BenchmarkFormat;
  /** The command line, for pasting. */
  readonly line: string;
  readonly commit?: string;
  readonly machine: Machine;
  readonly measurements: readonly Measurement[];
  /** What makes the numbers doubtful: a busy machine, a governor, clocks that moved. */
  readonly warnings: readonly string[];
  /** What this machine can do at most, measured in the same run: bytes and operations in a second. */
  readonly ceilings?: { readonly copyBytes?: number; readonly flops?: number };
}

/** One benchmark of two runs, compared. */
export interface Comparison {
  readonly name: string;
  readonly verdict: "regressed" | "improved" | "no-difference" | "too-few" | "only-before" | "only-now";
  /** Medians in seconds. */
  readonly before?: number;
  readonly now?: number;
  /** now / before of the medians, with its interval. */
  readonly ratio?: number;
  readonly interval?: readonly [number, number];
  /** Two-sided, of the Mann-Whitney test. */
  readonly p?: number;
  /** Cliff's delta: from -1 (now always faster) to 1. */
  readonly effect?: number;
}

export interface BenchmarkRequest {
  readonly root: string;
  readonly plans: readonly BenchmarkPlan[];
  /** A regular expression for names. */
  readonly filter?: string;
  readonly repetitions: number;
  readonly interpreter?: string;
  readonly against: readonly string[];
  /** Id of a run of the history, "last", or a file; absent: nothing is compared. */
  readonly baseline?: string;
  /** A second build or environment, whose repetitions are interleaved with the first. */
  readonly variant?: { readonly name: string; readonly plans: readonly BenchmarkPlan[]; readonly interpreter?: string };
  /** Milliseconds for each process. */
  readonly timeLimit: number;
}

export interface BenchmarkReport {
  readonly schema: 1;
  readonly root: string;
  readonly outcome: "measured" | "regressed" | "failed" | "cancelled" | "no-benchmarks";
  readonly reason?: string;
  readonly runs: readonly BenchmarkRun[];
  readonly comparisons: readonly Comparison[];
  /** By benchmark: the fraction of what the machine can do. */
  readonly fractions: readonly { readonly name: string; readonly fraction: number; readonly of: "copy" | "compute" }[];
  /** Where the runs were appended. */
  readonly history: string;
  readonly warnings: readonly string[];
}
