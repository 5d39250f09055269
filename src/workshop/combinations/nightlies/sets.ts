import { boundsOf, compareVersions, exactVersion, localLabel, normaliseName, parseRequirementText, parseSpecifiers, publicVersion, satisfies } from "../../../engine/model/index.ts";
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
  const offered = new Map(names.map((name) => [name, fitting.best(withRequirements(knowledge, name)).map(offer)]));
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

/** A wheel that could go with a torch, with what it asks of torch read once for all torches. */
interface Offered {
  readonly wheel: KnownWheel;
  readonly label: string | undefined;
  /** Absent: it asks for none, or is not known to. */
  readonly requirement?: string;
  /** The version that it pins, without a label. */
  readonly pin?: string;
  readonly lowerBound: string;
}

function offer(wheel: KnownWheel): Offered {
  const asked = (wheel.requires ?? []).flatMap((text) => parseRequirementText(text) ?? []).find((one) => one.name === "torch" && one.marker === undefined);
  const label = localLabel(wheel.version);
  if (asked === undefined || asked.specifier === "") return { wheel, label, lowerBound: "0" };
  const pinned = exactVersion(asked.specifier);
  const pin = pinned === undefined ? undefined : publicVersion(pinned);
  return { wheel, label, requirement: asked.specifier, ...(pin === undefined ? {} : { pin }), lowerBound: lowerBound(asked.specifier) };
}

function lowerBound(specifier: string): string {
  return boundsOf(specifier)?.lower === true ? parseSpecifiers(specifier)?.find((one) => one.operator !== "!=" && !one.operator.startsWith("<"))?.version.text ?? "0" : "0";
}

interface Sibling {
  readonly wheel?: KnownWheel;
  readonly because?: string;
}

function siblingOf(torch: KnownWheel, name: string, offered: readonly Offered[]): Sibling {
  if (offered.length === 0) {
    return { because: `No wheel of ${name} that fits is known.` };
  }
  // triton is asked for by torch, not the other way round.
  const own = (torch.requires ?? []).flatMap((text) => parseRequirementText(text) ?? []).find((one) => one.name === name);
  if (own !== undefined) {
    const found = offered.find((one) => satisfies(one.wheel.version, own.specifier) === true);
    return found === undefined ? { because: `torch ${torch.version} asks for ${name}${own.specifier}, and no such wheel is known.` } : { wheel: found.wheel };
  }
  const plain = publicVersion(torch.version);
  const label = localLabel(torch.version);
  const isVariant = (one: Offered): boolean => one.label === label || ((one.label === undefined || label === undefined) && one.wheel.index === torch.index);
  const standing = offered.filter((one) => one.wheel.yanked === undefined && isVariant(one));
  const admits = (one: Offered): boolean => one.requirement !== undefined && (one.pin === undefined || one.pin === plain) && satisfies(torch.version, one.requirement) === true;
  const pinning = standing.find((one) => one.pin !== undefined && admits(one));
  const nearest = (): Offered | undefined => standing.filter((one) => one.pin === undefined && admits(one)).toSorted((a, b) => compareVersions(b.lowerBound, a.lowerBound) || compareVersions(b.wheel.version, a.wheel.version))[0];
  const wheel = (pinning ?? nearest())?.wheel;
  return wheel === undefined ? { because: why(torch, name, offered, standing) } : { wheel };
}

function why(torch: KnownWheel, name: string, offered: readonly Offered[], standing: readonly Offered[]): string {
  const unread = standing.filter((one) => one.wheel.requires === undefined).length;
  if (standing.length === 0) {
    return `No wheel of ${name} for ${localLabel(torch.version) ?? "this index"} is known; there are ${listed(offered.map((one) => one.wheel.version))}.`;
  }
  const others = standing.flatMap(({ wheel, requirement }) => (requirement === undefined ? [] : [`${wheel.version} (torch${requirement})`]));
  const rest = unread === 0 ? "" : ` What ${unread === 1 ? "one wheel asks" : `${unread} wheels ask`} for is not known.`;
  return `No wheel of ${name} asks for torch ${torch.version}${others.length === 0 ? "" : `; the newest are ${listed(others)}`}.${rest}`;
}

function listed(all: readonly string[]): string {
  return all.slice(0, 3).join(", ");
}
