import { existsSync } from "node:fs";
import * as path from "node:path";
import { isInside } from "../../../engine/files/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { CombinationSettings } from "../types.ts";

const defaultPlace = path.join(".abiding", "combinations.jsonl");

/** The file of a project's records. Throws `CannotDo` when abiding.json names one outside of the project. */
export function recordsFile(root: string, settings?: CombinationSettings): string {
  const file = path.resolve(root, settings?.records ?? defaultPlace);
  if (!isInside(file, root) || file === path.resolve(root)) throw new CannotDo(`"records" of "combinations" in abiding.json names ${file}, which is no file of the project ${root}.`);
  return file;
}

/** Whether a project keeps records: it has the file, or says in abiding.json what to try. Nobody else is surprised by a new file. */
export function keepsRecords(root: string, settings: CombinationSettings | undefined): boolean {
  return settings !== undefined || existsSync(recordsFile(root, settings));
}
