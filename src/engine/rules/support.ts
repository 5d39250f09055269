/** What rules share: making findings, and saying things in the same words everywhere. */
import { isAbsolute, relative, sep } from "node:path";
import type { Condition, DeclaredTarget, Evidence, EvidenceStep, Finding, Fix, InstalledBody, Language, Location, RelatedPlace, Severity, SourceEvidence } from "../model/index.ts";
import { valueOf } from "../model/index.ts";
import type { Rule } from "./rule.ts";

/** What a rule says about one disagreement; `finding` fills in the rest. */
export interface Draft {
  readonly message: string;
  readonly location: Location;
  readonly target?: string;
  /** Only when it differs from the rule's own severity. */
  readonly severity?: Severity;
  readonly related?: readonly RelatedPlace[];
  readonly against?: readonly Evidence[];
  readonly fixes?: readonly (Fix | undefined)[];
  readonly tag?: "unnecessary" | "deprecated";
}

/** A finding of a rule. Undefined fixes are dropped; only the first preferred fix stays preferred. */
export function finding(rule: Pick<Rule, "name" | "severity">, draft: Draft): Finding {
  const fixes: Fix[] = [];
  for (const fix of draft.fixes ?? []) {
    if (fix !== undefined) fixes.push({ ...fix, preferred: fix.preferred && !fixes.some((one) => one.preferred) });
  }
  return {
    rule: rule.name,
    severity: draft.severity ?? rule.severity,
    message: draft.message,
    ...(draft.target === undefined ? {} : { target: draft.target }),
    location: draft.location,
    related: distinctPlaces(draft.related ?? [], draft.location),
    against: draft.against ?? [],
    fixes,
    ...(draft.tag === undefined ? {} : { tag: draft.tag }),
  };
}

/** "setup.py:8": one-based line, path relative to the project when it lies inside. */
export function place(location: Location, root: string): string {
  return `${shortPath(location.path, root)}:${location.range.start.line + 1}`;
}

/** A path relative to the project when it lies inside, with forward slashes. */
export function shortPath(path: string, root: string): string {
  const inside = relative(root, path);
  const usable = inside !== "" && !isAbsolute(inside) && inside.split(sep)[0] !== "..";
  return (usable ? inside : path).split(sep).join("/");
}

/** Evidence in a few words, to stand after "in", "by" or in brackets: "setup.py:8", "libc10.so (exports ...)". */
export function describe(evidence: Evidence, root: string): string {
  switch (evidence.kind) {
    case "source":
      return place(evidence.location, root);
    case "file":
      return `${shortPath(evidence.path, root)} (${evidence.what})`;
    case "catalogue":
      return `the catalogue's row ${evidence.row} in ${evidence.table}`;
  }
}

/** "torch 2.8.0+cu128 in .venv" or "torch 2.6.0 (catalogue)". */
export function torchName(body: InstalledBody): string {
  const version = valueOf(body.facts, "torch-version");
  const torch = version === undefined ? "torch of unknown version" : `torch ${version}`;
  switch (body.source) {
    case "catalogue":
      return `${torch} (catalogue)`;
    case "profile":
      return `${torch} (profile ${body.name})`;
    case "wheel":
      return `${torch} (wheel ${body.name})`;
    case "environment":
    case "libtorch":
      return `${torch} in ${body.name}`;
  }
}

/** "when USE_CUDA is on", "unless `A STREQUAL B` holds"; joined by "and", empty without conditions. */
export function conditionPhrase(conditions: readonly Condition[]): string {
  const parts: string[] = [];
  for (const condition of conditions) {
    const part = conditionWords(condition);
    if (!parts.includes(part)) parts.push(part);
  }
  const more = parts.length - 3;
  return more > 0 ? `${parts.slice(0, 3).join(", ")} and ${more} more ${more === 1 ? "condition" : "conditions"}` : joinWords(parts);
}

function conditionWords(condition: Condition): string {
  if (condition.id === "configuration") return `in ${condition.text.replace("configuration ", "the ")} configuration`;
  const text = condition.text.trim().replace(/\s+/g, " ");
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  // Both readers put the text of the `if` on its branches: the second one is taken where it does not hold.
  const holds = condition.branch === 0 || text.startsWith("preset ");
  const name = /^(not\s+)?([A-Za-z_]\w*)$/i.exec(short);
  if (name !== null) {
    const isTrue = holds === (name[1] === undefined);
    // A version or a folder is not switched on.
    if (/_(?:STANDARD|VERSION|DIR|ROOT|PATH|PREFIX|TYPE|FLAGS|ARCHITECTURES|LIST|COMPILER|FILE)$/i.test(name[2] ?? "")) return `when ${name[2] ?? ""} is ${isTrue ? "set" : "not set"}`;
    return `when ${name[2] ?? ""} is ${isTrue ? "on" : "off"}`;
  }
  return holds ? `when \`${short}\` holds` : `unless \`${short}\` holds`;
}

/** " (when USE_CUDA is on)" or nothing, to follow a place. */
export function conditionSuffix(conditions: readonly Condition[]): string {
  const phrase = conditionPhrase(conditions);
  return phrase === "" ? "" : ` (${phrase})`;
}

/** Conditions of a fact beside those under which its target exists at all. */
export function ownConditions(conditions: readonly Condition[], target: DeclaredTarget): readonly Condition[] {
  return conditions.filter((one) => !target.conditions.some((other) => other.id === one.id && other.branch === one.branch));
}

