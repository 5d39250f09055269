import type { EvidenceStep, SourceEvidence } from "../../model/index.ts";
import { compatible, join, without } from "./evaluation/conditions.ts";
import { isOverfull, wordsOfPieces } from "./evaluation/guarded-text.ts";
import { isChosen, usualList } from "./evaluation/usual.ts";
import type { Conditions, Piece, Step, UnknownValue, Value } from "./evaluation/values.ts";
import { always, tooMany, unknown } from "./evaluation/values.ts";
import type { Place } from "./source-file.ts";
import { locationOf, textOf } from "./source-file.ts";

/** A single value in nested lists and choices, with what it depends on and how it came there. */
export interface Leaf {
  readonly value: Exclude<Value, { kind: "choice" }>;
  readonly conditions: Conditions;
  readonly steps: readonly Step[];
}

const maximumLeaves = 4_000;

/** The values in a list (tuples are kept whole where `keepTuples`), in order, under every condition. */
export function leavesOf(value: Value | undefined, conditions: Conditions = always, keepTuples = false): readonly Leaf[] {
  const leaves: Leaf[] = [];
  if (value !== undefined) collect(value, conditions, [], keepTuples, leaves, 0);
  return leaves;
}

function collect(value: Value, conditions: Conditions, steps: readonly Step[], keepTuples: boolean, leaves: Leaf[], depth: number): void {
  if (leaves.length >= maximumLeaves) {
    // Named as what is not known, so that it is reported.
    if (leaves.length === maximumLeaves) leaves.push({ value: unknown(tooMany), conditions, steps });
    return;
  }
  if (depth > 12) return;
  if (value.kind === "choice" && value.pieces !== undefined && (isOverfull(value) || isCommandLine(value.pieces))) {
    for (const word of wordsOfPieces(value.pieces)) if (compatible(word.conditions, conditions)) collectWord(word.value, join(conditions, word.conditions), steps, leaves);
  } else if (value.kind === "choice") {
    for (const one of value.alternatives) {
      if (compatible(one.conditions, conditions)) collect(one.value, join(conditions, one.conditions), steps, keepTuples, leaves, depth + 1);
    }
  } else if (value.kind === "list" && !(keepTuples && depth > 0 && value.makes === "tuple")) {
    const along = [...steps, ...value.steps];
    for (const element of value.elements) {
      if (compatible(element.conditions, conditions)) collect(element.value, join(conditions, element.conditions), along, keepTuples, leaves, depth + 1);
    }
  } else if (value.kind === "unknown" && usualList(value) !== undefined) {
    collectUsual(value, conditions, steps, leaves);
  } else if (value.kind !== "none") {
    leaves.push({ value, conditions: conditions.filter((one) => one.assumed !== true), steps });
  }
}

/** A list that is not known, of which it is known what is in it without anybody's choice. */
function collectUsual(value: UnknownValue, conditions: Conditions, steps: readonly Step[], leaves: Leaf[]): void {
  const usual = usualList(value);
  const isUsual = usual !== undefined && !isChosen(usual.because, conditions) && compatible(conditions, [usual.because]);
  if (isUsual) collect(usual.list, join(conditions, [usual.because]), steps, false, leaves, 1);
  for (const way of isUsual ? without(conditions, [usual.because]) : [conditions]) leaves.push({ value, conditions: way.filter((one) => one.assumed !== true), steps });
}

/** Several words, none of them in quotes: then each stands for itself. */
function isCommandLine(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => /\s/.test(piece.value.value)) && !pieces.some((piece) => /["']/.test(piece.value.value));
}

function collectWord(word: Value, conditions: Conditions, steps: readonly Step[], leaves: Leaf[]): void {
  if (word.kind !== "choice") {
    collect(word, conditions, steps, false, leaves, 0);
    return;
  }
  for (const one of word.alternatives) if (compatible(one.conditions, conditions)) collect(one.value, join(conditions, one.conditions), steps, false, leaves, 0);
}

/** Evidence for a text: where it is written, and the variables and calls that it passed through. */
export function evidenceOf(place: Place, steps: readonly Step[]): SourceEvidence {
  const via: EvidenceStep[] = [];
  for (const step of steps) {
    const location = locationOf(step.place);
    const repeated = via.some((one) => one.location.path === location.path && one.location.range.start.line === location.range.start.line && one.what === step.what);
    if (!repeated && via.length < 8) via.push({ location, what: step.what });
  }
  return { kind: "source", location: locationOf(place), text: textOf(place), via };
}
