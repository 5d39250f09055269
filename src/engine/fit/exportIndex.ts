import { readMangled } from "../binaries/mangling/index.ts";
import type { LibraryImage } from "../binaries/library.ts";

/** Names by the identifiers with which their mangled form begins. */
type Index = ReadonlyMap<string, readonly string[]>;

const indexes = new WeakMap<LibraryImage, Index>();
const maximumNames = 4_000_000;
/** An overloaded operator may have hundreds of namesakes. */
const maximumNamesakes = 2000;

export interface Namesake {
  readonly symbol: string;
  readonly library: LibraryImage;
}

/**
 * The exported symbol of the same entity (kind and qualified name) whose parameters are most like those of `symbol`.
 * The names of a library are indexed when they are first asked for.
 */
export function nearestNamesake(symbol: string, libraries: readonly LibraryImage[]): Namesake | undefined {
  const wanted = readMangled(symbol);
  const key = beginning(symbol);
  if (wanted === undefined || key === undefined) {
    return undefined;
  }
  let best: (Namesake & { readonly likeness: number }) | undefined;
  for (const library of libraries) {
    for (const name of (indexOf(library).get(key) ?? []).slice(0, maximumNamesakes)) {
      const read = name === symbol ? undefined : readMangled(name);
      if (read === undefined || read.kind !== wanted.kind || read.qualifiedName !== wanted.qualifiedName) {
        continue;
      }
      const likeness = likenessOf(wanted.parameters ?? [], read.parameters ?? []) + (read.variant === wanted.variant ? 0.001 : 0);
      if (best === undefined || likeness > best.likeness) {
        best = { symbol: name, library, likeness };
      }
    }
  }
  return best === undefined ? undefined : { symbol: best.symbol, library: best.library };
}

/** From 0 to 1: the longest common subsequence of two parameter lists against the longer list. */
function likenessOf(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 && other.length === 0) {
    return 1;
  }
  let row = new Array<number>(other.length + 1).fill(0);
  for (const type of one) {
    const next = [0];
    for (let index = 0; index < other.length; index += 1) {
      next.push(type === other[index] ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / Math.max(one.length, other.length);
}

function indexOf(library: LibraryImage): Index {
  const known = indexes.get(library);
  if (known !== undefined) {
    return known;
  }
  const index = new Map<string, string[]>();
  let count = 0;
  for (const name of library.exportedNames()) {
    count += 1;
    if (count > maximumNames) {
      break;
    }
    const key = beginning(name);
    const names = key === undefined ? undefined : index.get(key);
    if (names !== undefined) {
      names.push(name);
    } else if (key !== undefined) {
      index.set(key, [name]);
    }
  }
  indexes.set(library, index);
  return index;
}

/**
 * A cheap key that all symbols of one entity share: what kind of name it is and the identifiers up to the first that is
 * none ("N3c105Error" of _ZN3c105ErrorC1E...). Namesakes may share it with others; `readMangled` tells them apart.
 */
function beginning(symbol: string): string | undefined {
  const match = /^_Z(T[VTIS]|GV|T[hv]\w*?_)?(N[rVK]*[RO]?)?(St)?/.exec(symbol);
  if (match === null) {
    return undefined;
  }
  let at = match[0].length;
  const start = at;
  while (at < symbol.length) {
    const digits = /^\d+/.exec(symbol.slice(at, at + 6))?.[0];
    if (digits === undefined) {
      break;
    }
    at += digits.length + Number(digits);
  }
  return `${match[1] ?? ""}${match[3] ?? ""}:${symbol.slice(start, at)}`;
}
