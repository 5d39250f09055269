import type { Comparison } from "../../src/protocol/panel.ts";
import { duration, fractionWords, shortCommit } from "../../src/views/words.ts";
import type { Point } from "./series.ts";

/** "2026-11-29 18:01", as the record has it: the same for all who look at it. */
export function when(started: string): string {
  return started.slice(0, 16).replace("T", " ");
}

export function intervalWords(interval: readonly [number, number] | undefined): string {
  return interval === undefined ? "" : `${duration(interval[0])} to ${duration(interval[1])}`;
}

export function pointWords({ started, commit, median, interval, repetitions, problem, fraction, changes }: Point): string {
  return [
    `${when(started)}${commit === undefined ? "" : `, ${shortCommit(commit)}`}`,
    median === undefined ? problem ?? "no number" : `${duration(median)}${interval === undefined ? "" : ` (${intervalWords(interval)})`}, ${repetitions} repetitions`,
    ...(fraction === undefined ? [] : [fractionWords(fraction)]),
    ...changes,
  ].join("\n");
}

/** Never a bare percentage: the interval says how much of it is known. */
export function ratioWords({ ratio, interval }: Comparison): string {
  return ratio === undefined ? "" : `× ${ratio.toFixed(3)}${interval === undefined ? "" : ` (${interval[0].toFixed(3)} to ${interval[1].toFixed(3)})`}`;
}
