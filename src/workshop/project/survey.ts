import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import { readCMakeFolders } from "../../engine/diagnosis/cmakeProjects.ts";
import { matcherOf } from "../../engine/diagnosis/configuration.ts";
import { discoverProject } from "../../engine/diagnosis/discover.ts";
import type { ProjectFiles } from "../../engine/diagnosis/discover.ts";
import type { Files, Reading } from "../../engine/model/index.ts";
import { CMakeFileCache, readCMake } from "../../engine/sources/cmake/index.ts";
import type { Variables } from "../process/types.ts";

/** The circumstances under which a project is read. */
export interface Surroundings {
  readonly root: string;
  readonly files: Files;
  readonly environment: Variables;
  readonly platform: NodeJS.Platform;
  readonly interpreter: string | undefined;
}

/** A folder that `cmake` is started in: no other CMakeLists.txt of the project leads to it. */
export interface CMakeRoot {
  readonly folder: string;
  readonly reading: Reading;
}

export interface Survey {
  readonly layout: ProjectFiles;
  readonly cmake: readonly CMakeRoot[];
}

const platforms: Partial<Record<NodeJS.Platform, "linux" | "macos" | "windows">> = { linux: "linux", darwin: "macos", win32: "windows" };

/** Finds the build files of a project and reads its CMake. Gives way between two folders, so that an editor stays awake. */
export async function survey({ root, files, platform }: Surroundings, excluded: readonly string[]): Promise<Survey> {
  const layout = discoverProject(root, files, matcherOf(excluded));
  await setImmediate();
  const cmake: CMakeRoot[] = [];
  const cache = new CMakeFileCache();
  const work = readCMakeFolders(layout.cmakeLists, files, function* read(folder): Generator<string, Reading, undefined> {
    yield folder;
    const reading = readCMake(folder, files, { platform: platforms[platform] }, cache);
    // Without either of these two CMake only warns, but nobody starts it there.
    if (/^[ \t]*(?:project|cmake_minimum_required)[ \t]*\(/im.test(textOf(files, path.join(folder, "CMakeLists.txt")))) cmake.push({ folder, reading });
    return reading;
  });
  while (work.next().done !== true) await setImmediate();
  return { layout, cmake };
}

/** The text of a file; empty when it cannot be read. */
export function textOf(files: Files, file: string): string {
  const read = files.readText(file);
  return read.ok ? read.text : "";
}

/** A path from the root with `/` between its parts; empty for the root itself. What is not even beside the root stays absolute. */
export function shortPath(root: string, file: string): string {
  const relative = path.relative(root, file).split(path.sep).join("/");
  return relative === ".." || relative.startsWith("../..") || path.isAbsolute(relative) ? file : relative;
}

/** What belongs to a project and is no product of it. */
const secondary = /^(?:\.\w.*|_?tests?|testing|unit_?tests?|examples?|samples?|demos?|docs?|doc|benchmarks?|bench|tutorials?|ci|docker|scripts|tools|fixtures?|templates?|cmake|experimental|contrib)$/i;

export function isSecondary(parts: readonly string[]): boolean {
  return parts.some((part) => secondary.test(part));
}

/** Folders nearer to the root come first, and those of examples, tests and the like last. */
export function compareFolders(root: string, a: string, b: string): number {
  const partsOf = (folder: string): readonly string[] => path.relative(root, folder).split(path.sep).filter((part) => part !== "");
  const [first, second] = [partsOf(a), partsOf(b)];
  const rank = (parts: readonly string[]): number => (isSecondary(parts) ? 1 : 0);
  return rank(first) - rank(second) || first.length - second.length || (a < b ? -1 : a > b ? 1 : 0);
}
