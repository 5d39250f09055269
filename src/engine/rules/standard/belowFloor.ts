/** Standards below what the headers of torch accept. */
import torchCMake from "../../../../data/torch-cmake.json" with { type: "json" };
import type { TorchRelease } from "../../catalogue/index.ts";
import type { Condition, DeclaredBody, Finding } from "../../model/index.ts";
import { canHoldTogether, compareVersions, factsOf, valueOf } from "../../model/index.ts";
import { contradict } from "../conditions.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { describe, finding, groupBy, isOptIn, languagesPhrase, locationKey, notByDefault, placeWhen, targetMadeHere, targetsPhrase, viaPlaces } from "../support.ts";
import { allowedTorch, dependsOnTorchVersion, givenTorch, judgedByRange, meetsStandardCheck, outsideRange, releaseEvidence, servesOtherHardware, torchLinks } from "../torch.ts";
import type { StandardClaim } from "./claims.ts";
import { isBuilderDefault, isChosen, standardFixes, standardsOf } from "./claims.ts";

type Severities = Pick<Rule, "name" | "severity">;

export function belowFloor(rule: Severities, context: RuleContext): readonly Finding[] {
  const floors = context.installed === undefined ? context.catalogue.torchReleases.map((one) => one.cxxStandardFloor) : [valueOf(context.installed.facts, "cxx-standard-floor") ?? 0];
  const highest = Math.max(0, ...floors);
  const claims = context.declared
    .flatMap((body) => body.target.languages.flatMap((language) => withoutRaised(standardsOf(body, language), highest)))
    // Numbers first: whether a target sees torch takes a look into its sources.
    .filter((one) => floorOfCompilers(one) < highest && !isBuilderDefault(one) && !dependsOnTorchVersion(one.fact.conditions) && !servesOtherHardware(context, one.evidence.location.path) && meetsFloor(context, one.body) && meetsTorch(one));
  const findings: Finding[] = [];
  for (const group of groupBy(claims, (one) => `${locationKey(one.evidence.location)} ${one.value}`).values()) {
    const first = group[0];
    const found = first === undefined ? undefined : judge(rule, context, first, group);
    if (found !== undefined) findings.push(found);
  }
  return findings;
}

/** Not where torch is linked only under conditions that exclude the claim's. */
function meetsTorch({ body, fact }: StandardClaim): boolean {
  const links = torchLinks(body);
  return links.length === 0 || links.some((link) => canHoldTogether(link.conditions, fact.conditions) && !contradict([...body.target.conditions, ...link.conditions, ...fact.conditions]));
}

/** Where the project raises the standard to what newer torch needs once it knows that torch, its lower values are for older ones. */
function withoutRaised(claims: readonly StandardClaim[], floor: number): readonly StandardClaim[] {
  return claims.some((one) => one.value >= floor && dependsOnTorchVersion(one.fact.conditions)) ? [] : claims;
}

/** GCC has compiled as C++17 by itself since version 11 (as C++20 since 16), Clang since 16. */
const compilersOwn = 17;

/** A compile feature is a minimum: CMake passes no flag where the compiler's own standard is newer. */
function floorOfCompilers(claim: StandardClaim): number {
  return isFeature(claim) ? Math.max(claim.value, compilersOwn) : claim.value;
}

function isFeature(claim: StandardClaim): boolean {
  return /\bcxx_std_\d\d/.test(claim.evidence.text);
}

/** The #error stands in ATen/ATen.h and torch/all.h: the headers of the stable ABI, which may not include those, have none. */
function meetsFloor(context: RuleContext, body: DeclaredBody): boolean {
  return !body.facts.some((one) => one.trait === "stable-abi-target") && meetsStandardCheck(context, body);
}

/** Conditions under which all the claims stand: one text that several branches use stands under none of them. */
function sharedConditions(group: readonly StandardClaim[]): readonly Condition[] {
  const [first, ...others] = group;
  return first?.fact.conditions.filter((one) => others.every((other) => other.fact.conditions.some((same) => same.id === one.id && same.branch === one.branch))) ?? [];
}

