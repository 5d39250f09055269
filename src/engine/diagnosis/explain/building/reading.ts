import { clueOf, isPrinted, textAt } from "../reading.ts";
import type { Said } from "../reading.ts";
import type { Clue, Explanation, Knowledge, Log, Recogniser, Subject } from "../types.ts";

/** What one message means; what is left out follows from its line. */
export interface Found {
  readonly words?: string;
  /** Index of the last line, where the message spans several. */
  readonly last?: number;
  readonly subject?: Subject;
  readonly weight?: Clue["weight"];
  readonly explain: (knowledge: Knowledge) => Explanation;
}

/**
 * A recogniser of one message that a program prints as a line, or behind its own prefix ("RuntimeError: "). The pattern is
 * applied to the first part of the line and must be linear.
 */
export function printed(pattern: RegExp, find: (said: Said) => Found | undefined): Recogniser {
  return {
    hint: pattern,
    read(log, at) {
      const line = textAt(log, at);
      const match = pattern.exec(line);
      if (match === null || !isPrinted(line.slice(0, match.index), line)) {
        return undefined;
      }
      const said: Said = { log, at, match, text: line.slice(match.index) };
      const found = find(said);
      return found === undefined ? undefined : clueOf(said, found.explain, { ...found, ...(found.last === undefined ? {} : { last: Math.min(found.last, log.lines.length - 1) }) });
    },
  };
}

/** A line and those after it as one text: messages are wrapped by the programs that print them. */
export function joined(log: Log, at: number, count: number): string {
  return log.lines.slice(at, at + count).map((line) => line.text.slice(0, 2000).trim()).join(" ");
}

/** Whether one of the lines around `at` matches. */
export function isNear(log: Log, at: number, above: number, below: number, pattern: RegExp): boolean {
  return near(log, at, above, below, pattern) !== undefined;
}

/** The first match in the lines around `at`, from the first of them. */
export function near(log: Log, at: number, above: number, below: number, pattern: RegExp): RegExpExecArray | undefined {
  for (let index = Math.max(0, at - above); index <= Math.min(log.lines.length - 1, at + below); index += 1) {
    const match = pattern.exec(textAt(log, index));
    if (match !== null) {
      return match;
    }
  }
  return undefined;
}
