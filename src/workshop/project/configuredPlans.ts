import * as path from "node:path";
import type { BenchmarkEntry, BuildEntry, SmokeEntry, WorkshopSections } from "../../engine/diagnosis/workshopSections.ts";
import type { Location } from "../../engine/model/index.ts";
import { newBuildFolder } from "./buildFolders.ts";
import { pythonOf } from "./detectedBenchmarks.ts";
import type { DetectedBuild, Place } from "./detectedBuilds.ts";
import { readUsablePresets } from "./presets.ts";
import type { PythonPackage } from "./pythonPackages.ts";
import { shortPath } from "./survey.ts";
import type { Surroundings } from "./survey.ts";
import type { BenchmarkPlan, BuildPlan, CMakeBuild, PlanProblem, SmokePlan } from "./types.ts";

/** What the plans of abiding.json are made with. */
export interface ConfiguredContext extends Surroundings {
  readonly places: readonly Place[];
  readonly packages: readonly PythonPackage[];
  readonly problems: PlanProblem[];
}

/** Plans of the section `build`; of CMake ones with what their presets say of tests. */
export function configuredBuilds(sections: WorkshopSections, context: ConfiguredContext): readonly (BuildPlan | DetectedBuild)[] {
  return (sections.build ?? []).flatMap((entry) => buildOf(entry, context) ?? []);
}

function buildOf(entry: BuildEntry, context: ConfiguredContext): BuildPlan | DetectedBuild | undefined {
  const { root } = context;
  if (entry.form === "cmake") return cmakeOf(entry, context);
  if (entry.form === "command") {
    const { command: steps = [], folder, name, environment } = entry.values;
    const [first = []] = steps;
    return {
      ...basics(entry, environment, context), kind: "command", id: name ?? `command:${first.slice(0, 2).join(" ")}`, label: name ?? steps.map((one) => one.join(" ")).join(", then "),
      folder: folderOf(folder, "folder", entry, context), steps: steps.map((one) => commandOf(one, context)),
    };
  }
  const { python: mode = "wheel", source, arguments: given = [], name, environment } = entry.values;
  const folder = folderOf(source, "source", entry, context);
  const known = context.packages.find((one) => one.folder === folder);
  if (known === undefined) {
    context.problems.push({ message: `${shortPath(root, folder) || "The folder of abiding.json"} has no setup.py and no pyproject.toml that a Python build could start from.`, location: entry.places.get("source") ?? entry.location });
    return undefined;
  }
  const where = shortPath(root, folder);
  return {
    ...basics(entry, environment, context), kind: "python", id: name ?? `python:${where === "" ? "" : `${where}/`}${mode}`, label: name ?? `Python build (${mode})${where === "" ? "" : ` of ${where}`}`,
    source: folder, backend: known.backend, mode, arguments: given.map((one) => fill(one, context)),
  };
}

function cmakeOf(entry: Extract<BuildEntry, { form: "cmake" }>, context: ConfiguredContext): DetectedBuild | undefined {
  const { root, files, places, problems } = context;
  const { name, preset, buildPreset, folder, source, configuration, arguments: given = [], targets = [], environment } = entry.values;
  const roots = places.filter((place) => place.cmake !== undefined).map((place) => place.folder);
  const chosen = source !== undefined ? folderOf(source, "source", entry, context) : preset === undefined ? roots[0] : (roots.find((one) => readUsablePresets(one, context).names.includes(preset)) ?? roots[0]);
  if (chosen === undefined || !roots.includes(chosen)) {
    const at = entry.places.get("source") ?? entry.location;
    const subject = chosen === undefined ? "The project" : `${shortPath(root, chosen) || "The folder of abiding.json"}`;
    if (chosen === undefined || files.status(path.join(chosen, "CMakeLists.txt")) === undefined) {
      problems.push({ message: `${subject} has no CMakeLists.txt that CMake could start from.`, location: at });
      return undefined;
    }
  }
  const reading = readUsablePresets(chosen, context);
  const found = preset === undefined ? undefined : reading.usable.find((one) => one.name === preset);
  if (preset !== undefined && found === undefined) {
    const have = reading.usable.map((one) => one.name);
    const reason = reading.names.includes(preset) ? "cannot be used: it is hidden, or its condition does not hold on this machine" : `is not among those of ${shortPath(root, chosen) || "this folder"}`;
    problems.push({ message: `The preset ${preset} ${reason}. ${have.length === 0 ? "None can be used." : `The usable ones are ${have.join(", ")}.`}`, location: entry.places.get("preset") ?? entry.location });
    return undefined;
  }
  if (buildPreset !== undefined && found !== undefined && !found.builds.some((one) => one.name === buildPreset)) {
    problems.push({ message: `The build preset ${buildPreset} does not belong to the preset ${found.name}.`, location: entry.places.get("buildPreset") ?? entry.location });
    return undefined;
  }
  const usedBuild = found?.builds.find((one) => one.name === buildPreset) ?? found?.builds[0];
  const target = folder === undefined ? (found?.folder ?? newBuildFolder(chosen, files)) : folderOf(folder, "folder", entry, context);
  const short = shortPath(root, chosen);
  const id = name ?? `cmake:${found === undefined ? shortPath(root, target) : `${short === "" ? "" : `${short}/`}${found.name}`}`;
  const used = configuration ?? usedBuild?.configuration;
  const plan: CMakeBuild = {
    ...basics(entry, environment, context), kind: "cmake", id, label: name ?? (found === undefined ? `CMake in ${shortPath(root, target)}` : `CMake preset ${found.name}`), source: chosen, folder: target,
    arguments: given.map((one) => fill(one, context)), targets, ...(found !== undefined && { configurePreset: found.name }), ...(usedBuild !== undefined && { buildPreset: usedBuild.name }), ...(used !== undefined && { configuration: used }),
  };
  return { plan, tests: found?.tests ?? [] };
}

