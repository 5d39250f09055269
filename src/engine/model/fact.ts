import type { Condition, Evidence } from "./evidence.ts";
import type { Trait, TraitValues } from "./trait.ts";

/** `observed`: read from a product; `declared`: asked for in a build file; `inferred`: concluded from other facts. */
export type Certainty = "observed" | "declared" | "inferred";

export type Language = "C" | "CXX" | "CUDA" | "HIP" | "SYCL";

/**
 * A body's value for one trait.
 *
 * `value` is undefined when the file says *that* it sets the trait and the reader cannot know to what;
 * `expression` then holds what is written there. `follows` names the body that the value is asked from
 * at build time, so that it agrees by construction.
 */
export interface Fact<T extends Trait = Trait> {
  readonly trait: T;
  readonly value: TraitValues[T] | undefined;
  readonly expression?: string;
  readonly follows?: "torch" | "tensorflow" | "environment";
  readonly certainty: Certainty;
  /** Declared traits: the compilers that receive it. Absent: not a matter of language. */
  readonly languages?: readonly Language[];
  readonly conditions: readonly Condition[];
  /** Never empty; the first is the place to edit or the strongest witness. */
  readonly evidence: readonly [Evidence, ...Evidence[]];
}

/** The facts of one trait, typed. */
export function factsOf<T extends Trait>(facts: readonly Fact[], trait: T): readonly Fact<T>[] {
  return facts.filter((fact): fact is Fact & Fact<T> => fact.trait === trait);
}

/** The first known value of a trait, or undefined. */
export function valueOf<T extends Trait>(facts: readonly Fact[], trait: T): TraitValues[T] | undefined {
  return factsOf(facts, trait).find((fact) => fact.value !== undefined)?.value;
}
