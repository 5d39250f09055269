import { machineChanges } from "./machineChanges.ts";
import { ascending, median } from "./statistics/samples.ts";
import type { BenchmarkRun } from "./types.ts";

/** Differences between runs that tell how large such differences are. */
const leastDifferences = 4;
/** Older runs say less about the machine of today. */
const mostDifferences = 20;
/** From so many benchmarks on, most of them can stand for "unchanged". */
const leastBenchmarks = 8;
/** What two runs of the same program on a quiet machine differ by where nothing else is known. */
const quietNoise = Math.log(1.1);

/** 1.4826 times the median of distances from the centre estimates a standard deviation (Hampel, JASA 69, 1974); three of them. */
const three = 3 * 1.4826;

export interface RunToRun {
  /** Largest |log ratio| of medians that two runs can have without a cause in the program; Infinity: nothing is known. */
  readonly most: number;
  /** From what it is known. */
  readonly from: string;
}

/**
 * How far runs at different times differ when nothing was changed. Samples of one run cannot tell: a neighbour on the host, a
 * clock or a memory layout that stays for the length of a run moves all of them together. What can: how runs differed
 * before on this machine, and how the benchmarks that were compared differ among each other, most of which one
 * change of a program leaves alone.
 */
export function runToRun(plan: string, name: string, before: BenchmarkRun, now: BenchmarkRun, ratios: readonly number[], history: readonly BenchmarkRun[]): RunToRun {
  const known: RunToRun[] = [];
  const differences = differencesOf(plan, name, now, history);
  if (differences.length >= leastDifferences) {
    // The largest may have been a change of the program; a second one as large was the machine.
    known.push({ most: Math.max(three * median(differences), 2 * (ascending(differences).at(-2) ?? 0)), from: `the last ${differences.length + 1} runs` });
  } else if (before.warnings.length === 0 && now.warnings.length === 0) {
    known.push({ most: quietNoise, from: "nothing but that the machine was quiet" });
  } else {
    return { most: Infinity, from: "nothing: the machine was not quiet, and there are fewer than five runs of it in the history" };
  }
  if (ratios.length >= leastBenchmarks) {
    known.push({ most: three * median(ratios.map((ratio) => Math.abs(Math.log(ratio)))), from: `how all ${ratios.length} benchmarks differ` });
  }
  return known.reduce((a, b) => (a.most >= b.most ? a : b));
}

/** |log ratio| of the medians of consecutive runs on this machine in this state, the latest last. */
function differencesOf(plan: string, name: string, now: BenchmarkRun, history: readonly BenchmarkRun[]): number[] {
  const medians = history
    .filter((run) => run.plan === plan && run.id !== now.id && run.variant === undefined && machineChanges(run.machine, now.machine).length === 0)
    .flatMap((run) => run.measurements.filter((one) => one.name === name && one.seconds.length > 0).map((one) => median(one.seconds)));
  return medians.slice(1).map((one, index) => Math.abs(Math.log(one / (medians[index] ?? one)))).slice(-mostDifferences);
}
