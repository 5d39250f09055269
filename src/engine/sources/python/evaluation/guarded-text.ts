import { beyond, common, compatible, divides, join, opposite, sameConditions, without } from "./conditions.ts";
import type { Alternative, Branching, ChoiceValue, Conditions, Followed, Piece, TextValue, UsualText, Value } from "./values.ts";
import { joinUsual } from "./usual.ts";
import { always, text, tooMany } from "./values.ts";

/** So many whole texts are told apart; `pieces` and `length` keep what is put together in a loop from filling the memory. */
const limits = { ways: 24, pieces: 4_000, length: 100_000 };

/** A text whose forms are too many to be told apart: only its pieces are known. */
export function isOverfull(value: Value): boolean {
  return value.kind === "choice" && value.pieces !== undefined && value.alternatives.length === 1;
}

/** Whether a value is a text in pieces, some of which may be missing. */
export function isGuarded(value: Value): value is ChoiceValue & { readonly pieces: readonly Piece[] } {
  return value.kind === "choice" && value.pieces !== undefined;
}

/** A value as pieces of text with what each depends on; undefined when it is no text on every way. */
export function piecesOf(value: Value): readonly Piece[] | undefined {
  if (value.kind === "text") return [{ value, conditions: always }];
  if (value.kind !== "choice" || value.alternatives.length === 0) return undefined;
  if (value.pieces !== undefined) return value.pieces;
  const pieces: Piece[] = [];
  for (const { value: one, conditions } of value.alternatives) {
    if (one.kind !== "text") return undefined;
    pieces.push({ value: one, conditions });
  }
  return pieces;
}

/** The text that pieces come to where `given` holds; undefined when they are too many or too long to be kept. */
export function textOfPieces(pieces: readonly Piece[], given: Conditions): Value | undefined {
  const [first] = pieces;
  if (first === undefined) return undefined;
  const possible: Piece[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (piece.value.value === "" || !compatible(piece.conditions, given)) continue;
    const conditions = beyond(piece.conditions, given);
    possible.push(conditions === piece.conditions ? piece : { value: piece.value, conditions });
    length += piece.value.value.length;
  }
  if (possible.length > limits.pieces || length > limits.length) return undefined;
  if (possible.every((piece) => piece.conditions.length === 0)) return joined(possible, first.value);
  return { kind: "choice", pieces: possible, alternatives: wholeTexts(possible, first.value) };
}

function torchFirst(a: Followed | undefined, b: Followed | undefined): Followed | undefined {
  return a === "torch" ? a : b ?? a;
}

function joined(pieces: readonly Piece[], like: TextValue): TextValue {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only.value;
  let follows: Followed | undefined;
  for (const piece of pieces) follows = torchFirst(follows, piece.value.follows);
  const steps = [...new Set(pieces.flatMap((piece) => piece.value.steps))].slice(0, 6);
  const known = pieces.every((piece) => piece.value.known);
  return text(pieces.map((piece) => piece.value.value).join(""), (pieces.at(-1)?.value ?? like).place, { known, follows, usual: joinUsual(pieces.map((piece) => piece.value)), steps });
}

/** Every text that the pieces may come to, or one that is not known when they are too many. */
function wholeTexts(pieces: readonly Piece[], like: TextValue): readonly Alternative[] {
  const tests = new Set(pieces.flatMap((piece) => piece.conditions.map((one) => one.id)));
  const texts: Alternative[] = [];
  const grow = (left: readonly Piece[], taken: Conditions): boolean => {
    const next = left.find((piece) => piece.conditions.length > 0)?.conditions[0];
    if (next === undefined) return texts.push({ value: joined(left, like), conditions: taken }) <= limits.ways;
    return [opposite(next), next].every((one) => grow(under(left, one), [...taken, one]));
  };
  if (tests.size < limits.ways && grow(pieces, always)) return texts;
  const { follows } = joined(pieces, like);
  return [{ value: { kind: "text", value: `{${tooMany}}`, known: false, place: like.place, steps: like.steps, ...(follows === undefined ? {} : { follows }) }, conditions: always }];
}

/** Pieces where one more test is decided. */
function under(pieces: readonly Piece[], decided: Branching): readonly Piece[] {
  return pieces.flatMap((piece): readonly Piece[] => {
    const mentioned = piece.conditions.find((one) => one.id === decided.id);
    if (mentioned === undefined) return [piece];
    return mentioned.branch === decided.branch ? [{ value: piece.value, conditions: piece.conditions.filter((one) => one !== mentioned) }] : [];
  });
}

