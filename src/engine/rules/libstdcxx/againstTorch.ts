/** The libstdc++ ABI of targets against the torch that they meet. */
import type { TorchRelease } from "../../catalogue/index.ts";
import type { AbiSetting, Evidence, Finding, Location, RelatedPlace, SourceEvidence } from "../../model/index.ts";
import { compareVersions, factsOf, observationsOf, satisfies, valueOf } from "../../model/index.ts";
import libraries from "../../../../data/cxx11-libraries.json" with { type: "json" };
import type { Rule, RuleContext } from "../rule.ts";
import { capital, describe, finding, groupBy, isOptIn, joinWords, languagesPhrase, locationKey, notByDefault, place, placeWhen, targetMadeHere, targetsPhrase, viaPlaces } from "../support.ts";
import { allowedTorch, dependsOnTorchVersion, exchangesObjects, givenTorch, judgedByRange, releaseEvidence, releasePart } from "../torch.ts";
import type { Claim } from "./claims.ts";
import { abiFacts, abiFixes, abiLanguages, claimsOf, overriddenByTorch } from "./claims.ts";

type Severities = Pick<Rule, "name" | "severity">;

/** What torch has, in words, and how sure that is. */
interface TorchAbi {
  readonly value: 0 | 1;
  /** "torch 2.8.0 in .venv is built with 1 (libc10.so ...)". */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly exact: boolean;
  /** BuildExtension appends torch's value itself up to this torch, so a deleted define is supplied otherwise. */
  readonly builderSupplies: boolean;
}

/** First release whose BuildExtension passes no ABI macro; corpus check of torch 2.13, pytorch/pytorch#160754. */
const builderStopped = "2.9.0";

/** torch's ABI for a build file: from the installed torch, else where every allowed newest Linux build has one value. */
export function torchAbi(context: RuleContext, path: string): TorchAbi | undefined {
  const { installed } = context;
  if (installed !== undefined) {
    const platform = valueOf(installed.facts, "platform");
    const fact = factsOf(installed.facts, "libstdcxx-abi").find((one) => one.value !== undefined);
    if (fact?.value === undefined || (platform !== undefined && !platform.startsWith("linux"))) return undefined;
    const given = givenTorch(context);
    const name = given?.name ?? `torch in ${installed.name}`;
    return {
      value: fact.value,
      words: `${name} is built with ${fact.value} (${describe(fact.evidence[0], context.root)})`,
      evidence: fact.evidence,
      exact: true,
      builderSupplies: given === undefined || compareVersions(releasePart(given.version), builderStopped) < 0,
    };
  }
  const allowed = allowedTorch(context, path);
  const newest = allowed.releases.at(-1);
  const value = newest === undefined ? undefined : linuxAbi(newest);
  if (newest === undefined || value === undefined) return undefined;
  return {
    value,
    words: `the Linux builds of torch ${newest.version}, the newest that the project allows (${allowed.words}), are built with ${value}`,
    evidence: [releaseEvidence(newest)],
    exact: false,
    builderSupplies: false,
  };
}

/** The ABI of a release's Linux builds, when all that are established agree; `+cpu.cxx11.abi` builds have an index of their own. */
export function linuxAbi(release: TorchRelease): 0 | 1 | undefined {
  const values = new Set(release.variants.filter((one) => one.platform.startsWith("linux") && !one.label.includes("cxx11")).map((one) => one.libstdcxxAbi).filter((one) => one !== undefined));
  const [only] = values;
  return values.size === 1 ? only : undefined;
}

const consequence = "Functions of torch that take or return std::string have other names under the other value, so linking or loading fails with undefined symbols.";

/** Values that the project sets for targets that exchange objects with torch, and that are not torch's. */
export function againstTorch(rule: Severities, context: RuleContext): readonly Finding[] {
  // Flags first: whether a target exchanges objects with torch takes a look into its sources.
  const bodies = context.declared.filter((body) => body.facts.some((one) => one.trait === "libstdcxx-abi") && exchangesObjects(context, body));
  // What has to be chosen may serve older torch: that it does not fit the one at hand is worth knowing, and no more.
  const wrong = bodies.flatMap(claimsOf).filter((one) => !dependsOnTorchVersion(one.fact.conditions) && (!isChosen(one) || (context.installed !== undefined && !isElsewhere(one))));
  const settings = defaultSettings(context);
  const findings: Finding[] = [];
  for (const claims of groupBy(wrong, (one) => `${locationKey(one.evidence.location)} ${one.value}`).values()) {
    const first = claims[0];
    if (first === undefined) continue;
    const torch = torchAbi(context, first.evidence.location.path);
    if (torch === undefined || torch.value === first.value || settings.some((setting) => setting.value === first.value && decides(setting, first))) continue;
    findings.push(disagreement(rule, context, first, claims, torch));
  }
  findings.push(...overridden(rule, context, bodies), ...defaults(rule, context, settings, wrong.filter((one) => !isChosen(one))), ...missing(rule, context), ...otherLibraries(rule, context));
  return findings;
}

