import { always, beyond, conjunction, excludes } from "./guards.ts";
import type { Conditions, Guard } from "./guards.ts";
import type { EvidenceStep } from "../../model/index.ts";
import type { SourceFile } from "./syntax.ts";

/** Text in a file from which a piece of a value comes. */
export interface Origin {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** The way of a piece from its text to where it is now; the newest step first. */
export interface Via {
  readonly what: string;
  readonly origin: Origin;
  readonly previous: Via | undefined;
  /** Calls and inclusions in which the step happened. */
  readonly frame: Frame | undefined;
  /** The whole way, once it was asked for: many facts share it. */
  steps?: readonly EvidenceStep[];
  /** This step alone, likewise. */
  step?: EvidenceStep;
}

/** A call of a function or macro, an included file, a subdirectory. */
export interface Frame {
  readonly what: string;
  readonly origin: Origin;
  readonly parent: Frame | undefined;
  readonly depth: number;
  /** This call and those around it, once they were asked for. */
  steps?: readonly EvidenceStep[];
}

/** A run of text in a value, with where it comes from and when it is there. */
export interface Piece {
  readonly text: string;
  readonly origin: Origin | undefined;
  /** `text` is the very text at `origin`, so a part of it has a range of its own. */
  readonly exact: boolean;
  /** `text` names something that could not be evaluated. */
  readonly unknown: boolean;
  /** The unknown thing is this variable, which nothing has set. */
  readonly unset?: string;
  /** A cache entry or a property of the machine that whoever configures may choose otherwise. */
  readonly overridable?: string;
  readonly follows?: "torch" | "tensorflow" | "environment";
  readonly builtin?: boolean;
  readonly guard: Guard;
  readonly via: Via | undefined;
  /** A list separator that counts only between two elements. */
  readonly soft?: boolean;
}

/** A string as the pieces it is put together from: under each decision of the guards, those whose guard holds, in order. */
export interface Value {
  readonly pieces: readonly Piece[];
  /** Guards under which the variable is not set; empty: it is set. */
  readonly absent: readonly Guard[];
}

const maximumPieces = 3000;

export const emptyValue: Value = { pieces: [], absent: [] };
/** What merging makes of too many alternatives. */
export const unboundedValue: Value = { pieces: [{ text: "...", origin: undefined, exact: false, unknown: true, guard: always, via: undefined }], absent: [] };
export const unsetValue: Value = { pieces: [], absent: [always] };

export const separator: Piece = { text: ";", origin: undefined, exact: false, unknown: false, guard: always, via: undefined, soft: true };

export function value(pieces: readonly Piece[]): Value {
  return pieces.length > maximumPieces ? { pieces: [unknownPiece("...")], absent: [] } : { pieces, absent: [] };
}

export function knownPiece(text: string, origin?: Origin): Piece {
  return { text, origin, exact: false, unknown: false, guard: always, via: undefined };
}

export function unknownPiece(text: string, origin?: Origin): Piece {
  return { text, origin, exact: false, unknown: true, guard: always, via: undefined };
}

export function known(text: string, origin?: Origin): Value {
  return text === "" ? emptyValue : { pieces: [knownPiece(text, origin)], absent: [] };
}

export function unknown(text: string, origin?: Origin, follows?: Piece["follows"]): Value {
  const piece = unknownPiece(text, origin);
  return { pieces: [follows === undefined ? piece : { ...piece, follows }], absent: [] };
}

/** The text when it is certain: no guard, nothing unknown. */
export function certainText(pieces: readonly Piece[]): string | undefined {
  if (pieces.length === 1) {
    const [only] = pieces;
    return only === undefined || only.unknown || only.guard.length > 0 ? undefined : only.soft ? "" : only.text;
  }
  for (const piece of pieces) if (piece.unknown || piece.guard.length > 0) return undefined;
  return render(pieces);
}

/** The text with unknown parts as they are written; soft separators only between elements. */
export function render(pieces: readonly Piece[]): string {
  let out = "";
  let last = "";
  let pending = false;
  for (const piece of pieces) {
    if (piece.soft) {
      // Asking the joined text for its end would copy it each time.
      pending = last !== "" && !last.endsWith(";");
      continue;
    }
    if (piece.text === "") continue;
    last = piece.text;
    out += pending ? `;${last}` : last;
    pending = false;
  }
  return out;
}

export function withVia(pieces: readonly Piece[], what: string, origin: Origin, frame: Frame | undefined): readonly Piece[] {
  let changed = false;
  // Elements of one list mostly came the same way, and go on the same way.
  let last: Via | undefined;
  const out = pieces.map((piece) => {
    if (piece.soft || piece.via?.what === what) return piece;
    changed = true;
    if (last === undefined || last.previous !== piece.via) last = { what, origin, previous: piece.via, frame };
    return { ...piece, via: last };
  });
  return changed ? out : pieces;
}

export function withGuard(pieces: readonly Piece[], guard: Guard): readonly Piece[] {
  if (guard.length === 0) return pieces;
  const out: Piece[] = [];
  let before: Guard | undefined;
  let both: Guard | undefined;
  for (const piece of pieces) {
    // Neighbours mostly have the very same guard; they keep sharing one.
    if (before !== piece.guard) both = conjunction(guard, (before = piece.guard));
    if (both !== undefined) out.push(both === piece.guard ? piece : { ...piece, guard: both });
  }
  return out;
}

/** Joins list elements. */
export function joinList(elements: readonly (readonly Piece[])[]): readonly Piece[] {
  const first = elements[0];
  if (elements.length === 1 && first !== undefined) return first;
  const out: Piece[] = [];
  for (const element of elements) {
    if (out.length > 0) out.push(separator);
    for (const piece of element) out.push(piece);
  }
  return out;
}

function same(a: Piece, b: Piece): boolean {
  return a === b || differsNowhere(a, b);
}

function differsNowhere(a: Piece, b: Piece): boolean {
  return (a.text === b.text && a.soft === b.soft && a.unknown === b.unknown && sameGuard(a.guard, b.guard) &&
    a.origin?.start === b.origin?.start && a.origin?.file === b.origin?.file && a.overridable === b.overridable);
}

export function sameGuard(a: Guard, b: Guard): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** How many pieces two values share from the beginning, or from the end. */
function shared(a: readonly Piece[], b: readonly Piece[], limit: number, fromEnd: boolean): number {
  let count = 0;
  while (count < limit && same(a[fromEnd ? a.length - 1 - count : count] as Piece, b[fromEnd ? b.length - 1 - count : count] as Piece)) count++;
  return count;
}

export function sameValue(a: Value, b: Value): boolean {
  return a === b || (a.pieces.length === b.pieces.length && a.absent.length === b.absent.length &&
    (a.pieces === b.pieces || shared(a.pieces, b.pieces, a.pieces.length, false) === a.pieces.length) && a.absent.every((guard, index) => sameGuard(guard, b.absent[index] as Guard)));
}

/**
 * One value out of what branches made of it. What all branches share at the beginning and the end stays as it is,
 * so a flag appended in twenty branches costs twenty pieces and not a million alternatives.
 */
export function merge(branches: readonly { readonly guard: Guard; readonly value: Value }[], limit = { text: maximumPieces, list: maximumPieces }): Value {
  const first = branches[0];
  if (first === undefined) return unsetValue;
  if (branches.every((branch) => sameValue(branch.value, first.value))) return first.value;
  const all = branches.map((branch) => branch.value.pieces);
  const shortest = Math.min(...all.map((pieces) => pieces.length));
  let prefix = shortest;
  for (const pieces of all) if (pieces !== first.value.pieces) prefix = shared(first.value.pieces, pieces, prefix, false);
  let suffix = shortest - prefix;
  for (const pieces of all) if (pieces !== first.value.pieces) suffix = shared(first.value.pieces, pieces, suffix, true);
  const differing = all.reduce((sum, pieces) => sum + pieces.length - prefix - suffix, 0);
  if (differing > limit.text && (differing > limit.list || !all.some((pieces) => pieces.some((piece) => piece.soft)))) return unboundedValue;
  const between: Piece[] = [];
  const absent: Guard[] = [];
  for (const { guard, value: { pieces, absent: missing } } of branches) {
    if (pieces.length > prefix + suffix) between.push(...withGuard(pieces.slice(prefix, pieces.length - suffix), guard));
    for (const one of missing) {
      if (absent.length >= maximumAbsent) break;
      const both = conjunction(guard, one);
      if (both !== undefined) absent.push(both);
    }
  }
  const out = first.value.pieces.slice(0, prefix).concat(between, first.value.pieces.slice(first.value.pieces.length - suffix));
  return out.length > maximumPieces || decidesNothing(out) ? unboundedValue : { pieces: out, absent };
}

/** More ways for a variable not to be set are not noted. */
const maximumAbsent = 64;

/** More ways than any decision follows. */
const maximumWays = 32;

/** One word that a loop with undecided conditions has set again and again: nothing that asks for it follows so many ways. */
function decidesNothing(pieces: readonly Piece[]): boolean {
  if (pieces.length <= maximumWays) return false;
  let guarded = 0;
  for (const piece of pieces) {
    if (piece.soft || /[\s;]/.test(piece.text)) return false;
    if (piece.guard.length > 0) guarded++;
  }
  return guarded > maximumWays;
}

/** One way to decide the guards in a value: what it then is, and the decisions. */
export interface World {
  readonly guard: Guard;
  readonly pieces: readonly Piece[];
}

/** Every distinct way to decide the guards of the pieces, given `path`; undefined when there are more than `limit`. */
export function worlds(conditions: Conditions, pieces: readonly Piece[], path: Guard, limit: number): readonly World[] | undefined {
  if (path.length > 0 || pieces.length > fewPieces) return findWorlds(conditions, pieces, path, limit);
  // Elements of lists stand under the same few guards again and again, for hundreds of targets.
  const shape = remembered(shapes, conditions, () => new Map<number, Shape>());
  let at = remembered(shape, limit, newShape);
  for (const piece of pieces) at = remembered(at.next, piece.guard, newShape);
  if (at.ways === undefined) {
    const before = conditions.work;
    const found = findWorlds(conditions, pieces, path, limit);
    at.ways = found?.map((world) => ({ guard: world.guard, there: pieces.map((piece) => world.pieces.includes(piece)) })) ?? "too many";
    at.work = conditions.work - before;
    return found;
  }
  conditions.work += at.work;
  return at.ways === "too many" ? undefined : at.ways.map(({ guard, there }) => ({ guard, pieces: pieces.filter((_, index) => there[index]) }));
}

/** The ways to decide a sequence of guards. */
interface Shape {
  readonly next: Map<Guard, Shape>;
  ways?: readonly { readonly guard: Guard; readonly there: readonly boolean[] }[] | "too many";
  work: number;
}

const fewPieces = 3;
const shapes = new WeakMap<Conditions, Map<number, Shape>>();

function newShape(): Shape {
  return { next: new Map(), work: 0 };
}

function remembered<K, V>(known: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {
  let found = known.get(key);
  if (found === undefined) known.set(key, (found = make()));
  return found;
}

function findWorlds(conditions: Conditions, pieces: readonly Piece[], path: Guard, limit: number): readonly World[] | undefined {
  // Only the first piece with a guard can split a world, so the ways are found over the distinct guards alone.
  const guards = new Map<Guard, Guard | undefined>();
  let last: Guard = always;
  for (const piece of pieces) {
    if (piece.guard === last || (last = piece.guard).length === 0 || guards.has(last)) continue;
    guards.set(piece.guard, excludes(piece.guard, path) ? undefined : beyond(piece.guard, path));
  }
  if (guards.size === 0) return [{ guard: always, pieces }];
  let ways: Guard[] = [always];
  for (const own of guards.values()) {
    conditions.work += ways.length;
    if (own === undefined || own.length === 0) continue;
    const next: Guard[] = [];
    for (const way of ways) {
      const needed = excludes(own, way) ? always : beyond(own, way);
      if (needed.length === 0) {
        next.push(way);
        continue;
      }
      next.push(conjunction(way, needed) ?? way);
      // Not all of `needed`: the first fails, or the first holds and the second fails, and so on.
      let held: Guard = way;
      for (const code of needed) {
        if (held.includes(code)) continue;
        const without = conjunction(held, conditions.guard(code ^ 1));
        if (without !== undefined) next.push(without);
        held = conjunction(held, conditions.guard(code)) ?? held;
      }
    }
    if (next.length > limit) return undefined;
    ways = next;
  }
  conditions.work += pieces.length * ways.length;
  return ways.map((way) => ({ guard: way, pieces: inWorld(pieces, guards, way) }));
}

/** The same, without the ways in which nothing is there: where all stands under one guard, as with most elements, there is but one way. */
export function worldsWithText(conditions: Conditions, pieces: readonly Piece[], path: Guard, limit: number): readonly World[] | undefined {
  const guard = pieces[0]?.guard;
  if (guard === undefined || guard.length >= limit || pieces.some((piece) => piece.guard !== guard)) return worlds(conditions, pieces, path, limit);
  return excludes(guard, path) ? nowhere : [{ guard: beyond(guard, path), pieces }];
}

const nowhere: readonly World[] = [];

/** The pieces that are there when the guards are decided as `way` says. */
function inWorld(pieces: readonly Piece[], guards: ReadonlyMap<Guard, Guard | undefined>, way: Guard): readonly Piece[] {
  const there = new Set<Guard>();
  for (const [guard, own] of guards) if (own !== undefined && !excludes(own, way) && beyond(own, way).length === 0) there.add(guard);
  const out: Piece[] = [];
  let last: Guard = always;
  let isThere = true;
  for (const piece of pieces) {
    if (piece.guard !== last) isThere = (last = piece.guard).length === 0 || there.has(last);
    if (isThere) out.push(piece);
  }
  return out;
}
