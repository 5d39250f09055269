import { stat } from "node:fs/promises";
import * as path from "node:path";
import { CannotDo } from "../workshop.ts";
import { gantry } from "./gantry.ts";
import type { Project } from "./types.ts";

export interface ChooseOptions {
  /** Work on the library that comes with Abiding. */
  readonly gantry: boolean;
  /** Where copies of it are kept. */
  readonly cacheFolder: string;
  /** The installed package of Abiding. */
  readonly packageFolder: string;
}

/** The root of the project that a command is given: a folder, one of its build files, the current folder, or Gantry. */
export async function chooseProject(operand: string | undefined, options: ChooseOptions): Promise<string> {
  if (options.gantry) {
    if (operand !== undefined) throw new CannotDo(`--gantry is for the library that comes with Abiding; it takes no folder, and ${operand} was given.`);
    return gantry({ from: path.join(options.packageFolder, "native"), to: path.join(options.cacheFolder, "gantry") });
  }
  const given = path.resolve(operand ?? ".");
  const found = await stat(given).catch(() => undefined);
  if (found === undefined) throw new CannotDo(`There is no ${given}.`);
  return found.isDirectory() ? given : path.dirname(given);
}

/** Why there is nothing to do in a project, and what would help. */
export function nothingFound(project: Project, what: "build" | "smoke" | "benchmarks"): string {
  const looked = {
    build: "Nothing native to build was found in {}: no CMakeLists.txt that begins a project, and no setup.py or pyproject.toml that compiles something.",
    smoke: "No tests were found in {}: none that CTest would run, and no test_*.py for pytest.",
    benchmarks: "No benchmarks were found in {}: no CMake target that links Google Benchmark or nvbench, and no tests that use pytest-benchmark.",
  }[what];
  return `${looked.replace("{}", project.root)} The section "${what}" of abiding.json can name them; --gantry takes the library that comes with Abiding.`;
}
