import { causes } from "../causes.ts";
import type { CauseName } from "../causes.ts";
import type { Confidence } from "../../../model/index.ts";
import type { Clue, Explanation, Knowledge, Log, Subject } from "../types.ts";

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

/** Whether a line is source code that holds a message, not the message: a test, a search, a raise in a traceback. */
export function isCode(text: string): boolean {
  return code.test(text.length > 2048 ? text.slice(0, 2048) : text);
}

const code = /^\s*(?:[>+-]\s)?(?:(?:if|elif|assert|raise|throw|return|expect|print|printf|grep|echo|const|let|var|self|re|case|std::cout|std::cerr)\b[^\n]*["'`]|#|\/\/)|\b(?:in str\(|pytest\.raises|match=|re\.(?:search|match|compile)\(|\.includes\(|\.contains\()/;

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

/** The last component of a path; the whole where it has none. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

interface Said {
  readonly because?: readonly string[];
  readonly fixes?: readonly string[];
  readonly copy?: string | undefined;
  readonly needs?: readonly string[];
  readonly symbols?: Explanation["symbols"];
}

/** An explanation with the rule of its cause. */
export function explanation(cause: CauseName, confidence: Confidence, headline: string, { because = [], fixes = [], copy, needs = [], symbols }: Said): Explanation {
  return {
    cause, rule: causes[cause], confidence, headline, because, fixes, needs,
    ...(copy === undefined ? {} : { copy }),
    ...(symbols === undefined ? {} : { symbols }),
  };
}

/** A clue of one line; `last` where it has more. */
export function clue(at: number, words: string, subject: Subject, explain: (knowledge: Knowledge) => Explanation, { weight = "cause", last = at }: { readonly weight?: Clue["weight"]; readonly last?: number } = {}): Clue {
  return { first: at, last, words: words.trim().slice(0, reach), subject: present(subject), weight, explain };
}

/** Subjects without the members that are not known. */
function present(subject: { readonly [name in keyof Subject]: Subject[name] | undefined }): Subject {
  return Object.fromEntries(Object.entries(subject).filter(([, value]) => value !== undefined && value !== ""));
}

/** Lines after `at` while they continue what it began, at most `count`. */
export function following(log: Log, at: number, count: number): readonly string[] {
  return log.lines.slice(at + 1, at + 1 + count).map((one) => one.text);
}
