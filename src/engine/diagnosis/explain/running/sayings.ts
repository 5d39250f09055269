import { isPrinted } from "../reading.ts";
import type { Said } from "../reading.ts";
import type { Clue, Recogniser } from "../types.ts";

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
