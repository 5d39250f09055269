import * as path from "node:path";
import type { Files } from "../../engine/model/index.ts";
import { LineReader } from "../../engine/sources/cmake/fileApi/backtrace.ts";
import { readCache } from "../../engine/sources/cmake/fileApi/cache.ts";
import type { PlanProblem } from "./types.ts";

/** A folder that somebody has configured with CMake. */
export interface BuildFolder {
  readonly folder: string;
  readonly source: string;
  readonly generator: string | undefined;
  readonly buildType: string | undefined;
  /** The configurations of a generator that has several. */
  readonly configurations: readonly string[];
  /** Milliseconds since the epoch. */
  readonly configured: number;
}

export interface BuildFolders {
  readonly folders: readonly BuildFolder[];
  readonly problems: readonly PlanProblem[];
}

/** Where setuptools, scikit-build and pip put the builds that they configure themselves. */
const pythonFolder = /(?:^|\/)(?:_skbuild|build\/(?:temp|lib|bdist|cp\d|\{?wheel_tag)[^/]*|pip-[^/]*)(?:\/|$)/;

/**
 * Reads what CMake wrote into the folders. Those that a Python build configured for itself are left out: their next
 * configuration is its business.
 */
export function readBuildFolders(candidates: readonly string[], files: Files): BuildFolders {
  const lines = new LineReader(files);
  const problems: PlanProblem[] = [];
  const folders = candidates.flatMap((folder): readonly BuildFolder[] => {
    const file = path.join(folder, "CMakeCache.txt");
    const cache = readCache(file, lines);
    const valueOf = (name: string): string | undefined => cache.get(name)?.value;
    const source = valueOf("CMAKE_HOME_DIRECTORY");
    // try_compile() leaves folders with a cache too.
    if (source === undefined || valueOf("CMAKE_PROJECT_NAME") === "CMAKE_TRY_COMPILE") return [];
    if (pythonFolder.test(`${folder.split(path.sep).join("/")}/`) || [...cache.keys()].some((name) => name.startsWith("SKBUILD"))) return [];
    const madeFor = cache.get("CMAKE_CACHEFILE_DIR");
    if (madeFor !== undefined && !isSame(madeFor.value, folder, files)) {
      problems.push({ message: `${folder} was configured by CMake as ${madeFor.value} and moved since; CMake refuses to build there, and so it is left out. Remove it, or configure it again.`, location: madeFor.location });
      return [];
    }
    return [{
      folder,
      source: path.normalize(source),
      generator: valueOf("CMAKE_GENERATOR"),
      buildType: valueOf("CMAKE_BUILD_TYPE"),
      configurations: isMultiConfig(valueOf("CMAKE_GENERATOR") ?? "") ? (valueOf("CMAKE_CONFIGURATION_TYPES") ?? "Debug;Release").split(";") : [],
      configured: files.status(file)?.modified ?? 0,
    }];
  });
  return { folders, problems };
}

/** Whether a generator makes several configurations in one folder (cmake-generators(7)). */
export function isMultiConfig(generator: string): boolean {
  return /Multi-Config|Visual Studio|Xcode/.test(generator);
}

/** Folders beside the source that are named as a build of it: `../build`, `../build-ops`, `../ops-build`. */
export function buildFoldersBeside(source: string, files: Files): readonly string[] {
  const parent = path.dirname(source);
  const own = path.basename(source).toLowerCase();
  return files.entries(parent)
    .filter(({ name, kind }) => kind === "directory" && (/^(?:cmake-)?build(?:$|[-_.])/i.test(name) || (name.toLowerCase().startsWith(own) && /[-_.]build(?:$|[-_.])/i.test(name))))
    .map(({ name }) => path.join(parent, name))
    .filter((folder) => files.status(path.join(folder, "CMakeCache.txt"))?.kind === "file");
}

/** Whether two paths name the same folder, links resolved. */
export function isSame(one: string, other: string, files: Files): boolean {
  return path.resolve(one) === path.resolve(other) || (files.realPath(one) ?? one) === (files.realPath(other) ?? other);
}

/** Where a project that nobody has configured is built: `build`, unless something else lies there. */
export function newBuildFolder(source: string, files: Files): string {
  const usual = path.join(source, "build");
  const status = files.status(usual);
  if (status === undefined) return usual;
  if (status.kind !== "directory") return path.join(source, "out", "build");
  // Questions for CMake's File API are laid there before it is configured, which may then have failed.
  const names = files.list(usual).filter((name) => name !== ".cmake");
  return names.length === 0 || names.includes("CMakeCache.txt") || names.includes("CMakeFiles") ? usual : path.join(usual, "cmake");
}
