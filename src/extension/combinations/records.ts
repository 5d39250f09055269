import type { ReadCombinations, WheelWanted } from "../../workshop/combinations/types.ts";
import { settingsOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";

/** The records of a project that are named, the newest first. */
async function recordsLike(root: string, ids: readonly string[]): Promise<ReadCombinations["records"]> {
  if (ids.length === 0) {
    return [];
  }
  const { readCombinations, recordsFile } = await import("../../workshop/combinations/index.ts");
  const asked = new Set(ids);
  const { records } = await readCombinations(recordsFile(root, await settingsOf(root)));
  return records.filter((one) => asked.has(one.id)).toSorted((a, b) => (a.when < b.when ? 1 : -1));
}

/** Where the torch that is named comes from by the newest of these records that says it; what is wanted is looked for there first. */
export async function firstIndexOf(root: string, { torch, like = [] }: CombinationArgument): Promise<Pick<WheelWanted, "firstIndex">> {
  const indexes = (await recordsLike(root, like)).flatMap(({ combination }) => (combination.torch.version === torch ? combination.torch.index ?? [] : []));
  const firstIndex = indexes.find((one) => /^https?:/i.test(one) && URL.canParse(one));
  return firstIndex === undefined ? {} : { firstIndex };
}
