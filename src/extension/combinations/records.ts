import type { ReadCombinations } from "../../workshop/combinations/types.ts";
import { settingsOf } from "./settings.ts";

/** The records of a project that are named, the newest first. */
export async function recordsLike(root: string, ids: readonly string[]): Promise<ReadCombinations["records"]> {
  if (ids.length === 0) {
    return [];
  }
  const { readCombinations, recordsFile } = await import("../../workshop/combinations/index.ts");
  const asked = new Set(ids);
  const { records } = await readCombinations(recordsFile(root, await settingsOf(root)));
  return records.filter((one) => asked.has(one.id)).toSorted((a, b) => (a.when < b.when ? 1 : -1));
}
