/** Traits of a built file that the loading model compared with the torch it meets. */
import type { TraitComparison } from "../../fit/types.ts";
import { factsOf } from "../../model/index.ts";
import type { Evidence, Trait } from "../../model/index.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import type { Observed } from "./report.ts";
import { nameOf } from "./subjects.ts";
import { disagreements, torchOfFit } from "./words.ts";

/** A disagreement about one of `traits` in words: both sides with their values, and what it means. `what` names the trait. */
export function traitSaid(context: RuleContext, file: BuiltFile, traits: readonly TraitComparison["trait"][], what: string): Observed | undefined {
  const [first] = file.fit === undefined || file.origin === "jit-cache" ? [] : disagreements(file, ...traits);
  if (first === undefined || file.fit === undefined) return undefined;
  return {
    message: `${nameOf(context, file)} has ${what} ${first.built}, and ${torchOfFit(file.fit)} has ${first.installed}. ${first.because}`,
    severity: first.weight,
    against: first.evidence,
  };
}

/** What the installed side of a trait rests on. */
export function againstOf(file: BuiltFile, trait: Trait): readonly Evidence[] {
  return file.fit === undefined ? [] : factsOf(file.fit.against.facts, trait).flatMap((fact) => fact.evidence).slice(0, 2);
}
