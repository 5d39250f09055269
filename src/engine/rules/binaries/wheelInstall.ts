/** Whether installers would put a wheel beside the torch that is asked about: what its metadata requires, and its tags. */
import { fitOf } from "../../binaries/remote/index.ts";
import type { WheelTarget } from "../../binaries/remote/index.ts";
import { factsOf, parseRequirementText, satisfies, valueOf } from "../../model/index.ts";
import type { Evidence, Finding, InstalledBody, WheelProfile } from "../../model/index.ts";
import { applies } from "../markers.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, torchName } from "../support.ts";
import { releasePart } from "../torch.ts";
import { placeOfWheel } from "./wheels.ts";

/** METADATA asks for another torch than the one that is asked about. */
export function otherTorchRequired(rule: Rule, context: RuleContext): readonly Finding[] {
  return forEach(context, (wheel, installed) => {
    const torch = factsOf(installed.facts, "torch-version").find((one) => one.value !== undefined);
    const version = torch?.value;
    if (torch === undefined || version === undefined) return [];
    const refused = wheel.requires.find((text) => {
      const parsed = parseRequirementText(text);
      // NGC and source builds call themselves pre-releases of the version that they will become.
      return parsed?.name === "torch" && parsed.url === undefined && applies(context, parsed.marker) && satisfies(version, parsed.specifier) === false && satisfies(releasePart(version), parsed.specifier) === false;
    });
    return refused === undefined ? [] : [finding(rule, {
      message: `${wheel.fileName}: METADATA says "Requires-Dist: ${refused}", and ${torchName(installed)} is asked about, which does not meet that: installers would replace it, or refuse the wheel.`,
      severity: "warning",
      location: placeOfWheel(wheel),
      against: torch.evidence,
    })];
  });
}

/** The tags in the name are not for the Python or the machine of the torch that is asked about. What its files show already is not said again. */
export function otherPlace(rule: Rule, context: RuleContext): readonly Finding[] {
  return forEach(context, (wheel, installed) => {
    const { pythons, abis, platforms } = wheel.tags;
    if (pythons.length === 0 || abis.length === 0 || platforms.length === 0) return [];
    const takes = (part: Partial<WheelProfile["tags"]>, target: WheelTarget) => fitOf({ distribution: wheel.name, version: wheel.version, pythons: ["py3"], abis: ["none"], platforms: ["any"], ...part }, target) !== undefined;
    const say = (tags: string, rest: string, against: readonly Evidence[]) => finding(rule, { message: `${wheel.fileName} is for ${tags} by its name, and ${rest}: installers refuse the wheel there.`, severity: "warning", location: placeOfWheel(wheel), against });
    const found: Finding[] = [];
    const python = pythonOf(installed);
    if (python !== undefined && !takes({ pythons, abis }, { python: python.tag }) && !isShown(context, "python-suffix", "python-stable-abi")) {
      found.push(say(`${pythons.join(".")}-${abis.join(".")}`, `${torchName(installed)} has Python ${python.words}`, python.evidence));
    }
    const platform = valueOf(installed.facts, "platform");
    const [glibc] = factsOf(installed.facts, "glibc");
    const isFor = isPlatform(platform) ? platform : undefined;
    if (isFor === undefined || isShown(context, "platform")) return found;
    if (!takes({ platforms }, { platform: isFor })) {
      // A torch of which nothing else is known may be one for musl.
      const isForMusl = platforms.some((one) => one.startsWith("musllinux"));
      if (!isForMusl || glibc !== undefined) {
        found.push(say(platforms.join(", "), `${torchName(installed)} is for ${isFor}${isForMusl ? " with glibc" : ""}`, factsOf(installed.facts, "platform").flatMap((one) => one.evidence)));
      }
    } else if (glibc?.value !== undefined && !takes({ platforms }, { platform: isFor, glibc: glibc.value }) && !isShown(context, "glibc")) {
      const [seen] = glibc.evidence;
      found.push(say(platforms.join(", "), `the machine has glibc ${glibc.value}${seen.kind === "file" ? ` (${seen.path})` : ""}`, glibc.evidence));
    }
    return found;
  });
}

function forEach(context: RuleContext, judge: (wheel: WheelProfile, installed: InstalledBody) => readonly Finding[]): readonly Finding[] {
  const { installed, wheels = [] } = context;
  return installed === undefined ? [] : wheels.flatMap((wheel) => judge(wheel, installed));
}

function isShown(context: RuleContext, ...traits: readonly string[]): boolean {
  return context.built.some((one) => one.fit?.traits.some((each) => traits.includes(each.trait) && each.agrees === false) === true);
}

function pythonOf({ facts }: InstalledBody): { readonly tag: string; readonly words: string; readonly evidence: readonly Evidence[] } | undefined {
  const version = factsOf(facts, "python-version").find((one) => one.value !== undefined);
  const minor = /^3\.\d+/.exec(version?.value ?? "")?.[0];
  if (version?.value === undefined || minor === undefined) return undefined;
  const isFree = /^cpython-\d+t/.test(valueOf(facts, "python-suffix") ?? "");
  return { tag: `${minor}${isFree ? "t" : ""}`, words: `${version.value}${isFree ? " without GIL" : ""}`, evidence: version.evidence };
}

function isPlatform(platform: string | undefined): platform is NonNullable<WheelTarget["platform"]> {
  return platform !== undefined && /^(?:linux-(?:x86_64|aarch64)|macos-(?:arm64|x86_64)|windows-amd64)$/.test(platform);
}
