import type { RecordedSymbols } from "../../catalogue/index.ts";
import { compareVersions } from "../../model/index.ts";
import { abiTwin, demangle, readMangled, variantsOf } from "../mangling/index.ts";
import type { ReleaseRange, Spelling, SymbolLife } from "./types.ts";

/** The lives of mangled names that are overloads of one another, oldest first. */
export function livesOf(names: readonly string[], history: RecordedSymbols): readonly SymbolLife[] {
  const groups = new Map<string, Recorded[]>();
  for (const symbol of names) {
    const columns = columnsOf(symbol, history);
    if (columns.length === 0) continue;
    const key = canonical(symbol);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [{ symbol, columns }]);
    else others.push({ symbol, columns });
  }
  const lives = [...groups].map(([key, spellings]) => grouped(key, spellings)).sort((one, other) => one.first - other.first || one.last - other.last || (one.key < other.key ? -1 : 1));
  const successors = new Map(lives.map((one) => [one, successorOf(one, lives)]));
  return lives.map((one) => {
    const successor = successors.get(one);
    const predecessor = lives.find((other) => successors.get(other) === one);
    return {
      ...lifeOf(one, history),
      ...(successor === undefined ? {} : { successor: signatureOf(successor, successor.first, history) }),
      ...(predecessor === undefined ? {} : { predecessor: signatureOf(predecessor, predecessor.last, history) }),
    };
  });
}

/**
 * What all spellings of a symbol have in common: the spelling with the older std::string, which can be had of the newer one
 * without doubt, of the first variant of a constructor or destructor.
 */
export function canonical(symbol: string): string {
  const old = /cxx11/.test(symbol) ? abiTwin(symbol) ?? symbol : symbol;
  return [...variantsOf(old)].sort()[0] ?? old;
}

interface Recorded {
  readonly symbol: string;
  /** Places of its releases in the list of all. */
  readonly columns: readonly number[];
}

interface Group {
  readonly key: string;
  /** The qualified name with template arguments: overloads of one template argument do not follow those of another. */
  readonly template: string;
  readonly spellings: readonly Recorded[];
  readonly columns: readonly number[];
  readonly first: number;
  readonly last: number;
}

function columnsOf(symbol: string, history: RecordedSymbols): readonly number[] {
  return (history.releasesExporting(symbol) ?? []).map((one) => history.releases.indexOf(one));
}

function grouped(key: string, names: readonly Recorded[]): Group {
  // Variants of a constructor are exported together, but for a few: they are one spelling.
  const spellings = new Map<string, Set<number>>();
  for (const { symbol, columns } of names) {
    const first = [...variantsOf(symbol)].sort()[0] ?? symbol;
    const shown = names.some((one) => one.symbol === first) ? first : symbol;
    spellings.set(shown, new Set([...spellings.get(shown) ?? [], ...columns]));
  }
  const ordered = [...spellings].map(([symbol, columns]): Recorded => ({ symbol, columns: sorted(columns) }));
  const columns = sorted(new Set(ordered.flatMap((one) => one.columns)));
  return {
    key, template: readMangled(key)?.qualifiedName ?? key,
    spellings: ordered.sort((one, other) => (one.columns[0] ?? 0) - (other.columns[0] ?? 0) || (one.symbol < other.symbol ? -1 : 1)),
    columns, first: columns[0] ?? 0, last: columns.at(-1) ?? 0,
  };
}

function sorted(columns: ReadonlySet<number>): readonly number[] {
  return [...columns].sort((one, other) => one - other);
}

/** The signature that appears in the first recorded release without this one; of several the one that begins most like it. */
function successorOf(one: Group, all: readonly Group[]): Group | undefined {
  const following = all.filter((other) => other.first === one.last + 1 && other.template === one.template);
  return following.sort((a, b) => commonStart(b.key, one.key) - commonStart(a.key, one.key))[0];
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function lifeOf(group: Group, history: RecordedSymbols): SymbolLife {
  const symbol = spellingIn(group, group.last);
  return {
    symbol, demangled: demangle(symbol) ?? symbol, ...rangeOf(group.first, group.last, history),
    gaps: gapsOf(group.columns, history),
    unrecorded: unrecordedAround(group, history),
    libraries: librariesIn(group.last, symbol, history),
    spellings: group.spellings.map(({ symbol: spelling, columns }): Spelling => {
      const abi = readMangled(spelling)?.stringAbi;
      return { symbol: spelling, libstdcxxAbi: abi === 0 || abi === 1 ? abi : null, ...rangeOf(columns[0] ?? 0, columns.at(-1) ?? 0, history) };
    }),
  };
}

function spellingIn({ spellings }: Group, column: number): string {
  return spellings.find((one) => one.columns.includes(column))?.symbol ?? "";
}

function librariesIn(column: number, symbol: string, history: RecordedSymbols): readonly string[] {
  const found = new Set(variantsOf(symbol).flatMap((one) => history.librariesOf(one, history.releases[column] ?? "") ?? []));
  return [...found];
}

/** As it is spelt in the release where it takes over, or ends. */
function signatureOf(group: Group, column: number, history: RecordedSymbols): NonNullable<SymbolLife["successor"]> {
  const symbol = spellingIn(group, column);
  return { symbol, demangled: demangle(symbol) ?? symbol, ...rangeOf(group.first, group.last, history) };
}

function rangeOf(first: number, last: number, { releases }: RecordedSymbols): ReleaseRange {
  return { since: releases[first] ?? "", until: last === releases.length - 1 ? null : releases[last] ?? "" };
}

function gapsOf(columns: readonly number[], { releases }: RecordedSymbols): readonly ReleaseRange[] {
  return columns.flatMap((column, at) => {
    const next = columns[at + 1];
    return next === undefined || next === column + 1 ? [] : [{ since: releases[column + 1] ?? "", until: releases[next - 1] ?? "" }];
  });
}

function unrecordedAround({ first, last }: Group, { releases, missing }: RecordedSymbols): SymbolLife["unrecorded"] {
  const versions = missing.map((one) => one.version).filter((one) => /^\d/.test(one)).sort(compareVersions);
  const [since = "", until = ""] = [releases[first], releases[last]];
  const [older, newer] = [releases[first - 1], releases[last + 1]];
  const isBelow = (one: string, other: string): boolean => compareVersions(one, other) < 0;
  return {
    before: versions.findLast((one) => isBelow(one, since) && (older === undefined || isBelow(older, one))) ?? null,
    after: versions.find((one) => isBelow(until, one) && (newer === undefined || isBelow(one, newer))) ?? null,
    within: versions.filter((one) => isBelow(since, one) && isBelow(one, until)),
  };
}