function judge(rule: Severities, context: RuleContext, first: StandardClaim, group: readonly StandardClaim[]): Finding | undefined {
  const names = group.map((one) => one.body.name);
  const languages = [...new Set(group.map((one) => one.language))];
  const subject = `The ${languagesPhrase(languages)} sources of ${targetsPhrase(names)} are ${isFeature(first) && first.value < compilersOwn ? `asked to be C++${first.value} at least, which is C++${compilersOwn} with most compilers,` : `compiled as C++${first.value}`} (${placeWhen(first.evidence.location, sharedConditions(group), context.root)})`;
  const common = {
    ...(new Set(names).size === 1 ? { target: first.body.name } : {}),
    location: first.evidence.location,
    related: [...viaPlaces(first.evidence.via), ...[...groupBy(group, (one) => locationKey(one.body.target.location)).values()].flatMap((same) => same.slice(0, 1)).map((one) => one.body).slice(0, 5).map((body) => ({ message: targetMadeHere(body.name), location: body.target.location }))],
  };
  if (context.installed !== undefined) {
    const floor = factsOf(context.installed.facts, "cxx-standard-floor").find((one) => one.value !== undefined);
    const isRocm = context.installed.facts.some((one) => one.trait === "rocm-version" && typeof one.value === "string");
    if (floor?.value === undefined || floorOfCompilers(first) >= floor.value || (!isRocm && outsideRange(first.fact.conditions))) return undefined;
    const chosen = group.every(isChosen);
    return finding(rule, {
      ...common,
      ...(chosen ? { severity: "info" } : {}),
      message: `${subject}, but the headers of ${givenTorch(context)?.name ?? "torch"} stop with an #error below C++${floor.value} (${describe(floor.evidence[0], context.root)}).${chosen ? ` ${notByDefault}` : ""}`,
      against: floor.evidence,
      fixes: standardFixes(context.files, first, floor.value),
    });
  }
  if (outsideRange(first.fact.conditions) || isOptIn(first.fact.conditions, first.body.target)) return undefined;
  const allowed = allowedTorch(context, first.evidence.location.path);
  const refusing = allowed.releases.filter((release) => release.cxxStandardFloor > floorOfCompilers(first) && !group.every((claim) => raisedByTarget(release, claim)));
  const oldest = refusing[0];
  const newest = refusing.at(-1);
  if (oldest === undefined || newest === undefined) return undefined;
  const all = refusing.length === allowed.releases.length;
  return finding(rule, {
    ...common,
    severity: all ? rule.severity : "warning",
    message: `${subject}, but ${refusals(refusing, all, allowed.releases.at(-1) === newest)} (${allowed.words}). ${judgedByRange}`,
    against: [releaseEvidence(oldest)],
    fixes: standardFixes(context.files, first, newest.cxxStandardFloor),
  });
}

/** The target of this release, which the claim's target links, demands by itself what its headers need. */
function raisedByTarget(release: TorchRelease, { body, language }: StandardClaim): boolean {
  return language === "CXX" && body.target.builder === "cmake" && torchCMake.compileFeatures.some(({ target, feature, since }) =>
    feature === `cxx_std_${release.cxxStandardFloor}` && compareVersions(release.version, since) >= 0 && body.target.links.some((link) => link.name === target && !link.isProjectTarget && link.conditions.length === 0));
}

function refusals(refusing: readonly TorchRelease[], all: boolean, upToNewest: boolean): string {
  const first = refusing[0];
  const last = refusing.at(-1);
  if (first === undefined || last === undefined) return "";
  const higher = last.cxxStandardFloor > first.cxxStandardFloor ? `, and those of torch ${refusing.find((one) => one.cxxStandardFloor === last.cxxStandardFloor)?.version ?? ""} below C++${last.cxxStandardFloor}` : "";
  const who = all ? "every torch that the project allows: those" : `some torch that the project allows: those`;
  return `this is refused by the headers of ${who} of torch ${first.version}${upToNewest ? " and newer" : first === last ? "" : ` to ${last.version}`} stop with an #error below C++${first.cxxStandardFloor}${higher}`;
}
