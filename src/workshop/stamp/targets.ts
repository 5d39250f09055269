import * as path from "node:path";
import { readCMakeFolders } from "../../engine/diagnosis/cmakeProjects.ts";
import { discoverProject } from "../../engine/diagnosis/discover.ts";
import type { ProjectFiles } from "../../engine/diagnosis/discover.ts";
import type { DeclaredTarget, EvaluationContext, Files, Reading } from "../../engine/model/index.ts";
import { CMakeFileCache, readCMake } from "../../engine/sources/cmake/index.ts";
import { readPythonBuild } from "../../engine/sources/python/index.ts";

/** Something that could be stamped, under one name, however many places of its build files make it. */
export interface Candidate {
  readonly name: string;
  readonly builder: "cmake" | "setuptools";
  /** The folder whose CMakeLists.txt begins the project, or the folder of setup.py. */
  readonly folder: string;
  /** The file that makes it; for an extension the one that calls setup(). */
  readonly file: string;
  /** One for each place that makes it. */
  readonly sites: readonly [DeclaredTarget, ...DeclaredTarget[]];
  /** The name is put together while the build runs. */
  readonly isNameKnown: boolean;
}

export interface ReadTargets {
  readonly candidates: readonly Candidate[];
  readonly layout: ProjectFiles;
}

const context: EvaluationContext = { platform: process.platform === "darwin" ? "macos" : process.platform === "win32" ? "windows" : "linux" };

/** The targets of a project's CMake files and the extensions of its setup.py files. Nothing is run. */
export function readTargets(root: string, files: Files): ReadTargets {
  const layout = discoverProject(root, files, () => false);
  const cmakeCache = new CMakeFileCache();
  const found = new Map<string, Candidate>();
  const add = (builder: Candidate["builder"], folder: string, file: string, target: DeclaredTarget): void => {
    const key = JSON.stringify([builder, builder === "cmake" ? folder : file, target.name]);
    const before = found.get(key);
    const isSeen = before?.sites.some(({ location }) => location.path === target.location.path && location.range.start.line === target.location.range.start.line) === true;
    if (!isSeen) {
      const sites: Candidate["sites"] = before === undefined ? [target] : [...before.sites, target];
      found.set(key, before === undefined ? { name: target.name, builder, folder, file, sites, isNameKnown: !/[{}$]/.test(target.name) } : { ...before, sites });
    }
  };
  const readings = readCMakeFolders(layout.cmakeLists, files, function* (folder): Generator<string, Reading, undefined> {
    yield folder;
    const reading = readCMake(folder, files, context, cmakeCache);
    for (const target of reading.targets) {
      add("cmake", folder, target.location.path, target);
    }
    return reading;
  });
  while (readings.next().done !== true);
  for (const file of layout.pythonBuilds) {
    for (const target of readPythonBuild(file, files, context).targets) {
      if (target.builder === "setuptools") {
        add("setuptools", path.dirname(file), file, target);
      }
    }
  }
  return { candidates: [...found.values()], layout };
}

/** All extensions of one setup.py, under the file's name: some have names that are put together while it runs. */
export function wholeFiles(root: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const files = new Map<string, Candidate>();
  for (const one of candidates.filter(({ builder }) => builder === "setuptools")) {
    const before = files.get(one.file);
    files.set(one.file, before === undefined ? { ...one, name: path.relative(root, one.file), isNameKnown: false } : { ...before, sites: [...before.sites, ...one.sites] });
  }
  return [...files.values()];
}

/** For sentences. */
export function calledName(candidate: Candidate): string {
  return candidate.isNameKnown ? candidate.name : `the extensions of ${candidate.name}`;
}

/** What `--target` calls it, where its name alone is not enough. */
export function longName(root: string, candidate: Candidate): string {
  return `${path.relative(root, candidate.file)}:${candidate.name}`;
}

/** Why no stamp can be put into it at all. */
export function withoutCode({ sites: [site] }: Candidate): string | undefined {
  switch (site.kind) {
    case "interface": return "is an INTERFACE library: nothing is compiled for it, so that nothing could carry a stamp. Stamp the targets that link it.";
    case "imported": return "is an imported target: its file is made elsewhere. Stamp it in the project that builds it.";
    default: return undefined;
  }
}
