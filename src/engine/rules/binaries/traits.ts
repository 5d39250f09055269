/** Traits of a built file that the loading model compared with the torch it meets. */
import type { TraitComparison } from "../../fit/types.ts";
import { factsOf } from "../../model/index.ts";
import type { Evidence, Trait } from "../../model/index.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import type { Observed } from "./report.ts";
import { nameOf } from "./subjects.ts";
import { disagreements, torchOfFit } from "./words.ts";

/** A disagreement about one of `traits` in the words of the comparison, with the file and the torch by name. */
export function traitSaid(context: RuleContext, file: BuiltFile, ...traits: readonly TraitComparison["trait"][]): Observed | undefined {
  const [first] = file.origin === "jit-cache" ? [] : disagreements(file, ...traits);
  return first === undefined ? undefined : { message: sentenceOf(context, file, first), severity: first.weight, against: first.evidence };
}

/** The sentence of a comparison, which speaks of "the file" and "the installed torch". */
export function sentenceOf(context: RuleContext, file: BuiltFile, { because }: Pick<TraitComparison, "because">): string {
  const name = nameOf(context, file);
  const named = because.startsWith("The file ") ? `${name}${because.slice("The file".length)}` : `${name}: ${because}`;
  return file.fit === undefined ? named : named.replace(/(, | |^)the installed torch\b/, `$1${torchOfFit(file.fit)}`);
}

/** What the installed side of a trait rests on. */
export function againstOf(file: BuiltFile, trait: Trait): readonly Evidence[] {
  return file.fit === undefined ? [] : factsOf(file.fit.against.facts, trait).flatMap((fact) => fact.evidence).slice(0, 2);
}
