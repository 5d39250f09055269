import * as path from "node:path";
import type { Files, Location } from "../../engine/model/index.ts";
import { parseCMake } from "../../engine/sources/cmake/parser.ts";
import { buildFoldersBeside, isMultiConfig, isSame, newBuildFolder, readBuildFolders } from "./buildFolders.ts";
import type { BuildFolder } from "./buildFolders.ts";
import { readTestSources } from "./ctestFiles.ts";
import { readUsablePresets } from "./presets.ts";
import type { TestPreset, UsablePreset } from "./presets.ts";
import { startOf } from "./pythonPackages.ts";
import type { PythonPackage } from "./pythonPackages.ts";
import { compareFolders, shortPath, textOf } from "./survey.ts";
import type { CMakeRoot, Surroundings, Survey } from "./survey.ts";
import type { CMakeBuild, PlanProblem, PythonBuild } from "./types.ts";

/** A folder of the project that can be built by itself, with the ways to build it; the usual one comes first. */
export interface Place {
  readonly folder: string;
  readonly cmake: CMakeRoot | undefined;
  readonly python: PythonPackage | undefined;
  readonly builds: readonly DetectedBuild[];
}

export interface DetectedBuild {
  readonly plan: CMakeBuild | PythonBuild;
  readonly tests: readonly TestPreset[];
}

export interface DetectedBuilds {
  readonly places: readonly Place[];
  readonly problems: readonly PlanProblem[];
}

/** Finds what can be built in a project; see docs/projects.md for the order. */
export function detectBuilds(found: Survey, packages: readonly PythonPackage[], surroundings: Surroundings): DetectedBuilds {
  const { root, files } = surroundings;
  const candidates = new Set([...found.layout.configuredBuilds, ...found.cmake.flatMap(({ folder }) => buildFoldersBeside(folder, files))]);
  const configured = readBuildFolders([...candidates], files);
  const problems: PlanProblem[] = [...configured.problems];
  const roots = new Set(found.cmake.map(({ folder }) => folder));
  // A setup.py in `python/` that has CMake build the folder above: two ways to build one thing.
  const below = new Map(packages.filter(({ folder, drivesCMake }) => drivesCMake && !roots.has(folder) && roots.has(path.dirname(folder))).map((one) => [path.dirname(one.folder), one]));
  const attached = new Set([...below.values()].map(({ folder }) => folder));
  const folders = [...new Set([...roots, ...packages.map(({ folder }) => folder)])].filter((folder) => !attached.has(folder)).toSorted((a, b) => compareFolders(root, a, b));
  const places = folders.map((folder): Place => {
    const cmake = found.cmake.find((one) => one.folder === folder);
    const own = packages.find((one) => one.folder === folder);
    const python = own?.native === true ? own : (below.get(folder) ?? own);
    const native = python?.native === true ? python : undefined;
    const byCMake = cmake === undefined ? undefined : cmakeBuilds(cmake, configured.folders, native, surroundings, problems);
    const byPython = native === undefined ? [] : pythonBuilds(native, root).map((plan) => ({ plan, tests: [] }));
    const builds = byCMake === undefined ? byPython : byCMake.first ? [...byCMake.builds, ...byPython] : [...byPython, ...byCMake.builds];
    return { folder, cmake, python, builds };
  });
  return { places, problems };
}

interface CMakeBuilds {
  /** They come before those of a Python package in the same folder. */
  readonly first: boolean;
  readonly builds: readonly DetectedBuild[];
}

