import { isPrerelease, parseVersion } from "../../../engine/model/index.ts";
import { CannotDo } from "../../workshop.ts";
import { newestFirst, selectTorches, unmatched } from "../nightlies/index.ts";
import { oneForEachTorch } from "../predict/torches.ts";
import type { Subjects } from "../predict/subjects.ts";
import type { IndexKnowledge, KnownWheel, WheelWanted } from "../types.ts";

/** The torches from the good one to the bad one, both with it. They may go back in time. */
export interface TorchRow {
  readonly torches: readonly KnownWheel[];
  readonly isBackwards: boolean;
}

/**
 * The row between two torches. Between two nightlies releases are left out, and between two releases nightlies: they are of
 * another line of torch's history. Throws `CannotDo` when one of the ends is not known, or both are the same.
 */
export function torchRow(good: string, bad: string, knowledge: IndexKnowledge, wanted: WheelWanted, subjects: Pick<Subjects, "cudaMajor">): TorchRow {
  const variant = [bad, good].map((text) => /\+([\w.]+)$/.exec(text.trim())?.[1]).find((one) => one !== undefined);
  const chosen = variant === undefined ? wanted : { ...wanted, variant };
  const ends = [good, bad].map((text) => endOf(text, knowledge, chosen, subjects));
  const [first, last] = ends;
  if (first === undefined || last === undefined || first === last) throw new CannotDo(`${good} and ${bad} are the same torch; a bisect needs a good one and a bad one.`);
  const isKind = ends.every(isRelease) ? isRelease : ends.some(isRelease) ? () => true : (one: KnownWheel) => !isRelease(one);
  const rising = oneForEachTorch(newestFirst(knowledge, chosen), chosen, subjects).filter((one) => isKind(one) || ends.includes(one)).toReversed();
  const [from, to] = ends.map((one) => rising.indexOf(one));
  if (from === undefined || to === undefined || from < 0 || to < 0) throw new CannotDo(`${first.version} and ${last.version} are no builds of the same kind; name the label (+cpu, +cu130) of both, or --variant.`);
  const isBackwards = from > to;
  const torches = rising.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { torches: isBackwards ? torches.toReversed() : torches, isBackwards };
}

function endOf(text: string, knowledge: IndexKnowledge, wanted: WheelWanted, subjects: Pick<Subjects, "cudaMajor">): KnownWheel {
  const named = /^\d{8}$/.test(text.trim()) ? `nightly:${text.trim()}` : text;
  const found = oneForEachTorch(selectTorches(knowledge, wanted, [named]), wanted, subjects);
  const [one] = found;
  if (one === undefined) throw new CannotDo([...unmatched(knowledge, wanted, [named]), ...knowledge.indexes.flatMap((index) => index.problem ?? [])].join(" "));
  if (found.length > 1) throw new CannotDo(`"${text}" names ${found.length} torches; a bisect needs one good and one bad version.`);
  return one;
}

function isRelease({ version, day }: KnownWheel): boolean {
  const parsed = parseVersion(version);
  return day === undefined && parsed !== undefined && !isPrerelease(parsed);
}
