import { textAt } from "../reading.ts";
import type { Said } from "../reading.ts";
import type { Log, Recogniser } from "../types.ts";
import { isNear, printed } from "./reading.ts";
import type { Found } from "./reading.ts";

/** A message of CMake, which wraps at 77 columns and indents by two. */
export interface CmakeSaid {
  readonly said: Said;
  /** Of the pattern, in the message without wraps. */
  readonly match: RegExpExecArray;
  /** The message from its beginning, without wraps. */
  readonly text: string;
  readonly isWarning: boolean;
}

/** Longer messages quote a compiler. */
const mostLines = 24;
const header = /CMake (?:Deprecation )?(Error|Warning)\b/;

/**
 * A recogniser of something that a message of CMake says. `begin` are its first words, which stand on one line and before
 * which a sentence begins; `pattern` is applied to the message without wraps. It may be pasted without the line "CMake Error at".
 */
export function cmakeSaying(begin: RegExp, pattern: RegExp, find: (said: CmakeSaid) => Found | undefined): Recogniser {
  return printed(begin, (said) => {
    const { log, at } = said;
    const start = headerOf(log, at);
    const { text, last } = messageFrom(log, start ?? at);
    const match = pattern.exec(text);
    if (match === null) {
      return undefined;
    }
    const isWarning = start !== undefined && header.exec(textAt(log, start))?.[1] === "Warning";
    const found = find({ said, match, text, isWarning });
    return found === undefined ? undefined : { last: Math.max(at, last), words: text.slice(Math.max(0, match.index - 20), match.index + 220).replace(/^\S{0,20}\s/, ""), ...(isWarning ? { weight: "warning" } : {}), ...found };
  });
}

/** A recogniser of a package that find_package does not find. `names`: those that are meant, as alternatives of a pattern. */
export function packageNotFound(names: string, explain: (name: string, said: Said) => Found["explain"]): Recogniser {
  const notProvided = `By not providing ["“]Find(?:${names})\\b(?!-)`;
  const first = new RegExp(notProvided);
  return cmakeSaying(
    new RegExp(`${notProvided}|Could not find a package configuration file provided by ["“](?:${names})["”]`),
    new RegExp(`(?:By not providing "Find|Could not find a package configuration file provided by ")(${names})\\b(?!-)`),
    ({ match, said }) => {
      // Both sentences stand in one message of CMake.
      if (match[0].startsWith("Could") && isNear(said.log, said.at, 8, 0, first)) return undefined;
      return { explain: explain(match[1] ?? "", said) };
    },
  );
}

/** The line "CMake Error at ..." that a line belongs to. */
function headerOf(log: Log, at: number): number | undefined {
  for (let index = at; index >= Math.max(0, at - mostLines); index -= 1) {
    const line = textAt(log, index);
    if (header.test(line)) return index;
    if (index !== at && line.trim() !== "" && !/^\s/.test(line)) return undefined;
  }
  return undefined;
}

function messageFrom(log: Log, start: number): { readonly text: string; readonly last: number } {
  const parts = [textAt(log, start).trim()];
  // Forums and mail programs take the indentation away.
  const isIndented = /^\s/.test(textAt(log, start + 1)) && header.test(textAt(log, start));
  let last = start;
  for (let index = start + 1; index < Math.min(log.lines.length, start + mostLines); index += 1) {
    const line = textAt(log, index);
    if (/^\s*Call Stack \(most recent|^--|^\s*CMake (?:Error|Warning)\b/.test(line) || (isIndented && line.trim() !== "" && !/^\s/.test(line))) break;
    if (line.trim() !== "") {
      parts.push(line.trim().slice(0, 600));
      last = index;
    }
  }
  // Forums turn quotes about.
  return { text: parts.join(" ").slice(0, 6000).replace(/[“”]/g, '"'), last };
}
