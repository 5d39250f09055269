import type { DeclaredBody, Fact, Language, Trait } from "../../engine/model/index.ts";
import { factsOf } from "../../engine/model/index.ts";
import { effectiveFacts } from "../../engine/sources/flags/index.ts";

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
    const text = [...new Set(facts.map(write))].join(" or ");
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
