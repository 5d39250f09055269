import type { Gap, InstalledBody } from "../model/index.ts";

/** What a diagnosis does not say, in full sentences. `problems`: why what was asked for cannot be checked against; `unread`: CMake files that no project leads to. */
export function notCheckedSentences(installed: readonly InstalledBody[], problems: readonly string[], gaps: readonly Gap[], unread: readonly string[]): readonly string[] {
  const sentences: string[] = [];
  sentences.push(...problems);
  if (installed.length === 0 && problems.length > 0) {
    sentences.push("Nothing was compared with an installed torch.");
  } else if (installed.length === 0) {
    sentences.push("No torch was found or named, so nothing was compared with an installed torch; name one with --against or in abiding.json.");
  }
  for (const body of installed) {
    sentences.push(...body.notKnown);
  }
  sentences.push("Built files were not read: check reads build files and sources only.");
  if (unread.length > 0) {
    sentences.push(`No project leads to ${unread.length === 1 ? "this CMake file, which was" : `these ${unread.length} CMake files, which were`} not read: ${shorten(unread)}.`);
  }
  const open = gaps.filter((gap) => gap.kind === "evaluation").length;
  if (open > 0) {
    sentences.push(`${open} ${open === 1 ? "value" : "values"} in build files could not be evaluated; what depends on them was not compared.`);
  }
  return sentences;
}

function shorten(names: readonly string[]): string {
  return names.length <= 5 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`;
}
