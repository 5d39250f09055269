import type { CauseName } from "../causes.ts";
import { causes } from "../causes.ts";
import type { Clue, Explanation, Knowledge, Log, Recogniser, Subject } from "../types.ts";

/** Where a saying stands. */
export interface Said {
  readonly log: Log;
  readonly at: number;
  readonly match: RegExpExecArray;
  /** The line from where the saying begins, bounded. */
  readonly text: string;
}

/** What programs print, and what it means. */
export interface Saying {
  /** Applied to a stretch of bounded length; it must not depend on the beginning of the line. */
  readonly pattern: RegExp;
  read(said: Said): Clue | undefined;
}

/** How much of a line around a saying is looked at: lines of a megabyte exist. */
const before = 400;
const behind = 6000;

/** One recogniser for the sayings of a family; `hint` holds where any of them could. The first that understands the line wins. */
export function recogniserOf(hint: RegExp, sayings: readonly Saying[]): Recogniser {
  return {
    hint,
    read(log, at) {
      const line = log.lines[at]?.text ?? "";
      const found = hint.exec(line)?.index ?? 0;
      const start = Math.max(0, found - before);
      const stretch = line.slice(start, found + behind);
      for (const saying of sayings) {
        const match = saying.pattern.exec(stretch);
        if (match === null || !isPrinted(stretch.slice(0, match.index), stretch)) continue;
        const clue = saying.read({ log, at, match, text: stretch.slice(match.index) });
        if (clue !== undefined) return clue;
      }
      return undefined;
    },
  };
}

/** Text behind which a message begins: nothing, a label ("RuntimeError: "), a bracket or a quote. */
const messageBegins = /(?:^\s*|[:\]>|)}/=,;.!"'‘“([*-] {0,4}|\b\d{1,3} |(?:^|[:>] ?)`)$/;
/** Code that holds the message as a string, and comments. */
const inCode = /^\s*(?:#(?!\d)|\/\/|\/\*|"""|'''|<!--)|\b(?:raise|throw|assert\w*|raises?|match|static_assert|(?:std|AT|C10|TORCH|STD_TORCH)_?\w{0,40}(?:CHECK|ASSERT|ERROR)\w{0,40}|return|skip|print|printf|echo|grep|contains|includes|startswith|endswith|find|search|def|if|elif|in|not|or|and|when|case)\b[^:"'`]{0,80}[fFrRbBuU]{0,2}["'`]|\w (?:[=!]=?|\+=) (?:\w+\()?[fFrRbBuU]{0,2}["'`]|\bstr\(/;
/** A line that is a string of a program: an element of a list, an argument. */
const literal = /^\s*(?:[fFrRbBuU]{0,2}"""|[fFrRbBuU]{0,2}(["']).*\1\s*(?:[,)|:\]]|\/\/|#)[^"']*$)/;
/** Words that begin a sentence about an error, not the error. */
const prose = /^[\s*•>\d.)#"'`-]*(?:if|when(?:ever)?|in case|fix(?:e[sd])?|avoid\w*|prevent\w*|resolve[sd]?|handle[sd]?|work ?around|note|see|users?|it|we|you|your|they|add(?:s|ed)?|improve[sd]?|skip(?:s|ped)?|ignore[sd]?|document\w*|errors?(?= (?:like|such))|expected|known|common|sometimes|this (?:means|is|happens|error)|the error)\b|\b(?:fix(?:es|ed)|errors? (?:like|such as)|such as|e\.g\.|instead of|used to)\b/i;
const ofTests = /\b(?:PASSED|XFAIL|XPASS)\b|\.\.\. ok$|::test_/;

/** Whether a message that begins behind `prefix` was printed by a program, and is not code, a comment, prose or a test's name. */
export function isPrinted(prefix: string, line: string): boolean {
  const [start, end] = [prefix.slice(0, before), prefix.slice(-before)];
  return messageBegins.test(end) && !inCode.test(end) && !literal.test(line) && !prose.test(start) && !ofTests.test(line);
}

/** The line `by` lines behind; "" where there is none. */
export function lineAt(log: Log, at: number): string {
  return (log.lines[at]?.text ?? "").slice(0, behind);
}

interface Remark {
  readonly last?: number;
  readonly words?: string;
  readonly subject?: Subject;
  readonly weight?: Clue["weight"];
}

/** Longer quotations are cut. */
const longestWords = 600;

export function clueOf(said: Said, explain: (knowledge: Knowledge) => Explanation, remark: Remark = {}): Clue {
  const words = (remark.words ?? said.text).trim();
  return {
    first: said.at,
    last: remark.last ?? said.at,
    words: words.length > longestWords ? `${words.slice(0, longestWords)}…` : words,
    subject: remark.subject ?? {},
    weight: remark.weight ?? "cause",
    explain,
  };
}

type Rest = Pick<Explanation, "copy" | "symbols" | "fit"> & { readonly fixes?: readonly string[]; readonly needs?: readonly string[] };

/** A verdict, with the rule that belongs to its cause. */
export function verdict(cause: CauseName, confidence: Explanation["confidence"], headline: string, because: readonly (string | undefined)[], rest: Rest = {}): Explanation {
  return {
    cause, rule: causes[cause], confidence, headline,
    because: because.filter((one) => one !== undefined),
    fixes: rest.fixes ?? [],
    needs: rest.needs ?? [],
    ...(rest.copy === undefined ? {} : { copy: rest.copy }),
    ...(rest.symbols === undefined ? {} : { symbols: rest.symbols }),
    ...(rest.fit === undefined ? {} : { fit: rest.fit }),
  };
}
