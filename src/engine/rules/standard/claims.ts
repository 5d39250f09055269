/** The C++ standard that each compiler of a target is told to use. */
import type { Condition, DeclaredBody, Fact, Files, Fix, Language, SourceEvidence } from "../../model/index.ts";
import { factsOf } from "../../model/index.ts";
import { effectiveFacts } from "../../sources/flags/index.ts";
import { contradict, followFrom } from "../conditions.ts";
import { deleteArgumentFix, replaceFix, textAt } from "../edits.ts";
import { once } from "../once.ts";
import { isOptIn, sourceOf } from "../support.ts";

export interface StandardClaim {
  readonly body: DeclaredBody;
  readonly language: Language;
  readonly fact: Fact<"cxx-standard">;
  readonly value: number;
  readonly evidence: SourceEvidence;
}

/** Known standards as they take effect, those that torch's builder adds included. */
export function standardsOf(body: DeclaredBody, language: Language): readonly StandardClaim[] {
  const known = standards(body);
  let claims = known.get(language);
  if (claims === undefined) known.set(language, (claims = readStandards(body, language)));
  return claims;
}

const standards = once<DeclaredBody, Map<Language, readonly StandardClaim[]>>(() => new Map());

function readStandards(body: DeclaredBody, language: Language): readonly StandardClaim[] {
  const effective = factsOf(effectiveFacts(factsOf(body.facts, "cxx-standard"), language), "cxx-standard");
  // What holds wherever the target exists counts like what holds always: the last of these wins over those before it.
  const certain = effective.findLastIndex((fact) => fact.conditions.length > 0 && followFrom(fact.conditions, body.target.conditions));
  return effective.slice(Math.max(0, certain)).flatMap((fact) => {
    const evidence = sourceOf(fact.evidence);
    return fact.value === undefined || evidence === undefined || contradict([...fact.conditions, ...body.target.conditions]) || raisedBefore(fact.value, fact.conditions) ? [] : [{ body, language, fact, value: fact.value, evidence }];
  });
}

/** `if(CMAKE_CXX_STANDARD LESS 17)` raises it: a value below 17 does not come to where that did not hold. */
function raisedBefore(value: number, conditions: readonly Condition[]): boolean {
  return conditions.some(({ text, branch }) => {
    const bound = /CMAKE_(?:CXX|CUDA)_STANDARD\}?\S* LESS "?(\d+)"?$/.exec(text)?.[1];
    return bound !== undefined && branch !== 0 && value < Number(bound);
  });
}

/** True for the -std that BuildExtension adds when the project gives none. */
export function isBuilderDefault(claim: StandardClaim): boolean {
  return claim.fact.certainty === "inferred";
}

/**
 * Comes only with an option that is off by default. One that brings CUDA is no such choice: it brings the CUDA sources, and
 * whoever builds them gets what it sets.
 */
export function isChosen(claim: StandardClaim): boolean {
  return isOptIn(claim.fact.conditions.filter((one) => !/cuda|gpu|nvcc|rocm/i.test(one.text)), claim.body.target);
}

/** Raises the standard where it is written; for torch's extensions also: leave it to BuildExtension. */
export function standardFixes(files: Files, claim: StandardClaim, wanted: number): readonly (Fix | undefined)[] {
  const { location } = claim.evidence;
  const text = textAt(files, location) ?? "";
  const written = new RegExp(`((?:c|gnu)\\+\\+|std_|^\\D*)(${claim.value}|1[yz]|2a|0x)(?!\\d)`).exec(text);
  const from = written === null ? undefined : `${written[1] ?? ""}${written[2] ?? ""}`;
  const raise = from === undefined ? undefined : replaceFix(files, location, from, `${written?.[1] ?? ""}${wanted}`, `Raise it to C++${wanted}`);
  const flag = /[-/]std[=:](?:c|gnu)\+\+\w\w/.exec(text)?.[0];
  const leaves = flag !== undefined && /^(?:Cpp|CUDA|Sycl)Extension$|^load/.test(claim.body.target.madeBy);
  return [raise, leaves ? deleteArgumentFix(files, location, flag, `Delete ${flag}: BuildExtension then passes the standard of its torch`, false) : undefined];
}
