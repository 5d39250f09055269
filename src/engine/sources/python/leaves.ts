import type { EvidenceStep, SourceEvidence } from "../../model/index.ts";
import { canHoldTogether } from "../../model/index.ts";
import { join } from "./evaluation/scope.ts";
import type { Conditions, Step, Value } from "./evaluation/values.ts";
import { always } from "./evaluation/values.ts";
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
  if (leaves.length >= maximumLeaves || depth > 12) return;
  if (value.kind === "choice") {
    for (const one of value.alternatives) {
      if (canHoldTogether(one.conditions, conditions)) collect(one.value, join(conditions, one.conditions), steps, keepTuples, leaves, depth + 1);
    }
  } else if (value.kind === "list" && !(keepTuples && depth > 0 && value.makes === "tuple")) {
    const along = [...steps, ...value.steps];
    for (const element of value.elements) {
      if (canHoldTogether(element.conditions, conditions)) collect(element.value, join(conditions, element.conditions), along, keepTuples, leaves, depth + 1);
    }
  } else if (value.kind !== "none") {
    leaves.push({ value, conditions: conditions.filter((one) => one.assumed !== true), steps });
  }
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
