import { readMangled } from "../binaries/mangling/index.ts";
import type { LibraryImage } from "../binaries/library.ts";

/** An overloaded operator may have hundreds of namesakes. */
const maximumNamesakes = 2000;

export interface Namesake {
  readonly symbol: string;
  readonly library: LibraryImage;
}

/**
 * The exported symbol of the same entity (kind and qualified name) whose parameters are most like those of `symbol`, in the
 * first library that has any.
 */
export function nearestNamesake(symbol: string, libraries: readonly LibraryImage[]): Namesake | undefined {
  const wanted = readMangled(symbol);
  const key = beginning(symbol);
  if (wanted === undefined || key === undefined) {
    return undefined;
  }
  let best: (Namesake & { readonly likeness: number }) | undefined;
  for (const library of libraries) {
    // A function lives in one library; those of torch are in the order of their names, which has the small ones first.
    if (best !== undefined) {
      break;
    }
    for (const name of candidates(library, key)) {
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

/** Exported names that may be namesakes. */
function* candidates(library: LibraryImage, key: Beginning): Generator<string> {
  let left = maximumNamesakes;
  for (const name of library.exportedNamesContaining?.(key.identifiers) ?? library.exportedNames()) {
    const own = name.includes(key.identifiers) ? beginning(name) : undefined;
    if (own?.kind === key.kind && own.identifiers === key.identifiers && left > 0) {
      left -= 1;
      yield name;
    }
  }
}

interface Beginning {
  /** "TV" of a vtable, "" of functions and data. */
  readonly kind: string;
  /** As they stand in the mangled name: "3c105Error". */
  readonly identifiers: string;
}

/**
 * What all symbols of one entity share and is read without parsing: the kind of name and the identifiers up to the first
 * component that is none ("3c105Error" of _ZN3c105ErrorC1E...). Others may share it too; `readMangled` tells them apart.
 */
function beginning(symbol: string): Beginning | undefined {
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
  return at === start ? undefined : { kind: `${match[1] ?? ""}${match[3] ?? ""}`, identifiers: symbol.slice(start, at) };
}
