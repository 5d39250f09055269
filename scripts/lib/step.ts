import { performance } from "node:perf_hooks";

/** One line of progress, on stderr: stdout belongs to results. */
export function progress(subject: string, text: string): void {
  process.stderr.write(`${subject.padEnd(14)}${text}\n`);
}

/** Seconds since `start` (of `performance.now()`), for progress lines. */
export function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** The last part of a long log. */
export function tail(text: string, characters = 6000): string {
  return text.length <= characters ? text : `[...]${text.slice(-characters)}`;
}
