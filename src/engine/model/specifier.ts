import { compareKeys, isPrerelease, parseVersion, versionKey } from "./version.ts";
import type { Version, VersionKey } from "./version.ts";

/** One clause of a specifier set. Source: packaging.python.org, "Version specifiers" (PEP 440). */
export interface Specifier {
  readonly operator: "==" | "!=" | "<=" | ">=" | "<" | ">" | "~=" | "===";
  readonly version: Version;
  /** `==2.8.*` */
  readonly wildcard: boolean;
}

const clause = /^(===|==|!=|<=|>=|<|>|~=)\s*(\S+?)(\.\*)?$/;

/** Rules ask again and again for the few texts of a project; a list of thousands is not kept. */
const mostKept = 500;

function kept<V>(work: (text: string) => V): (text: string) => V {
  const known = new Map<string, { readonly value: V }>();
  return (text) => {
    const found = known.get(text) ?? { value: work(text) };
    if (known.size >= mostKept) known.clear();
    known.set(text, found);
    return found.value;
  };
}

/** Parses ">=2.1,<2.9"; an empty text is the empty set of clauses, which admits all. Undefined when a clause is malformed. */
export const parseSpecifiers: (text: string) => readonly Specifier[] | undefined = kept((text) => {
  const result: Specifier[] = [];
  for (const part of text.split(",")) {
    const trimmed = part.trim();
    if (trimmed === "") continue;
    const match = clause.exec(trimmed);
    if (!match) return undefined;
    const operator = match[1] as Specifier["operator"];
    const version = parseVersion(match[2] ?? "");
    const wildcard = match[3] !== undefined;
    if (!version || (wildcard && operator !== "==" && operator !== "!=")) return undefined;
    if (operator === "~=" && version.release.length < 2) return undefined;
    result.push({ operator, version, wildcard });
  }
  return result;
});

/** A contiguous stretch of versions; a missing end is unbounded. */
interface VersionInterval {
  readonly low?: VersionKey;
  readonly lowIncluded: boolean;
  readonly high?: VersionKey;
  readonly highIncluded: boolean;
}

/** Disjoint intervals in ascending order: the versions that a specifier set admits, pre-releases included. */
type VersionSet = readonly VersionInterval[];

const everything: VersionSet = [{ lowIncluded: false, highIncluded: false }];

/** The first of all versions with this release: its development version 0. */
function firstOf(epoch: number, release: readonly number[]): VersionKey {
  return { epoch, release, pre: [-Infinity, 0], post: -Infinity, dev: 0, local: [] };
}

/** After every post-release of this release. */
function afterPostReleases(version: Version): VersionKey {
  return { epoch: version.epoch, release: version.release, pre: [Infinity, 0], post: Infinity, dev: Infinity, local: "last" };
}

function prefix(version: Version, release: readonly number[]): VersionInterval {
  const next = [...release.slice(0, -1), (release.at(-1) ?? 0) + 1];
  return { low: firstOf(version.epoch, release), lowIncluded: true, high: firstOf(version.epoch, next), highIncluded: false };
}

function exactly(version: Version): VersionInterval {
  const key = versionKey(version);
  const high: VersionKey = version.local.length > 0 ? key : { ...key, local: "last" };
  return { low: key, lowIncluded: true, high, highIncluded: true };
}

function complement(interval: VersionInterval): VersionSet {
  const result: VersionInterval[] = [];
  if (interval.low) result.push({ lowIncluded: false, high: interval.low, highIncluded: !interval.lowIncluded });
  if (interval.high) result.push({ low: interval.high, lowIncluded: !interval.highIncluded, highIncluded: false });
  return result;
}

/**
 * `<V` leaves out pre-releases of V, `>V` leaves out post-releases and local labels of V, unless V itself is one:
 * "Exclusive ordered comparison" of PEP 440.
 */
function setOf(specifier: Specifier): VersionSet {
  const { version } = specifier;
  const key = versionKey(version);
  switch (specifier.operator) {
    case "==":
      return [specifier.wildcard ? prefix(version, version.release) : exactly(version)];
    case "!=":
      return complement(specifier.wildcard ? prefix(version, version.release) : exactly(version));
    case "===":
      return [{ low: key, lowIncluded: true, high: key, highIncluded: true }];
    case "~=":
      return intersect([{ low: key, lowIncluded: true, highIncluded: false }], [prefix(version, version.release.slice(0, -1))]);
    case ">=":
      return [{ low: key, lowIncluded: true, highIncluded: false }];
    case "<=":
      return [{ lowIncluded: false, high: { ...key, local: "last" }, highIncluded: true }];
    case "<": {
      const below: VersionSet = [{ lowIncluded: false, high: key, highIncluded: false }];
      if (isPrerelease(version)) return below;
      const first = firstOf(version.epoch, version.release);
      const final = versionKey({ ...version, post: undefined, local: [] });
      return intersect(below, [
        { lowIncluded: false, high: first, highIncluded: false },
        { low: final, lowIncluded: true, highIncluded: false },
      ]);
    }
    case ">": {
      const above: VersionSet = [{ low: { ...key, local: "last" }, lowIncluded: false, highIncluded: false }];
      if (version.post !== undefined) return above;
      const final = versionKey({ epoch: version.epoch, release: version.release, local: [], text: "" });
      return intersect(above, [
        { lowIncluded: false, high: { ...final, local: "last" }, highIncluded: true },
        { low: afterPostReleases(version), lowIncluded: false, highIncluded: false },
      ]);
    }
  }
}

