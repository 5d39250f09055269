import lookups from "../../../data/torch-lookups.json" with { type: "json" };
import type { Finding, Location } from "../model/index.ts";
import { observationsOf } from "../model/index.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { conditionSuffix, finding, locationKey, place, viaPlaces } from "./support.ts";
import { dependsOnTorchVersion, torchWithout } from "./torch.ts";

export const torchAbiLookup: Rule = {
  name: "torch-abi-lookup",
  severity: "warning",
  summary: "The ABI is read from, or written to, a place where newer torch no longer keeps it.",
  check,
};

function check(context: RuleContext): readonly Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const lookup of observationsOf(context.observations, "torch-lookup")) {
    const row = lookups.lookups.find((one) => one.what === lookup.what);
    if (row === undefined || lookup.guarded || row.harmless.includes(lookup.use) || dependsOnTorchVersion(lookup.conditions)) continue;
    const { location } = lookup.evidence;
    const torch = torchWithout(context, row.removedIn, location.path);
    const key = `${lookup.what} ${locationKey(location)}`;
    if (torch === undefined || seen.has(key)) continue;
    seen.add(key);
    // Setting what is true of these releases anyway changes nothing for them; older ones may need it.
    const agrees = lookup.use === "assigned" && /^\s*=\s*(?:True|1)\s*(?:#.*)?$/.test(restOfLine(context, location));
    findings.push(finding(torchAbiLookup, {
      ...(agrees ? { severity: "info" as const } : {}),
      message: `${lookup.what} is ${uses[lookup.use]} at ${place(location, context.root)}${conditionSuffix(lookup.conditions)}, but since torch ${short(row.removedIn)} ${row.effect}. The torch in question is ${torch}. ${row.instead}`,
      location,
      related: viaPlaces(lookup.evidence.via),
      against: [{ kind: "catalogue", table: "torch-lookups", row: row.what, source: row.source }],
      ...(lookup.use === "assigned" || lookup.use === "overridden" ? { tag: "deprecated" as const } : {}),
    }));
  }
  return findings;
}

const uses = { forwarded: "passed on", parsed: "parsed", assigned: "assigned to", overridden: "overridden", read: "read" } as const;

function restOfLine(context: RuleContext, { path, range }: Location): string {
  const read = context.files.readText(path);
  return read.ok ? (read.text.split(/\r?\n/, range.end.line + 1)[range.end.line] ?? "").slice(range.end.character) : "";
}

function short(version: string): string {
  return version.replace(/\.0$/, "");
}
