import type { BodyCell, BuiltBody, DeclaredBody, DeclaredTarget, Evidence, Fact, InstalledBody, Location, Requirement, Trait } from "../../model/index.ts";
import { factsOf } from "../../model/index.ts";
import { conditionSuffix, joinWords, languagesPhrase, ownConditions, place, shortPath, sourceOf } from "../../rules/support.ts";
import { isPartial, targetValues, valueText } from "../targetValues.ts";

/** Evidence beyond this is for the file that it was found in. */
const longestEvidence = 200;

/** What a build file asks of the compilers: "C++17 for C++, C++14 for CUDA". */
export function declaredCell(body: DeclaredBody, trait: Trait, root: string): BodyCell {
  const values = body.target.languages.length === 0 ? withoutLanguages(body.facts, trait) : targetValues(body, trait, factText);
  const facts = [...new Set(values.flatMap((one) => one.facts))];
  if (facts.length === 0) {
    return {};
  }
  const value = values.map((one) => (isPartial(one, body) && one.languages.length > 0 ? `${one.text} for ${languagesPhrase(one.languages)}` : one.text)).join(", ");
  return { value, certainty: leastCertain(facts), ...said(facts.map((fact) => declaredEvidence(fact, body.target, root))), ...placed(facts) };
}

function withoutLanguages(facts: readonly Fact[], trait: Trait): ReturnType<typeof targetValues> {
  const own = factsOf(facts, trait);
  return own.length === 0 ? [] : [{ text: [...new Set(own.map(factText))].join(" or "), languages: [], facts: own }];
}

function factText(fact: Fact): string {
  if (fact.follows !== undefined && (fact.value === undefined || fact.certainty === "inferred")) {
    return `as ${fact.follows} has it`;
  }
  return fact.value === undefined ? `${fact.expression ?? "a value"} (known when it is built)` : valueText(fact.trait, fact.value);
}

function declaredEvidence(fact: Fact, target: DeclaredTarget, root: string): string {
  const source = sourceOf(fact.evidence);
  const when = conditionSuffix(ownConditions(fact.conditions, target));
  return source === undefined ? evidenceText(fact.evidence[0], [root]) : `${place(source.location, root)}: ${oneLine(source.text, 80)}${when}`;
}

/** What was read from a file or is known of a release: distinct values, as for two compilers. `roots`: where its paths begin. */
export function observedCell(body: Pick<BuiltBody | InstalledBody, "facts">, trait: Trait | undefined, roots: readonly string[], words: (value: string) => string = (value) => value): BodyCell {
  const facts = trait === undefined ? [] : factsOf(body.facts, trait).filter((fact) => fact.value !== undefined);
  if (facts.length === 0) {
    return {};
  }
  const value = words([...new Set(facts.map((fact) => valueText(fact.trait, fact.value ?? null)))].join(", "));
  return { value, certainty: leastCertain(facts), ...said(facts.map((fact) => evidenceText(fact.evidence[0], roots))), ...placed(facts) };
}

/** What the metadata and the pin files around a target ask of torch. */
export function requirementCell(requirements: readonly Requirement[], root: string): BodyCell {
  const [first] = requirements;
  if (first === undefined) {
    return {};
  }
  const texts = [...new Set(requirements.map((one) => (one.follows !== undefined ? `torch, as the ${one.follows === "torch" ? "installed torch" : "environment"} has it` : one.known ? `torch${one.specifier}` : one.text)))];
  return {
    value: texts.slice(0, 3).join("; ") + (texts.length > 3 ? `; ${texts.length - 3} more` : ""),
    certainty: "declared",
    ...said(requirements.map((one) => `${place(one.location, root)}${conditionSuffix(one.conditions)}`)),
    location: first.location,
  };
}

const certainties = ["inferred", "declared", "observed"] as const;

function leastCertain(facts: readonly Fact[]): Fact["certainty"] {
  return certainties.find((one) => facts.some((fact) => fact.certainty === one)) ?? "observed";
}

function said(texts: readonly string[]): Pick<BodyCell, "evidence"> {
  const distinct = [...new Set(texts)];
  const more = distinct.length - 3;
  return { evidence: oneLine(more > 0 ? `${distinct.slice(0, 3).join("; ")} and ${more} more` : joinWords(distinct), longestEvidence) };
}

function evidenceText(evidence: Evidence, roots: readonly string[]): string {
  const shortest = (file: string): string => roots.map((root) => shortPath(file, root)).sort((a, b) => a.length - b.length)[0] ?? file;
  switch (evidence.kind) {
    case "source":
      return place(evidence.location, roots[0] ?? "");
    case "file":
      return `${shortest(evidence.path)}: ${oneLine(evidence.what, 120)}`;
    case "catalogue":
      return `${evidence.row} in Abiding's table ${evidence.table}`;
  }
}

/** The text to edit, or the file that shows it. */
function placed(facts: readonly Fact[]): Pick<BodyCell, "location"> {
  const evidence = facts.flatMap((fact) => fact.evidence);
  const source = sourceOf(evidence);
  const file = evidence.find((one) => one.kind === "file");
  return source !== undefined ? { location: source.location } : file !== undefined ? { location: beginningOf(file.path) } : {};
}

/** A binary has no lines. */
export function beginningOf(path: string): Location {
  return { path, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };
}

export function oneLine(text: string, longest: number): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

