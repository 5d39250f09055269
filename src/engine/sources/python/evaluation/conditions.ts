import type { Branching, Conditions } from "./values.ts";

/**
 * How far two lists of conditions are the same objects. Conditions in force only grow on the way into a block,
 * so most of what is compared starts alike and needs no search.
 */
function sharedStart(a: Conditions, b: Conditions): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a[at] === b[at]) at++;
  return at;
}

/** The conditions of `all` that are not among `given`. */
export function beyond(all: Conditions, given: Conditions): Conditions {
  if (all.length === 0 || given.length === 0) return all;
  const from = sharedStart(all, given);
  if (from === all.length) return [];
  const rest = all.slice(from).filter((one) => !given.some((other) => other.id === one.id && other.branch === one.branch));
  return rest.length === all.length ? all : rest;
}

export function join(a: Conditions, b: Conditions): Conditions {
  if (a.length === 0) return b;
  const more = beyond(b, a);
  return more.length === 0 ? a : [...a, ...more];
}

/** False when the two stand on different branches of the same test. */
export function compatible(a: Conditions, b: Conditions): boolean {
  if (a.length === 0 || b.length === 0) return true;
  const from = sharedStart(a, b);
  for (let i = from; i < a.length; i++) {
    for (let j = from; j < b.length; j++) if (a[i]?.id === b[j]?.id && a[i]?.branch !== b[j]?.branch) return false;
  }
  return true;
}

export function opposite(condition: Branching): Branching {
  const { byDefault } = condition;
  return { ...condition, branch: condition.branch === 0 ? 1 : 0, ...(byDefault === undefined ? {} : { byDefault: !byDefault }) };
}

/** The ways in which `held` holds and `taken` does not. */
export function without(held: Conditions, taken: Conditions): Conditions[] {
  const ways: Conditions[] = [];
  let before: Conditions = held;
  for (const condition of taken) {
    const given = held.find((one) => one.id === condition.id);
    if (given !== undefined && given.branch !== condition.branch) return [held];
    if (given !== undefined) continue;
    ways.push([...before, opposite(condition)]);
    before = [...before, condition];
  }
  return ways;
}

/** Where two lists of conditions differ only in the branch of one test: that test as in `a`, and what they share. */
export function complement(a: Conditions, b: Conditions): { readonly pivot: Branching; readonly shared: Conditions } | undefined {
  if (a.length !== b.length) return undefined;
  let pivot: Branching | undefined;
  for (let at = 0; at < a.length; at++) {
    const one = a[at];
    const other = b[at]?.id === one?.id ? b[at] : b.find((each) => each.id === one?.id);
    if (one === undefined || other === undefined) return undefined;
    if (one.branch === other.branch) continue;
    if (pivot !== undefined) return undefined;
    pivot = one;
  }
  return pivot === undefined ? undefined : { pivot, shared: a.filter((one) => one !== pivot) };
}

/** Whether on every way exactly one of the lists of conditions holds. False too where finding out takes long. */
export function divides(all: readonly Conditions[]): boolean {
  let left = 400;
  const one = (lists: readonly Conditions[]): boolean => {
    if (--left < 0) return false;
    const next = lists.find((list) => list.length > 0)?.[0];
    if (next === undefined) return lists.length === 1;
    return [next, opposite(next)].every((taken) => one(lists.filter((list) => compatible(list, [taken])).map((list) => list.filter((each) => each.id !== taken.id))));
  };
  return one(all);
}

export function sameConditions(a: Conditions, b: Conditions): boolean {
  return a === b || (a.length === b.length && beyond(a, b).length === 0);
}

/** The conditions that are in both. */
export function common(a: Conditions, b: Conditions): Conditions {
  const apart = beyond(a, b);
  return apart.length === 0 ? a : a.filter((one) => !apart.includes(one));
}
