import type { Place } from "../source-file.ts";
import { locationOf, textOf } from "../source-file.ts";
import { choose, limited } from "./alternatives.ts";
import { compatible, join } from "./conditions.ts";
import { asTruth, truthOf } from "./truth.ts";
import type { Alternative, Branching, Conditions, Cut, Standing, Value } from "./values.ts";
import { always, render, usually } from "./values.ts";

/** Limits that keep hostile and generated files from costing more than they tell. */
const limits = { steps: 200_000 };

/** Where evaluation stands: the conditions in force, and how much it has spent. */
export class Ways implements Standing {
  stack: Conditions = always;
  #steps = 0;
  #limit = limits.steps;

  /** What was left out, and of what by name. */
  readonly cuts = new Map<Cut, Set<string>>();

  get exhausted(): boolean {
    return this.#steps > this.#limit;
  }

  /** Counts a unit of work; false when there is no more to spend. */
  step(): boolean {
    // Conditions in force are looked at wherever a value depends on some.
    this.#steps += 1 + (this.stack.length >> 5);
    return this.#steps <= this.#limit;
  }

  spend(work: number): void {
    this.#steps += work;
  }

  cut(what: Cut, name = ""): void {
    const names = this.cuts.get(what) ?? new Set();
    this.cuts.set(what, names.add(name));
  }

  /** Runs something that may spend only so many steps. False when it would have needed more. */
  within(steps: number, run: () => void): boolean {
    const before = this.#limit;
    this.#limit = Math.min(before, this.#steps + steps);
    try {
      run();
      return !this.exhausted;
    } finally {
      this.#limit = before;
    }
  }

  /** Conditions in force that are worth reporting. */
  get conditions(): Conditions {
    return this.stack.some((one) => one.assumed === true) ? this.stack.filter((one) => one.assumed !== true) : this.stack;
  }

  under<T>(conditions: Conditions, run: () => T): T {
    if (conditions.length === 0) return run();
    const before = this.stack;
    this.stack = join(before, conditions);
    try {
      return run();
    } finally {
      this.stack = before;
    }
  }

  holds(conditions: Conditions): boolean {
    return compatible(conditions, this.stack);
  }

  /** Applies `transform` to every value that a choice may come to. */
  lift(value: Value, transform: (value: Value) => Value): Value {
    if (value.kind !== "choice") return transform(value);
    const alternatives: Alternative[] = [];
    for (const one of value.alternatives) {
      if (!this.holds(one.conditions) || this.exhausted) continue;
      this.spend(1);
      const result = this.under(one.conditions, () => transform(one.value));
      if (result.kind !== "choice") alternatives.push({ value: result, conditions: one.conditions });
      else if (result.pieces !== undefined) alternatives.push({ value: result, conditions: one.conditions });
      else for (const inner of result.alternatives) alternatives.push({ value: inner.value, conditions: join(one.conditions, inner.conditions) });
    }
    // Without an alternative that can be met here, the place itself cannot be reached.
    return choose(limited(alternatives, this), this.stack) ?? { kind: "choice", alternatives: [] };
  }

  /** Splits on a test: conditions for the way where it holds and for the one where it does not; undefined: impossible. */
  split(tested: Value, place: Place): { readonly yes: Conditions | undefined; readonly no: Conditions | undefined } {
    const test = asTruth(tested);
    if (test.kind === "choice") {
      const possible = test.alternatives.filter((one) => this.holds(one.conditions));
      const truths = possible.map((one) => truthOf(one.value));
      const [yes, no] = [true, false].map((wanted) => possible.filter((_, index) => truths[index] === wanted));
      if (yes?.length === possible.length) return { yes: always, no: undefined };
      if (no?.length === possible.length) return { yes: undefined, no: always };
      const decided = !truths.includes(undefined);
      if (decided && yes?.length === 1 && no?.length === 1) return { yes: yes[0]?.conditions ?? always, no: no[0]?.conditions ?? always };
      const opaque = this.opaque(textOf(place), place);
      if (!decided) return opaque;
      return {
        yes: join(yes?.length === 1 ? (yes[0]?.conditions ?? always) : always, opaque.yes),
        no: join(no?.length === 1 ? (no[0]?.conditions ?? always) : always, opaque.no),
      };
    }
    const truth = truthOf(test);
    if (truth !== undefined) return truth ? { yes: always, no: undefined } : { yes: undefined, no: always };
    const usual = usually(test);
    return this.opaque(render(test), place, usual === undefined ? undefined : truthOf(usual));
  }

  /** The two ways of a test that cannot be decided; the same test at another place is the same condition. */
  opaque(rendered: string, place: Place, usual?: boolean): { yes: Conditions; no: Conditions } {
    let name = rendered;
    let flipped = false;
    while (name.startsWith("not ")) {
      name = name.slice(4);
      flipped = !flipped;
    }
    // A long chain of calls reads better under the name that the script gave it.
    const shown = name.length > 60 && !flipped ? textOf(place) : name;
    const given = this.stack.find((one) => one.id === name);
    const condition = (branch: 0 | 1, holds: boolean): Branching => {
      if (given !== undefined && given.branch === branch) return given;
      const plain = { text: shown, id: name, branch, location: locationOf(place) };
      return usual === undefined ? plain : { ...plain, byDefault: usual === holds };
    };
    return { yes: [condition(flipped ? 1 : 0, true)], no: [condition(flipped ? 0 : 1, false)] };
  }
}
