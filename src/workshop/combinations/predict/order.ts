import type { Verdict } from "../../../engine/model/index.ts";

/** Of a torch in a row of them, newest first: "asked" is being read, undefined was not asked. */
export type Standing = Verdict | "asked" | undefined;

/**
 * Which torch is read next, so that what a budget or a cancel leaves is of most use: both ends, then the middle of a gap
 * whose ends differ, which is where something broke, then the middle of the longest gap. undefined: all were asked.
 */
export function nextToAsk(row: readonly Standing[]): number | undefined {
  const asked = row.flatMap((one, index) => (one === undefined ? [] : [index]));
  const last = row.length - 1;
  if (row.length > 0 && row[0] === undefined) return 0;
  if (row.length > 0 && row[last] === undefined) return last;
  let best: { readonly middle: number; readonly differs: boolean; readonly length: number } | undefined;
  for (const [at, start] of asked.entries()) {
    const end = asked[at + 1];
    if (end === undefined || end - start < 2) continue;
    const differs = row[start] !== "asked" && row[end] !== "asked" && row[start] !== row[end];
    const length = end - start;
    if (best === undefined || (differs === best.differs ? length > best.length : differs)) {
      best = { middle: start + (length >> 1), differs, length };
    }
  }
  return best?.middle;
}
