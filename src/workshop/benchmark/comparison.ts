import type { BenchmarkRun, Comparison, Measurement } from "./types.ts";
import { machineChanges } from "./machineChanges.ts";
import { runToRun } from "./runToRun.ts";
import { cliffsDelta, mannWhitney, smallestP } from "./statistics/mannWhitney.ts";
import { holm } from "./statistics/holm.ts";
import { median, spread } from "./statistics/samples.ts";
import { ratioInterval } from "./statistics/bootstrap.ts";

/** Chance that a report in which nothing changed claims that something did. */
const level = 0.05;
/** A change of this size is worth a claim when a request names no other. */
export const defaultThreshold = 0.03;
/** Enough for a few thousand comparisons in one report: ten on each side can give a p of 0.00001. */
export const defaultRepetitions = 10;

export interface ComparedRuns {
  readonly before: BenchmarkRun;
  readonly now: BenchmarkRun;
}

interface CompareOptions {
  readonly threshold: number;
  /** Repetitions of both sides were taken in turns. */
  readonly interleaved: boolean;
  /** Earlier runs, oldest first. */
  readonly history: readonly BenchmarkRun[];
  /** Only benchmarks whose name it finds were to be measured. */
  readonly filter?: RegExp;
}

interface Pair {
  readonly runs: ComparedRuns;
  readonly plan: string;
  readonly name: string;
  readonly before: Measurement | undefined;
  readonly now: Measurement | undefined;
  readonly changes: readonly string[];
}

/** The sentences on how `compare` judges. */
export function methodOf(interleaved: boolean, compared: number): string {
  return `${interleaved ? "Repetitions of both sides were taken in turns, in a random order" : "The sides were measured at different times"}. Two-sided Mann-Whitney test, corrected for ${compared} comparison${compared === 1 ? "" : "s"} by Holm's method; 95 % bootstrap interval of the ratio of medians. `
    + "A difference is claimed when the corrected p is under 0.05, the interval leaves 1 out, and the ratio differs from 1 by more than the threshold and the spread within the runs"
    + (interleaved ? "." : ", and by more than runs at different times differ here anyway; in turns (--against-build, --variant-interpreter) smaller differences can be told.");
}

/**
 * Compares the benchmarks of runs, plan by plan. "regressed" and "improved" need four things at once: a corrected p under
 * 0.05, an interval of the ratio that leaves 1 out, a change of practical size, and one above the noise, for which the
 * spread of the middle half of the noisier side stands. Sides that were not measured in turns must differ by more than runs at different times do, or
 * the verdict is "unclear".
 */
export function compare(runs: readonly ComparedRuns[], options: CompareOptions): Comparison[] {
  const pairs = runs.flatMap((one) => pairsOf(one, options.filter));
  const tested = pairs.filter(hasBoth);
  const results = tested.map((pair) => mannWhitney(pair.before.seconds, pair.now.seconds));
  const corrected = holm(results.map((result) => result.p));
  const ratios = tested.map((pair) => median(pair.now.seconds) / median(pair.before.seconds));
  let at = 0;
  return pairs.map((pair) => {
    if (!hasBoth(pair)) {
      return incomplete(pair);
    }
    const index = at++;
    return judged(pair, results[index]?.u ?? 0, results[index]?.p ?? 1, corrected[index] ?? 1, ratios, options);
  });
}

function pairsOf(runs: ComparedRuns, filter: RegExp | undefined): Pair[] {
  const changes = machineChanges(runs.before.machine, runs.now.machine);
  const before = new Map(runs.before.measurements.map((one) => [one.name, one]));
  const now = new Map(runs.now.measurements.map((one) => [one.name, one]));
  const names = [...now.keys(), ...[...before.keys()].filter((name) => filter?.test(name) ?? true)];
  return [...new Set(names)].map((name) => ({ runs, plan: runs.now.plan, name, before: before.get(name), now: now.get(name), changes }));
}

function hasBoth(pair: Pair): pair is Pair & { before: Measurement; now: Measurement } {
  return (pair.before?.seconds.length ?? 0) > 0 && (pair.now?.seconds.length ?? 0) > 0;
}

