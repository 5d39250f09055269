import { relative } from "node:path";
import type { Location } from "../../../src/engine/model/index.ts";
import { readProject } from "../../../src/workshop/project/index.ts";
import type { Project } from "../../../src/workshop/project/types.ts";
import { MemoryFiles } from "../../support/memory-files.ts";

const root = "/p";

/** Reads a project whose files exist only in the test; keys are relative to its root. */
export function readMemory(files: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}): Promise<Project> {
  return readProject(root, { environment, files: new MemoryFiles(Object.fromEntries(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]))) });
}

export function ids(plans: readonly { readonly id: string }[]): readonly string[] {
  return plans.map(({ id }) => id);
}

/** "setup.py:3:1", counted as people do. */
export function place(location: Location | undefined, from = root): string {
  return location === undefined ? "nowhere" : `${relative(from, location.path)}:${location.range.start.line + 1}:${location.range.start.character + 1}`;
}

/** Problems with their places. */
export function complaints(project: Project): readonly string[] {
  return project.problems.map(({ message, location }) => `${place(location)} ${message}`);
}

/** The one plan of an id. */
export function plan<T extends { readonly id: string }>(plans: readonly T[], id: string): T {
  const found = plans.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no ${id} among ${ids(plans).join(", ")}.`);
  return found;
}
