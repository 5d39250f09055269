import { ascending } from "./samples.ts";

const confidence = 0.95;

/** Beyond, a normal distribution stands for the binomial one: 2^-n is no number any more. */
const mostExact = 1000;
const normalQuantile = 1.96;

/**
 * An interval that holds the median of whatever the samples were drawn from with a chance of at least 95 %, whatever the
 * distribution: the k-th smallest and the k-th largest sample, where k is the largest with
 * 1 - 2 P(Binomial(n, 1/2) < k) of at least 0.95 (Hahn and Meeker, Statistical Intervals, 1991, section 5.2). Undefined
 * below six samples: then even the smallest and the largest leave more than 5 % outside.
 */
export function medianInterval(samples: readonly number[]): readonly [number, number] | undefined {
  const sorted = ascending(samples);
  const n = sorted.length;
  const k = n <= mostExact ? exactRank(n) : Math.floor(n / 2 - (normalQuantile * Math.sqrt(n)) / 2);
  const low = sorted[k - 1];
  const high = sorted[n - k];
  return low === undefined || high === undefined ? undefined : [low, high];
}

function exactRank(n: number): number {
  // P(Binomial = k), and what is in the tail below k.
  let probability = 2 ** -n;
  let tail = 0;
  let k = 0;
  while (k < n / 2 && 1 - 2 * (tail + probability) >= confidence) {
    tail += probability;
    probability *= (n - k) / (k + 1);
    k += 1;
  }
  return k;
}
