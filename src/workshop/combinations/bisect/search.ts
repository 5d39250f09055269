import type { BisectBy, KnownWheel } from "../types.ts";
import { narrow } from "./narrow.ts";
import type { Bounds } from "./narrow.ts";
import type { Questions } from "./questions.ts";
import { Stopped } from "./types.ts";

/** Finds where symbols break, after making sure that they do not at the good end and do at the bad one. */
export async function searchBySymbols(torches: readonly KnownWheel[], questions: Questions): Promise<Bounds> {
  const last = torches.length - 1;
  const good = await questions.predicted(0);
  if (good.verdict !== "good") throw new Stopped("inconclusive", notAsSaid(torches[0], "good", good.because, "predicted a conflict for", good.verdict));
  const bad = await questions.predicted(last);
  if (bad.verdict !== "bad") {
    const why = notAsSaid(torches[last], "bad", bad.because, "predicted no conflict for", bad.verdict);
    throw new Stopped("inconclusive", bad.verdict === "good" ? `${why} What breaks there does not show in the symbols: --by build or --by smoke tries it.` : why);
  }
  const bounds = await narrow({ good: 0, bad: last }, (place) => questions.predicted(place));
  // A break that was mended and came back is another one: two more looks on the way to the bad end.
  for (const place of new Set([bounds.bad + 1, (bounds.bad + last) >> 1])) {
    if (place > bounds.bad && place < last) await questions.predicted(place);
  }
  return bounds;
}

/**
 * Finds where it breaks when it is tried. Where symbols broke (`hint`) is tried first, and the torch before: as long as both
 * are what the symbols say, two runs do. Ends that nothing else vouches for are tried before anything between them.
 */
export async function searchByTrying(torches: readonly KnownWheel[], by: Exclude<BisectBy, "fits">, hint: Bounds | undefined, questions: Questions): Promise<Bounds> {
  const last = torches.length - 1;
  let { good, bad } = { good: 0, bad: last };
  let [isGoodSure, isBadSure] = [false, false];
  const ask = async (place: number): Promise<void> => {
    const { verdict } = await questions.tried(place, by);
    if (verdict === "good" && place >= good) [good, isGoodSure] = [place, true];
    if (verdict === "bad" && place <= bad) [bad, isBadSure] = [place, true];
  };
  if (by === "benchmark") {
    // What the others are compared with comes first.
    await ask(0);
  }
  if (hint !== undefined) {
    await ask(hint.bad);
    if (bad === hint.bad) await ask(hint.good);
  }
  if (!isGoodSure) await ask(good);
  if (!isGoodSure) throw new Stopped("inconclusive", notAsTried(torches[good], "good", by, questions.known(good, by)));
  if (!isBadSure) await ask(bad);
  if (!isBadSure || bad <= good) throw new Stopped("inconclusive", notAsTried(torches[bad], "bad", by, questions.known(bad, by)));
  return narrow({ good, bad }, (place) => questions.tried(place, by));
}

function notAsSaid(torch: KnownWheel | undefined, said: string, because: string | undefined, found: string, verdict: string): string {
  return `torch ${torch?.version} was said to be ${said}, and ${verdict === "skipped" ? "it could not be told whether it is" : `symbols ${found} it`}.${because === undefined ? "" : ` ${because}`}`;
}

function notAsTried(torch: KnownWheel | undefined, said: "good" | "bad", by: string, known: ReturnType<Questions["known"]>): string {
  return `torch ${torch?.version} was said to be ${said}, and by ${by} it ${known?.verdict === "skipped" || known === undefined ? "could not be told" : `is ${known.verdict}`}.${known?.because === undefined ? "" : ` ${known.because}`}`;
}
