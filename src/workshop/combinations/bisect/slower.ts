import { compare } from "../../benchmark/index.ts";
import type { BenchmarkRun, Comparison } from "../../benchmark/types.ts";

/** From which change on a difference counts: what builds with different torches differ by anyway is smaller. */
const threshold = 0.05;
/** A difference that needs no knowledge of the machine's noise to be seen. */
const plain = Math.log(1.5);

/** How much slower than with the good torch the benchmark is that lost most. */
export interface Slowdown {
  /** In logarithms; 0: none is slower as far as can be told. */
  readonly log: number;
  readonly because?: string;
}

/**
 * Compares what was measured with a torch with what was with the good one, as `benchmark` compares runs. Where the room
 * calls a difference unclear for want of earlier runs, one of half as much again counts all the same. undefined: nothing
 * could be compared.
 */
export function slowdown(good: readonly BenchmarkRun[], now: readonly BenchmarkRun[], history: readonly BenchmarkRun[]): Slowdown | undefined {
  const before = new Map(good.map((one) => [one.plan, one]));
  const pairs = now.flatMap((one) => {
    const other = before.get(one.plan);
    return other === undefined ? [] : [{ before: other, now: one }];
  });
  const comparisons = compare(pairs, { threshold, interleaved: false, history });
  const told = comparisons.filter((one) => one.verdict === "regressed" || one.verdict === "improved" || one.verdict === "no-difference" || one.verdict === "unclear");
  if (told.length === 0) return undefined;
  const worst = told.filter(isSlower).sort((a, b) => (b.ratio ?? 1) - (a.ratio ?? 1))[0];
  return worst?.ratio === undefined ? { log: 0 } : { log: Math.log(worst.ratio), because: `${worst.name} takes ${worst.ratio.toFixed(2)} times as long as with the good torch.` };
}

function isSlower({ verdict, ratio = 1 }: Comparison): boolean {
  return verdict === "regressed" || (verdict === "unclear" && Math.log(ratio) > plain);
}
