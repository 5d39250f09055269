import { choose, combineAll, hold, overlay } from "./alternatives.ts";
import { beyond, compatible, without } from "./conditions.ts";
import type { Alternative, Conditions, Standing, Value } from "./values.ts";
import { always, tooMany, unknown } from "./values.ts";

/** Ways on which a function may still go on that are told apart. */
const maximumWays = 24;

/** Returns of one function. */
const maximumRemaining = 400;

function reported(stack: Conditions): Conditions {
  return stack.some((one) => one.assumed === true) ? stack.filter((one) => one.assumed !== true) : stack;
}

/** Names and their values, of a module, a function call, a class body or an object. */
export class Scope {
  readonly parent: Scope | undefined;
  readonly base: Conditions;
  /** Class bodies are not seen from the functions in them. */
  readonly isClass: boolean;
  readonly #names = new Map<string, readonly Alternative[]>();
  readonly #outside = new Map<string, Scope>();

  constructor(parent: Scope | undefined, base: Conditions, isClass = false) {
    this.parent = parent;
    this.base = base;
    this.isClass = isClass;
  }

  /** `global` and `nonlocal`. */
  declareOutside(name: string, scope: Scope): void {
    this.#outside.set(name, scope);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  own(name: string, stack: Conditions): Value | undefined {
    const alternatives = this.#names.get(name);
    return alternatives === undefined ? undefined : choose(alternatives, stack);
  }

  read(name: string, stack: Conditions): Value | undefined {
    return this.#find(name, stack) ?? this.parent?.readOuter(name, stack);
  }

  /** As seen from a scope inside. */
  protected readOuter(name: string, stack: Conditions): Value | undefined {
    return (this.isClass ? undefined : this.#find(name, stack)) ?? this.parent?.readOuter(name, stack);
  }

  #find(name: string, stack: Conditions): Value | undefined {
    const elsewhere = this.#outside.get(name);
    return elsewhere === undefined ? this.own(name, stack) : elsewhere.read(name, stack);
  }

  write(name: string, value: Value, standing: Standing): void {
    const elsewhere = this.#outside.get(name);
    if (elsewhere !== undefined) {
      elsewhere.write(name, value, standing);
      return;
    }
    const conditions = beyond(reported(standing.stack), this.base);
    this.#names.set(name, overlay(this.#names.get(name) ?? [], value, conditions, standing));
  }

  /** A value for what has none yet: where one was written before, that one stays. Each is told apart, for they say where that is. */
  writeRemaining(name: string, value: Value, standing: Standing): void {
    const old = this.#names.get(name) ?? [];
    let ways: readonly Conditions[] = [beyond(reported(standing.stack), this.base)];
    for (const before of old) {
      if (ways.length > maximumWays) break;
      standing.spend((ways.length * (1 + before.conditions.length)) >> 2);
      ways = ways.flatMap((way) => compatible(way, before.conditions) ? without(way, before.conditions) : [way]);
    }
    const isKnown = ways.length <= maximumWays && old.length < maximumRemaining;
    this.#names.set(name, combineAll(old, isKnown ? ways.map((way) => ({ value, conditions: way })) : [{ value: unknown(tooMany), conditions: always }], standing));
  }

  /** A value whatever the conditions. */
  set(name: string, value: Value): void {
    hold(value);
    this.#names.set(name, [{ value, conditions: always }]);
  }

  names(): Iterable<string> {
    return this.#names.keys();
  }
}