/**
 * A text that is `b` where `taken` holds and `a` elsewhere, when one is the other with something added, or where
 * it has to be one text (`force`).
 */
export function mergeTexts(a: Value, b: Value, taken: Conditions, force: boolean): Value | undefined {
  const [left, right] = [piecesOf(a), piecesOf(b)];
  if (left === undefined || right === undefined) return undefined;
  const added = right.filter((piece) => compatible(piece.conditions, taken)).map((piece): Piece => ({ value: piece.value, conditions: beyond(piece.conditions, taken) }));
  let shared = sharedPieces(left, added, taken, false);
  let atEnd = false;
  if (shared.count === 0) {
    shared = sharedPieces(left, added, taken, true);
    atEnd = shared.count > 0;
  }
  const isEmpty = [left.filter((piece) => compatible(piece.conditions, taken)), added].some((pieces) => pieces.every((piece) => piece.value.value === ""));
  if (shared.count === 0 && !isEmpty && !force && !isOverfull(a) && !isOverfull(b)) return undefined;
  // The same text at two places stays two.
  if (shared.left.length + shared.right.length === 0 && a.kind === "text" && b.kind === "text") return undefined;
  const elsewhere = shared.left.flatMap((piece): readonly Piece[] => compatible(piece.conditions, taken) ? without(piece.conditions, taken).map((conditions) => ({ value: piece.value, conditions })) : [piece]);
  const apart = [...elsewhere, ...shared.right.map((piece): Piece => ({ value: piece.value, conditions: join(taken, piece.conditions) }))];
  return textOfPieces(atEnd ? [...apart, ...shared.pieces] : [...shared.pieces, ...apart], always);
}

/** What two texts start or end with together where `taken` holds, and the rest of both; pieces that are only elsewhere stay in between. */
function sharedPieces(left: readonly Piece[], right: readonly Piece[], taken: Conditions, atEnd: boolean): { readonly pieces: readonly Piece[]; readonly count: number; readonly left: readonly Piece[]; readonly right: readonly Piece[] } {
  const turned = (all: readonly Piece[]): Piece[] => atEnd ? [...all] : [...all].reverse();
  // Both are taken from their ends, which is where arrays give and take cheaply.
  const [one, other] = [turned(left), turned(right)];
  const pieces: Piece[] = [];
  let count = 0;
  for (;;) {
    const [a, b] = [one.at(-1), other.at(-1)];
    if (a === undefined) break;
    if (!compatible(a.conditions, taken)) {
      pieces.push(a);
      one.pop();
      continue;
    }
    if (b === undefined || !sameConditions(beyond(a.conditions, taken), b.conditions)) break;
    const [first, second] = [a.value.value, b.value.value];
    const part = (atEnd ? second.endsWith(first) : second.startsWith(first)) ? first : (atEnd ? first.endsWith(second) : first.startsWith(second)) ? second : "";
    if (part === "") break;
    pieces.push(part === first ? a : { value: part === second ? b.value : a.value, conditions: a.conditions });
    count++;
    for (const [from, piece, by] of [[one, a, b], [other, b, a]] as const) {
      from.pop();
      const { value } = piece.value;
      const rest = atEnd ? value.slice(0, value.length - part.length) : value.slice(part.length);
      if (rest === "") continue;
      const { place, steps, follows, usual } = piece.value;
      const given = usual === undefined ? 0 : (by.value.usual?.value ?? part).length;
      const left = usual === undefined ? undefined : { because: usual.because, value: atEnd ? usual.value.slice(0, usual.value.length - given) : usual.value.slice(given) };
      from.push({ value: text(rest, place, { known: piece.value.known || (!by.value.known && !rest.includes("{")), follows, usual: left, steps }), conditions: piece.conditions });
    }
  }
  const straight = (all: Piece[]): readonly Piece[] => atEnd ? all : all.reverse();
  return { pieces: atEnd ? pieces.reverse() : pieces, count, left: straight(one), right: straight(other) };
}