/** Plans of the section `smoke`. */
export function configuredSmoke(sections: WorkshopSections, context: ConfiguredContext): readonly SmokePlan[] {
  return (sections.smoke ?? []).map((entry) => smokeOf(entry, context));
}

function smokeOf(entry: SmokeEntry, context: ConfiguredContext): SmokePlan {
  const { root } = context;
  const shared = basics(entry, entry.values.environment, context);
  const { name } = entry.values;
  switch (entry.form) {
    case "ctest": {
      const { ctest, labels = [], configuration } = entry.values;
      const folder = folderOf(ctest, "ctest", entry, context);
      const label = `CTest${labels.length === 0 ? "" : `, label ${labels.join(" or ")},`} in ${shortPath(root, folder)}`;
      return { ...shared, kind: "ctest", id: name ?? `ctest:${shortPath(root, folder)}`, label: name ?? label, folder, labels, ...(configuration !== undefined && { configuration }) };
    }
    case "pytest": {
      const { pytest: paths = [], marker, arguments: given = [], folder } = entry.values;
      const where = folderOf(folder, "folder", entry, context);
      const inside = paths.map((one) => path.relative(where, path.resolve(root, fill(one, context))) || ".");
      return {
        ...shared, kind: "pytest", id: name ?? (shortPath(root, where) === "" ? "pytest" : `pytest:${shortPath(root, where)}`), label: name ?? `pytest of ${paths.join(", ")}${marker === undefined ? "" : `, marker ${marker}`}`,
        folder: where, paths: inside, arguments: given.map((one) => fill(one, context)), ...(marker !== undefined && { marker }),
      };
    }
    case "command": {
      const { command = [], folder, timeLimit } = entry.values;
      return {
        ...shared, kind: "command", id: name ?? `command:${command.slice(0, 3).join(" ")}`, label: name ?? command.join(" "), folder: folderOf(folder, "folder", entry, context),
        command: commandOf(command, context), ...(timeLimit !== undefined && { timeLimit }),
      };
    }
  }
}

/** Plans of the section `benchmarks`. */
export function configuredBenchmarks(sections: WorkshopSections, context: ConfiguredContext): readonly BenchmarkPlan[] {
  return (sections.benchmarks ?? []).map((entry) => benchmarkOf(entry, context));
}

function benchmarkOf(entry: BenchmarkEntry, context: ConfiguredContext): BenchmarkPlan {
  const { root, interpreter, platform } = context;
  const { name, environment, folder, ceiling } = entry.values;
  const where = folderOf(folder, "folder", entry, context);
  const shared = { ...basics(entry, environment, context), kind: "benchmark", folder: where, ...(ceiling !== undefined && { ceiling }) } as const;
  if (entry.form === "pytest-benchmark") {
    const { "pytest-benchmark": paths = [], arguments: given = [] } = entry.values;
    const inside = paths.map((one) => path.relative(where, path.resolve(root, fill(one, context))) || ".");
    return { ...shared, id: name ?? `pytest-benchmark:${paths.join(" ")}`, label: name ?? `pytest-benchmark of ${paths.join(", ")}`, format: "pytest-benchmark", printsJson: false, command: [pythonOf(interpreter, platform), "-m", "pytest", ...inside, ...given.map((one) => fill(one, context))] };
  }
  const [format, words] = entry.form === "command" ? [entry.values.prints ?? "google-benchmark", entry.values.command ?? []] as const
    : entry.form === "nvbench" ? ["nvbench", entry.values.nvbench ?? []] as const : ["google-benchmark", entry.values["google-benchmark"] ?? []] as const;
  return { ...shared, id: name ?? `${format}:${path.basename(words[0] ?? "")}`, label: name ?? words.join(" "), format, printsJson: entry.form === "command", command: commandOf(words, context) };
}

interface Placed {
  readonly location: Location;
  readonly places: ReadonlyMap<string, Location>;
}

function basics(entry: Placed, environment: Readonly<Record<string, string>> | undefined, context: ConfiguredContext): { readonly origin: "abiding.json"; readonly shownBy: Location; readonly variables: Readonly<Record<string, string>> } {
  const variables = Object.fromEntries(Object.entries(environment ?? {}).map(([name, value]) => [name, fill(value, context)]));
  return { origin: "abiding.json", shownBy: entry.location, variables };
}

/** A folder, relative to abiding.json. One outside of the project is used, and said. */
function folderOf(written: string | undefined, key: string, entry: Placed, context: ConfiguredContext): string {
  const folder = path.resolve(context.root, fill(written ?? ".", context));
  const relative = path.relative(context.root, folder);
  if (relative.startsWith("..") || path.isAbsolute(relative)) {
    context.problems.push({ message: `"${key}" leads out of the project, to ${folder}. It is used as it stands.`, location: entry.places.get(key) ?? entry.location });
  }
  return folder;
}

/** A program with a slash in its name is a path from abiding.json; any other is looked up in PATH. */
function commandOf(words: readonly string[], context: ConfiguredContext): readonly string[] {
  const [program = "", ...rest] = words.map((one) => fill(one, context));
  return [/[/\\]/.test(program) ? path.resolve(context.root, program) : program, ...rest];
}

/** `${root}` is the folder of abiding.json, `${env:NAME}` a variable of the environment; all else stays as it is. */
function fill(text: string, { root, environment }: ConfiguredContext): string {
  return text.replace(/\$\{(?:(root)|env:([^}]+))\}/g, (_, isRoot: string | undefined, name: string | undefined) => (isRoot === undefined ? (environment[name ?? ""] ?? "") : root));
}
