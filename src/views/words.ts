/** Words and numbers for people, the same on the panel's page, on the published one and in reports. */
import type { CombinationOutcome, Method } from "../workshop/combinations/types.ts";
import type { ComparisonVerdict, Fraction } from "../workshop/benchmark/types.ts";

const told: Readonly<Record<Exclude<Method, "predicted">, readonly [passed: string, failed: string, unknown: string]>> = {
  built: ["built", "did not build", "build could not be told"],
  loaded: ["loaded", "did not load", "load could not be told"],
  smoke: ["smoke tests passed", "smoke tests failed", "smoke tests could not be told"],
  benchmark: ["benchmarks ran", "benchmarks failed", "benchmarks could not be told"],
};

const predicted: Readonly<Partial<Record<CombinationOutcome, string>>> = { "no-conflict": "predicted no conflict", conflict: "predicted conflict" };

/** "smoke tests passed", "predicted no conflict": a prediction is never worded as something that was tried. */
export function recordWords(how: Method, outcome: CombinationOutcome): string {
  if (how === "predicted") {
    return predicted[outcome] ?? "prediction could not tell";
  }
  const [passed, failed, unknown] = told[how];
  return outcome === "passed" ? passed : outcome === "failed" ? failed : unknown;
}

export const verdictWords: Readonly<Record<ComparisonVerdict, string>> = {
  regressed: "slower", improved: "faster", "no-difference": "no difference found", unclear: "not told apart from noise", "too-few": "too few samples to tell", "only-before": "only measured before", "only-now": "new",
  "machines-differ": "measured on another machine, or on this one in another state", "not-measured": "no number on one side",
};

const ceilings: Readonly<Record<Fraction["of"], string>> = { copy: "copy bandwidth", compute: "compute", "gpu-memory": "GPU memory bandwidth", roof: "the roofline" };

/** "73 % of copy bandwidth" */
export function fractionWords({ fraction, of }: Fraction): string {
  return `${(fraction * 100).toFixed(fraction < 0.1 ? 1 : 0)} % of ${ceilings[of]}`;
}

const units: readonly (readonly [number, string])[] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]];

/** "12.3 ms" with three digits. */
export function duration(seconds: number): string {
  const [factor, unit] = units.find(([least]) => seconds >= least) ?? [1e-9, "ns"];
  return `${Number((seconds / factor).toPrecision(3))} ${unit}`;
}

/** For something that goes on: "4 s", "2 min 05 s", "1 h 02 min". */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours} h ${two(minutes)} min` : minutes > 0 ? `${minutes} min ${two(rest)} s` : `${rest} s`;
}

const steps: readonly (readonly [milliseconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [365 * 86_400_000, "year"], [30 * 86_400_000, "month"], [86_400_000, "day"], [3_600_000, "hour"], [60_000, "minute"],
];

/** "3 days ago"; undefined for a text that is no time. A time ahead of the clock is said as it is: clocks differ. */
export function age(when: string, now: Date): string | undefined {
  const difference = Date.parse(when) - now.getTime();
  if (Number.isNaN(difference)) {
    return undefined;
  }
  const [unitLength, unit] = steps.find(([length]) => Math.abs(difference) >= length) ?? [0, undefined];
  return unit === undefined ? "just now" : new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(Math.trunc(difference / unitLength), unit);
}

/** A commit as people write it; what is no hash stays as it is. */
export function shortCommit(commit: string): string {
  return /^[0-9a-f]{12,}$/i.test(commit) ? commit.slice(0, 9) : commit;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
