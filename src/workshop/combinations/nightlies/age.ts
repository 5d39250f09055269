import type { IndexKnowledge } from "../types.ts";

/** How old what is known of each index is, in sentences; of indexes that were read at the same time in one. */
export function ageOf(knowledge: IndexKnowledge, now: Date): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const { index, package: name, readAt } of knowledge.indexes) {
    const sentence = readAt === undefined ? `${index} was never read for` : `${index} was last read ${ago(readAt, now)} (${readAt.slice(0, 16).replace("T", " ")} UTC) for`;
    lines.set(sentence, [...(lines.get(sentence) ?? []), name]);
  }
  return [...lines].map(([sentence, names]) => `${sentence} ${names.join(" and ")}.`);
}

/** "3 days ago". A time that lies ahead comes of a clock that was wrong. */
export function ago(when: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(when)) / 60_000);
  if (Number.isNaN(minutes)) return "at a time that cannot be read";
  if (minutes < -1) return "at a time that lies ahead by this machine's clock";
  if (minutes < 1) return "just now";
  const [count, unit] = minutes < 60 ? [minutes, "minute"] : minutes < 48 * 60 ? [Math.floor(minutes / 60), "hour"] : [Math.floor(minutes / (24 * 60)), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
