import { basename, dirname, relative, sep } from "node:path";
import { exactVersion, observationsOf, satisfies } from "../../model/index.ts";
import type { Finding, Requirement } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, groupBy, locationKey } from "../support.ts";
import { boundPackages, distinctPins, exclude } from "./clashes.ts";
import { isAside, packagesOf, requirementWords } from "./packages.ts";
import type { Package } from "./packages.ts";

/** Files that contradict each other: included files for certain, files of alternative routes as information. */
export function clashingFiles(context: RuleContext, rule: Rule): readonly Finding[] {
  return [...includedFiles(context, rule), ...packagesOf(context).flatMap((one) => alternativeFiles(context, rule, one))];
}

/** `-r` and `-c` put files together, in a conda environment's list for pip too: one environment has to meet all. A file also has to agree with itself. */
function includedFiles(context: RuleContext, rule: Rule): readonly Finding[] {
  const byFile = groupBy(context.requirements.filter(isInstalledAsListed), (one) => one.location.path);
  const includes = groupBy(observationsOf(context.observations, "requirement-include").filter((one) => isOneList(one.evidence.location.path)), (one) => one.evidence.location.path);
  const starts = new Set([...byFile.keys(), ...includes.keys()]);
  const result: Finding[] = [];
  const seen = new Set<string>();
  for (const path of starts) {
    const reached = [...(byFile.get(path) ?? [])];
    const visited = new Set([path]);
    for (const queue = [path]; queue.length > 0; ) {
      for (const include of includes.get(queue.pop() ?? "") ?? []) {
        if (visited.has(include.path) || visited.size > 100) continue;
        visited.add(include.path);
        queue.push(include.path);
        reached.push(...(byFile.get(include.path) ?? []));
      }
    }
    const pins = distinctPins(reached);
    pins.forEach((a, index) => {
      const b = pins.slice(index + 1).find((other) => exclude(a, other));
      const key = b && [locationKey(a.location), locationKey(b.location)].sort().join();
      if (!b || key === undefined || seen.has(key)) return;
      seen.add(key);
      result.push(finding(rule, {
        message: `${requirementWords(context, a)} and ${requirementWords(context, b)} are installed together and exclude each other: no version of ${a.name} meets both.`,
        location: a.location,
        related: [{ message: "This requirement excludes it.", location: b.location }],
      }));
    });
  }
  return result;
}

/** Recipes and the tables of rapids are several lists in one file, and metadata is compared by package. */
function isOneList(path: string): boolean {
  return /\.(txt|in|ya?ml)$/.test(path) && !/^(meta|recipe|dependencies)\.ya?ml$/.test(basename(path));
}

function isInstalledAsListed(one: Requirement): boolean {
  if (one.role === "conda") return isOneList(one.location.path);
  // uv keeps constraints of the build apart, and an override takes the place of what it contradicts.
  return one.role === "requirements-file" || (one.role === "constraint" && one.group !== "build" && one.group !== "override");
}

/** Words in a file's name that say it is one of several variants, of which a user takes one. */
const variant = /cpu|gpu|cuda|cu\d|rocm|hip|xpu|npu|hpu|tpu|xla|musa|metal|mac|darwin|win|linux|arm|aarch|intel|nightly|oldest|latest|min|max|legacy|py\d|\d/i;

/** Files that stand side by side as routes into the same environment: a conda file, a frozen list, the test list of the CI. */
function routesOf(context: RuleContext, one: Package): readonly Requirement[] {
  return context.requirements.filter((requirement) => {
    if (!boundPackages.has(requirement.name) || !requirement.known || requirement.conditions.length > 0) return false;
    if (requirement.role !== "requirements-file" && requirement.role !== "conda" && requirement.role !== "build" && requirement.role !== "install") return false;
    const { path } = requirement.location;
    const folder = relative(one.directory, dirname(path)).split(sep).join("/");
    const near = folder === "" || folder === "requirements" || folder === ".github/requirements" || folder === "conda";
    return near && !variant.test(basename(path).replace(/^pyproject/, "")) && !isAside(path, context.root) && !/^meta\.yaml$|^recipe\.yaml$/.test(basename(path));
  });
}

function alternativeFiles(context: RuleContext, rule: Rule, one: Package): readonly Finding[] {
  if (one.natives.length === 0 && !one.imports.some((observed) => !observed.optional)) return [];
  const result: Finding[] = [];
  for (const [name, requirements] of groupBy(routesOf(context, one), (requirement) => requirement.name)) {
    const pins = distinctPins(requirements).filter((requirement) => exactVersion(requirement.specifier) !== undefined || /^==[\d.]+\*$/.test(requirement.specifier));
    for (const [index, pin] of pins.entries()) {
      const other = pins.slice(index + 1).find((candidate) => candidate.location.path !== pin.location.path && disagree(pin, candidate));
      if (!other) continue;
      // The file further from the package is the one that has strayed.
      const [strayed, kept] = depth(other) > depth(pin) ? [other, pin] : [pin, other];
      result.push(finding(rule, {
        severity: "info",
        message: `${requirementWords(context, strayed)} and ${requirementWords(context, kept)} give the same package another ${name} on another route of installation: an extension that is built in one environment does not fit the other.`,
        location: strayed.location,
        related: [{ message: `This file asks for another ${name}.`, location: kept.location }],
      }));
      break;
    }
  }
  return result;
}

function depth(requirement: Requirement): number {
  return requirement.location.path.split(/[\\/]/).length;
}

function disagree(a: Requirement, b: Requirement): boolean {
  const [x, y] = [a, b].map((one) => exactVersion(one.specifier));
  if (x !== undefined && y !== undefined && (satisfies(x, b.specifier) === true || satisfies(y, a.specifier) === true)) return false;
  return exclude(a, b);
}
