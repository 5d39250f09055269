import * as fs from "node:fs";
import * as path from "node:path";
import { ProblemReader } from "../../../src/workshop/build/problems/reader.ts";
import type { BuildProblem } from "../../../src/workshop/build/index.ts";
import type { Location } from "../../../src/engine/model/index.ts";

/**
 * What real tools printed about small sources of ours: GCC 12.2, Clang 14, nvcc, ptxas and nvlink of CUDA 13.0, GNU ld 2.40,
 * gold, lld 14, mold, CMake 3.25, ninja 1.11, GNU make 4.3, setuptools 84, pip 23.2. Beside each lies what it means.
 */
export const folder = path.join(import.meta.dirname, "recordings");
export const names = fs.readdirSync(folder).filter((name) => name.endsWith(".txt") && !name.endsWith(".problems.txt")).map((name) => name.slice(0, -4));

export function linesOf(name: string): readonly string[] {
  return fs.readFileSync(path.join(folder, `${name}.txt`), "utf8").split("\n");
}

/** All files exist in these recordings. */
export function problemsOf(lines: readonly string[], isIndented = false): readonly BuildProblem[] {
  const reader = new ProblemReader({ folder: "/project", source: "/project", isIndented, exists: () => true });
  for (const line of lines) {
    reader.push(line);
  }
  return reader.end();
}

/** One line a problem, and one for each thing that belongs to it. */
export function written(problems: readonly BuildProblem[]): string {
  return problems.map(({ severity, tool, location, code, message, related }) => [
    `${severity} ${tool} ${place(location)}${code === undefined ? "" : ` [${code}]`} ${message.replaceAll("\n", "\\n")}`,
    ...(related ?? []).map((one) => `    ${place(one.location)} ${one.message}`),
  ].join("\n")).join("\n");
}

function place(location: Location | undefined): string {
  return location === undefined ? "-" : `${location.path}:${location.range.start.line + 1}:${location.range.start.character + 1}`;
}
