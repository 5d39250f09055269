import type { CudaArchitecture, DeclaredBody, Fact, Language, Trait } from "../model/index.ts";
import { factsOf } from "../model/index.ts";
import { capabilityName, effectiveFacts } from "../sources/flags/index.ts";

/** What a target ends up with for one trait, as text, with the languages that have it. */
export interface TargetValue<T extends Trait = Trait> {
  readonly text: string;
  readonly languages: readonly Language[];
  readonly facts: readonly Fact<T>[];
}

/** The values of a trait by language; alternatives of one language are one value: "0 or 1". */
export function targetValues<T extends Trait>(body: DeclaredBody, trait: T, write: (fact: Fact<T>) => string): TargetValue<T>[] {
  const values = new Map<string, { languages: Language[]; facts: Fact<T>[] }>();
  for (const language of body.target.languages) {
    const facts = factsOf(effectiveFacts(body.facts, language), trait);
    // Architectures add up; everything else is one or the other.
    const text = [...new Set(facts.map(write))].join(trait === "cuda-architectures" ? ", " : " or ");
    if (text !== "") {
      const known = values.get(text) ?? { languages: [], facts: [] };
      values.set(text, known);
      known.languages.push(language);
      known.facts.push(...facts.filter((fact) => !known.facts.includes(fact)));
    }
  }
  return [...values].map(([text, value]) => ({ text, ...value }));
}

/** True when a compiler of the target that could have the trait has another value, or none. */
export function isPartial(value: Pick<TargetValue, "languages">, body: DeclaredBody): boolean {
  return body.target.languages.some((language) => language !== "C" && !value.languages.includes(language));
}

/** The value of a trait as people write it. */
export function valueText(trait: Trait, value: NonNullable<Fact["value"]> | null): string {
  if (value === null) {
    return "none";
  }
  if (isArchitectures(value)) {
    return value.map(capabilityName).join(", ");
  }
  if (typeof value === "object") {
    return JSON.stringify(value);
  }
  return trait.startsWith("cxx-standard") ? `C++${value}` : String(value);
}

/** Of all values, only architectures are a list. */
function isArchitectures(value: NonNullable<Fact["value"]>): value is readonly CudaArchitecture[] {
  return Array.isArray(value);
}
