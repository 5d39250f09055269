import type { Gap, InstalledBody } from "../model/index.ts";
import type { BuiltFile } from "../rules/index.ts";

interface Said {
  readonly installed: readonly InstalledBody[];
  readonly problems: readonly string[];
  readonly gaps: readonly Gap[];
  readonly built: readonly BuiltFile[];
  readonly unread: readonly string[];
  readonly wheels: readonly string[];
}

/** Each file has a list of its own, which `fits` shows; what holds for all of them is said once. */
const mostOfBuilt = 6;

function builtSentences(built: readonly BuiltFile[]): readonly string[] {
  if (built.length === 0) {
    return ["No built file that concerns torch was found in the project: build files and sources were read only."];
  }
  const [first, ...others] = built.flatMap((one) => (one.fit === undefined ? [] : [one.fit.notChecked]));
  return (first ?? []).filter((sentence) => others.every((list) => list.includes(sentence))).slice(0, mostOfBuilt);
}

/** What a diagnosis does not say, in full sentences. `problems`: why what was asked for cannot be checked against; `unread`: CMake files that no project leads to; `wheels`: wheels that lie there. */
export function notCheckedSentences({ installed, problems, gaps, built, unread, wheels }: Said): readonly string[] {
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
  sentences.push(...builtSentences(built));
  if (wheels.length > 0) {
    sentences.push(`${wheels.length === 1 ? "A wheel was" : `${wheels.length} wheels were`} not opened: ${shorten(wheels)}. \`abiding fits FILE\` looks into one.`);
  }
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
