import table from "../../../data/pybind11-internals.json" with { type: "json" };
import type { TraitComparison } from "../fit/types.ts";
import type { Condition, DeclaredBody, Evidence, Finding, Fix, SourceEvidence } from "../model/index.ts";
import { compareVersions, exactVersion, factsOf, observationsOf, parseVersion, valueOf } from "../model/index.ts";
import type { Flag } from "../sources/flags/index.ts";
import { parseFlags } from "../sources/flags/index.ts";
import { withBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { nameOf } from "./binaries/subjects.ts";
import { disagreements, missingOf, torchOfFit } from "./binaries/words.ts";
import { deleteArgumentFix, replaceFix } from "./edits.ts";
import { once } from "./once.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";
import { conditionSuffix, describe, finding, groupBy, locationKey, place, relatedPlace, targetMadeHere, targetsPhrase, viaPlaces } from "./support.ts";
import { allowedTorch, dependsOnTorchVersion, exchangesObjects, givenTorch, judgedByRange, releaseEvidence, torchWithout } from "./torch.ts";

export const pybind11Internals: Rule = {
  name: "pybind11-internals",
  severity: "warning",
  summary: "The build takes, or a built file holds, a pybind11 that does not share its types with the one inside torch.",
  check: (context) => withBuilt(pybind11Internals, context, [...foreignPybind11(context), ...writtenKeys(context)], otherKey),
};

/** The releases that use pybind11 3 work the key out by themselves: pytorch/pytorch#160754. */
const keysGone = "2.9.0";

interface Numbers {
  readonly belowPython312: number;
  readonly fromPython312: number;
}

/** The internals numbers of a pybind11 release. */
function numbersOf(version: string): Numbers | undefined {
  return table.releases.findLast((row) => compareVersions(row.since, version) <= 0);
}

interface TorchPybind11 {
  readonly numbers: Numbers;
  readonly words: string;
  readonly version: string | undefined;
  readonly evidence: readonly Evidence[];
  readonly exact: boolean;
}

function torchPybind11(context: RuleContext, path: string): TorchPybind11 | undefined {
  const { installed } = context;
  if (installed !== undefined) {
    const fact = factsOf(installed.facts, "pybind11-internals").find((one) => one.value !== undefined);
    const number = /(?:^|_)v(\d+)/.exec(fact?.value ?? "")?.[1];
    const given = givenTorch(context);
    if (fact === undefined || number === undefined) return fromRelease(context, given?.version, given?.name);
    const version = valueOf(installed.facts, "pybind11-version") ?? (given === undefined ? undefined : context.catalogue.torchRelease(given.version)?.pybind11Version);
    return {
      numbers: { belowPython312: Number(number), fromPython312: Number(number) },
      words: `${given?.name ?? "torch"} uses internals v${number} (${describe(fact.evidence[0], context.root)})`,
      version,
      evidence: fact.evidence,
      exact: true,
    };
  }
  const allowed = allowedTorch(context, path);
  const newest = allowed.releases.at(-1);
  // Only what holds for every torch that may come.
  if (newest?.pybind11Internals === undefined || allowed.releases.some((one) => one.pybind11Internals?.fromPython312 !== newest.pybind11Internals?.fromPython312)) return undefined;
  return {
    numbers: newest.pybind11Internals,
    words: `every torch that the project allows (${allowed.words}) uses internals v${newest.pybind11Internals.fromPython312}`,
    version: newest.pybind11Version,
    evidence: [releaseEvidence(newest)],
    exact: false,
  };
}

function fromRelease(context: RuleContext, version: string | undefined, name: string | undefined): TorchPybind11 | undefined {
  const release = version === undefined ? undefined : context.catalogue.torchRelease(version);
  if (release?.pybind11Internals === undefined) return undefined;
  return { numbers: release.pybind11Internals, words: `${name ?? "torch"} uses internals v${release.pybind11Internals.fromPython312}`, version: release.pybind11Version, evidence: [releaseEvidence(release)], exact: true };
}

/** A place that fixes the release of pybind11. */
interface Pin {
  readonly version: string;
  readonly written: string;
  readonly location: SourceEvidence["location"];
  readonly conditions: readonly Condition[];
  readonly edit: SourceEvidence["location"];
  readonly via: SourceEvidence["via"];
}

function pinsOf(context: RuleContext): readonly Pin[] {
  const fetched = observationsOf(context.observations, "package-search").flatMap((search): Pin[] => {
    if (search.name !== "pybind11" || search.version === undefined || search.how === "find_library") return [];
    // find_package states a floor; a tag or a vendored copy is exact.
    if (search.how === "find_package" && !/\bEXACT\b/.test(search.evidence.text)) return [];
    const version = search.version.replace(/^v/, "");
    return parseVersion(version) === undefined ? [] : [{ version, written: `pybind11 ${version}`, location: search.evidence.location, conditions: search.conditions, edit: search.evidence.location, via: search.evidence.via }];
  });
  const required = context.requirements.flatMap((one): Pin[] => {
    const version = one.name === "pybind11" && one.known && (one.role === "build" || one.role === "setup-requires") ? exactVersion(one.specifier) : undefined;
    return version === undefined ? [] : [{ version, written: one.text.trim(), location: one.location, conditions: one.conditions, edit: one.specifierLocation ?? one.location, via: [] }];
  });
  return [...fetched, ...required];
}

/** Targets that bind C++ to Python with a pybind11 of their own and exchange types with torch. */
function bindingTargets(context: RuleContext): readonly DeclaredBody[] {
  return context.declared.filter((body) => {
    const { target } = body;
    if (!exchangesObjects(context, body)) return false;
    if (/pybind11/i.test(target.madeBy) || target.links.some((one) => /^pybind11(?:::|$)/.test(one.name))) return true;
    return target.includeDirectories.some((one) => /pybind11/i.test(one));
  });
}

function foreignPybind11(context: RuleContext): readonly Finding[] {
  const pins = pinsOf(context).filter((one) => !dependsOnTorchVersion(one.conditions));
  if (pins.length === 0) return [];
  const targets = bindingTargets(context);
  const findings: Finding[] = [];
  for (const pin of pins) {
    const torch = torchPybind11(context, pin.location.path);
    const numbers = numbersOf(pin.version);
    if (torch === undefined || numbers === undefined || targets.length === 0) continue;
    // A key read from a binary holds for one Python; its number fits one of the two columns.
    const same = torch.exact ? [numbers.belowPython312, numbers.fromPython312].includes(torch.numbers.fromPython312) : numbers.fromPython312 === torch.numbers.fromPython312;
    if (same) continue;
    findings.push(finding(pybind11Internals, {
      message: `${pin.written} at ${place(pin.location, context.root)}${conditionSuffix(pin.conditions)} brings internals v${numbers.fromPython312} into ${targetsPhrase(targets.map((one) => one.name))}, but ${torch.words}. Modules with different internals do not see each other's types: a type that torch registers with pybind11 is refused with "TypeError: ... incompatible function arguments" although it looks right. Use the pybind11 headers in torch/include${torch.version === undefined ? "" : `, or pybind11 ${torch.version}`}.${torch.exact ? "" : ` ${judgedByRange}`}`,
      location: pin.location,
      related: [...viaPlaces(pin.via), ...targets.slice(0, 5).map((one) => ({ message: targetMadeHere(one.name), location: one.target.location }))],
      against: [...torch.evidence, { kind: "catalogue", table: "pybind11-internals", row: pin.version, source: table.source }],
      fixes: [torch.version === undefined ? undefined : replaceFix(context.files, pin.edit, pin.version, torch.version, `Change it to ${torch.version}`)],
    }));
  }
  return findings;
}

/** The key in the file's own strings, where it is not the key of libtorch_python. */
function otherKey(context: RuleContext, file: BuiltFile): Observed | undefined {
  const [first] = file.origin === "jit-cache" ? [] : disagreements(file, "pybind11-internals");
  if (first === undefined || file.fit === undefined) return undefined;
  if (isSaidElsewhere(file, first)) return undefined;
  const keys = `${nameOf(context, file)} has the pybind11 key ${first.built}, and ${torchOfFit(file.fit)} has ${first.installed}`;
  return {
    message: `${keys}. Modules with different keys do not see each other's types: a type that torch registers with pybind11 (torch::jit::Graph, c10d::ProcessGroup) is refused with "TypeError: ... incompatible function arguments" although it looks right. torch.Tensor is passed in another way and is not affected.`,
    shown: `${keys}.`,
    severity: file.origin === "installed" ? "info" : first.weight,
    against: first.evidence,
  };
}

/**
 * A file for another torch has another key as a matter of course: what the loader misses, or the layouts, say that already.
 * pybind11 3 has the libstdc++ ABI in its key, which has a rule of its own.
 */
function isSaidElsewhere(file: BuiltFile, { built, installed }: TraitComparison): boolean {
  if (missingOf(file, "drift").length > 0 || missingOf(file, "abi-twin").length > 0 || disagreements(file, "layout", "stamp").length > 0) return true;
  return withoutStringAbi(built) === withoutStringAbi(installed) && disagreements(file, "libstdcxx-abi").length > 0;
}

function withoutStringAbi(key: string): string {
  return key.replace(/_use_cxx11_abi_[01]/, "");
}

const keyMacros: ReadonlySet<string> = new Set(["PYBIND11_COMPILER_TYPE", "PYBIND11_STDLIB", "PYBIND11_BUILD_ABI", "PYBIND11_PLATFORM_ABI_ID"]);

/** Pieces of the key that are written out and not asked from torch. */
function writtenKeys(context: RuleContext): readonly Finding[] {
  const hits = context.declared
    .flatMap((body) => keyFlags(body).map((flag) => ({ body, flag })))
    .filter((one) => exchangesObjects(context, one.body));
  const findings: Finding[] = [];
  for (const group of groupBy(hits, (one) => locationKey(one.flag.argument.evidence.location)).values()) {
    const first = group[0];
    if (first === undefined) continue;
    const { evidence, conditions } = first.flag.argument;
    const torch = torchWithout(context, keysGone, evidence.location.path);
    if (torch === undefined) continue;
    const names = [...new Set(group.map((one) => one.flag.name))];
    findings.push(finding(pybind11Internals, {
      message: `${names.join(", ")} is written out for ${targetsPhrase(group.map((one) => one.body.name))} at ${place(evidence.location, context.root)}${conditionSuffix(conditions)}. Since torch 2.9 torch uses pybind11 3, which works its key out by itself, and a piece that is set by hand gives the extension another key than torch has: the two no longer see each other's types. The torch in question is ${torch}.`,
      location: evidence.location,
      related: group.slice(1, 4).map((one) => relatedPlace(one.flag.argument.evidence, `${targetsPhrase([one.body.name])} gets it too`)),
      fixes: [deleteFix(context, first.flag)],
    }));
  }
  return findings;
}

const keyFlags = once((body: DeclaredBody) => parseFlags(body.target.arguments).filter(isWrittenKey));

function isWrittenKey(flag: Flag): boolean {
  return flag.kind === "define" && keyMacros.has(flag.name) && flag.argument.known && flag.argument.follows === undefined && flag.argument.origin !== "builder-default" && !dependsOnTorchVersion(flag.argument.conditions);
}

function deleteFix(context: RuleContext, flag: Flag): Fix | undefined {
  return deleteArgumentFix(context.files, flag.argument.evidence.location, flag.argument.evidence.text.replace(/^["']|["']$/g, ""), `Delete ${flag.name}`);
}
