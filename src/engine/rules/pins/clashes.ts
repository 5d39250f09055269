/** Requirements of which no version meets both, among those that are in force together. */
import { canAllHold } from "../../model/index.ts";
import type { Requirement } from "../../model/index.ts";
import { locationKey } from "../support.ts";
import { actTogether } from "./packages.ts";

/** Packages whose C++ interface crosses into an extension, so that two versions of them are two ABIs. */
export const boundPackages: ReadonlySet<string> = new Set(["torch", "pybind11", "nanobind"]);

/** More pins of one package than this are data. Each is held against each other one. */
const mostCompared = 200;

/** The first of each requirement that says the same under the same circumstances; of a package that is bound, and known. */
export function distinctPins(requirements: readonly Requirement[]): readonly Requirement[] {
  const seen = new Map<string, Requirement>();
  for (const one of requirements) {
    if (!boundPackages.has(one.name) || !one.known || seen.size >= mostCompared) continue;
    const key = [one.location.path, one.name, one.specifier, one.marker, ...one.conditions.map(({ id, branch }) => `${id} ${branch}`)].join("\0");
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}

/** Whether two requirements exclude each other and nothing keeps them from being in force together. Conditions on different things may. */
export function exclude(a: Requirement, b: Requirement): boolean {
  const oneRules = a.conditions.every((one) => b.conditions.some((other) => other.id === one.id)) || b.conditions.every((one) => a.conditions.some((other) => other.id === one.id));
  return a.name === b.name && canAllHold([a.specifier, b.specifier]) === false && oneRules && actTogether(a, b);
}

/** For each requirement of `first` the first of `second` that excludes it; places that are one place are left out. */
export function clashes(first: readonly Requirement[], second: readonly Requirement[]): readonly (readonly [Requirement, Requirement])[] {
  const others = distinctPins(second);
  return distinctPins(first).flatMap((a) => {
    const b = others.find((other) => exclude(a, other));
    return b && locationKey(a.location) !== locationKey(b.location) ? [[a, b] as const] : [];
  });
}
