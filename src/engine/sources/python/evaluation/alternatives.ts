import { beyond, common, compatible, complement, join, opposite, sameConditions, without } from "./conditions.ts";
import { gatherTexts, isOverfull, mergeTexts, piecesOf, textOfPieces } from "./guarded-text.ts";
import type { Alternative, Conditions, Element, ListValue, Standing, Value } from "./values.ts";
import { always, tooMany, unknown } from "./values.ts";

/** So many values of one name are told apart. */
const maximumAlternatives = 24;

/** Lists that are longer together are not made one. */
const maximumElements = 4_000;

/** An alternative in more ways than these is not looked at in each of them. */
const maximumWays = 3;

/** Choices among choices become one. */
function flat(alternatives: readonly Alternative[]): readonly Alternative[] {
  if (!alternatives.some((one) => one.value.kind === "choice")) return alternatives;
  const result: Alternative[] = [];
  for (const one of alternatives) {
    if (one.value.kind !== "choice" || isOverfull(one.value)) result.push(one);
    else for (const inner of flat(one.value.alternatives)) if (compatible(one.conditions, inner.conditions)) result.push({ value: inner.value, conditions: join(one.conditions, inner.conditions) });
  }
  return result;
}

/** What `alternatives` come to where `stack` holds. */
export function choose(alternatives: readonly Alternative[], stack: Conditions): Value | undefined {
  const [only] = alternatives;
  if (alternatives.length === 1 && only?.value.kind === "choice" && only.value.pieces !== undefined) {
    return compatible(only.conditions, stack) ? textOfPieces(only.value.pieces, join(stack, only.conditions)) : undefined;
  }
  const possible = flat(alternatives).filter((one) => compatible(one.conditions, stack));
  const first = possible[0];
  if (first === undefined) return undefined;
  if (possible.length === 1) return isOverfull(first.value) ? choose([first], stack) : first.value;
  const overfull = possible.some((one) => isOverfull(one.value)) ? gatherTexts(possible) : undefined;
  if (overfull !== undefined) return choose([overfull], stack);
  return { kind: "choice", alternatives: flatWhole(possible).map((one) => ({ value: one.value, conditions: beyond(one.conditions, stack) })) };
}

/** Texts with very many forms beside values that are no texts: only that they are not known. */
function flatWhole(alternatives: readonly Alternative[]): readonly Alternative[] {
  return alternatives.map((one) => one.value.kind === "choice" ? { value: one.value.alternatives[0]?.value ?? one.value, conditions: one.conditions } : one);
}

/** Adds a value that holds under `conditions` and replaces what was there under them. */
export function overlay(old: readonly Alternative[], value: Value, conditions: Conditions, standing: Standing): readonly Alternative[] {
  if (conditions.length === 0) return combine([], [{ value, conditions }], standing);
  const [only] = old;
  // What was added to every one of several lists or texts: one list or text in front of it, where that makes one of all.
  const before = old.length === 1 ? only : old.some((one) => isBegunBy(value, one.value)) ? gather(old, standing) : undefined;
  if (before !== undefined && beyond(before.conditions, conditions).length === 0) {
    const taken = beyond(conditions, before.conditions);
    const [single, ...others] = flatUnlessPieces([{ value, conditions: always }]);
    const merged = single === undefined || others.length > 0 || taken.length === 0 ? undefined : merge(before.value, single.value, taken, standing, taken.length > maximumWays || isGathered(before.value));
    if (merged !== undefined) {
      hold(value);
      return [{ value: merged, conditions: before.conditions }];
    }
  }
  const kept = old.flatMap((one) => without(one.conditions, conditions).map((way) => ({ value: one.value, conditions: way })));
  standing.spend((kept.length * conditions.length) >> 2);
  return combine(kept, [{ value, conditions }], standing);
}

/** Whether very many alternatives went into a value. */
function isGathered(value: Value): boolean {
  return value.kind === "list" ? value.gathered === true : isOverfull(value);
}

/** Alternatives, with `more` that exclude them; those that have something in common become one. */
function combine(alternatives: readonly Alternative[], more: readonly Alternative[], standing: Standing): readonly Alternative[] {
  return limited(combineAll(alternatives, more, standing), standing);
}

