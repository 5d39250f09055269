/** Which of a project's pins are its own: examples, documentation and variants for other releases keep theirs. */
import * as path from "node:path";
import { compareVersions, exactVersion, parseSpecifiers, publicVersion, satisfies } from "../../../engine/model/index.ts";
import type { Requirement } from "../../../engine/model/index.ts";

/** A requirement of exactly one version. */
export interface Pin {
  readonly requirement: Requirement;
  /** As written. */
  readonly version: string;
  /** Without the label. */
  readonly public: string;
  /** "==2.14.*" and conda's "=2.14": all versions that begin so. */
  readonly isSeries: boolean;
}

export function pinsOf(requirements: readonly Requirement[], packages: ReadonlySet<string>): readonly Pin[] {
  return requirements.flatMap((requirement) => {
    if (!packages.has(canonical(requirement.name)) || requirement.follows !== undefined) return [];
    const version = exactVersion(requirement.specifier);
    const series = version === undefined ? parseSpecifiers(requirement.specifier)?.find((one) => one.operator === "==" && one.wildcard)?.version.text : undefined;
    const written = version ?? series;
    const withoutLabel = written === undefined ? undefined : publicVersion(written);
    return written === undefined || withoutLabel === undefined ? [] : [{ requirement, version: written, public: withoutLabel, isSeries: version === undefined }];
  });
}

/** conda's name of torch. */
export function canonical(name: string): string {
  return name === "pytorch" ? "torch" : name;
}

/** The version that the project's main files pin: near its root, not named after a release, installed or built with rather than tested with. */
export function mainVersion(pins: readonly Pin[], root: string): string | undefined {
  const ranked = (pins.some((one) => !one.isSeries) ? pins.filter((one) => !one.isSeries) : pins).toSorted((a, b) => rank(a, root) - rank(b, root) || compareVersions(b.public, a.public));
  return ranked[0]?.public;
}

function pinsTo(pin: Pin, version: string): boolean {
  return pin.public === version || (pin.isSeries && satisfies(version, `==${pin.version}.*`) === true);
}

const aside = /^(?:docs?|examples?|samples?|tutorials?|benchmarks?|applications?|contrib|third_party)$/i;

/** Whether a file lies among examples, documentation and the like. */
export function isAside(file: string, root: string): boolean {
  return path.relative(root, path.dirname(file)).split(path.sep).some((one) => aside.test(one));
}

function rank({ requirement }: Pin, root: string): number {
  const parts = path.relative(root, requirement.location.path).split(path.sep);
  const file = parts.pop() ?? "";
  return (isAside(requirement.location.path, root) ? 1000 : 0) + parts.length * 10 + (/\d/.test(file) ? 5 : 0) + (["build", "install", "requirements-file", "constraint"].includes(requirement.role) ? 0 : 2);
}

/** The pins that are rolled, and why each of the others is not. */
export function ownPins(pins: readonly Pin[], from: string, root: string): { readonly own: readonly Pin[]; readonly others: readonly { readonly pin: Pin; readonly because: string }[] } {
  const torches = pins.filter((one) => canonical(one.requirement.name) === "torch");
  const filesWith = new Map<string, boolean>();
  for (const one of torches) {
    const file = one.requirement.location.path;
    filesWith.set(file, (filesWith.get(file) ?? false) || pinsTo(one, from));
  }
  // Siblings in a list with the torch, then those that agree with them.
  const beside = new Map<string, string>();
  for (const name of new Set(pins.map((one) => one.requirement.name))) {
    const near = pins.filter((one) => one.requirement.name === name && filesWith.get(one.requirement.location.path) === true);
    const main = mainVersion(near.length > 0 ? near : pins.filter((one) => one.requirement.name === name && !filesWith.has(one.requirement.location.path)), root);
    if (main !== undefined) beside.set(name, main);
  }
  const own: Pin[] = [];
  const others: { readonly pin: Pin; readonly because: string }[] = [];
  for (const pin of pins) {
    const name = canonical(pin.requirement.name);
    const main = name === "torch" ? from : beside.get(pin.requirement.name);
    const isOwn = main !== undefined && pinsTo(pin, main) && (name === "torch" || filesWith.get(pin.requirement.location.path) !== false);
    if (isOwn) own.push(pin);
    else others.push({ pin, because: name === "torch" ? `It pins ${pin.version}, another torch than the ${from} that is rolled; --from ${pin.public} rolls that one.` : `It pins ${pin.version}, which goes with another torch than the ${from} that is rolled.` });
  }
  return { own, others };
}
