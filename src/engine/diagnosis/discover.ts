import * as path from "node:path";
import type { Files, Gap } from "../model/index.ts";
import { isLibraryName } from "./built/candidates.ts";
import { isPythonBuildName, isPythonSource } from "./fileNames.ts";
import { isRequirementsFile } from "../sources/python/requirements/index.ts";

/** The build files of a project, absolute, in walking order: shallow folders first. */
export interface ProjectFiles {
  /** CMakeLists.txt files outside configured build folders and third-party code. */
  readonly cmakeLists: readonly string[];
  readonly presets: readonly string[];
  /** setup.py and its like, certain by their name. */
  readonly pythonBuilds: readonly string[];
  /** Other Python files, which may call torch.utils.cpp_extension. */
  readonly pythonSources: readonly string[];
  readonly requirements: readonly string[];
  /** Shared libraries, wherever they lie but in configured build folders. */
  readonly libraries: readonly string[];
  /** Wheels that a build left. */
  readonly wheels: readonly string[];
  /** Folders that cmake has configured: they hold a CMakeCache.txt. */
  readonly configuredBuilds: readonly string[];
  readonly gaps: readonly Gap[];
}

/** Beyond these the walk stops and says so: a workspace opened at the root of a disk must not hang the editor. */
export const walkLimits = { folders: 60_000, depth: 32, pythonSources: 8_000, libraries: 400 };

const skippedFolders = new Set([
  ".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache",
  ".cache", ".eggs", "site-packages", "dist-packages", "CMakeFiles", "_deps", ".abiding", ".idea", ".vs",
]);

/** Code of others inside the project: read when a build file leads there, not searched for build files. */
const thirdPartyFolders = new Set(["third_party", "thirdparty", "third-party", "3rdparty", "3rd_party", "3rd", "vendor", "vendored", "extern", "external", "submodules"]);

/**
 * Walks `root` for build files. Links to folders are not followed, so that a loop of links ends and nothing
 * outside the project is read; links to files count as files.
 */
export function discoverProject(root: string, files: Files, excluded: (relativePath: string) => boolean): ProjectFiles {
  const found = {
    cmakeLists: [] as string[], presets: [] as string[], pythonBuilds: [] as string[], pythonSources: [] as string[],
    requirements: [] as string[], libraries: [] as string[], wheels: [] as string[], configuredBuilds: [] as string[], gaps: [] as Gap[],
  };
  const queue: { folder: string; depth: number }[] = [{ folder: root, depth: 0 }];
  let visited = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    visited += 1;
    if (visited > walkLimits.folders) {
      found.gaps.push({ kind: "file", path: root, message: `The project has more than ${walkLimits.folders} folders; the rest were not searched for build files. Exclude folders in abiding.json.` });
      break;
    }
    const { folder, depth } = next;
    const entries = files.entries(folder);
    const names = new Set(entries.map((entry) => entry.name));
    if (names.has("CMakeCache.txt") && !names.has("CMakeLists.txt")) {
      found.configuredBuilds.push(folder);
      continue;
    }
    if (names.has("pyvenv.cfg") || (names.has("conda-meta") && names.has("bin"))) {
      continue;
    }
    for (const entry of entries) {
      const full = path.join(folder, entry.name);
      if (entry.kind === "directory") {
        if (!isSkipped(entry.name) && depth < walkLimits.depth && !excluded(path.relative(root, full))) {
          queue.push({ folder: full, depth: depth + 1 });
        }
      } else if (entry.kind === "file" || (entry.kind === "link" && files.status(full)?.kind === "file")) {
        if (!excluded(path.relative(root, full))) {
          sort(entry.name, full, found);
        }
      }
    }
    if (names.has("CMakeCache.txt")) {
      found.configuredBuilds.push(folder);
    }
  }
  return found;
}

/** Whether the walk would come to a file at that place. */
export function isWalked(root: string, file: string, excluded: (relativePath: string) => boolean): boolean {
  const parts = path.relative(root, file).split(path.sep);
  return parts[0] !== ".." && !excluded(parts.join(path.sep)) && parts.slice(0, -1).every((part, index) => !isSkipped(part) && !excluded(parts.slice(0, index + 1).join(path.sep)));
}

function isSkipped(folder: string): boolean {
  return skippedFolders.has(folder) || thirdPartyFolders.has(folder.toLowerCase()) || folder.endsWith(".egg-info");
}

function sort(name: string, full: string, found: { cmakeLists: string[]; presets: string[]; pythonBuilds: string[]; pythonSources: string[]; requirements: string[]; libraries: string[]; wheels: string[] }): void {
  if (name === "CMakeLists.txt") {
    found.cmakeLists.push(full);
  } else if (name === "CMakePresets.json" || name === "CMakeUserPresets.json") {
    found.presets.push(full);
  } else if (isPythonBuildName(name)) {
    found.pythonBuilds.push(full);
  } else if (isPythonSource(name)) {
    if (found.pythonSources.length < walkLimits.pythonSources) {
      found.pythonSources.push(full);
    }
  } else if (isRequirementsFile(full)) {
    found.requirements.push(full);
  } else if (isLibraryName(name)) {
    if (found.libraries.length < walkLimits.libraries) {
      found.libraries.push(full);
    }
  } else if (name.endsWith(".whl")) {
    found.wheels.push(full);
  }
}

/** Whether a walk found the file. */
export function isListed(layout: ProjectFiles, file: string): boolean {
  return [layout.cmakeLists, layout.presets, layout.pythonBuilds, layout.pythonSources, layout.requirements].some((list) => list.includes(file));
}

/** A file that discovery would list if it exists. */
export function isBuildFile(file: string): boolean {
  return file.endsWith(".py") || /^CMake(?:Lists\.txt|Presets\.json|UserPresets\.json)$/.test(path.basename(file)) || isRequirementsFile(file);
}
