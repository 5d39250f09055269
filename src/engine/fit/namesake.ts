import { readMangled } from "../binaries/mangling/index.ts";
import type { LibraryImage } from "../binaries/library.ts";

/** An overloaded operator may have hundreds of namesakes. */
const maximumNamesakes = 2000;

export interface Namesake {
  readonly symbol: string;
  readonly library: LibraryImage;
}

/** Libraries of one wheel often miss the same names of the same torch. */
const found = new WeakMap<readonly LibraryImage[], Map<string, Namesake | undefined>>();

/**
 * The exported symbol of the same entity (kind and qualified name) whose parameters are most like those of `symbol`, in the
 * first library that has any. What was found in the same list is kept.
 */
export function nearestNamesake(symbol: string, libraries: readonly LibraryImage[]): Namesake | undefined {
  const known = found.get(libraries) ?? new Map<string, Namesake | undefined>();
  found.set(libraries, known);
  if (!known.has(symbol)) {
    known.set(symbol, search(symbol, libraries));
  }
  return known.get(symbol);
}

function search(symbol: string, libraries: readonly LibraryImage[]): Namesake | undefined {
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
function candidates(library: LibraryImage, key: Beginning): readonly string[] {
  const containing = library.exportedNamesContaining?.(key.identifiers);
  if (containing === undefined) {
    return byBeginning(library).get(keyOf(key)) ?? [];
  }
  const names: string[] = [];
  for (const name of containing) {
    const own = names.length < maximumNamesakes ? beginning(name) : undefined;
    if (own?.kind === key.kind && own.identifiers === key.identifiers) {
      names.push(name);
    }
  }
  return names;
}

const indexes = new WeakMap<LibraryImage, ReadonlyMap<string, readonly string[]>>();

/** The names of a library that can only be gone through: once, for all questions. */
function byBeginning(library: LibraryImage): ReadonlyMap<string, readonly string[]> {
  const known = indexes.get(library);
  if (known !== undefined) {
    return known;
  }
  const index = new Map<string, string[]>();
  for (const name of library.exportedNames()) {
    const own = beginning(name);
    const names = own === undefined ? undefined : index.get(keyOf(own));
    if (own !== undefined && names === undefined) {
      index.set(keyOf(own), [name]);
    } else if (names !== undefined && names.length < maximumNamesakes) {
      names.push(name);
    }
  }
  indexes.set(library, index);
  return index;
}

function keyOf({ kind, identifiers }: Beginning): string {
  return `${kind} ${identifiers}`;
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