/** The same, however many they are. */
export function combineAll(alternatives: readonly Alternative[], more: readonly Alternative[], standing: Standing): readonly Alternative[] {
  const all = [...alternatives];
  for (const one of flatUnlessPieces(more)) {
    hold(one.value);
    add(all, one, standing);
  }
  return all;
}

/** Notes that a list is now in one more place, from where it may be changed. */
export function hold(value: Value): void {
  if (value.kind === "list") value.held++;
}

function flatUnlessPieces(alternatives: readonly Alternative[]): readonly Alternative[] {
  return alternatives.flatMap((one) => one.value.kind === "choice" && one.value.pieces === undefined ? flat([one]) : [one]);
}

function add(all: Alternative[], alternative: Alternative, standing: Standing): void {
  let last = alternative;
  for (let at = all.length - 1; at >= 0; at--) {
    const other = all[at];
    const apart = other === undefined ? undefined : complement(other.conditions, last.conditions);
    if (other === undefined || apart === undefined) continue;
    const merged = merge(other.value, last.value, [opposite(apart.pivot)], standing, false);
    if (merged === undefined) continue;
    all.splice(at, 1);
    last = { value: merged, conditions: apart.shared };
    at = all.length;
  }
  all.push(last);
}

/** One value for what is `b` where `taken` holds and `a` elsewhere, if they are the same but for what one adds, or by `force`. */
function merge(a: Value, b: Value, taken: Conditions, standing: Standing, force: boolean): Value | undefined {
  if (a === b) return a;
  if (a.kind === "list" && b.kind === "list") return a.makes === b.makes ? mergeLists(a, b, taken, standing, force) : undefined;
  // A text is put together again with every piece.
  standing.spend((sizeOf(a) + sizeOf(b)) >> 2);
  return mergeTexts(a, b, taken, force);
}

function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case "text": return b.kind === "text" && a.value === b.value && a.known === b.known && a.place.start === b.place.start && a.place.file === b.place.file;
    case "unknown": return b.kind === "unknown" && a.text === b.text;
    case "number": return b.kind === "number" && a.value === b.value;
    case "boolean": return b.kind === "boolean" && a.value === b.value;
    default: return false;
  }
}

/** One list whose elements carry the conditions. */
function mergeLists(a: ListValue, b: ListValue, taken: Conditions, standing: Standing, force: boolean): ListValue | undefined {
  if (a.elements.length + b.elements.length > 2 * maximumElements) return undefined;
  standing.spend((sizeOf(a) + sizeOf(b)) >> 3);
  const added = b.elements.filter((element) => compatible(element.conditions, taken));
  const isShared = (x: Element, y: Element | undefined): boolean => y !== undefined && isSame(x.value, y.value) && sameConditions(beyond(x.conditions, taken), beyond(y.conditions, taken));
  const elements: Element[] = [];
  let found = force || added.length === 0 || !a.elements.some((element) => compatible(element.conditions, taken));
  let at = 0;
  const add = (until: number): void => {
    for (; at < until; at++) {
      const element = added[at];
      if (element !== undefined) elements.push({ value: element.value, conditions: join(taken, element.conditions) });
    }
  };
  for (const element of a.elements) {
    if (!compatible(element.conditions, taken)) {
      elements.push(element);
      continue;
    }
    let next = at;
    // Looking further than this costs more than two elements with a condition each.
    const end = Math.min(added.length, at + 64);
    while (next < end && !isShared(element, added[next])) next++;
    if (next < end) {
      add(next);
      elements.push(element);
      at = next + 1;
      found = true;
    } else {
      const ways = without(element.conditions, taken);
      standing.spend(ways.length);
      for (const conditions of ways) elements.push({ value: element.value, conditions });
    }
  }
  if (!found || elements.length > maximumElements) return undefined;
  add(added.length);
  const merged: ListValue = {
    kind: "list", makes: a.makes, elements, base: common(a.base, b.base), place: b.place, steps: [...new Set([...a.steps, ...b.steps])].slice(0, 6), held: 1,
    ...(a.gathered === true || force ? { gathered: true } : {}),
  };
  for (const way of without(always, taken)) link(merged, a, way);
  link(merged, b, taken);
  return merged;
}

