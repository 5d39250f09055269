import type { Answer } from "./types.ts";

/** Places in a row of torches: the last that is known to be good, and the first that is known to be bad. */
export interface Bounds {
  readonly good: number;
  readonly bad: number;
}

/**
 * Halves the row between a good and a bad place until no place is left between them but such as could not be told; of
 * those the caller knows by what `ask` answered. What cannot be told is passed over for its nearest neighbour.
 */
export async function narrow(bounds: Bounds, ask: (place: number) => Promise<Answer>): Promise<Bounds> {
  let { good, bad } = bounds;
  const skipped = new Set<number>();
  for (;;) {
    const place = nearestToMiddle(good, bad, skipped);
    if (place === undefined) return { good, bad };
    const { verdict } = await ask(place);
    if (verdict === "good") good = place;
    else if (verdict === "bad") bad = place;
    else skipped.add(place);
  }
}

function nearestToMiddle(good: number, bad: number, skipped: ReadonlySet<number>): number | undefined {
  const middle = (good + bad) >> 1;
  for (let distance = 0; distance < bad - good; distance += 1) {
    const found = [middle - distance, middle + distance].find((one) => one > good && one < bad && !skipped.has(one));
    if (found !== undefined) return found;
  }
  return undefined;
}
