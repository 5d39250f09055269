/** What targets say about `_GLIBCXX_USE_CXX11_ABI`. */
import type { DeclaredBody, Fact, Files, Fix, Language, SourceEvidence } from "../../model/index.ts";
import { canHoldTogether, factsOf } from "../../model/index.ts";
import { effectiveFacts } from "../../sources/flags/index.ts";
import { contradict } from "../conditions.ts";
import { deleteArgumentFix, replaceFix, textAt } from "../edits.ts";
import { once } from "../once.ts";
import { sourceOf } from "../support.ts";

export type AbiFact = Fact<"libstdcxx-abi">;

/** One value that one compiler of one target receives. */
export interface Claim {
  readonly body: DeclaredBody;
  readonly language: Language;
  readonly fact: AbiFact;
  readonly value: 0 | 1;
  readonly evidence: SourceEvidence;
}

/** The compilers for which libstdc++'s macro means something. */
export function abiLanguages(body: DeclaredBody): readonly Language[] {
  return body.target.languages.filter((language) => language !== "C");
}

/** Bodies do not change, and every rule about this macro asks for the same ones. */
const knownFacts = once<DeclaredBody, Map<Language, readonly AbiFact[]>>(() => new Map());

export function abiFacts(body: DeclaredBody, language: Language): readonly AbiFact[] {
  const known = knownFacts(body);
  let facts = known.get(language);
  if (facts === undefined) {
    facts = factsOf(effectiveFacts(factsOf(body.facts, "libstdcxx-abi"), language), "libstdcxx-abi").filter((fact) => !contradict([...fact.conditions, ...body.target.conditions]));
    known.set(language, facts);
  }
  return facts;
}

/** Values that are known and written by the project itself, as they take effect. */
export const claimsOf: (body: DeclaredBody) => readonly Claim[] = once((body) => abiLanguages(body).flatMap((language) => abiFacts(body, language).flatMap((fact) => claim(body, language, fact))));

/** A known value of the project's own; nothing for values asked from torch. */
export function claim(body: DeclaredBody, language: Language, fact: AbiFact): readonly Claim[] {
  const evidence = sourceOf(fact.evidence);
  if (fact.value === undefined || fact.follows === "torch" || evidence === undefined) return [];
  return [{ body, language, fact, value: fact.value, evidence }];
}

/** Values of the project that torch's BuildExtension overrides by appending its own. */
export const overriddenByTorch: (body: DeclaredBody) => readonly Claim[] = once((body) => {
  return abiLanguages(body).flatMap((language) => {
    const effective = abiFacts(body, language);
    const torch = effective.find((one) => one.follows === "torch" && one.certainty === "inferred");
    if (torch === undefined) return [];
    return factsOf(body.facts, "libstdcxx-abi")
      .filter((one) => (one.languages ?? []).includes(language) && !effective.includes(one) && canHoldTogether(one.conditions, torch.conditions))
      .flatMap((fact) => claim(body, language, fact));
  });
});

/** Edits at the text that sets a value: delete it where something else supplies torch's, else write `wanted`. */
export function abiFixes(files: Files, evidence: SourceEvidence, value: 0 | 1, wanted: 0 | 1, suppliedOtherwise: boolean): readonly (Fix | undefined)[] {
  const text = textAt(files, evidence.location) ?? "";
  const whole = /-D\s?_GLIBCXX_USE_CXX11_ABI=[01]|_GLIBCXX_USE_CXX11_ABI=[01]/.exec(text)?.[0];
  if (whole !== undefined) {
    const changed = `${whole.slice(0, -1)}${wanted}`;
    return [
      suppliedOtherwise ? deleteArgumentFix(files, evidence.location, whole, `Delete ${whole}`) : undefined,
      replaceFix(files, evidence.location, whole, changed, `Change it to ${changed}`),
    ];
  }

  const bare = /^\s*["']?(0|1|ON|OFF)["']?\s*$/.exec(text)?.[1];
  const current = value === 0 ? ["0", "OFF"] : ["1", "ON"];
  if (bare === undefined || !current.includes(bare)) return [];
  const to = bare === "ON" || bare === "OFF" ? (wanted === 1 ? "ON" : "OFF") : String(wanted);
  return [replaceFix(files, evidence.location, bare, to, `Change it to ${to}`)];
}
