/** What a flag, a pin, a package search or an architecture list amounts to, who set it, and what the other side has. */
import type { Hover, Position } from "vscode-languageserver/node";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { DeclaredBody, Evidence, EvidenceStep, Fact, InstalledBody, Location, Requirement, SourceEvidence, Trait } from "../../engine/model/index.ts";
import { comparePositions, observationsOf, rangeContains, satisfies, valueOf } from "../../engine/model/index.ts";
import { conditionSuffix, describe, languagesPhrase, sourceOf, targetsPhrase, torchName } from "../../engine/rules/support.ts";
import { code, placeLink } from "../markdown.ts";
import { counterparts, factValue, traitName } from "../wording.ts";
import { targetText } from "./targetHover.ts";

export function hover(path: string, position: Position, diagnosis: Diagnosis): Hover | null {
  const at = (location: Location): boolean => location.path === path && rangeContains(location.range, position);
  const sections = [...targetSections(path, position, diagnosis), ...factSections(path, at, diagnosis), ...requirementSections(at, diagnosis), ...observationSections(at, diagnosis)];
  if (sections.length === 0) {
    return null;
  }
  const range = smallest(sections.map((one) => one.range));
  return { contents: { kind: "markdown", value: [...new Set(sections.map((one) => one.text))].join("\n\n---\n\n") }, ...(range === undefined ? {} : { range }) };
}

interface Section {
  readonly text: string;
  readonly range: Location["range"];
}

type At = (location: Location) => boolean;

interface Setting {
  readonly fact: Fact;
  readonly source: SourceEvidence;
  readonly targets: DeclaredBody[];
  readonly range: Location["range"];
}

/** A target, on the first line of what makes it: the lines below have sources and settings of their own. */
function targetSections(path: string, position: Position, diagnosis: Diagnosis): Section[] {
  const here = diagnosis.declared.filter(({ target: { location } }) => location.path === path && location.range.start.line === position.line && rangeContains(location.range, position));
  return here.slice(0, maximumSections).map((body) => ({ range: body.target.location.range, text: [targetText(body, diagnosis), ...(body.target.usesTorch === true ? otherSide(["libstdcxx-abi", "cxx-standard-floor"], diagnosis) : [])].join("\n") }));
}

interface FactAtPath {
  readonly body: DeclaredBody;
  readonly fact: Fact;
  readonly source: SourceEvidence;
}

/** By diagnosis and file: a large project has ten thousand facts, and a pointer that moves asks for those of one file. */
const factsByPath = new WeakMap<Diagnosis, Map<string, readonly FactAtPath[]>>();

function factsAtPath(path: string, diagnosis: Diagnosis): readonly FactAtPath[] {
  let known = factsByPath.get(diagnosis);
  if (known === undefined) {
    known = new Map<string, readonly FactAtPath[]>();
    factsByPath.set(diagnosis, known);
  }
  let facts = known.get(path);
  if (facts === undefined) {
    facts = diagnosis.declared.flatMap((body) => body.facts.flatMap((fact) => {
      const source = sourceOf(fact.evidence);
      return source !== undefined && (source.location.path === path || source.via.some((step) => step.location.path === path)) ? [{ body, fact, source }] : [];
    }));
    known.set(path, facts);
  }
  return facts;
}

/** Facts set by the text under the cursor, or whose way leads through it (a variable used, a file included). */
function factSections(path: string, at: At, diagnosis: Diagnosis): Section[] {
  const direct = new Map<string, Setting>();
  const passing = new Map<string, Setting>();
  for (const { body, fact, source } of factsAtPath(path, diagnosis)) {
    const where = at(source.location) ? source.location : source.via.find((one) => at(one.location))?.location;
    if (where === undefined) {
      continue;
    }
    const group = where === source.location ? direct : passing;
    const key = JSON.stringify([fact.trait, fact.value, fact.follows, fact.languages, fact.conditions.map((one) => [one.id, one.branch]), source.location]);
    const known = group.get(key);
    if (known === undefined) {
      group.set(key, { fact, source, targets: [body], range: where.range });
    } else {
      known.targets.push(body);
    }
  }
  const settings = [...(direct.size > 0 ? direct : passing).values()];
  return settings.slice(0, maximumSections).map((one) => ({ range: one.range, text: factText(one, diagnosis) }));
}

/** More than this many values at one place are a table, not a hover. */
const maximumSections = 4;

function factText({ fact, source, targets }: Setting, diagnosis: Diagnosis): string {
  const { root } = diagnosis;
  const languages = fact.languages === undefined || fact.languages.length === 0 ? "" : `, ${languagesPhrase(fact.languages)}`;
  const isHere = (step: EvidenceStep): boolean => step.location.path === source.location.path && step.location.range.start.line === source.location.range.start.line;
  const here = source.via.filter(isHere);
  const elsewhere = source.via.filter((step) => !isHere(step));
  const lines = [
    `**${traitName(fact.trait)}: ${factValue(fact)}**`,
    "",
    `For ${targetsPhrase(targets.map((body) => body.target.name))}${languages}${conditionSuffix(fact.conditions)}.`,
    "",
    `- Set by ${code(source.text)} at ${placeLink(source.location, root)}${here.length === 0 ? "" : ` (${here.map((step) => step.what).join(", ")})`}`,
    ...elsewhere.slice(0, 6).map((step) => `- ${capitalised(step.what)} at ${placeLink(step.location, root)}`),
    ...otherSide(counterparts(fact.trait).filter((trait) => trait !== "cxx-standard-default" || targets.some((body) => body.target.builder !== "cmake")), diagnosis),
  ];
  return lines.join("\n");
}

