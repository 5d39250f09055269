/** What a target is built with, who says so, and where CMake's own account differs from reading the build files. */
import * as path from "node:path";
import { isPartial, targetValues } from "../../engine/diagnosis/index.ts";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { DeclaredBody, Fact, Trait } from "../../engine/model/index.ts";
import { joinWords, languagesPhrase, shortPath, sourceOf } from "../../engine/rules/support.ts";
import { code, placeLink } from "../markdown.ts";
import { factValue, traitName } from "../wording.ts";

const shownTraits: readonly Trait[] = ["libstdcxx-abi", "gxx-abi-version", "cxx-standard", "cuda-architectures", "stable-abi-target"];

/** More differences than this are a report, not a hover. */
const maximumDifferences = 6;

export function targetText(body: DeclaredBody, diagnosis: Diagnosis): string {
  const { target } = body;
  const lines = shownTraits.flatMap((trait) => targetValues(body, trait, factValue).map((value) => {
    const languages = isPartial(value, body) ? ` for ${languagesPhrase(value.languages)}` : "";
    return `- ${traitName(trait)}: **${value.text}**${languages}${setAt(value.facts, diagnosis.root)}`;
  }));
  return [
    `**${target.name}**, made by ${code(target.madeBy)} for ${languagesPhrase(target.languages)}`,
    "",
    ...(lines.length === 0 ? ["It sets neither the libstdc++ ABI nor a C++ standard."] : lines),
    ...configuredLines(body, diagnosis),
  ].join("\n");
}

function setAt(facts: readonly Fact[], root: string): string {
  const places = new Set(facts.flatMap((fact) => {
    const source = sourceOf(fact.evidence);
    return source === undefined ? [] : [placeLink(source.location, root)];
  }));
  return places.size === 0 ? "" : `, set at ${joinWords([...places].slice(0, 3))}`;
}

function configuredLines({ target }: DeclaredBody, diagnosis: Diagnosis): string[] {
  if (target.builder !== "cmake") {
    return [];
  }
  return diagnosis.configured.flatMap(({ folder, comparisons }) => {
    const comparison = comparisons.find((one) => one.target === target.name);
    if (comparison === undefined) {
      return [];
    }
    const where = `configured in ${shortPath(folder, diagnosis.root)}${path.posix.sep}`;
    switch (comparison.outcome) {
      case "agrees":
        return ["", `As ${where}, which agrees with the build files.`];
      case "missing":
        return ["", `As ${where}; reading the build files alone does not show this target.`];
      case "different":
        return ["", `As ${where}, where CMake's own account differs from reading the build files:`, "", ...comparison.differences.slice(0, maximumDifferences).map((one) => {
          const read = one.read.length === 0 ? "not seen in the build files" : `read statically as ${joinWords(one.read, "or")} at ${placeLink(one.location, diagnosis.root)}`;
          return `- ${code(one.setting)} (${languagesPhrase([one.language])}) is ${one.truth === undefined ? "not passed" : code(one.truth)}, ${read}`;
        })];
    }
  });
}