/** Where somebody else still holds a list that goes into another one, both are changed from now on. */
function link(whole: ListValue, part: ListValue, conditions: Conditions): void {
  if (part.held > 1) {
    (whole.links ??= []).push({ list: part, conditions });
    (part.links ??= []).push({ list: whole, conditions });
    return;
  }
  for (const one of part.links ?? []) {
    if (!compatible(one.conditions, conditions)) continue;
    const both = join(conditions, one.conditions);
    (whole.links ??= []).push({ list: one.list, conditions: both });
    const back = one.list.links?.find((each) => each.list === part);
    if (back !== undefined) Object.assign(back, { list: whole, conditions: both });
  }
}

/**
 * Keeps as many alternatives as are told apart. Lists and texts lose nothing: their elements and pieces carry
 * the conditions. Of other values the rest is one that is not known.
 */
export function limited(alternatives: readonly Alternative[], standing: Standing): readonly Alternative[] {
  if (alternatives.length <= maximumAlternatives) return alternatives;
  const gathered = gather(alternatives, standing);
  if (gathered !== undefined) return [gathered];
  // What happens when nobody chooses matters most, then what was there first, then the latest.
  const usual = alternatives.filter((one, index) => index === 0 || one.conditions.every((condition) => condition.byDefault === true));
  const kept = new Set([...usual.slice(0, 4), ...alternatives.slice(-(maximumAlternatives - Math.min(4, usual.length)))]);
  const dropped = alternatives.filter((one) => !kept.has(one));
  let shared = dropped[0]?.conditions ?? always;
  for (const one of dropped) shared = common(shared, one.conditions);
  return [{ value: unknown(tooMany), conditions: shared }, ...alternatives.filter((one) => kept.has(one) && !(one.value.kind === "unknown" && one.value.text === tooMany))];
}

/** Exclusive lists or texts as one, whose elements or pieces carry the conditions. */
function gather(alternatives: readonly Alternative[], standing: Standing): Alternative | undefined {
  const [first] = alternatives;
  for (const { value, conditions } of alternatives) {
    if ((value.kind === "list") !== (first?.value.kind === "list")) return undefined;
    standing.spend((sizeOf(value) + conditions.length) >> 2);
  }
  return first?.value.kind === "list" ? gatherLists(alternatives) : gatherTexts(alternatives);
}

/** How much there is to look at in a value. */
export function sizeOf(value: Value): number {
  const parts = value.kind === "list" ? value.elements : value.kind === "choice" ? value.pieces ?? value.alternatives : [];
  let size = 1;
  for (const part of parts) size += 1 + part.conditions.length;
  return size;
}

/** Whether a value may be what another one became when something was added to it. */
function isBegunBy(value: Value, old: Value): boolean {
  if (value.kind === "list") {
    if (old.kind !== "list") return false;
    const [first, last] = [old.elements[0], old.elements.at(-1)];
    return value.elements.some((element) => [first, last].some((one) => one !== undefined && isSame(one.value, element.value)));
  }
  const [pieces, before] = [piecesOf(value), piecesOf(old)];
  return pieces !== undefined && before !== undefined && before.some(({ value: one }) => one.value !== "" && pieces.some((piece) => piece.value.value.startsWith(one.value) || piece.value.value.endsWith(one.value)));
}

function gatherLists(alternatives: readonly Alternative[]): Alternative | undefined {
  const [first] = alternatives;
  if (first?.value.kind !== "list") return undefined;
  let shared = first.conditions;
  let base: Conditions = first.value.base;
  const elements: Element[] = [];
  let size = 0;
  for (const { value, conditions } of alternatives) {
    if (value.kind !== "list" || value.makes !== first.value.makes) return undefined;
    size += value.elements.length;
    if (size > maximumElements) return undefined;
    shared = common(shared, conditions);
    base = common(base, value.base);
  }
  for (const { value, conditions } of alternatives) {
    const own = beyond(conditions, shared);
    if (value.kind === "list") for (const element of value.elements) if (compatible(element.conditions, own)) elements.push({ value: element.value, conditions: join(own, element.conditions) });
  }
  const value: ListValue = { kind: "list", makes: first.value.makes, elements, base, place: first.value.place, steps: [...first.value.steps], held: 1, gathered: true };
  for (const one of alternatives) if (one.value.kind === "list") link(value, one.value, beyond(one.conditions, shared));
  return { value, conditions: shared };
}
