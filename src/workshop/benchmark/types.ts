import type { Ending } from "../process/types.ts";
import type { BenchmarkFormat, BenchmarkPlan } from "../project/types.ts";

/** A machine as far as it moves a measurement. */
export interface Machine {
  readonly cpu: string;
  /** Logical ones that this process may use. */
  readonly cores: number;
  /** Cores' worth of time that a control group allows. */
  readonly cpuLimit?: number;
  readonly governor?: string;
  readonly turbo?: boolean;
  /** Simultaneous multithreading. */
  readonly smt?: boolean;
  readonly memoryBytes: number;
  readonly lastLevelCacheBytes?: number;
  /** "Linux 6.1.0 x64" */
  readonly system: string;
  /** The virtual machine or container, where it is one. */
  readonly virtual?: string;
  readonly gpus: readonly { readonly name: string; readonly driver?: string; readonly clocks?: string }[];
  /** Load average over a minute at the begin and the end. */
  readonly load: readonly [number, number];
}

/** All samples of one benchmark of one run. */
export interface Measurement {
  /** With its arguments: "gather/64B/threads:2". */
  readonly name: string;
  /**
   * Seconds for one iteration, one number for each repetition, in the order in which they were taken. A repetition is a
   * process of its own; where it took several samples, their median.
   */
  readonly seconds: readonly number[];
  /** Which clock: the one that the benchmark's name or format says. */
  readonly clock?: "cpu" | "real" | "gpu";
  /** What was moved or computed in one iteration, where the benchmark counts it. */
  readonly bytes?: number;
  /** How `bytes` counts: reads and writes together, or what the benchmark calls processed. */
  readonly bytesCount?: "traffic" | "processed";
  readonly flops?: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Why there is no number, or fewer than repetitions. */
  readonly problem?: string;
  /** It was left out by itself: no GPU, a state that makes no sense. */
  readonly skipped?: boolean;
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
  /** What this machine can do at most, measured in the same run: bytes and operations in a second. `copyBytes` counts what is read and what is written. */
  readonly ceilings?: { readonly copyBytes?: number; readonly flops?: number; readonly from?: string };
  /** The other side of a comparison in which both were measured together. */
  readonly variant?: string;
  /** The order in which repetitions of this run (A) and of the other side (B) were taken. */
  readonly order?: string;
  readonly repetitions?: number;
  readonly filter?: string;
  /** Not all repetitions were taken, or not all gave all their numbers. */
  readonly partial?: boolean;
  /** Processes that did not end well. */
  readonly failures?: readonly { readonly repetition: number; readonly ending: Ending; readonly message: string }[];
  /** Version of Abiding. */
  readonly by?: string;
}

export type ComparisonVerdict =
  | "regressed"
  | "improved"
  | "no-difference"
  /** So few repetitions that no difference could show. */
  | "too-few"
  /** They differ, but no more than runs at different times can differ without a cause in the program. */
  | "unclear"
  | "only-before"
  | "only-now"
  /** Measured on another machine, or on this one in another state: nothing is claimed. */
  | "machines-differ"
  /** A side has the benchmark, and no number of it. */
  | "not-measured";

/** One benchmark of two runs, compared. */
export interface Comparison {
  readonly name: string;
  readonly plan?: string;
  readonly verdict: ComparisonVerdict;
  /** The verdict in a sentence. */
  readonly reason?: string;
  /** Medians in seconds. */
  readonly before?: number;
  readonly now?: number;
  /** now / before of the medians, with its interval. */
  readonly ratio?: number;
  readonly interval?: readonly [number, number];
  /** Two-sided, of the Mann-Whitney test. */
  readonly p?: number;
  /** The same, corrected for the number of comparisons in the report (Holm). */
  readonly corrected?: number;
  /** Cliff's delta: from -1 (now always faster) to 1. */
  readonly effect?: number;
  /** Repetitions before and now. */
  readonly samples?: readonly [number, number];
  /** What a ratio, or its inverse, has to exceed 1 by to be more than the machine's noise and of practical size. */
  readonly threshold?: number;
}

/** What a benchmark reaches of what its machine can do. */
export interface Fraction {
  readonly name: string;
  readonly plan?: string;
  readonly fraction: number;
  readonly of: "copy" | "compute" | "gpu-memory" | "roof";
  /** Why the fraction says little: data that a cache holds, a count of bytes that cannot be. */
  readonly doubtful?: string;
}

export interface BenchmarkRequest {
  readonly root: string;
  readonly plans: readonly BenchmarkPlan[];
  /** A regular expression for names. */
  readonly filter?: string;
  readonly repetitions: number;
  readonly interpreter?: string;
  readonly against: readonly string[];
  /** Id of a run of the history, the name of a saved baseline, "last", or a file; absent: nothing is compared. */
  readonly baseline?: string;
  /** The runs are kept under this name, for later comparisons. */
  readonly saveBaseline?: string;
  /** A second build or environment, whose repetitions are interleaved with the first. */
  readonly variant?: { readonly name: string; readonly plans: readonly BenchmarkPlan[]; readonly interpreter?: string };
  /** Milliseconds for each process. */
  readonly timeLimit: number;
  /** From which change on a difference is worth a claim: 0.03 is 3 %, which is also the default. */
  readonly threshold?: number;
}

export interface BenchmarkReport {
  readonly schema: 1;
  readonly root: string;
  readonly outcome: "measured" | "regressed" | "failed" | "cancelled" | "no-benchmarks";
  readonly reason?: string;
  readonly runs: readonly BenchmarkRun[];
  readonly comparisons: readonly Comparison[];
  /** What `before` of the comparisons is, and how differences were judged. */
  readonly comparedWith?: { readonly name: string; readonly interleaved: boolean; readonly method: string };
  /** By benchmark: the fraction of what the machine can do. */
  readonly fractions: readonly Fraction[];
  /** Where the runs were appended. */
  readonly history: string;
  readonly warnings: readonly string[];
}

/** A name for runs that later ones are compared with. */
export interface SavedBaseline {
  readonly name: string;
  readonly runs: readonly string[];
  readonly saved: string;
}

/** What was measured before. */
export interface History {
  /** Oldest first. */
  readonly runs: readonly BenchmarkRun[];
  /** The last under each name. */
  readonly baselines: readonly SavedBaseline[];
  /** Lines that could not be read, each with its number. */
  readonly problems: readonly string[];
  readonly file: string;
}
