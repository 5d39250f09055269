import { canHoldTogether } from "../../../model/index.ts";
import type { Alternative, Branching, Conditions, Value } from "./values.ts";

/** More values than this for one name are not told apart; the oldest are given up. */
const maximumAlternatives = 12;

/** The conditions of `all` that are not among `given`. */
export function beyond(all: Conditions, given: Conditions): Conditions {
  if (all.length === 0 || given.length === 0) return all;
  return all.filter((one) => !given.some((other) => other.id === one.id && other.branch === one.branch));
}

export function join(a: Conditions, b: Conditions): Conditions {
  return a.length === 0 ? b : b.length === 0 ? a : [...a, ...beyond(b, a)];
}

function opposite(condition: Branching): Branching {
  const { byDefault } = condition;
  return { ...condition, branch: condition.branch === 0 ? 1 : 0, ...(byDefault === undefined ? {} : { byDefault: !byDefault }) };
}

/** The ways in which `held` holds and `taken` does not. */
export function without(held: Conditions, taken: Conditions): Conditions[] {
  const ways: Conditions[] = [];
  let before: Conditions = held;
  for (const condition of taken) {
    if (held.some((one) => one.id === condition.id && one.branch !== condition.branch)) return [held];
    if (held.some((one) => one.id === condition.id)) continue;
    ways.push([...before, opposite(condition)]);
    before = [...before, condition];
  }
  return ways;
}

/** Choices among choices become one. */
function flat(alternatives: readonly Alternative[]): readonly Alternative[] {
  if (!alternatives.some((one) => one.value.kind === "choice")) return alternatives;
  const result: Alternative[] = [];
  for (const one of alternatives) {
    if (one.value.kind !== "choice") result.push(one);
    else for (const inner of flat(one.value.alternatives)) if (canHoldTogether(one.conditions, inner.conditions)) result.push({ value: inner.value, conditions: join(one.conditions, inner.conditions) });
  }
  return result.slice(-maximumAlternatives);
}

/** What `alternatives` come to where `stack` holds. */
export function choose(alternatives: readonly Alternative[], stack: Conditions): Value | undefined {
  const possible = flat(alternatives).filter((one) => canHoldTogether(one.conditions, stack));
  const first = possible[0];
  if (first === undefined) return undefined;
  if (possible.length === 1) return first.value;
  return { kind: "choice", alternatives: possible.map((one) => ({ value: one.value, conditions: beyond(one.conditions, stack) })) };
}

/** Adds a value that holds under `conditions` and replaces what was there under them. */
export function overlay(old: readonly Alternative[], value: Value, conditions: Conditions): readonly Alternative[] {
  if (conditions.length === 0) return [{ value, conditions }];
  const kept = old.flatMap((one) => without(one.conditions, conditions).map((way) => ({ value: one.value, conditions: way })));
  return [...kept, { value, conditions }].slice(-maximumAlternatives);
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

  write(name: string, value: Value, stack: Conditions): void {
    const elsewhere = this.#outside.get(name);
    if (elsewhere !== undefined) {
      elsewhere.write(name, value, stack);
      return;
    }
    const conditions = beyond(stack.filter((one) => one.assumed !== true), this.base);
    this.#names.set(name, overlay(this.#names.get(name) ?? [], value, conditions));
  }

  /** A value for what has none yet: where one was written before, that one stays. */
  writeRemaining(name: string, value: Value, stack: Conditions): void {
    const conditions = beyond(stack.filter((one) => one.assumed !== true), this.base);
    const old = this.#names.get(name) ?? [];
    let ways: readonly Conditions[] = [conditions];
    for (const before of old) ways = ways.flatMap((way) => canHoldTogether(way, before.conditions) ? without(way, before.conditions) : [way]).slice(0, maximumAlternatives);
    this.#names.set(name, [...old, ...ways.map((way) => ({ value, conditions: way }))].slice(0, maximumAlternatives));
  }

  names(): Iterable<string> {
    return this.#names.keys();
  }
}