function isChosen(one: Claim): boolean {
  return isOptIn(one.fact.conditions, one.body.target);
}

/** Platforms and compilers whose C++ library has no such macro. */
function isElsewhere(one: Claim): boolean {
  return one.fact.conditions.some((condition) => condition.branch === 0 && /\b(?:MSVC|WIN32|APPLE|Windows|Darwin)\b/.test(condition.text));
}

function disagreement(rule: Severities, context: RuleContext, first: Claim, claims: readonly Claim[], torch: TorchAbi): Finding {
  const names = claims.map((one) => one.body.name);
  const languages = [...new Set(claims.map((one) => one.language))];
  const borrowed = first.fact.follows === "tensorflow" ? " The value is TensorFlow's, not torch's." : "";
  const chosen = claims.every(isChosen);
  const where = placeWhen(first.evidence.location, first.fact.conditions, context.root);
  return finding(rule, {
    severity: chosen ? "info" : torch.exact ? rule.severity : "warning",
    message: `_GLIBCXX_USE_CXX11_ABI is ${first.value} for the ${languagesPhrase(languages)} sources of ${targetsPhrase(names)} (set at ${where}), but ${torch.words}.${borrowed} ${consequence}${torch.exact ? "" : ` ${judgedByRange}`}${chosen ? ` ${notByDefault}` : ""}`,
    ...(new Set(names).size === 1 ? { target: first.body.name } : {}),
    location: first.evidence.location,
    related: [...viaPlaces(first.evidence.via), ...targetPlaces(claims)],
    against: torch.evidence,
    fixes: abiFixes(context.files, first.evidence, first.value, torch.value, torch.value === 1 || (torch.builderSupplies && first.body.target.builder !== "cmake")),
  });
}

function targetPlaces(claims: readonly Claim[]): readonly RelatedPlace[] {
  const bodies = new Set(claims.map((one) => one.body));
  return [...bodies].slice(0, 5).map((body) => ({ message: targetMadeHere(body.name), location: body.target.location }));
}

function isRefused(context: RuleContext, path: string): boolean {
  const given = givenTorch(context);
  const allowed = allowedTorch(context, path);
  return given !== undefined && allowed.requirements.length > 0 && allowed.requirements.every((one) => satisfies(releasePart(given.version), one.specifier) === false);
}

/** A value that BuildExtension overrides today, and will not after an update of torch. */
function overridden(rule: Severities, context: RuleContext, bodies: RuleContext["declared"]): readonly Finding[] {
  const findings: Finding[] = [];
  const claims = bodies.flatMap(overriddenByTorch);
  for (const group of groupBy(claims, (one) => locationKey(one.evidence.location)).values()) {
    const first = group[0];
    if (first === undefined) continue;
    const torch = torchAbi(context, first.evidence.location.path);
    // A torch that the project's own requirements refuse is not the one that this value was written for.
    if (torch === undefined || !torch.exact || torch.value === first.value || isRefused(context, first.evidence.location.path)) continue;
    findings.push(finding(rule, {
      severity: "warning",
      message: `_GLIBCXX_USE_CXX11_ABI is set to ${first.value} at ${place(first.evidence.location, context.root)} for ${targetsPhrase(group.map((one) => one.body.name))}, but ${torch.words}. ${first.body.target.builder === "cmake" ? "Up to torch 2.7 the target torch of find_package(Torch)" : "Up to torch 2.8 BuildExtension"} appends torch's value after it, so the build comes out as ${torch.value} with a warning about the redefinition; from torch ${first.body.target.builder === "cmake" ? "2.8" : "2.9"} nothing corrects it and linking or loading fails.`,
      location: first.evidence.location,
      related: targetPlaces(group),
      against: torch.evidence,
      fixes: abiFixes(context.files, first.evidence, first.value, torch.value, true),
    }));
  }
  return findings;
}

/** Defaults of options and environment variables that choose the ABI for the whole project. */
function defaultSettings(context: RuleContext): readonly AbiSetting[] {
  if (!context.declared.some((body) => body.target.usesTorch === true) && !observationsOf(context.observations, "package-search").some((one) => one.name === "Torch")) return [];
  return observationsOf(context.observations, "abi-setting").filter((one) => one.value !== undefined && /default/.test(one.how) && !dependsOnTorchVersion(one.conditions) && !isNormalised(one));
}

/** `if(X) set(X 1) else() set(X 0)` brings an answer into another form; what it was asked from decides. */
function isNormalised(setting: AbiSetting): boolean {
  return setting.conditions.some((one) => one.text.trim() === setting.variable);
}

