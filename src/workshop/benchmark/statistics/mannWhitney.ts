/** Up to this many samples on both sides together, all arrangements are counted. */
const exactUpTo = 50;

export interface MannWhitney {
  /** Pairs in which the first is larger, equal ones counted half. */
  readonly u: number;
  /** Two-sided. */
  readonly p: number;
  readonly method: "exact" | "normal";
}

/**
 * The rank test of Mann and Whitney (Annals of Mathematical Statistics 18, 1947, p. 50): whether the samples of one side
 * tend to be larger. It asks for no shape of the distribution, which times never have, and one outlier cannot carry it.
 *
 * Up to 50 samples the distribution of the rank sum is counted over all arrangements of the ranks that were seen, with
 * mean ranks where samples are equal: so the p is exact with ties too. Beyond that the normal approximation is taken,
 * with the correction of the variance for ties and of half a step for continuity.
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): MannWhitney {
  const n = first.length;
  const m = second.length;
  if (n === 0 || m === 0) {
    return { u: 0, p: 1, method: "exact" };
  }
  const { doubled, ties } = doubledRanks([...first, ...second]);
  const sum = doubled.slice(0, n).reduce((total, rank) => total + rank, 0);
  const u = (sum - n * (n + 1)) / 2;
  if (n + m <= exactUpTo) {
    return { u, p: exactP(doubled, n, sum), method: "exact" };
  }
  const total = n + m;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  const distance = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5);
  return { u, p: variance === 0 ? 1 : Math.min(1, complementaryError(distance / Math.sqrt(2 * variance))), method: "normal" };
}

/**
 * Cliff's delta (Psychological Bulletin 114, 1993, p. 494): the share of pairs in which the second is larger, less the
 * share in which the first is. 0: they mix; 1 or -1: they do not overlap.
 */
export function cliffsDelta(u: number, n: number, m: number): number {
  return 1 - (2 * u) / (n * m);
}

/** The smallest two-sided p that so many samples can give: all of one side above all of the other. */
export function smallestP(n: number, m: number): number {
  let arrangements = 1;
  for (let k = 1; k <= Math.min(n, m); k++) {
    arrangements *= (n + m - Math.min(n, m) + k) / k;
  }
  return Math.min(1, 2 / arrangements);
}

/** Twice the mean rank of each value, which is whole; and the sum of t^3 - t over groups of t equal values. */
function doubledRanks(values: readonly number[]): { doubled: number[]; ties: number } {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const doubled = new Array<number>(values.length).fill(0);
  let ties = 0;
  for (let begin = 0; begin < order.length; ) {
    let end = begin;
    while (end < order.length && values[order[end] ?? 0] === values[order[begin] ?? 0]) {
      end++;
    }
    for (const index of order.slice(begin, end)) {
      doubled[index] = begin + 1 + end;
    }
    ties += (end - begin) ** 3 - (end - begin);
    begin = end;
  }
  return { doubled, ties };
}

/** Share of the choices of `n` of these ranks whose sum is at least as far from its mean as `seen`. */
function exactP(doubled: readonly number[], n: number, seen: number): number {
  const largest = doubled.reduce((total, rank) => total + rank, 0);
  const ways = Array.from({ length: n + 1 }, () => new Float64Array(largest + 1));
  const start = ways[0];
  if (start !== undefined) {
    start[0] = 1;
  }
  for (const rank of doubled) {
    for (let chosen = n; chosen > 0; chosen--) {
      const to = ways[chosen];
      const from = ways[chosen - 1];
      for (let sum = largest; to !== undefined && from !== undefined && sum >= rank; sum--) {
        to[sum] = (to[sum] ?? 0) + (from[sum - rank] ?? 0);
      }
    }
  }
  const mean = (n * (doubled.length + 1));
  let all = 0;
  let far = 0;
  (ways[n] ?? []).forEach((count, sum) => {
    all += count;
    far += Math.abs(sum - mean) >= Math.abs(seen - mean) ? count : 0;
  });
  return far / all;
}

/** erfc, by the rational approximation of Numerical Recipes (2nd edition, section 6.2): relative error under 1.2e-7 everywhere. */
function complementaryError(x: number): number {
  const t = 1 / (1 + x / 2);
  const series = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];
  return t * Math.exp(-x * x + series.reduceRight((sum, coefficient) => sum * t + coefficient, 0));
}