function laterLow(a: VersionInterval, b: VersionInterval): VersionInterval {
  if (!a.low) return b;
  if (!b.low) return a;
  const order = compareKeys(a.low, b.low);
  if (order !== 0) return order > 0 ? a : b;
  return a.lowIncluded ? b : a;
}

function earlierHigh(a: VersionInterval, b: VersionInterval): VersionInterval {
  if (!a.high) return b;
  if (!b.high) return a;
  const order = compareKeys(a.high, b.high);
  if (order !== 0) return order < 0 ? a : b;
  return a.highIncluded ? b : a;
}

function intersect(a: VersionSet, b: VersionSet): VersionSet {
  const result: VersionInterval[] = [];
  for (const x of a) {
    for (const y of b) {
      const lower = laterLow(x, y);
      const upper = earlierHigh(x, y);
      const order = lower.low && upper.high ? compareKeys(lower.low, upper.high) : -1;
      if (order > 0 || (order === 0 && !(lower.lowIncluded && upper.highIncluded))) continue;
      result.push({
        ...(lower.low ? { low: lower.low } : {}),
        lowIncluded: lower.lowIncluded,
        ...(upper.high ? { high: upper.high } : {}),
        highIncluded: upper.highIncluded,
      });
    }
  }
  return result;
}

/** The versions that a specifier text admits, as intervals; undefined when it is malformed. */
export const versionSet: (specifier: string) => VersionSet | undefined = kept((specifier) => {
  const clauses = parseSpecifiers(specifier);
  return clauses?.reduce<VersionSet>((set, one) => intersect(set, setOf(one)), everything);
});

/** Whether one version can meet all the specifiers; undefined when one of them is malformed. */
export function canAllHold(specifiers: readonly string[]): boolean | undefined {
  let common = everything;
  for (const one of specifiers) {
    const set = versionSet(one);
    if (!set) return undefined;
    common = intersect(common, set);
  }
  return common.length > 0;
}

function contains(set: VersionSet, key: VersionKey): boolean {
  return set.some((interval) => {
    const low = interval.low ? compareKeys(key, interval.low) : 1;
    const high = interval.high ? compareKeys(key, interval.high) : -1;
    return (low > 0 || (low === 0 && interval.lowIncluded)) && (high < 0 || (high === 0 && interval.highIncluded));
  });
}

/**
 * Whether an installed version meets a specifier set. Pre-releases count like any version, as for a package that is
 * already installed; `selectVersions` applies the admission rule. Undefined when one side is malformed.
 */
export function satisfies(version: string | Version, specifier: string): boolean | undefined {
  const parsed = typeof version === "string" ? parseVersion(version) : version;
  const clauses = parseSpecifiers(specifier);
  if (!parsed || !clauses) return undefined;
  const key = versionKey(parsed);
  return clauses.every((one) =>
    one.operator === "===" ? one.version.text.toLowerCase() === parsed.text.toLowerCase() : contains(setOf(one), key),
  );
}

/**
 * The candidates that an installer may choose, in the given order. Pre-releases are left out unless a clause names
 * one, or nothing else satisfies ("Handling of pre-releases" of PEP 440).
 */
export function selectVersions(specifier: string, candidates: readonly string[]): readonly string[] {
  const clauses = parseSpecifiers(specifier);
  if (!clauses) return [];
  const met = candidates.filter((one) => satisfies(one, specifier) === true);
  if (clauses.some((one) => one.operator !== "!=" && isPrerelease(one.version))) return met;
  const finals = met.filter((one) => {
    const parsed = parseVersion(one);
    return parsed !== undefined && !isPrerelease(parsed);
  });
  return finals.length > 0 ? finals : met;
}

/** The version of a set that admits exactly one public version (`==2.8.0`, `==2.8.0+cu128`), as written. */
export function exactVersion(specifier: string): string | undefined {
  const pin = parseSpecifiers(specifier)?.find((one) => (one.operator === "==" && !one.wildcard) || one.operator === "===");
  return pin?.version.text;
}

/** Whether a set has a lower end, and whether it has an upper end. `!=` alone bounds nothing. Undefined when malformed. */
export function boundsOf(specifier: string): { readonly lower: boolean; readonly upper: boolean } | undefined {
  const set = versionSet(specifier);
  if (!set) return undefined;
  return { lower: set.every((one) => one.low !== undefined), upper: set.every((one) => one.high !== undefined) };
}
