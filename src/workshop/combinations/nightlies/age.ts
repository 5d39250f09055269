import { age } from "../../../views/words.ts";
import type { IndexKnowledge } from "../types.ts";

/** How old what is known of each index is, in sentences; of indexes that were read at the same time in one. */
export function ageOf(knowledge: IndexKnowledge, now: Date): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const { index, package: name, readAt } of knowledge.indexes) {
    const sentence = readAt === undefined ? `${index} was never read for` : `${index} was last read ${age(readAt, now) ?? "at a time that cannot be read"} (${readAt.slice(0, 16).replace("T", " ")} UTC) for`;
    lines.set(sentence, [...(lines.get(sentence) ?? []), name]);
  }
  return [...lines].map(([sentence, names]) => `${sentence} ${names.length > 1 ? `${names.slice(0, -1).join(", ")} and ` : ""}${names.at(-1)}.`);
}