function incomplete(pair: Pair): Comparison {
  const { name, plan, before, now } = pair;
  const medians = { ...(before?.seconds.length ? { before: median(before.seconds) } : {}), ...(now?.seconds.length ? { now: median(now.seconds) } : {}) };
  if (before === undefined) {
    return { name, plan, verdict: "only-now", reason: "The baseline does not have it.", ...medians };
  }
  if (now === undefined) {
    return { name, plan, verdict: "only-before", reason: "Only the baseline has it.", ...medians };
  }
  const [side, why] = now.seconds.length === 0 ? ["now", now.problem] : ["in the baseline", before.problem];
  return { name, plan, verdict: "not-measured", reason: `It has no number ${side}${why === undefined ? "." : `: ${why}`}`, ...medians };
}

function judged(pair: Pair & { before: Measurement; now: Measurement }, u: number, p: number, corrected: number, ratios: readonly number[], options: CompareOptions): Comparison {
  const { threshold } = options;
  const family = ratios.length;
  const [first, second] = [pair.before.seconds, pair.now.seconds];
  const before = median(first);
  const now = median(second);
  const ratio = now / before;
  const interval = ratioInterval(first, second);
  const needed = Math.max(threshold, spread(first), spread(second));
  const facts = {
    name: pair.name, plan: pair.plan, before, now, ratio, interval, p, corrected, threshold: needed,
    effect: cliffsDelta(u, first.length, second.length), samples: [first.length, second.length] as const,
  };
  const range = `${times(ratio)} (${times(interval[0])} to ${times(interval[1])})`;
  if (pair.changes.length > 0) {
    return { ...facts, verdict: "machines-differ", reason: `The machine is not as it was (${pair.changes.join("; ")}), so nothing is said about the program.` };
  }
  if (pair.before.clock !== pair.now.clock && pair.before.clock !== undefined && pair.now.clock !== undefined) {
    return { ...facts, verdict: "machines-differ", reason: `One side counted ${pair.before.clock} time, the other ${pair.now.clock} time.` };
  }
  const least = smallestP(first.length, second.length);
  if (least * family >= level) {
    return { ...facts, verdict: "too-few", reason: `With ${first.length} and ${second.length} repetitions the smallest p is ${significant(least)}, which ${family === 1 ? "is not" : `times ${family} comparisons is not`} under ${level}: ${repetitionsFor(family)} of each would be enough to tell.` };
  }
  if (corrected >= level || (interval[0] <= 1 && interval[1] >= 1)) {
    return { ...facts, verdict: "no-difference", reason: `No difference is shown: ${range} of the time before.` };
  }
  // In logarithms: half the time is as far from 1 as twice the time.
  if (Math.abs(Math.log(ratio)) <= Math.log1p(needed)) {
    const why = needed > threshold ? `within the spread of the repetitions, ${percent(needed)}` : `smaller than the ${percent(threshold)} that matter`;
    return { ...facts, verdict: "no-difference", reason: `The difference, ${range} of the time before, is ${why}.` };
  }
  if (!options.interleaved) {
    const apart = runToRun(pair.plan, pair.name, pair.runs.before, pair.runs.now, ratios, options.history);
    if (Math.abs(Math.log(ratio)) <= apart.most) {
      const far = apart.most === Infinity ? "is not known" : `can be ${times(Math.exp(apart.most))} times`;
      return { ...facts, verdict: "unclear", reason: `It takes ${range} times what it took before, but how far runs at different times differ here ${far}, by ${apart.from}. Measured in turns with the other build it can be told.` };
    }
  }
  return { ...facts, verdict: ratio > 1 ? "regressed" : "improved", reason: `It takes ${range} times what it took before.` };
}

/** Repetitions of each side with which a difference can show among so many comparisons. */
export function repetitionsFor(comparisons: number): number {
  let repetitions = 2;
  while (smallestP(repetitions, repetitions) * comparisons >= level) {
    repetitions++;
  }
  return repetitions;
}

function times(ratio: number): string {
  return ratio.toFixed(3);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function significant(p: number): string {
  return p < 0.001 ? p.toExponential(1) : String(Number(p.toPrecision(2)));
}
