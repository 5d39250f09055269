import { basename, dirname, relative, sep } from "node:path";
import { canAllHold, exactVersion, markersExclude, observationsOf, satisfies } from "../../model/index.ts";
import type { Finding, Requirement } from "../../model/index.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { finding, groupBy, locationKey } from "../support.ts";
import { actTogether, isAside, packagesOf, requirementWords } from "./packages.ts";
import type { Package } from "./packages.ts";

/** Packages whose C++ interface crosses into an extension, so that two versions of them are two ABIs. */
const boundPackages = new Set(["torch", "pybind11", "nanobind"]);

/** Files that contradict each other: included files for certain, files of alternative routes as information. */
export function clashingFiles(context: RuleContext, rule: Rule): readonly Finding[] {
  return [...includedFiles(context, rule), ...packagesOf(context).flatMap((one) => alternativeFiles(context, rule, one))];
}

/** `-r` and `-c` put files together: one environment has to meet both. A file also has to agree with itself. */
function includedFiles(context: RuleContext, rule: Rule): readonly Finding[] {
  const byFile = groupBy(context.requirements.filter((one) => one.role === "requirements-file" || one.role === "constraint"), (one) => one.location.path);
  const includes = groupBy(observationsOf(context.observations, "requirement-include").filter((one) => /\.(txt|in)$/.test(one.evidence.location.path)), (one) => one.evidence.location.path);
  const result: Finding[] = [];
  const seen = new Set<string>();
  for (const [path, own] of byFile) {
    const reached = [...own];
    const visited = new Set([path]);
    for (const queue = [path]; queue.length > 0; ) {
      for (const include of includes.get(queue.pop() ?? "") ?? []) {
        if (visited.has(include.path) || visited.size > 100) continue;
        visited.add(include.path);
        queue.push(include.path);
        reached.push(...(byFile.get(include.path) ?? []));
      }
    }
    const bound = reached.filter((one) => boundPackages.has(one.name) && one.known);
    bound.forEach((a, index) => {
      const b = bound.slice(index + 1).find((other) => other.name === a.name && actTogether(a, other) && canAllHold([a.specifier, other.specifier]) === false);
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
    const pins = requirements.filter((requirement) => exactVersion(requirement.specifier) !== undefined || /^==[\d.]+\*$/.test(requirement.specifier));
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
  return !markersExclude(a.marker, b.marker) && canAllHold([a.specifier, b.specifier]) === false;
}
