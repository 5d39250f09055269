import type { Condition, Location } from "../../model/index.ts";

/**
 * A conjunction of decisions: each number is twice the index of a condition, plus one where it does not hold.
 * Two guards with `n` and `n ^ 1` exclude each other.
 */
export type Guard = readonly number[];

export const always: Guard = [];

interface Entry {
  readonly text: string;
  readonly id: string;
  readonly location: Location;
  /** What else is decided when the condition holds, and when it does not. */
  readonly implied: readonly [Guard, Guard];
  /** The branch that is taken when the user passes nothing. */
  readonly byDefault: 0 | 1 | undefined;
  /** The answer is asked from this body at build time. */
  readonly follows: "torch" | "tensorflow" | "environment" | undefined;
}

/** All undecided conditions of one evaluation. The same text about the same unknown is the same condition. */
export class Conditions {
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, number>();
  readonly #guards = new Map<number, Guard>();
  readonly #conditions = new Map<number, Condition>();
  readonly #lists = new WeakMap<Guard, readonly Condition[]>();
  /** Pieces looked at while merging and deciding: what bounds the cost of values with many guards. */
  work = 0;

  /** The guard under which the condition holds; xor 1 on its first member is the guard under which it does not. */
  code(id: string, text: string, location: () => Location, byDefault?: 0 | 1, implied: readonly [Guard, Guard] = [always, always], follows?: Entry["follows"]): number {
    const known = this.#byId.get(id);
    if (known !== undefined) return known * 2;
    const index = this.#entries.length;
    this.#entries.push({ id, text, location: location(), implied, byDefault, follows });
    this.#byId.set(id, index);
    return index * 2;
  }

  /** The code of a condition that was asked before. */
  find(id: string): number | undefined {
    const known = this.#byId.get(id);
    return known === undefined ? undefined : known * 2;
  }

  /** A code with all that follows from it. */
  guard(code: number): Guard {
    let guard = this.#guards.get(code);
    if (guard === undefined) {
      const implied = this.#entries[code >> 1]?.implied[code & 1 ? 1 : 0] ?? always;
      guard = conjunction([code], implied) ?? [code];
      this.#guards.set(code, guard);
    }
    return guard;
  }

  /** False where the guard needs a decision that differs from what happens when the user passes nothing. */
  isDefault(guard: Guard): boolean {
    return guard.every((code) => {
      const byDefault = this.#entries[code >> 1]?.byDefault;
      return byDefault === undefined || byDefault === (code & 1);
    });
  }

  /** The body that decides, where one does. */
  follows(guard: Guard): Entry["follows"] {
    for (const code of guard) {
      const follows = this.#entries[code >> 1]?.follows;
      if (follows === "torch" || follows === "tensorflow") return follows;
    }
    return undefined;
  }

  text(guard: Guard, joint: "and" | "or" = "and"): string {
    return guard.map((code) => {
      const text = this.#entries[code >> 1]?.text ?? "";
      const whole = / and | or /.test(text) ? `(${text})` : text;
      return code & 1 ? `not ${whole}` : guard.length > 1 ? whole : text;
    }).join(` ${joint} `);
  }

  list(guard: Guard): readonly Condition[] {
    if (guard.length === 0) return none;
    let known = this.#lists.get(guard);
    if (known === undefined) this.#lists.set(guard, (known = guard.flatMap((code) => this.#condition(code) ?? [])));
    return known;
  }

  /** One object for each decision: the facts of hundreds of targets stand under the same few. */
  #condition(code: number): Condition | undefined {
    const entry = this.#entries[code >> 1];
    if (entry === undefined) return undefined;
    let known = this.#conditions.get(code);
    if (known === undefined) {
      const branch = code & 1;
      const byDefault = entry.byDefault === undefined ? {} : { byDefault: entry.byDefault === branch };
      this.#conditions.set(code, (known = { text: entry.text, id: entry.id, branch, location: entry.location, ...byDefault }));
    }
    return known;
  }
}

const none: readonly Condition[] = [];

/** Both guards together, or undefined when they exclude each other. */
export function conjunction(a: Guard, b: Guard): Guard | undefined {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  let out: number[] | undefined;
  for (const code of b) {
    if (a.includes(code)) continue;
    if (a.includes(code ^ 1)) return undefined;
    (out ??= [...a]).push(code);
  }
  return out ?? a;
}

export function excludes(a: Guard, b: Guard): boolean {
  for (const code of a) if (b.includes(code ^ 1)) return true;
  return false;
}

/** The part of `guard` that `path` does not already say. */
export function beyond(guard: Guard, path: Guard): Guard {
  if (path.length === 0 || guard.length === 0) return guard;
  return guard.some((code) => path.includes(code)) ? guard.filter((code) => !path.includes(code)) : guard;
}

/** The ways in which `guard` does not hold: its first decision fails, or the first holds and the second fails, and so on. */
export function complement(conditions: Conditions, guard: Guard): Guard[] {
  const out: Guard[] = [];
  let held: Guard = always;
  for (const code of guard) {
    if (held.includes(code)) continue;
    const without = conjunction(held, conditions.guard(code ^ 1));
    if (without !== undefined) out.push(without);
    held = conjunction(held, conditions.guard(code)) ?? held;
  }
  return out;
}
