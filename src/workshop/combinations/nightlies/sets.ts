import { boundsOf, compareVersions, localLabel, parseRequirementText, parseSpecifiers, satisfies, versionSet, normaliseName } from "../../../engine/model/index.ts";
import { installLine } from "../../../views/installLine.ts";
import type { IndexKnowledge, KnownWheel, TorchSet, WheelWanted } from "../types.ts";
import { Fitting } from "./fitting.ts";
import { newestFirst } from "./select.ts";

/**
 * Each torch, the newest first, with the wheels of other packages that ask for it by their METADATA; the day in a version says
 * nothing. A package that pins this torch is taken before one that admits it, and of those that admit it the one whose lower
 * bound is the nearest.
 */
export function torchSets(knowledge: IndexKnowledge, wanted: WheelWanted, packages: readonly string[]): TorchSet[] {
  const fitting = new Fitting(knowledge, wanted);
  const names = [...new Set(packages.map(normaliseName))].filter((one) => one !== "torch");
  const offered = new Map(names.map((name) => [name, fitting.best(withRequirements(knowledge, name))]));
  return newestFirst(knowledge, wanted).map((torch) => {
    const found = names.map((name) => ({ name, ...siblingOf(torch, name, offered.get(name) ?? []) }));
    const siblings = found.flatMap(({ wheel }) => wheel ?? []);
    return {
      torch,
      siblings,
      without: found.flatMap(({ name, because }) => (because === undefined ? [] : [{ package: name, because }])),
      installLine: installLine({ torch: torch.version, index: torch.index, packages: Object.fromEntries(siblings.map((one) => [one.package, one.version])) }),
    };
  });
}

/** All wheels of a version ask for the same; METADATA of one of them was read. */
function withRequirements(knowledge: IndexKnowledge, name: string): readonly KnownWheel[] {
  const wheels = knowledge.wheels.filter((one) => one.package === name);
  const known = new Map(wheels.flatMap((one) => (one.requires === undefined ? [] : [[`${one.index} ${one.version}`, one.requires] as const])));
  return wheels.map((one) => {
    const requires = one.requires ?? known.get(`${one.index} ${one.version}`);
    return requires === undefined || one.requires !== undefined ? one : { ...one, requires };
  });
}

interface Sibling {
  readonly wheel?: KnownWheel;
  readonly because?: string;
}

function siblingOf(torch: KnownWheel, name: string, offered: readonly KnownWheel[]): Sibling {
  if (offered.length === 0) {
    return { because: `No wheel of ${name} that fits is known.` };
  }
  // triton is asked for by torch, not the other way round.
  const own = (torch.requires ?? []).flatMap((text) => parseRequirementText(text) ?? []).find((one) => one.name === name);
  if (own !== undefined) {
    const wheel = offered.find((one) => satisfies(one.version, own.specifier) === true);
    return wheel === undefined ? { because: `torch ${torch.version} asks for ${name}${own.specifier}, and no such wheel is known.` } : { wheel };
  }
  const standing = offered.filter((one) => one.yanked === undefined && sameVariant(one, torch));
  const asking = standing.flatMap((wheel) => {
    const requirement = torchRequirement(wheel);
    return requirement === undefined || satisfies(torch.version, requirement) !== true ? [] : [{ wheel, requirement }];
  });
  const pinned = asking.find(({ requirement }) => isPin(requirement));
  const nearest = asking.toSorted((a, b) => compareVersions(lowerBound(b.requirement), lowerBound(a.requirement)) || compareVersions(b.wheel.version, a.wheel.version))[0];
  const wheel = (pinned ?? nearest)?.wheel;
  return wheel === undefined ? { because: why(torch, name, offered, standing) } : { wheel };
}

function sameVariant(wheel: KnownWheel, torch: KnownWheel): boolean {
  const [a, b] = [localLabel(wheel.version), localLabel(torch.version)];
  return a === b || ((a === undefined || b === undefined) && wheel.index === torch.index);
}

/** What a wheel asks of torch; undefined when it asks for none, or is not known to. */
function torchRequirement(wheel: KnownWheel): string | undefined {
  const asked = (wheel.requires ?? []).flatMap((text) => parseRequirementText(text) ?? []).find((one) => one.name === "torch" && one.marker === undefined);
  return asked === undefined || asked.specifier === "" ? undefined : asked.specifier;
}

function isPin(specifier: string): boolean {
  return parseSpecifiers(specifier)?.some((one) => one.operator === "===" || (one.operator === "==" && !one.wildcard)) ?? false;
}

function lowerBound(specifier: string): string {
  return boundsOf(specifier)?.lower === true && versionSet(specifier) !== undefined ? parseSpecifiers(specifier)?.find((one) => one.operator !== "!=" && !one.operator.startsWith("<"))?.version.text ?? "0" : "0";
}

function why(torch: KnownWheel, name: string, offered: readonly KnownWheel[], standing: readonly KnownWheel[]): string {
  const unread = standing.filter((one) => one.requires === undefined);
  if (standing.length === 0) {
    return `No wheel of ${name} for ${localLabel(torch.version) ?? "this index"} is known; there are ${listed(offered.map((one) => one.version))}.`;
  }
  const others = standing.flatMap((one) => (torchRequirement(one) === undefined ? [] : [`${one.version} (torch${torchRequirement(one)})`]));
  const rest = unread.length === 0 ? "" : ` What ${unread.length === 1 ? "one wheel asks" : `${unread.length} wheels ask`} for is not known.`;
  return `No wheel of ${name} asks for torch ${torch.version}${others.length === 0 ? "" : `; the newest are ${listed(others)}`}.${rest}`;
}

function listed(all: readonly string[]): string {
  return all.slice(0, 3).join(", ");
}
