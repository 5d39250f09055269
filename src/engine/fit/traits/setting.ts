import type { BuiltBody, Evidence, Fact, InstalledBody, Trait, TraitValues } from "../../model/index.ts";
import { factsOf } from "../../model/index.ts";
import type { FitEnvironment, FitOptions, TraitComparison } from "../types.ts";
import type { LoadedObject } from "../process.ts";

/** Both sides of a comparison of traits. */
export interface Sides {
  readonly built: BuiltBody;
  readonly environment: FitEnvironment;
  readonly options: FitOptions;
  /** What the file would load. */
  readonly scope: readonly LoadedObject[];
  /** The file needs names of torch whose ABI nobody promises. */
  readonly usesUnstable: boolean;
  /** The names of torch whose ABI nobody promises that it needs, mangled. */
  readonly unstableNames: readonly string[];
  /** The functions of torch's stable ABI that it needs. */
  readonly stableNames: readonly string[];
  /** Releases that have every name of torch that it needs: with one of them it was compiled. */
  readonly candidates: readonly string[] | undefined;
}

/** One comparison, or nothing where there is nothing to compare. */
export type Comparison = (sides: Sides) => TraitComparison | undefined;

/** The first known value of a trait with its evidence. */
export function known<T extends Trait>(body: BuiltBody | InstalledBody, trait: T): { readonly value: TraitValues[T]; readonly evidence: readonly Evidence[] } | undefined {
  const fact: Fact<T> | undefined = factsOf(body.facts, trait).find((one) => one.value !== undefined);
  return fact?.value === undefined ? undefined : { value: fact.value, evidence: fact.evidence };
}
