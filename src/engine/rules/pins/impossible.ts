import { canAllHold, compareVersions, exactVersion, localLabel, publicVersion } from "../../model/index.ts";
import type { Finding, Requirement } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, joinWords } from "../support.ts";
import { releaseEvidence } from "../torch.ts";
import { minorOf, pinFix, requirementWords } from "./packages.ts";

/** Labels that the official index gives to its builds; others come from indexes of their own. */
const officialLabel = /^(cpu|xpu|cu\d{2,3}|rocm\d+(\.\d+)*)$/;

/** Requirements on torch that no release can meet, whatever else is installed. */
export function impossible(context: RuleContext, rule: Rule): readonly Finding[] {
  return context.requirements.filter((one) => one.name === "torch" && one.known).flatMap((one) => contradiction(context, rule, one) ?? unknownBuild(context, rule, one) ?? []);
}

function contradiction(context: RuleContext, rule: Rule, one: Requirement): Finding | undefined {
  if (canAllHold([one.specifier]) !== false) return undefined;
  return finding(rule, { severity: "error", message: `${requirementWords(context, one)} cannot be met by any version: its parts exclude each other.`, location: one.location });
}

/** `torch==2.8.0+cu130`: that release was never built for that CUDA. */
function unknownBuild(context: RuleContext, rule: Rule, one: Requirement): Finding | undefined {
  const pin = exactVersion(one.specifier);
  const label = pin === undefined ? undefined : localLabel(pin);
  const release = pin === undefined ? undefined : context.catalogue.torchRelease(publicVersion(pin) ?? "");
  if (pin === undefined || label === undefined || !release || /dev|rc|[ab]\d/.test(publicVersion(pin) ?? "") || !officialLabel.test(label) || one.url !== undefined) return undefined;
  const labels = [...new Set(release.variants.map((variant) => variant.label))];
  const family = label.replace(/[\d.]+$/, "");
  const kin = [...new Set(labels)].filter((other) => other.replace(/[\d.]+$/, "") === family);
  const first = context.catalogue.torchReleases.find((other) => other.variants.some((variant) => variant.label === label));
  if (kin.length === 0 || labels.includes(label) || !first) return undefined;
  // The table holds the builds that a source shows, and a label between its neighbours may exist all
  // the same: one cannot that begins with a later release, or that is older than all of the release's own.
  const early = compareVersions(release.version, first.version) < 0;
  if (!early && !(family === "cu" && kin.every((other) => Number(other.slice(2)) > Number(label.slice(2))))) return undefined;
  const last = context.catalogue.torchReleases.findLast((other) => other.variants.some((variant) => variant.label === label)) ?? first;
  const since = early ? ` Builds labelled ${label} begin with torch ${minorOf(first.version)}.` : ` Builds labelled ${label} end with torch ${minorOf(last.version)}.`;
  return finding(rule, {
    severity: family === "cu" ? "warning" : "info",
    message: `${requirementWords(context, one)} names a build that does not exist: torch ${release.version} was released for ${joinWords(kin)}, not for ${label}.${since}`,
    location: one.location,
    against: [releaseEvidence(release)],
    fixes: (early ? kin.slice(-1) : kin.slice(0, 1)).map((other) => pinFix(one, `==${publicVersion(pin) ?? ""}+${other}`, `Require the ${other} build of torch ${release.version}`, false)),
  });
}
