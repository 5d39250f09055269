import { variantsOf } from "../../binaries/mangling/index.ts";
import type { Clue, Log, Subject } from "./types.ts";

/** A clue, and who read it. */
export interface ReadClue {
  readonly clue: Clue;
  /** Its recogniser: two of one recogniser about one subject are one matter. */
  readonly reader: number;
}

/** Clues that say the same. The first is the one to quote. */
export interface Matter {
  readonly clues: readonly [Clue, ...Clue[]];
}

/** Most matters among which the whole of a cut text is looked for. */
const mostCompared = 500;

const subjectKeys = ["symbol", "file", "library", "module", "package"] as const satisfies readonly (keyof Subject)[];

/** The last part of a path of either kind of system: the same file has other paths in other containers. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** One name for the constructors and destructors that are one in the source (C1, C2), without versions. */
export function plainSymbol(symbol: string): string {
  const name = symbol.replace(/@.*$/, "");
  return [name, ...variantsOf(name)].toSorted()[0] ?? name;
}

/**
 * Of clues at the same lines the one that says more, unless they speak of different things: a cause before a consequence before
 * a warning, then the one that names more (file, symbol, library, module, package), then the longer quote, then the shorter place.
 */
export function withoutOverlaps(clues: readonly ReadClue[]): readonly ReadClue[] {
  const ranked = clues.toSorted((a, b) => worth(b.clue) - worth(a.clue) || b.clue.words.length - a.clue.words.length || extent(a.clue) - extent(b.clue) || a.reader - b.reader);
  const kept = new Map<number, ReadClue[]>();
  const winners = ranked.filter((one) => {
    const rivals = new Set<ReadClue>();
    for (let at = one.clue.first; at <= one.clue.last; at += 1) for (const other of kept.get(at) ?? []) rivals.add(other);
    if ([...rivals].some((other) => saysTheSame(one.clue, other.clue))) return false;
    for (let at = one.clue.first; at <= one.clue.last; at += 1) {
      const there = kept.get(at);
      if (there === undefined) kept.set(at, [one]);
      else there.push(one);
    }
    return true;
  });
  return winners.toSorted((a, b) => a.clue.first - b.clue.first || a.clue.last - b.clue.last);
}

const weights = { cause: 200, consequence: 100, warning: 0 } as const;

function worth({ weight, subject }: Clue): number {
  return weights[weight] + subjectKeys.filter((key) => subject[key] !== undefined).length;
}

function extent({ first, last }: Clue): number {
  return last - first;
}

/** A consequence that encloses a cause stays, for it follows from it; two at one place that name different things both stay. */
function saysTheSame(loser: Clue, winner: Clue): boolean {
  if (loser.weight !== winner.weight && extent(loser) > extent(winner)) return false;
  return !conflict(loser.subject, winner.subject, ["symbol", "library"]);
}

function conflict(a: Subject, b: Subject, keys: readonly (keyof Subject)[]): boolean {
  return keys.some((key) => a[key] !== undefined && b[key] !== undefined && plain(a, key) !== plain(b, key));
}

function plain(subject: Subject, key: keyof Subject): string {
  const value = subject[key] ?? "";
  if (key === "symbol") return plainSymbol(value);
  return key === "file" || key === "library" ? baseName(value) : value;
}

/** Clues of one matter together, in the order of their first. */
export function mattersOf(clues: readonly ReadClue[], log: Log): readonly Matter[] {
  const matters = new Map<string, [Clue, ...Clue[]]>();
  const cut: [string, Clue][] = [];
  for (const { clue, reader } of clues) {
    const key = matterKey(clue, reader);
    const same = matters.get(key);
    if (same !== undefined) same.push(clue);
    else if (log.lines[clue.last]?.isCut === true) cut.push([key, clue]);
    else matters.set(key, [clue]);
  }
  // What a width cut off is the beginning of what stands elsewhere in full.
  for (const [key, clue] of cut) {
    const begin = clue.words.replace(/\s*(?:\.\.\.|…)$/, "").toLowerCase();
    const whole = matters.get(key) ?? (matters.size > mostCompared ? undefined : [...matters.values()].find(([first]) => first.words.toLowerCase().includes(begin)));
    if (whole === undefined) matters.set(key, [clue]);
    else whole.push(clue);
  }
  return [...matters.values()].map((same) => ({ clues: same.toSorted((a, b) => lineOf(a, log) - lineOf(b, log)) as [Clue, ...Clue[]] }));
}

export function lineOf(clue: Clue, log: Log): number {
  return log.lines[clue.first]?.first ?? 1;
}

function matterKey({ subject, weight, words }: Clue, reader: number): string {
  const named = subjectKeys.map((key) => (subject[key] === undefined ? "" : plain(subject, key)));
  const says = subject.symbol === undefined && subject.library === undefined ? [withoutNumbers(words)] : [];
  return JSON.stringify([reader, weight, ...named, ...says]);
}

/** Addresses, processes and times differ where the same is said again. */
function withoutNumbers(words: string): string {
  return words.replace(/0x[0-9a-f]+/gi, "0x").replace(/\bpid[ =:]*\d+/gi, "pid").replace(/\s+/g, " ");
}

/** Whether two explanations of the same cause speak of one matter. */
export function isOneMatter(a: Clue, b: Clue, sameHeadline: boolean): boolean {
  if (a.subject.symbol !== undefined && b.subject.symbol !== undefined) {
    const atLink = isOfLink(a.subject.file) && isOfLink(b.subject.file);
    return !conflict(a.subject, b.subject, atLink ? ["library"] : ["file", "library"]);
  }
  const keys = ["file", "library", "module", "package"] as const;
  if (conflict(a.subject, b.subject, keys)) return sameHeadline && !conflict(a.subject, b.subject, ["library", "package"]);
  return sameHeadline || keys.some((key) => a.subject[key] !== undefined && b.subject[key] !== undefined);
}

/** A linker names objects and sources, of which one target has many; a loader names the file. */
export function isOfLink(file: string | undefined): boolean {
  return file === undefined || /\.(?:o|obj|a|lib|c|cc|cpp|cxx|cu)$|\.(?:a|lib)\(/i.test(file);
}
