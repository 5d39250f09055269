import * as path from "node:path";
import type { Catalogue } from "../catalogue/index.ts";
import { valueOf } from "../model/index.ts";
import type { Fact, Files, InstalledBody } from "../model/index.ts";
import { distributionsIn } from "./distributions.ts";
import { prefixOfInterpreter, readPython } from "./python.ts";
import type { PythonEnvironment, PythonSettings } from "./python.ts";
import { describeTorch, isLibtorch, isTorchPackage, torchVersion } from "./torchPackage.ts";

/**
 * Describes what is at `place` by reading files: a venv or conda prefix, a Python executable, a site-packages folder,
 * a torch package or a libtorch folder. `settings` are the variables of the process that would run Python there.
 * Answers undefined when it is none of these; an environment without torch has no "torch-version" fact.
 */
export function describeEnvironment(place: string, files: Files, catalogue: Catalogue, settings: PythonSettings = {}): InstalledBody | undefined {
  const status = files.status(place);
  if (status?.kind === "file") {
    const prefix = prefixOfInterpreter(place, files);
    return prefix === undefined ? undefined : describePrefix(prefix, files, catalogue, settings);
  }
  if (status?.kind !== "directory") {
    return undefined;
  }
  if (isTorchPackage(place, files)) {
    return describePackage(place, files, catalogue);
  }
  const inside = path.join(place, "torch");
  if (isTorchPackage(inside, files)) {
    return describePackage(inside, files, catalogue);
  }
  // A conda prefix has the shape of a libtorch folder too; the torch that its Python imports is the one that counts.
  const environment = describePrefix(place, files, catalogue, settings);
  if (environment?.torchRoot === undefined && isLibtorch(place, files)) {
    const torch = describeTorch(place, undefined, files, catalogue);
    return { role: "installed", name: place, source: "libtorch", torchRoot: place, facts: torch.facts, distributions: [], shadowed: [], notKnown: torch.notKnown };
  }
  return environment;
}

/** Describes the Python environment at a prefix; undefined when there is no Python. */
export function describePrefix(prefix: string, files: Files, catalogue: Catalogue, settings: PythonSettings): InstalledBody | undefined {
  const python = readPython(prefix, files, settings);
  if (python === undefined) {
    return undefined;
  }
  const torches = torchesOf(python, files);
  const [winner, ...shadowed] = torches;
  const distributions = distributionsOf(python.searchPath, files);
  if (winner === undefined) {
    return { role: "installed", name: prefix, source: "environment", prefix, facts: python.facts, distributions, shadowed: [], notKnown: [`No torch is installed in ${prefix}.`] };
  }
  const torch = describeTorch(winner, python.kind === "conda" ? prefix : undefined, files, catalogue);
  return {
    role: "installed",
    name: prefix,
    source: "environment",
    torchRoot: winner,
    prefix,
    facts: mergeFacts(python.facts, torch.facts),
    distributions,
    shadowed: shadowed.map((one) => ({ path: one, version: torchVersion(one, files) })),
    notKnown: [...torch.notKnown, ...foreignPython(python, torch.facts, winner)],
  };
}

/** torch's extension module is built for one Python; another one does not find it. */
function foreignPython(python: PythonEnvironment, torch: readonly Fact[], torchRoot: string): readonly string[] {
  const own = valueOf(python.facts, "python-suffix");
  const built = valueOf(torch, "python-suffix");
  return own === undefined || built === undefined || own === built ? [] : [`The torch in ${torchRoot} is built for ${built}, and the Python of ${python.prefix} is ${own}: it cannot import this torch.`];
}

/** A torch package by itself; the environment around it is found when it lies in one. */
function describePackage(torchRoot: string, files: Files, catalogue: Catalogue): InstalledBody {
  const site = path.dirname(torchRoot);
  const prefix = enclosingPrefix(site, files);
  const python = prefix === undefined ? undefined : readPython(prefix, files);
  const torch = describeTorch(torchRoot, python?.kind === "conda" ? prefix : undefined, files, catalogue);
  return {
    role: "installed",
    name: torchRoot,
    source: "environment",
    torchRoot,
    ...(prefix === undefined ? {} : { prefix }),
    facts: mergeFacts(python?.facts ?? pythonOfSuffix(torch.facts), torch.facts),
    distributions: distributionsIn(site, files),
    shadowed: [],
    notKnown: torch.notKnown,
  };
}

function enclosingPrefix(site: string, files: Files): string | undefined {
  const match = /^(.*)[\\/](?:lib|lib64)[\\/]python3(?:\.\d+t?)?[\\/](?:site|dist)-packages$/.exec(site);
  const prefix = match?.[1];
  return prefix !== undefined && readPython(prefix, files) !== undefined ? prefix : undefined;
}

/** Without an interpreter around it, the name of torch's own extension module tells the Python: cpython-311 is 3.11. */
export function pythonOfSuffix(facts: readonly Fact[]): readonly Fact[] {
  const suffix = facts.find((fact) => fact.trait === "python-suffix");
  const digits = typeof suffix?.value === "string" ? /^cpython-3(\d+)/.exec(suffix.value)?.[1] : undefined;
  return suffix === undefined || digits === undefined ? [] : [{ trait: "python-version", value: `3.${digits}`, certainty: "inferred", conditions: [], evidence: suffix.evidence }];
}

function torchesOf(python: PythonEnvironment, files: Files): readonly string[] {
  const found = new Map<string, string>();
  for (const entry of python.searchPath) {
    for (const candidate of [path.join(entry, "torch"), ...editableTorch(entry, files)]) {
      if (isTorchPackage(candidate, files)) {
        const real = files.realPath(candidate) ?? candidate;
        found.set(real, found.get(real) ?? candidate);
      }
    }
  }
  return [...found.values()];
}

/** A modern editable install maps the package in a finder module: MAPPING = {'torch': '/src/pytorch/torch'}. */
function editableTorch(entry: string, files: Files): readonly string[] {
  const finder = files.list(entry).find((name) => /^__editable___torch_\d.*_finder\.py$/.test(name));
  const read = finder === undefined ? undefined : files.readText(path.join(entry, finder));
  const target = read?.ok === true ? /['"]torch['"]\s*:\s*['"]([^'"\n]+)['"]/.exec(read.text)?.[1] : undefined;
  return target === undefined ? [] : [target];
}

function distributionsOf(searchPath: readonly string[], files: Files): InstalledBody["distributions"] {
  const seen = new Set<string>();
  return searchPath.flatMap((entry) => distributionsIn(entry, files)).filter((one) => {
    const isFirst = !seen.has(one.name);
    seen.add(one.name);
    return isFirst;
  });
}

/** The interpreter's own facts win over what torch's file names say of it. */
function mergeFacts(python: readonly Fact[], torch: readonly Fact[]): readonly Fact[] {
  const known = new Set(python.map((fact) => fact.trait));
  return [...torch.filter((fact) => !known.has(fact.trait)), ...python];
}