function cmakeBuilds(cmake: CMakeRoot, configured: readonly BuildFolder[], python: PythonPackage | undefined, surroundings: Surroundings, problems: PlanProblem[]): CMakeBuilds {
  const { root, files } = surroundings;
  const { folder: source } = cmake;
  const presets = readUsablePresets(source, surroundings);
  problems.push(...presets.problems);
  const own = configured.filter((one) => isSame(one.source, source, files));
  const place = projectCall(source, files);
  const shared = { kind: "cmake", origin: "detected", variables: {}, source, arguments: [], targets: [] } as const;
  const taken = new Set<BuildFolder>();
  const ofPresets = presets.usable.flatMap((preset) => {
    const folder = preset.folder ?? path.join(source, "build");
    const existing = own.find((one) => isSame(one.folder, folder, files));
    if (existing !== undefined) taken.add(existing);
    return presetBuilds(preset, source, root).map((one) => ({ existing, build: { plan: { ...shared, ...one, folder, configurePreset: preset.name }, tests: preset.tests } }));
  });
  const ofFolders = own.filter((one) => !taken.has(one)).map((existing) => {
    const name = shortPath(root, existing.folder);
    const configuration = existing.configurations.find((one) => one === "Release") ?? existing.configurations[0];
    const kind = configuration ?? (existing.buildType === "" ? undefined : existing.buildType);
    const plan: CMakeBuild = {
      ...shared, id: `cmake:${name}`, label: `CMake in ${name}, as it is configured${kind === undefined ? "" : ` (${kind})`}`, shownBy: place, folder: existing.folder,
      ...(configuration !== undefined && { configuration }),
    };
    return { existing, build: { plan, tests: [] } };
  });
  const all = [...ofPresets, ...ofFolders].toSorted((a, b) => (b.existing?.configured ?? 0) - (a.existing?.configured ?? 0));
  // scikit-build-core leaves the CMake project as it is; presets or tests say that it is used by itself too. A setup.py that
  // calls CMake gives it arguments that nobody types.
  const standsAlone = python?.backend === "scikit-build-core" && (presets.usable.length > 0 || readTestSources(cmake.reading.files, files).any);
  if (all.length > 0) return { first: python === undefined || standsAlone || all[0]?.existing !== undefined, builds: all.map(({ build }) => build) };
  const folder = newBuildFolder(source, files);
  const name = shortPath(root, folder);
  return { first: python === undefined || standsAlone, builds: [{ plan: { ...shared, id: `cmake:${name}`, label: `CMake, configured anew in ${name}`, shownBy: place, folder }, tests: [] }] };
}

/** A configure preset with its first build preset; each further one builds something else of the same configuration. */
function presetBuilds(preset: UsablePreset, source: string, root: string): readonly Pick<CMakeBuild, "id" | "label" | "shownBy" | "buildPreset" | "configuration">[] {
  const where = shortPath(root, source);
  const prefix = where === "" ? "" : `${where}/`;
  const title = preset.displayName === undefined ? "" : ` (${preset.displayName})`;
  const inside = where === "" ? "" : ` of ${where}`;
  const isMulti = isMultiConfig(preset.generator ?? "");
  const [first, ...others] = preset.builds;
  const main = {
    id: `cmake:${prefix}${preset.name}`, label: `CMake preset ${preset.name}${inside}${title}`, shownBy: preset.location,
    ...(first !== undefined && { buildPreset: first.name }),
    ...(first?.configuration !== undefined ? { configuration: first.configuration } : isMulti && first === undefined ? { configuration: "Release" } : {}),
  };
  return [main, ...others.map((build) => ({
    id: `cmake:${prefix}${preset.name}/${build.name}`, label: `CMake preset ${preset.name}${inside}, build preset ${build.name}`, shownBy: build.location, buildPreset: build.name,
    ...(build.configuration !== undefined && { configuration: build.configuration }),
  }))];
}

/** The call of project(), or the begin of a file that has none. */
function projectCall(source: string, files: Files): Location {
  const file = path.join(source, "CMakeLists.txt");
  const parsed = parseCMake(file, textOf(files, file));
  const call = parsed.commands.find(({ name }) => name === "project");
  return call === undefined ? startOf(file) : parsed.location(call.start, call.nameEnd);
}

const modes: readonly PythonBuild["mode"][] = ["in-place", "wheel", "editable"];

/** The first leaves the environment as it is and makes the package importable where it lies, as far as the backend can. */
function pythonBuilds(found: PythonPackage, root: string): readonly PythonBuild[] {
  const where = shortPath(root, found.folder);
  const inside = where === "" ? "" : ` in ${where}`;
  const labels: Readonly<Record<PythonBuild["mode"], string>> = {
    "in-place": `${found.compiles} built in place${inside} (setup.py build_ext --inplace)`,
    wheel: `A wheel${inside} (${found.compiles})`,
    editable: `An editable install${inside} into the environment (${found.compiles})`,
  };
  const possible = found.backend === "setuptools" && found.location.path.endsWith("setup.py") ? modes : modes.filter((mode) => mode !== "in-place");
  return possible.map((mode) => {
    const label = labels[mode];
    return {
      kind: "python", id: `python:${where === "" ? "" : `${where}/`}${mode}`, label: label.charAt(0).toUpperCase() + label.slice(1), origin: "detected", shownBy: found.location,
      variables: {}, source: found.folder, backend: found.backend, mode, arguments: [],
    };
  });
}
