import type { ExplainVerdict } from "../../model/index.ts";
import { exceptionIndexAt } from "./exceptionAt.ts";
import { baseName, isOfLink, isOneMatter, lineOf } from "./orderMatters.ts";
import type { Matter } from "./orderMatters.ts";
import type { Clue, Explanation, Log } from "./types.ts";

/** A matter with what happened. */
export interface Explained extends Matter {
  readonly explanation: Explanation;
}

/** How far before its cause a summary may stand: pip prints "did not run successfully" above the output that says why. */
const summaryReach = 400;
/** How far apart two lines of one run of a linker stand. */
const linkReach = 20;
/** Most later lines that a verdict lists. */
const mostConsequences = 20;

/**
 * Verdicts, the one to look at first before the others: by their first line, but what an exception was caused by before the exception;
 * what only follows from another is listed with it; warnings last.
 */
export function inOrder(explained: readonly Explained[], log: Log): readonly ExplainVerdict[] {
  const merged = mergedByCause(explained, log);
  const verdicts: { readonly of: Explained; readonly consequences: Clue[]; place: number }[] = [];
  const causes = merged.filter(({ clues }) => clues[0].weight === "cause");
  const warnings = merged.filter(({ clues }) => clues[0].weight === "warning");
  const entries = new Map(merged.map((of) => [of, { of, consequences: [] as Clue[], place: lineOf(of.clues[0], log) }]));
  for (const one of causes) {
    const entry = entries.get(one);
    if (entry === undefined) continue;
    const parent = ancestor(one, causes, log);
    const parentEntry = parent === undefined ? undefined : entries.get(parent.of);
    if (parentEntry === undefined || parent === undefined) verdicts.push(entry);
    else if (parent.isAttempt) {
      // A first attempt that was not there; what failed then is what matters.
      parentEntry.place = Math.max(parentEntry.place, entry.place + 0.5);
      verdicts.push(entry);
    } else parentEntry.consequences.push(...one.clues);
  }
  for (const one of merged.filter(({ clues }) => clues[0].weight === "consequence")) {
    const entry = entries.get(one);
    const parent = parentOf(one, causes, warnings, log);
    if (parent !== undefined) entries.get(parent)?.consequences.push(...one.clues);
    else if (entry !== undefined) verdicts.push(entry);
  }
  const promoted = warnings.flatMap((one) => entries.get(one) ?? []).filter(({ consequences }) => consequences.length > 0);
  const remarks = warnings.flatMap((one) => entries.get(one) ?? []).filter((entry) => !promoted.includes(entry) && !verdicts.some(({ of }) => of.explanation.cause === entry.of.explanation.cause));
  placeLinks([...verdicts, ...promoted], log);
  const byPlace = (list: readonly typeof verdicts[number][]) => list.toSorted((a, b) => a.place - b.place || sureness(a.of) - sureness(b.of) || lineOf(a.of.clues[0], log) - lineOf(b.of.clues[0], log));
  return [...byPlace([...verdicts, ...promoted]), ...byPlace(remarks)].map(({ of, consequences }) => verdictOf(of, consequences, log));
}

/** What one run of a linker says has no order: the surest of it stands first. */
function placeLinks(entries: readonly { readonly of: Explained; place: number }[], log: Log): void {
  const links = entries.filter(({ of: { clues: [{ subject }] } }) => subject.symbol !== undefined && subject.file !== undefined && isOfLink(subject.file)).toSorted((a, b) => a.place - b.place);
  let end = -Infinity;
  let place = 0;
  for (const entry of links) {
    if (entry.place - end > linkReach) place = entry.place;
    entry.place = place;
    end = Math.max(end, ...entry.of.clues.map((clue) => lineOf(clue, log)));
  }
}

function sureness({ explanation }: Explained): number {
  return confidences.indexOf(explanation.confidence);
}

function mergedByCause(explained: readonly Explained[], log: Log): readonly Explained[] {
  const merged: Explained[] = [];
  const byCause = new Map<string, number[]>();
  for (const one of explained) {
    const rivals = byCause.get(one.explanation.cause) ?? [];
    const at = rivals.find((index) => {
      const other = merged[index];
      return other !== undefined && one.explanation.about === other.explanation.about && isOneMatter(one.clues[0], other.clues[0], one.explanation.headline === other.explanation.headline);
    });
    const other = at === undefined ? undefined : merged[at];
    if (at === undefined || other === undefined) {
      byCause.set(one.explanation.cause, [...rivals, merged.length]);
      merged.push(one);
    } else {
      merged[at] = together(other, one, log);
    }
  }
  return merged;
}

const weights = ["cause", "consequence", "warning"] as const;
const confidences = ["certain", "likely", "possible"] as const;

