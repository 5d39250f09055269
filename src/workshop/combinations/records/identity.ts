import * as crypto from "node:crypto";
import type { Combination, CombinationRecord } from "../types.ts";
import { validateCombination, validateRest, type RestOfRecord } from "./validate.ts";

/** `crypto.hash` came with Node.js 20.12 and takes half as long. */
const { hash }: Partial<typeof crypto> = crypto;

export function idOfText(text: string): string {
  return (hash === undefined ? crypto.createHash("sha256").update(text).digest("hex") : hash("sha256", text, "hex")).slice(0, 20);
}

/** What two records that say the same have in common. `record` is one as `validateRecord` makes it. */
export function idOf({ schema: _schema, combination, ...rest }: CombinationRecord): string {
  return idOfParts(idOfText(JSON.stringify(combination)), rest);
}

/** Records share their circumstances, whose part of the id is made once for all of them. */
function idOfParts(ofCombination: string, rest: RestOfRecord): string {
  return idOfText(ofCombination + JSON.stringify(rest));
}

const begin = "{\"schema\":1,\"combination\":";
const afterwards = ",\"how\":\"";
/** Circumstances that are remembered at most. */
const mostKnown = 10_000;

interface Known {
  readonly combination: Combination;
  readonly id: string;
}

/**
 * Reads lines in the shape in which they are written here. Of a file's thousands of records most share their circumstances,
 * which are then parsed, checked and kept once.
 */
export class QuickReader {
  readonly #known = new Map<string, Known>();

  /** Undefined: the line has another shape, or is wrong. */
  read(line: string): (CombinationRecord & { readonly id: string }) | undefined {
    const end = line.startsWith(begin) ? line.indexOf(afterwards, begin.length) : -1;
    if (end < 0) return undefined;
    try {
      const known = this.#combination(line.slice(begin.length, end));
      const rest = known === undefined ? undefined : validateRest(JSON.parse(`{${line.slice(end + 1)}`));
      return known === undefined || rest === undefined ? undefined : { schema: 1, combination: known.combination, ...rest, id: idOfParts(known.id, rest) };
    } catch {
      return undefined;
    }
  }

  #combination(written: string): Known | undefined {
    const known = this.#known.get(written);
    if (known !== undefined) return known;
    const combination = validateCombination(JSON.parse(written));
    if (combination === undefined) return undefined;
    if (this.#known.size >= mostKnown) this.#known.clear();
    const added = { combination, id: idOfText(JSON.stringify(combination)) };
    // The slice would keep the whole piece of the file that it is of.
    this.#known.set(Buffer.from(written).toString(), added);
    return added;
  }
}
