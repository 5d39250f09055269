import names from "../../../../../data/cmake-names.json" with { type: "json" };

/** A name that CMake or a module of it reads. */
interface KnownName {
  readonly name: string;
  readonly reader: string;
  /** In lower case. */
  readonly words: readonly string[];
}

/** The names of one kind: variables or properties. */
export class KnownNames {
  readonly #exact = new Set<string>();
  readonly #byLowerCase = new Map<string, KnownName>();
  readonly #byLetters = new Map<string, KnownName>();
  readonly #byCount = new Map<number, KnownName[]>();

  constructor(rows: readonly { readonly name: string; readonly reader: string }[]) {
    for (const row of rows) {
      for (const name of spelledOut(row.name)) {
        const words = name.toLowerCase().split("_");
        const known: KnownName = { name, reader: row.reader, words };
        this.#exact.add(name);
        this.#byLowerCase.set(name.toLowerCase(), known);
        this.#byLetters.set(words.join(""), known);
        const same = this.#byCount.get(words.length);
        if (same === undefined) this.#byCount.set(words.length, [known]);
        else same.push(known);
      }
    }
  }

  /** The one that was probably meant by a name that is none of them. */
  meant(name: string): { readonly name: string; readonly reader: string; readonly how: "wrong-case" | "misspelt" } | undefined {
    if (this.#exact.has(name) || name.length > longest) return undefined;
    const lower = name.toLowerCase();
    const other = this.#byLowerCase.get(lower);
    if (other !== undefined) return { name: other.name, reader: other.reader, how: "wrong-case" };
    const words = lower.split("_");
    let best = this.#byLetters.get(words.join(""));
    let least = best === undefined ? maximumEdits + 1 : 1;
    for (const known of this.#byCount.get(words.length) ?? []) {
      const edits = editsBetween(known.words, words, least - 1);
      if (edits !== undefined) [best, least] = [known, edits];
    }
    return best === undefined ? undefined : { name: best.name, reader: best.reader, how: "misspelt" };
  }
}

const longest = 60;
const maximumEdits = 2;

function spelledOut(name: string): string[] {
  const languages = name.includes("<LANG>") ? names.languages.map((language) => name.replace("<LANG>", language)) : [name];
  return languages.flatMap((one) => (one.includes("<CONFIG>") ? names.configurations.map((configuration) => one.replace("<CONFIG>", configuration)) : [one]));
}

/**
 * Edits in all words together. A short word may have fewer: another language (RC, ASM, MUSA) is no slip in the name of one;
 * nor is a number, which makes one more of a kind (DEBUG2).
 */
function editsBetween(known: readonly string[], words: readonly string[], most: number): number | undefined {
  let sum = 0;
  for (const [index, word] of known.entries()) {
    const other = words[index] ?? "";
    const edits = /\d/.test(other) && other !== word ? undefined : distance(word, other, word.length < 3 ? 0 : word.length < 6 ? 1 : maximumEdits);
    if (edits === undefined || (sum += edits) > most) return undefined;
  }
  return sum;
}

/** Letters put in, left out, replaced, or swapped with their neighbour; undefined beyond `most`. */
function distance(a: string, b: string, most: number): number | undefined {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > most || most === 0) return undefined;
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  const edits = last[b.length] ?? most + 1;
  return edits > most ? undefined : edits;
}

export const knownVariables = new KnownNames(names.variables);
export const knownProperties = new KnownNames(names.properties);
/** Names that get set though nothing reads them, with what they are instead. */
export const unreadNames: ReadonlyMap<string, string> = new Map(names.exact.map((row) => [row.name, row.what]));