/** The one that failed by itself, is surer, or stands first, with the symbols of both. */
function together(a: Explained, b: Explained, log: Log): Explained {
  const rank = ({ clues: [clue], explanation }: Explained) => weights.indexOf(clue.weight) * 10 + confidences.indexOf(explanation.confidence);
  const [main, other] = rank(b) < rank(a) ? [b, a] : [a, b];
  const rest = [...main.clues.slice(1), ...other.clues].toSorted((x, y) => lineOf(x, log) - lineOf(y, log));
  const symbols = new Map([...main.explanation.symbols ?? [], ...other.explanation.symbols ?? []].toReversed().map((symbol) => [symbol.symbol, symbol]));
  const known = [...symbols.values()].toReversed();
  return { clues: [main.clues[0], ...rest], explanation: { ...main.explanation, ...(known.length === 0 ? {} : { symbols: known }) } };
}

/** The matter of the deepest exception that this one was caused by. */
function ancestor(one: Explained, causes: readonly Explained[], log: Log): { readonly of: Explained; readonly isAttempt: boolean } | undefined {
  let found: { readonly of: Explained; readonly isAttempt: boolean } | undefined;
  let isLoose = false;
  const seen = new Set<number>();
  let index = exceptionIndexAt(log, one.clues[0].first);
  while (index !== undefined && !seen.has(index)) {
    seen.add(index);
    const exception = log.exceptions[index];
    isLoose ||= exception?.whileHandling === true;
    index = exception?.causedBy;
    if (index === undefined) break;
    const inner = index;
    const of = causes.find((other) => other !== one && other.clues.some((clue) => exceptionIndexAt(log, clue.first) === inner));
    if (of !== undefined) found = { of, isAttempt: isLoose && of.explanation.cause === "module-missing" && one.explanation.cause !== "module-missing" };
  }
  return found;
}

/** What a consequence follows from: by the chain of exceptions, by what both name, by who wrote it, by nearness. */
function parentOf(one: Explained, causes: readonly Explained[], warnings: readonly Explained[], log: Log): Explained | undefined {
  const chained = ancestor(one, causes, log);
  if (chained !== undefined && !chained.isAttempt) return chained.of;
  const [clue] = one.clues;
  const line = lineOf(clue, log);
  const writer = log.lines[clue.first]?.writer;
  const before = causes.filter((other) => lineOf(other.clues[0], log) <= line);
  const ofWriter = before.filter((other) => other.clues.some((inner) => log.lines[inner.first]?.writer === writer));
  const nearest = (list: readonly Explained[]) => list.toSorted((a, b) => lineOf(b.clues[0], log) - lineOf(a.clues[0], log))[0];
  return nearest(before.filter((other) => isRelated(clue, other.clues[0]))) ?? nearest(ofWriter) ?? nearest(before)
    ?? causes.find((other) => { const distance = lineOf(other.clues[0], log) - line; return distance > 0 && distance <= summaryReach; })
    ?? nearest(warnings.filter((other) => lineOf(other.clues[0], log) <= line && isRelated(clue, other.clues[0])));
}

function isRelated(a: Clue, b: Clue): boolean {
  const names = ({ subject }: Clue) => new Set([subject.file === undefined ? undefined : baseName(subject.file), rootOf(subject.module), rootOf(subject.package), ...folders(subject.file)].filter((name) => name !== undefined));
  const other = names(b);
  return [...names(a)].some((name) => other.has(name));
}

/** "torchvision" of "torchvision._C"; distributions write "-" where modules have "_". */
function rootOf(name: string | undefined): string | undefined {
  return name?.split(".")[0]?.replaceAll("-", "_").toLowerCase();
}

/** The package of a file: the folder under site-packages. */
function folders(file: string | undefined): readonly string[] {
  const found = /(?:site|dist)-packages[/\\]([\w-]+)/.exec(file ?? "")?.[1];
  return found === undefined ? [] : [found.toLowerCase()];
}

function verdictOf({ clues, explanation: { about, ...explanation } }: Explained, consequences: readonly Clue[], log: Log): ExplainVerdict {
  const [clue] = clues;
  const [first, last] = [log.lines[clue.first]?.first ?? 1, log.lines[clue.last]?.last ?? 1];
  return {
    ...explanation, lines: { first, last }, words: quoted(clue.words), occurrences: clues.length,
    ...(clue.subject.file === undefined ? {} : { file: clue.subject.file }),
    consequences: listed(consequences, last, log),
  };
}

/** Later lines only, each text once. */
function listed(consequences: readonly Clue[], after: number, log: Log): ExplainVerdict["consequences"] {
  const once = new Map<string, number>();
  for (const clue of consequences.toSorted((a, b) => lineOf(a, log) - lineOf(b, log))) {
    const line = lineOf(clue, log);
    const words = quoted(clue.words);
    if (line > after && !once.has(words)) once.set(words, line);
  }
  return [...once].slice(0, mostConsequences).map(([words, line]) => ({ line, words }));
}

function quoted(words: string): string {
  return words.length <= 4000 ? words : `${words.slice(0, 4000)} [...]`;
}