/** What each torch has for these traits, and how that is known. */
function otherSide(traits: readonly Trait[], diagnosis: Diagnosis): string[] {
  if (diagnosis.installed.length === 0) {
    return ["", noTorch];
  }
  return diagnosis.installed.slice(0, maximumSections).flatMap((body) => {
    const facts = traits.flatMap((trait) => body.facts.filter((fact) => fact.trait === trait));
    // The name of a torch says its version.
    const lines = facts.filter((fact) => fact.trait !== "torch-version").map((fact) => `- ${traitName(fact.trait)}: **${factValue(fact)}**${basis(fact.evidence, diagnosis.root)}`);
    if (lines.length === 0) {
      return ["", facts.length === 0 ? `${torchName(body)} does not say.` : torchName(body)];
    }
    return ["", `${torchName(body)}:`, "", ...lines];
  });
}

const noTorch = "No torch was found to check against.";

/** How a value is known; the catalogue's word needs no saying beside the name of the torch, which has it. */
function basis(evidence: readonly Evidence[], root: string): string {
  const shown = evidence.filter((one) => one.kind !== "catalogue").slice(0, 2).map((one) => describe(one, root));
  return shown.length === 0 ? "" : ` (${shown.join("; ")})`;
}

function requirementSections(at: At, diagnosis: Diagnosis): Section[] {
  return diagnosis.requirements.filter((one) => at(one.location)).slice(0, 1).flatMap((requirement) => {
    const found = installedVersion(requirement, diagnosis.installed[0]);
    if (requirement.name !== "torch" && found === undefined) {
      return [];
    }
    const text = [
      `**${requirement.name}**: ${requirement.url ?? (requirement.specifier === "" ? "any version" : `\`${requirement.specifier}\``)}${requirement.marker === undefined ? "" : `, when \`${requirement.marker}\``}`,
      "",
      found === undefined ? noTorch : meeting(requirement, found),
      ...alsoAskedFor(requirement, diagnosis),
    ];
    return [{ text: text.join("\n"), range: requirement.location.range }];
  });
}

interface Found {
  readonly name: string;
  readonly version: string | undefined;
}

function installedVersion(requirement: Requirement, installed: InstalledBody | undefined): Found | undefined {
  if (installed === undefined) {
    return undefined;
  }
  if (requirement.name === "torch") {
    return { name: torchName(installed), version: valueOf(installed.facts, "torch-version") };
  }
  const distribution = installed.distributions.find((one) => one.name === requirement.name);
  return distribution === undefined ? undefined : { name: `${distribution.name} ${distribution.version} in ${installed.name}`, version: distribution.version };
}

function meeting({ url, specifier, known }: Requirement, { name, version }: Found): string {
  const answer = url !== undefined || version === undefined || !known ? undefined : satisfies(version, specifier);
  return answer === undefined ? `Checked against ${name}.` : `${name} ${answer ? "satisfies" : "does not satisfy"} it.`;
}

/** The same package asked for in other places. */
function alsoAskedFor(requirement: Requirement, diagnosis: Diagnosis): string[] {
  const others = diagnosis.requirements.filter((one) => one.name === requirement.name && one !== requirement);
  return others.length === 0 ? [] : ["", "Also asked for:", "", ...others.slice(0, 6).map((one) => `- ${code(one.text)} at ${placeLink(one.location, diagnosis.root)}`)];
}

function observationSections(at: At, diagnosis: Diagnosis): Section[] {
  const sections: Section[] = [];
  for (const search of observationsOf(diagnosis.observations, "package-search")) {
    if (at(search.evidence.location) && /^(?:torch|pybind11)$/i.test(search.name)) {
      const traits = search.name.toLowerCase() === "torch"
        ? (["torch-version", "libstdcxx-abi", "cxx-standard-floor", "cuda-version"] as const)
        : (["pybind11-version", "pybind11-internals"] as const);
      sections.push({ range: search.evidence.location.range, text: [`**${search.name}** ${search.version ?? ""}`.trimEnd(), ...otherSide(traits, diagnosis)].join("\n") });
    }
  }
  for (const list of observationsOf(diagnosis.observations, "architecture-list")) {
    if (at(list.evidence.location)) {
      const head = `**${traitName("cuda-architectures")}**: \`${list.variable}\` = \`${list.value ?? "not known before the build"}\`${conditionSuffix(list.conditions)}`;
      sections.push({ range: list.evidence.location.range, text: [head, ...otherSide(["cuda-architectures", "cuda-version"], diagnosis)].join("\n") });
    }
  }
  for (const setting of observationsOf(diagnosis.observations, "abi-setting")) {
    if (at(setting.evidence.location)) {
      const head = `**${traitName("libstdcxx-abi")}: ${setting.value ?? "not known before the build"}**, by ${setting.how}${conditionSuffix(setting.conditions)}`;
      sections.push({ range: setting.evidence.location.range, text: [head, ...otherSide(["libstdcxx-abi"], diagnosis)].join("\n") });
    }
  }
  return sections;
}

function smallest(ranges: readonly Location["range"][]): Location["range"] | undefined {
  return ranges.toSorted((a, b) => comparePositions(a.end, b.end) || comparePositions(b.start, a.start))[0];
}

/** Names of files and commands stay as they are. */
function capitalised(text: string): string {
  return /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
