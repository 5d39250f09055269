import type { Log, PrintedException } from "./types.ts";

/** Index into `Log.exceptions` of the one that a line, an index into `Log.lines`, belongs to. A text may have thousands of both. */
export function exceptionIndexAt({ exceptions }: Log, at: number): number | undefined {
  let [low, high] = [0, exceptions.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { first, last } = exceptions[middle] as PrintedException;
    if (at < first) high = middle - 1;
    else if (at > last) low = middle + 1;
    else return middle;
  }
  return undefined;
}

/** The exception that a line belongs to. */
export function exceptionAt(log: Log, at: number): PrintedException | undefined {
  return log.exceptions[exceptionIndexAt(log, at) ?? -1];
}

/** What an exception caused: it is printed behind it, or around it where causes are printed below. */
export function causedBy(index: number, { exceptions }: Log): PrintedException | undefined {
  return [exceptions[index + 1], exceptions[index - 1]].find((one) => one?.causedBy === index);
}
