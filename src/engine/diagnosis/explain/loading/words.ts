import type { Log } from "../types.ts";

/** Characters of a line that are looked at on each side of a phrase: longer than any path or mangled name that a loader prints whole. */
const reach = 8192;

/** What stands before and after a phrase. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

/** The text on both sides of a phrase's first occurrence, as far as it matters. */
export function around(text: string, phrase: string): Around | undefined {
  const at = text.indexOf(phrase);
  return at < 0 ? undefined : { before: text.slice(Math.max(0, at - reach), at), after: text.slice(at + phrase.length, at + phrase.length + reach) };
}

/** Quotes as programs and their translations print them. */
export const quote = "[`'\"‘’‚“”„«»‹›]";

/**
 * The path with which a text ends, where a program printed "reason: PATH: ...". Loaders put no quotes around paths, and those
 * may have spaces; what wraps the message ends in ": ", a quote or a bracket.
 */
export function pathAtEnd(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf("\n") + 1).replace(/[:\s]+$/, "");
  const from = Math.max(line.lastIndexOf(": ") + 2, ...["'", '"', "`", "‘", "’", "“", "«", "(", "<", "|", "\t", "="].map((one) => line.lastIndexOf(one) + 1), 0);
  const rest = line.slice(from === 1 ? 0 : from).trim();
  const path = startsAsPath.test(rest) || !/\s/.test(rest) ? rest : (/\s((?:\.{0,2}\/|~\/|[A-Za-z]:[\\/]).*)$/.exec(rest)?.[1] ?? lastWord(rest));
  return path === "" || path.length > 4096 ? undefined : path;
}

const startsAsPath = /^(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/])/;

const probe = /Performing C(?:XX)? (?:SOURCE FILE )?Test \w+ failed|^Determining if .{1,200} failed|kind: "try_(?:compile|run)-v\d+"/;

/** Whether a failed link is a question of CMake's, which expects both answers (CMakeFiles/CMakeError.log, CMakeConfigureLog.yaml). */
export function isProbe(log: Log, at: number): boolean {
  for (let index = at; index >= Math.max(0, at - 120); index -= 1) {
    const text = (log.lines[index]?.text ?? "").slice(0, 400);
    if (probe.test(text)) return true;
    if (/^(?:-- |\[\s*\d+(?:%|\/\d+)\])/.test(text)) return false;
  }
  return false;
}

/** What stands behind the last space. */
export function lastWord(text: string): string {
  return text.slice(Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t")) + 1);
}

/** Lines after `at` while they continue what it began, at most `count`. */
export function following(log: Log, at: number, count: number): readonly string[] {
  return log.lines.slice(at + 1, at + 1 + count).map((one) => one.text);
}