/** The pieces of several exclusive texts, one behind the other. */
export function gatherTexts(alternatives: readonly Alternative[]): Alternative | undefined {
  let shared = alternatives[0]?.conditions ?? always;
  for (const one of alternatives) shared = common(shared, one.conditions);
  if (!divides(alternatives.map((one) => beyond(one.conditions, shared)))) return undefined;
  const pieces: Piece[] = [];
  for (const one of alternatives) {
    const own = piecesOf(one.value);
    if (own === undefined) return undefined;
    const conditions = beyond(one.conditions, shared);
    for (const piece of own) if (compatible(piece.conditions, conditions)) pieces.push({ value: piece.value, conditions: join(conditions, piece.conditions) });
  }
  const value = textOfPieces(pieces, always);
  return value === undefined ? undefined : { value, conditions: shared };
}

/** One text behind the other, as pieces; undefined where plain texts do as well. */
export function joinPieces(left: Value, right: Value, given: Conditions): { readonly value: Value | undefined } | undefined {
  const ways = (value: Value): number => value.kind === "choice" ? value.alternatives.length : 1;
  if (!isGuarded(left) && !isGuarded(right) && ways(left) * ways(right) <= limits.ways) return undefined;
  if (!isWhole(left, given) || !isWhole(right, given)) return undefined;
  const [a, b] = [piecesOf(left), piecesOf(right)];
  return a === undefined || b === undefined ? undefined : { value: textOfPieces([...a, ...b], given) };
}

/** Whether a value is one text on every way: only then a text in front of it may be joined with each of its forms. */
function isWhole(value: Value, given: Conditions): boolean {
  return value.kind !== "choice" || value.pieces !== undefined || divides(value.alternatives.filter((one) => compatible(one.conditions, given)).map((one) => beyond(one.conditions, given)));
}

interface Fragment { readonly piece: Piece; readonly text: string; readonly start: number; readonly usual: UsualText | undefined }

/** Space, or a word with the names of what is not known in it. */
const wordOrSpace = /(\s+)|(?:\{(?:[^{}]|\{[^{}]*\})*\}|[^\s{])+|\{/g;

/** The words of a text in pieces, each with what it depends on. A word may go on from one piece to the next. */
export function wordsOfPieces(pieces: readonly Piece[]): readonly Alternative[] {
  const words: Alternative[] = [];
  let open: { readonly fragment: Fragment; readonly spaces: Conditions[] }[] = [];
  const close = (): void => {
    const [first] = open;
    if (first === undefined) return;
    let { conditions } = first.fragment.piece;
    for (const { fragment } of open) conditions = common(conditions, fragment.piece.conditions);
    const value = textOfPieces(open.map(({ fragment }) => ({ value: partOf(fragment), conditions: fragment.piece.conditions })), conditions);
    if (value !== undefined) words.push({ value, conditions });
    open = [];
  };
  for (const piece of pieces) {
    const matches = [...piece.value.value.matchAll(wordOrSpace)];
    const { usual } = piece.value;
    const usualWords = usual === undefined ? [] : [...usual.value.matchAll(wordOrSpace)];
    for (const [index, match] of matches.entries()) {
      if (match[1] !== undefined) {
        for (const one of open) one.spaces.push(piece.conditions);
        continue;
      }
      // It goes on an open word unless a space is between them whenever both are there.
      const goesOn = open.some(({ fragment, spaces }) => compatible(fragment.piece.conditions, piece.conditions) && !spaces.some((space) => beyond(space, join(fragment.piece.conditions, piece.conditions)).length === 0));
      if (!goesOn) close();
      const word = usualWords.length === matches.length ? usualWords[index]?.[0] : undefined;
      open.push({ fragment: { piece, text: match[0], start: match.index, usual: usual === undefined || word === undefined ? undefined : { value: word, because: usual.because } }, spaces: [] });
    }
  }
  close();
  return words;
}

/** A part of a piece, at its own place when the file holds it there as it is. */
function partOf({ piece, text: part, start, usual }: Fragment): TextValue {
  const { value } = piece;
  if (part === value.value) return value;
  const { file } = value.place;
  const at = file.text.slice(value.place.start, value.place.end).indexOf(value.value);
  const from = at >= 0 ? value.place.start + at + start : file.text.indexOf(part, value.place.start);
  const inside = from >= value.place.start && from + part.length <= value.place.end && file.text.startsWith(part, from);
  const isKnown = value.known || !part.includes("{");
  return text(part, inside ? { file, start: from, end: from + part.length } : value.place, { known: isKnown, follows: isKnown && !value.known && value.follows === "environment" ? undefined : value.follows, usual, steps: value.steps });
}