/** Happens only when whoever builds chooses it against the default, for a target that is built anyway. */
export function isOptIn(conditions: readonly Condition[], target: DeclaredTarget): boolean {
  return ownConditions(conditions, target).some((one) => one.byDefault === false);
}

/** Ends a message on what only such a choice brings about; its conditions are named before. */
export const notByDefault = "This is not what happens by default.";

/** "setup.py:8" or "setup.py:8, when USE_CUDA is on", to stand in brackets. */
export function placeWhen(location: Location, conditions: readonly Condition[], root: string): string {
  const phrase = conditionPhrase(conditions);
  return phrase === "" ? place(location, root) : `${place(location, root)}, ${phrase}`;
}

/** "a", "a and b", "a, b and c". */
export function joinWords(words: readonly string[], last = "and"): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1] ?? ""}`;
}

/** What is known of a target's name: "cu_…" for `cu_${name}`; undefined when nothing of it could be worked out. */
function knownName(name: string): string | undefined {
  const shown = name.replace(/\$\{[^}]*\}|\$<[^>]*>|\{[^}]*\}/g, "…");
  return shown.replaceAll("…", "") === "" || /^(?:Cpp|CUDA|Sycl|Pybind11)?Extension$/.test(shown) || shown.length > longestName ? undefined : shown;
}

/** Longer "names" are expressions. */
const longestName = 80;

/** Whether a name, or a part of it, stands for something that could not be worked out. */
export function isComputedName(name: string): boolean {
  return knownName(name) !== name;
}

/** "target ops", or "the target made here" where the name is computed, to follow or precede the place where it is made. */
export function targetMadeHere(name: string): string {
  const known = knownName(name);
  return known === undefined ? "a target with a computed name is made here" : `target ${known} is made here`;
}

/** "target ops" or "targets a, b and c" or "targets a, b, c and 4 more". Names that could not be worked out come last. */
export function targetsPhrase(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const shown = [...new Set(distinct.filter((name) => !isComputedName(name)).concat(distinct.flatMap((name) => (isComputedName(name) ? [knownName(name) ?? ""] : []))))].filter((name) => name !== "");
  const nameless = distinct.filter((name) => knownName(name) === undefined).length;
  if (shown.length === 0) return nameless > 1 ? "targets with computed names" : "a target with a computed name";
  if (shown.length === 1) return `target ${shown[0] ?? ""}`;
  if (shown.length <= 4) return `targets ${joinWords(shown)}`;
  return `targets ${shown.slice(0, 3).join(", ")} and ${shown.length - 3} more`;
}

/** `targetsPhrase` at the start of a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const languageNames: Readonly<Record<Language, string>> = { C: "C", CXX: "C++", CUDA: "CUDA", HIP: "HIP", SYCL: "SYCL" };

/** "C++", "C++ and CUDA". */
export function languagesPhrase(languages: readonly Language[]): string {
  return joinWords(languages.map((language) => languageNames[language]));
}

/** Identity of a place, for grouping and for removing repetitions. */
export function locationKey(location: Location): string {
  const { start, end } = location.range;
  return `${location.path}:${start.line}:${start.character}-${end.line}:${end.character}`;
}

/** Members in the order of their first appearance, by key. */
export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

/** The way by which a value reached its effect, as related places. */
export function viaPlaces(steps: readonly EvidenceStep[]): RelatedPlace[] {
  return steps.map((step) => ({ message: step.what, location: step.location }));
}

/** Source evidence as one related place. */
export function relatedPlace(evidence: SourceEvidence, message: string): RelatedPlace {
  return { message, location: evidence.location };
}

function distinctPlaces(places: readonly RelatedPlace[], primary: Location): RelatedPlace[] {
  const seen = new Set<string>();
  return places.filter((one) => {
    const key = `${locationKey(one.location)} ${one.message}`;
    if (seen.has(key) || locationKey(one.location) === locationKey(primary)) return false;
    seen.add(key);
    return true;
  });
}

/** The first evidence of a kind that has a place in a text. */
export function sourceOf(evidence: readonly Evidence[]): SourceEvidence | undefined {
  return evidence.find((one): one is SourceEvidence => one.kind === "source");
}

export const severityOrder: readonly Severity[] = ["error", "warning", "info", "hint"];

/** What one place can say before nobody reads it. */
const maximumMessages = 6;

/** Findings of one rule at one place become one: the gravest leads, the others add their sentences and places. */
export function mergeByLocation(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const group of groupBy(findings, (one) => locationKey(one.location)).values()) {
    const sorted = [...group].sort((a, b) => severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity));
    const lead = sorted[0];
    if (lead === undefined) continue;
    const messages = [...new Set(sorted.map((one) => one.message))];
    merged.push({
      ...lead,
      message: [...messages.slice(0, maximumMessages), ...(messages.length > maximumMessages ? [`${messages.length - maximumMessages} more like these are not shown.`] : [])].join(" "),
      related: distinctPlaces(sorted.flatMap((one) => one.related), lead.location),
      against: sorted.flatMap((one) => one.against),
      fixes: lead.fixes.length > 0 ? lead.fixes : (sorted.find((one) => one.fixes.length > 0)?.fixes ?? []),
    });
  }
  return merged;
}
