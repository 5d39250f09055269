/** What readers of every dialect share: what is printed and what is code, clues, and verdicts. */
import type { Confidence } from "../../model/index.ts";
import { causes } from "./causes.ts";
import type { CauseName } from "./causes.ts";
import type { Clue, Explanation, Knowledge, Log, Subject } from "./types.ts";

/** How much of a line is read: lines of a megabyte exist, and longer paths or mangled names are printed by nobody. */
const longest = 20_000;
/** Of what stands around a message this much tells what it is. */
const around = 400;

/** A line as far as it is read; "" where there is none. */
export function textAt(log: Log, at: number): string {
  return (log.lines[at]?.text ?? "").slice(0, longest);
}

/** Where a message stands. */
export interface Said {
  readonly log: Log;
  readonly at: number;
  readonly match: RegExpExecArray;
  /** The line from where the message begins, bounded. */
  readonly text: string;
}

/** Text behind which a message begins: nothing, a label ("RuntimeError: "), a bracket or a quote. */
const messageBegins = /(?:^\s*|[:\]>|)}/=,;.!"'‘“([*-] {0,4}|\b\d{1,3} |(?:^|[:>] ?)`)$/;
/** Comments, statements with a string, and what looks for a message in a text. */
const code = /^\s*(?:[>+-]\s{1,80})?(?:#(?!\d)|\/\/|\/\*|"""|'''|<!--|(?:if|elif|assert|raise|throw|return|expect|print|printf|grep|echo|const|let|var|self|re|case|std::cout|std::cerr)\b[^\n]*["'`])|\b(?:in str\(|pytest\.raises|match=|re\.(?:search|match|compile)\(|\.includes\(|\.contains\()/;
/** Code whose string begins where the message does. */
const opensString = /\b(?:raise|throw|assert\w*|raises?|match|static_assert|(?:std|AT|C10|TORCH|STD_TORCH)_?\w{0,40}(?:CHECK|ASSERT|ERROR)\w{0,40}|return|skip|print|printf|echo|grep|contains|includes|startswith|endswith|find|search|def|if|elif|in|not|or|and|when|case)\b[^:"'`]{0,80}[fFrRbBuU]{0,2}["'`]|\w (?:[=!]=?|\+=) (?:\w+\()?[fFrRbBuU]{0,2}["'`]|\bstr\(/;
/** A line that is a string of a program: an element of a list, an argument. */
const literal = /^\s*(?:[fFrRbBuU]{0,2}"""|[fFrRbBuU]{0,2}(["']).*\1\s*(?:[,)|:\]]|\/\/|#)[^"']*$)/;
/** Words that begin a sentence about an error, not the error. */
const prose = /^[\s*•>\d.)#"'`-]*(?:if|when(?:ever)?|in case|fix(?:e[sd])?|avoid\w*|prevent\w*|resolve[sd]?|handle[sd]?|work ?around|note|see|users?|it|we|you|your|they|add(?:s|ed)?|improve[sd]?|skip(?:s|ped)?|ignore[sd]?|document\w*|errors?(?= (?:like|such))|expected|known|common|sometimes|this (?:means|is|happens|error)|the error)\b|\b(?:fix(?:es|ed)|errors? (?:like|such as)|such as|e\.g\.|instead of|used to)\b/i;
const ofTests = /\b(?:PASSED|XFAIL|XPASS)\b|\.\.\. ok$|::test_/;

/** What grep and compilers put before a line of source. */
const placeOfSource = /^[\w./\\+-]{1,300}[:-]\d{1,7}[:-]\s?/;
/** A comment behind code. */
const commentBehindCode = /[):\]}"';,]\s{1,8}(?:#|\/\/)\s/;

/** Whether a line is source code that holds a message, or a test's name, and not the message: a search, a raise in a traceback, a comment. */
export function isCode(line: string): boolean {
  const begin = line.slice(0, 2048).replace(placeOfSource, "");
  return code.test(begin) || commentBehindCode.test(begin) || literal.test(begin) || ofTests.test(begin);
}

/** Whether a message that begins behind `prefix` was printed by a program, and is not code, a comment, prose or a test's name. */
export function isPrinted(prefix: string, line: string): boolean {
  const end = prefix.slice(-around);
  return messageBegins.test(end) && !opensString.test(end) && !prose.test(prefix.slice(0, around)) && !isCode(line);
}

interface Place {
  /** Index of the last line, where the message spans several. */
  readonly last?: number;
  readonly weight?: Clue["weight"];
}

/** Longest quotation. */
const longestWords = 8192;

/** A clue of one line; `last` where it has more. */
export function clue(at: number, words: string, subject: { readonly [name in keyof Subject]: Subject[name] | undefined }, explain: (knowledge: Knowledge) => Explanation, { weight = "cause", last = at }: Place = {}): Clue {
  return { first: at, last, words: words.trim().slice(0, longestWords), subject: present(subject), weight, explain };
}

/** Subjects without the members that are not known. */
function present(subject: { readonly [name in keyof Subject]: Subject[name] | undefined }): Subject {
  return Object.fromEntries(Object.entries(subject).filter(([, value]) => value !== undefined && value !== ""));
}

/** Messages go on with what a program printed behind them: of those this much is quoted. */
const mostSaid = 600;

/** A clue where a message stands, which quotes it from there unless other words are given. */
export function clueOf(said: Said, explain: (knowledge: Knowledge) => Explanation, { words = said.text, subject = {}, ...place }: Place & { readonly words?: string; readonly subject?: Subject } = {}): Clue {
  const quoted = words.trim();
  return clue(said.at, quoted.length > mostSaid ? `${quoted.slice(0, mostSaid)}…` : quoted, subject, explain, place);
}

interface Rest extends Partial<Pick<Explanation, "fixes" | "needs" | "symbols" | "fit">> {
  readonly copy?: string | undefined;
}

/** What happened, with the rule that belongs to its cause. */
export function verdict(cause: CauseName, confidence: Confidence, headline: string, because: readonly (string | undefined)[], { fixes = [], needs = [], copy, symbols, fit }: Rest = {}): Explanation {
  return {
    cause, rule: causes[cause], confidence, headline,
    because: because.filter((one) => one !== undefined),
    fixes, needs,
    ...(copy === undefined ? {} : { copy }),
    ...(symbols === undefined ? {} : { symbols }),
    ...(fit === undefined ? {} : { fit }),
  };
}
