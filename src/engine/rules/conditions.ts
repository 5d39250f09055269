/** Conditions as logic, where their text is simple enough: names joined by and, or, not. */
import type { Condition } from "../model/index.ts";

/** Longer conditions are left undecided. */
const longest = 400;

/**
 * True when conditions cannot all hold: one of them, evaluated with what the others say of single names, comes out the
 * other way. Readers follow both branches of each `if` on its own and do not see that `A` decides `A and not B`.
 */
export function contradict(conditions: readonly Condition[]): boolean {
  const known = new Map<string, boolean>();
  for (const { text, branch } of conditions) {
    const name = /^\s*(not\s+)?([A-Za-z_]\w*)\s*$/i.exec(text);
    if (name?.[2] === undefined) continue;
    const value = (branch === 0) === (name[1] === undefined);
    if (known.get(name[2]) === !value) return true;
    known.set(name[2], value);
  }
  return conditions.some(({ text, branch }) => {
    const value = text.length > longest ? undefined : new Formula(text, known).value();
    return value !== undefined && value !== (branch === 0);
  });
}

/** True when all of `conditions` hold wherever all of `given` hold, as far as single names decide: `A or B` follows from `A`. */
export function followFrom(conditions: readonly Condition[], given: readonly Condition[]): boolean {
  const known = new Map<string, boolean>();
  for (const { text, branch } of given) {
    const name = /^\s*(not\s+)?([A-Za-z_]\w*)\s*$/i.exec(text);
    if (name?.[2] !== undefined) known.set(name[2], (branch === 0) === (name[1] === undefined));
  }
  return conditions.every((one) => given.some((other) => other.id === one.id && other.branch === one.branch)
    || (one.text.length <= longest && new Formula(one.text, known).value() === (one.branch === 0)));
}

/** Three-valued evaluation; anything but names, and, or, not and brackets is unknown. */
class Formula {
  readonly #tokens: readonly string[];
  readonly #known: ReadonlyMap<string, boolean>;
  #at = 0;

  constructor(text: string, known: ReadonlyMap<string, boolean>) {
    const simple = /^[\s\w()]*$/.test(text) && !/\b\d/.test(text);
    this.#tokens = simple ? (text.match(/\w+|[()]/g) ?? []) : [];
    this.#known = known;
  }

  value(): boolean | undefined {
    const value = this.#or();
    return this.#at === this.#tokens.length ? value : undefined;
  }

  #or(): boolean | undefined {
    let value = this.#and();
    while (this.#take("or")) {
      const right = this.#and();
      value = value === true || right === true ? true : value === false && right === false ? false : undefined;
    }
    return value;
  }

  #and(): boolean | undefined {
    let value = this.#not();
    while (this.#take("and")) {
      const right = this.#not();
      value = value === false || right === false ? false : value === true && right === true ? true : undefined;
    }
    return value;
  }

  #not(): boolean | undefined {
    let negated = false;
    while (this.#take("not")) negated = !negated;
    const value = this.#atom();
    return value === undefined ? undefined : value !== negated;
  }

  #atom(): boolean | undefined {
    if (this.#take("(")) {
      const value = this.#or();
      this.#take(")");
      return value;
    }
    const name = this.#tokens[this.#at];
    this.#at += 1;
    return name === undefined ? undefined : this.#known.get(name);
  }

  #take(word: string): boolean {
    if (this.#tokens[this.#at]?.toLowerCase() !== word) return false;
    this.#at += 1;
    return true;
  }
}
