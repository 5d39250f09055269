/** Host and CUDA sources of one target compiled as different C++. */
import type { DeclaredBody, Finding } from "../../model/index.ts";
import { canHoldTogether, observationsOf, valueOf } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, notByDefault, placeWhen, targetMadeHere, targetsPhrase } from "../support.ts";
import { allowedTorch, dependsOnTorchVersion, givenTorch, outsideRange, seesTorch, servesOtherHardware } from "../torch.ts";
import type { StandardClaim } from "./claims.ts";
import { isBuilderDefault, isChosen, standardsOf } from "./claims.ts";

type Severities = Pick<Rule, "name" | "severity">;

export function mixed(rule: Severities, context: RuleContext): readonly Finding[] {
  return context.declared.flatMap((body) => {
    if (!body.target.languages.includes("CXX") || !body.target.languages.includes("CUDA") || !hasCudaSources(body) || servesOtherHardware(context, body.target.location.path)) return [];
    const host = standardsOf(body, "CXX").filter(counts);
    const device = standardsOf(body, "CUDA").filter(counts);
    const usual = (claim: StandardClaim): boolean => !isChosen(claim);
    const found = bothWritten(rule, context, body, host.filter(usual), device.filter(usual)) ?? bothWritten(rule, context, body, host, device) ?? oneWritten(rule, context, body, host, device);
    return found !== undefined && seesTorch(context, body) ? [found] : [];
  });
}

/** A CMake target whose sources are not all known counts as one of every language of the project. */
function hasCudaSources(body: DeclaredBody): boolean {
  return body.target.builder !== "cmake" || body.target.sources.some((source) => source.language === "CUDA");
}

/** Where the project branches on torch's version, which of the values meet is not known. */
function counts(claim: StandardClaim): boolean {
  return !isBuilderDefault(claim) && !dependsOnTorchVersion(claim.fact.conditions) && !outsideRange(claim.fact.conditions);
}

function bothWritten(rule: Severities, context: RuleContext, body: DeclaredBody, host: readonly StandardClaim[], device: readonly StandardClaim[]): Finding | undefined {
  for (const cuda of device) {
    // A host value that holds beside the CUDA one and equals it leaves nothing to say.
    const beside = host.filter((one) => canHoldTogether(one.fact.conditions, cuda.fact.conditions));
    const cxx = beside.find((one) => one.value !== cuda.value);
    if (cxx === undefined || beside.some((one) => one.value === cuda.value)) continue;
    const [lower, higher] = cxx.value < cuda.value ? [cxx, cuda] : [cuda, cxx];
    const chosen = isChosen(cxx) || isChosen(cuda);
    return finding(rule, {
      severity: chosen ? "info" : "warning",
      message: `The C++ sources of ${targetsPhrase([body.name])} are compiled as C++${cxx.value} (${placeWhen(cxx.evidence.location, cxx.fact.conditions, context.root)}) and its CUDA sources as C++${cuda.value} (${placeWhen(cuda.evidence.location, cuda.fact.conditions, context.root)}). Both include torch's headers, whose inline code depends on the standard.${chosen ? ` ${notByDefault}` : ""}`,
      target: body.name,
      location: lower.evidence.location,
      related: [{ message: `C++${higher.value} for the other compiler`, location: higher.evidence.location }],
    });
  }
  return undefined;
}

/** BuildExtension adds its own -std to the list that has none. */
function oneWritten(rule: Severities, context: RuleContext, body: DeclaredBody, host: readonly StandardClaim[], device: readonly StandardClaim[]): Finding | undefined {
  if (!/^(?:CUDAExtension|load|load_inline)$/.test(body.target.madeBy) || (host.length === 0) === (device.length === 0)) return undefined;
  const silent = host.length === 0 ? "CXX" : "CUDA";
  // Arguments that could not be evaluated may hold a -std, and one under a branch on torch's version counts as given.
  if (body.target.arguments.some((one) => !one.known && one.languages.includes(silent)) || body.facts.some((one) => one.trait === "cxx-standard" && one.certainty === "declared" && (one.languages ?? []).includes(silent))) return undefined;
  // A list under a key that BuildExtension does not read is a finding of its own, and putting it right mends this.
  if (observationsOf(context.observations, "ineffective-setting").some((one) => one.reason === "unknown-key" && one.evidence.location.path === body.target.location.path)) return undefined;
  const [written] = host.length === 0 ? device : host;
  if (written === undefined) return undefined;
  const added = builderDefault(context, written.evidence.location.path);
  if (added === undefined || added.value === written.value) return undefined;
  const [its, other] = silent === "CXX" ? ["CUDA", "C++"] : ["C++", "CUDA"];
  return finding(rule, {
    severity: "warning",
    message: `The ${its} sources of ${targetsPhrase([body.name])} are compiled as C++${written.value} (${placeWhen(written.evidence.location, written.fact.conditions, context.root)}), while nothing is given for its ${other} sources, to which BuildExtension of ${added.words} adds -std=c++${added.value}. The two halves of the extension differ in their standard.`,
    target: body.name,
    location: written.evidence.location,
    related: [{ message: targetMadeHere(body.name), location: body.target.location }],
  });
}

function builderDefault(context: RuleContext, path: string): { readonly value: number; readonly words: string } | undefined {
  if (context.installed !== undefined) {
    const value = valueOf(context.installed.facts, "cxx-standard-default");
    return value === undefined ? undefined : { value, words: givenTorch(context)?.name ?? "torch" };
  }
  const newest = allowedTorch(context, path).releases.at(-1);
  return newest === undefined ? undefined : { value: newest.cxxStandardDefault, words: `torch ${newest.version}, the newest that the project allows,` };
}
