import type { Finding, IneffectiveSetting } from "../model/index.ts";
import { comparePositions, observationsOf } from "../model/index.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { conditionSuffix, finding, groupBy, locationKey, mergeByLocation, viaPlaces } from "./support.ts";
import { torchAbi } from "./libstdcxx/againstTorch.ts";
import { dependsOnTorchVersion, torchWithout } from "./torch.ts";

export const settingWithoutEffect: Rule = {
  name: "setting-without-effect",
  severity: "warning",
  summary: "A setting of the ABI, the standard or a version does nothing, or not what it says.",
  check,
};

/** Text that could be deleted without a change; the others do something, only not what they say. */
const unnecessary: ReadonlySet<IneffectiveSetting["reason"]> = new Set<IneffectiveSetting["reason"]>([
  "overwritten", "shadowed", "unknown-key", "misspelt", "dead-guard", "private-hook", "too-late", "always-false",
]);

/** Since this release torch's BuildExtension has no hook for ABI flags (torch/utils/cpp_extension.py of the 2.13.0 wheel). */
const hooksGone = "2.9.0";

function check(context: RuleContext): readonly Finding[] {
  const findings: Finding[] = [];
  // The same place seen as a lookup of torch's ABI is torch-abi-lookup's.
  const lookups = new Set(observationsOf(context.observations, "torch-lookup").map((one) => lineKey(one.evidence.location.path, one.evidence.location.range.start.line)));
  for (const setting of leastConditions(observationsOf(context.observations, "ineffective-setting"))) {
    const { location } = setting.evidence;
    if (setting.reason === "private-hook") {
      if (lookups.has(lineKey(location.path, location.range.start.line)) || dependsOnTorchVersion(setting.conditions)) continue;
      if (torchWithout(context, hooksGone, location.path) === undefined) continue;
    }
    findings.push(finding(settingWithoutEffect, {
      message: withConditions(setting.message, conditionSuffix(setting.conditions)),
      location,
      related: [...viaPlaces(setting.related), ...viaPlaces(setting.evidence.via)],
      fixes: setting.fix === undefined || bringsWrongAbi(context, setting) ? [] : [{ ...setting.fix, preferred: !/`[^`]*` or `/.test(setting.message) }],
      ...(unnecessary.has(setting.reason) ? { tag: "unnecessary" as const } : {}),
    }));
  }
  for (const comparison of observationsOf(context.observations, "version-comparison")) {
    findings.push(finding(settingWithoutEffect, { message: comparison.message, location: comparison.evidence.location, related: viaPlaces(comparison.evidence.via) }));
  }
  return mergeByLocation(distinct(findings));
}

/**
 * Of the same sentence about the same place, met on several ways, the one that holds most often; and of the same sentence
 * about the flags of each language and configuration, the first.
 */
function leastConditions(settings: readonly IneffectiveSetting[]): readonly IneffectiveSetting[] {
  const place = ({ reason, evidence }: IneffectiveSetting): string => (reason === "configuration-only" ? evidence.location.path : locationKey(evidence.location));
  return [...groupBy(settings, (one) => `${place(one)} ${one.message}`).values()].flatMap((group) => {
    const [least] = [...group].sort((a, b) => a.conditions.length - b.conditions.length || comparePositions(a.evidence.location.range.start, b.evidence.location.range.start));
    if (least === undefined) return [];
    const others = group.filter((one) => locationKey(one.evidence.location) !== locationKey(least.evidence.location));
    return [{ ...least, related: [...least.related, ...others.map((one) => ({ what: "the same here", location: one.evidence.location }))] }];
  });
}

/** What is written is right but for a name in it, and repairing the name brings it into force. */
const misnamed: ReadonlySet<IneffectiveSetting["reason"]> = new Set<IneffectiveSetting["reason"]>(["name-instead-of-value", "misspelt", "wrong-case"]);

/** Repairing the name of a variable would bring into force a value that torch is not built with. */
function bringsWrongAbi(context: RuleContext, setting: IneffectiveSetting): boolean {
  const value = /_GLIBCXX_USE_CXX11_ABI=(\w+)/.exec(setting.message)?.[1];
  return misnamed.has(setting.reason) && value !== undefined && value !== String(torchAbi(context, setting.evidence.location.path)?.value);
}

function withConditions(message: string, suffix: string): string {
  return suffix === "" ? message : `${message.replace(/\.\s*$/, "")}${suffix}.`;
}

function lineKey(path: string, line: number): string {
  return `${path}:${line}`;
}

/** A file that several targets or folders include is evaluated several times and says the same each time. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter((one) => {
    const key = `${locationKey(one.location)} ${one.message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
