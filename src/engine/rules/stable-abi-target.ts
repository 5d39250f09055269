import { compareVersions, publicVersion } from "../model/index.ts";
import type { DeclaredBody, Finding, Location } from "../model/index.ts";
import { parseFlags } from "../sources/flags/index.ts";
import { once } from "./once.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { replaceFix } from "./edits.ts";
import { installedTorch, releasesAdmitted, stableAbiDefines } from "./sources.ts";
import { finding, locationKey, place, torchName } from "./support.ts";

/** First release whose headers know TORCH_TARGET_VERSION. */
const firstWithTarget = "2.9";

interface Target {
  readonly value: string;
  readonly location: Location;
  readonly target: string;
}

/** TORCH_TARGET_VERSION holds the bytes major, minor and patch; decimal digits written into them name another release. */
export const stableAbiTarget: Rule = {
  name: "stable-abi-target",
  severity: "error",
  summary: "TORCH_TARGET_VERSION is wrongly encoded, or newer than the oldest torch that must load the build.",
  check(context) {
    const findings = new Map<string, Finding>();
    for (const target of targetsSet(context)) {
      const found = judge(context, target);
      if (found !== undefined && !findings.has(locationKey(found.location))) findings.set(locationKey(found.location), found);
    }
    return [...findings.values()];
  },
};

function targetsSet(context: RuleContext): Target[] {
  const result: Target[] = [];
  for (const body of context.declared) {
    result.push(...setByFlags(body));
    for (const define of stableAbiDefines(context, body)) {
      if (define.name === "TORCH_TARGET_VERSION") result.push({ value: define.value, location: define.location, target: body.name });
    }
  }
  return result;
}

const setByFlags = once((body: DeclaredBody): readonly Target[] => parseFlags(body.target.arguments)
  .filter((flag) => flag.kind === "define" && flag.name === "TORCH_TARGET_VERSION" && flag.known)
  .flatMap((flag) => (flag.value === undefined ? [] : [{ value: flag.value, location: flag.argument.evidence.location, target: body.name }])));

function judge(context: RuleContext, target: Target): Finding | undefined {
  const decoded = decodeTarget(target.value);
  if (decoded === undefined) return undefined;
  const report = (message: string, meant?: string): Finding =>
    finding(stableAbiTarget, {
      message,
      location: target.location,
      target: target.target,
      fixes: meant === undefined ? [] : [replaceFix(context.files, target.location, target.value, encodeTarget(meant), `Write ${encodeTarget(meant)} (torch ${meant})`)],
    });
  const { version, exact } = decoded;
  const newest = context.catalogue.torchReleases.at(-1)?.version;
  const meant = meantVersion(target.value);
  const wanted = `TORCH_TARGET_VERSION is ${target.value}, whose bytes mean torch ${version}`;
  if (!exact || compareVersions(version, "1") < 0) {
    return report(`TORCH_TARGET_VERSION is ${target.value}, which is not the bytes major, minor, patch followed by five zero bytes: 16 hexadecimal digits, ${encodeTarget("2.10")} for torch 2.10.`, meant);
  }
  if (newest !== undefined && compareVersions(version, newest) > 0 && meant !== undefined && meant !== version && compareVersions(meant, newest) <= 0) {
    return report(`${wanted}, not ${meant}: each byte is hexadecimal. The newest release known is ${newest}. Write ${encodeTarget(meant)} for torch ${meant}.`, meant);
  }
  const installed = installedTorch(context);
  if (installed !== undefined && context.installed !== undefined && compareVersions(version, minorOf(installed)) > 0) {
    return report(`${wanted}, and ${torchName(context.installed)} is older: it lacks what the stable headers may call from torch ${version}, and the library fails to load with an undefined symbol such as torch_library_impl or aoti_torch_abi_version. Set the oldest torch that must load it.`);
  }
  for (const requirement of context.requirements) {
    if (requirement.name !== "torch" || !requirement.known || requirement.role !== "install") continue;
    const oldest = releasesAdmitted(context, requirement.specifier)[0];
    if (oldest === undefined || requirement.specifier === "" || compareVersions(version, minorOf(oldest)) <= 0) continue;
    const found = report(`${wanted}, and the requirement ${requirement.text} at ${place(requirement.location, context.root)} admits torch ${oldest}, which is older. Raise the requirement to torch>=${version} or lower the target to ${encodeTarget(minorOf(oldest))}.`);
    return { ...found, related: [{ message: `${requirement.text} admits torch ${oldest}.`, location: requirement.location }] };
  }
  if (compareVersions(version, firstWithTarget) < 0) {
    return { ...report(`${wanted}; targets begin with torch ${firstWithTarget}, before which there is no stable ABI to aim at.`), severity: "warning" };
  }
  return undefined;
}

/** "2.10" of 0x020a000000000000, of TORCH_VERSION_2_10_0 or of the shift expression in torch's own headers. */
export function decodeTarget(text: string): { readonly version: string; readonly exact: boolean } | undefined {
  const macro = /^\(?TORCH_VERSION_(\d+)_(\d+)_\d+\)?$/.exec(text.trim());
  const shifts = /(\d+)\)?\s*<<\s*56\D.*?(\d+)\)?\s*<<\s*48/.exec(text.replace(/0ULL\s*\+\s*/g, ""));
  const named = macro ?? shifts;
  if (named !== null) return { version: `${named[1] ?? ""}.${named[2] ?? ""}`, exact: true };
  const hex = /^\(?0x([0-9a-f']+?)(?:u?l{0,2})\)?$/i.exec(text.trim())?.[1]?.replaceAll("'", "");
  if (hex === undefined) return undefined;
  const value = BigInt(`0x${hex}`);
  const byte = (index: number): bigint => (value >> BigInt(8 * (7 - index))) & 255n;
  const exact = value < 1n << 64n && (value & ((1n << 40n) - 1n)) === 0n && byte(0) > 0n;
  return { version: `${byte(0)}.${byte(1)}`, exact };
}

/** The release that somebody meant who wrote decimal digits into the bytes, or too few or too many zeros. */
function meantVersion(text: string): string | undefined {
  const digits = /^0x0?2([0-9a-f]{2})0*(?:u?l{0,2})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return undefined;
  const minor = /^\d+$/.test(digits) ? Number.parseInt(digits, 10) : Number.parseInt(digits, 16);
  return minor === 0 ? undefined : `2.${minor}`;
}

/** 0x020a000000000000 of "2.10". */
function encodeTarget(version: string): string {
  const [major, minor] = version.split(".").map(Number);
  const byte = (value: number | undefined): string => (value ?? 0).toString(16).padStart(2, "0");
  return `0x${byte(major)}${byte(minor)}000000000000`;
}

/** A pre-release or a patch of 2.10 offers what 2.10 does. */
function minorOf(version: string): string {
  const parts = (publicVersion(version) ?? version).split(".");
  return `${Number.parseInt(parts[0] ?? "0", 10)}.${Number.parseInt(parts[1] ?? "0", 10)}`;
}
