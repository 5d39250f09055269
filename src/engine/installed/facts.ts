import type { Evidence, Fact, Trait, TraitValues } from "../model/index.ts";

/** A value read from files of an environment. */
export function observed<T extends Trait>(trait: T, value: TraitValues[T], path: string, what: string): Fact {
  return { trait, value, certainty: "observed", conditions: [], evidence: [seenIn(path, what)] };
}

export function inferred<T extends Trait>(trait: T, value: TraitValues[T], evidence: Evidence): Fact {
  return { trait, value, certainty: "inferred", conditions: [], evidence: [evidence] };
}

export function seenIn(path: string, what: string): Evidence {
  return { kind: "file", path, what };
}
