import type { Location } from "../../model/index.ts";
import type { NameUse } from "./types.ts";

const fields = 5;

/**
 * The uses of names in one source as numbers. A large project has hundreds of thousands of them, and hardly any is ever
 * shown: as objects with their places they would be most of what a server keeps in memory.
 */
export class NameUses {
  readonly #path: string;
  readonly #names: readonly string[];
  readonly #guards: readonly (readonly string[])[];
  /** For each use: name, line, character, length, guards. */
  readonly #numbers: Int32Array;

  constructor(path: string, uses: readonly { readonly name: string; readonly start: Location["range"]["start"]; readonly length: number; readonly guards: readonly string[] }[]) {
    const names = new Map<string, number>();
    const guards = new Map<readonly string[], number>();
    const numbers = new Int32Array(uses.length * fields);
    uses.forEach((use, index) => numbers.set([numberOf(names, use.name), use.start.line, use.start.character, use.length, numberOf(guards, use.guards)], index * fields));
    this.#path = path;
    this.#names = [...names.keys()];
    this.#guards = [...guards.keys()];
    this.#numbers = numbers;
  }

  /** Uses of the names that `wanted` admits, in the order of the text; made anew for each call. */
  readonly where = (wanted: (name: string) => boolean): readonly NameUse[] => {
    const admitted = this.#names.map(wanted);
    if (!admitted.includes(true)) return none;
    const found: NameUse[] = [];
    const numbers = this.#numbers;
    for (let at = 0; at < numbers.length; at += fields) {
      const name = numbers[at] ?? 0;
      if (admitted[name] !== true) continue;
      const line = numbers[at + 1] ?? 0;
      const character = numbers[at + 2] ?? 0;
      found.push({
        name: this.#names[name] ?? "",
        location: { path: this.#path, range: { start: { line, character }, end: { line, character: character + (numbers[at + 3] ?? 0) } } },
        guards: this.#guards[numbers[at + 4] ?? 0] ?? [],
      });
    }
    return found;
  };
}

const none: readonly NameUse[] = [];

function numberOf<T>(numbers: Map<T, number>, item: T): number {
  let known = numbers.get(item);
  if (known === undefined) numbers.set(item, (known = numbers.size));
  return known;
}