/** Whether the value of a claim comes from a setting: then the setting is the place to edit. */
function decides(setting: AbiSetting, claim: Claim): boolean {
  const at = setting.evidence.location;
  const sameLine = (other: Location): boolean => other.path === at.path && other.range.start.line === at.range.start.line;
  if (sameLine(claim.evidence.location)) return false;
  const named = setting.variable;
  return claim.evidence.via.some((step) => sameLine(step.location)) || claim.fact.conditions.some((one) => sameLine(one.location) || (named !== undefined && one.text.includes(named)));
}

function defaults(rule: Severities, context: RuleContext, settings: readonly AbiSetting[], claims: readonly Claim[]): readonly Finding[] {
  const findings: Finding[] = [];
  for (const setting of settings) {
    const torch = torchAbi(context, setting.evidence.location.path);
    if (torch === undefined || setting.value === undefined || torch.value === setting.value) continue;
    const name = setting.variable ?? "the ABI option";
    const reached = claims.filter((one) => one.value === setting.value && decides(setting, one));
    findings.push(finding(rule, {
      severity: torch.exact ? rule.severity : "warning",
      message: `${name} defaults to ${setting.value} at ${place(setting.evidence.location, context.root)}, but ${torch.words}. A build that does not set ${name} gets _GLIBCXX_USE_CXX11_ABI=${setting.value}. ${consequence}${torch.exact ? "" : ` ${judgedByRange}`}`,
      location: setting.evidence.location,
      related: [...viaPlaces(setting.evidence.via), ...reached.map((one) => ({ message: `${targetsPhrase([one.body.name])} gets it here`, location: one.evidence.location }))],
      against: torch.evidence,
      fixes: abiFixes(context.files, setting.evidence, setting.value, torch.value, false),
    }));
  }
  return findings;
}

/** No value at all, where the compiler's default of 1 meets a torch of ABI 0 and nobody passes torch's. */
function missing(rule: Severities, context: RuleContext): readonly Finding[] {
  if (context.installed === undefined) return [];
  const findings: Finding[] = [];
  for (const body of context.declared) {
    if (body.target.usesTorch !== true || !exchangesObjects(context, body) || !body.target.languages.includes("CXX")) continue;
    // torch's own extension classes, and those that other packages derive from them, pass the macro themselves.
    const passesItself = body.target.builder === "torch-jit" || (body.target.builder === "setuptools" && !/^(?:Pybind11)?Extension$/.test(body.target.madeBy));
    if (passesItself || body.facts.some((one) => one.trait === "libstdcxx-abi") || body.target.arguments.some((one) => !one.known && one.languages.includes("CXX"))) continue;
    const torch = torchAbi(context, body.target.location.path);
    if (torch === undefined || torch.value === 1) continue;
    findings.push(finding(rule, {
      message: `${capital(targetsPhrase([body.name]))} gets no _GLIBCXX_USE_CXX11_ABI, so g++ compiles it with its default of 1, but ${torch.words}. ${consequence}`,
      target: body.name,
      location: body.target.location,
      against: torch.evidence,
    }));
  }
  return findings;
}

interface OtherLibrary {
  readonly name: string;
  readonly pattern: RegExp;
  readonly source: string;
}

const cxx11Libraries: readonly OtherLibrary[] = libraries.libraries.map((one) => ({ name: one.name, pattern: new RegExp(one.links), source: one.source }));

/** A second C++ library of ABI 1 in a target that torch makes ABI 0. */
function otherLibraries(rule: Severities, context: RuleContext): readonly Finding[] {
  const findings: Finding[] = [];
  for (const body of context.declared) {
    if (body.target.usesTorch !== true || body.target.builder !== "cmake") continue;
    const torch = torchAbi(context, body.target.location.path);
    if (torch === undefined || !torch.exact || torch.value === 1) continue;
    if (abiLanguages(body).some((language) => abiFacts(body, language).some((one) => one.value === 1))) continue;
    for (const library of cxx11Libraries) {
      const linked = body.target.links.filter((one) => library.pattern.test(one.name));
      const first: SourceEvidence | undefined = linked[0]?.evidence;
      if (first === undefined) continue;
      findings.push(finding(rule, {
        severity: "warning",
        message: `${capital(targetsPhrase([body.name]))} links torch and ${library.name} (${joinWords([...new Set(linked.map((one) => one.name))])}, ${placeWhen(first.location, linked[0]?.conditions ?? [], context.root)}). ${torch.words}, which torch passes on to the target, while ${library.name} as distributions build it has 1: references to its functions that take std::string stay undefined. Use a torch that is built with 1 (libtorch-cxx11-abi, or any Linux build from 2.7 on).`,
        target: body.name,
        location: first.location,
        against: [...torch.evidence, { kind: "catalogue", table: "cxx11-libraries", row: library.name, source: library.source }],
      }));
    }
  }
  return findings;
}
