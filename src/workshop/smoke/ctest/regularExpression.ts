/**
 * CMake's regular expressions as JavaScript's: `.` matches line ends too, `^` and `$` are the ends of the whole text, a
 * backslash makes any character plain, and inside brackets it is a character like others.
 * Source: cmake-language's string(REGEX), "Regex Specification" of https://cmake.org/cmake/help/latest/command/string.html,
 * and Source/kwsys/RegularExpression.cxx.
 * undefined: no expression that CMake would take either.
 */
export function cmakeExpression(text: string): RegExp | undefined {
  let made = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") {
      at += 1;
      if (at >= text.length) return undefined;
      made += plain(text.charAt(at));
    } else if (character === "[") {
      const end = closingBracket(text, at);
      if (end === undefined) return undefined;
      const inner = text.slice(at + 1, end);
      const negated = inner.startsWith("^");
      made += `[${negated ? "^" : ""}${(negated ? inner.slice(1) : inner).replace(/[\\\][^]/g, "\\$&")}]`;
      at = end;
    } else {
      // Unlike others, CMake takes no repetition of a repetition.
      if ("*+?".includes(character) && /(?:^|[^\\])[*+?]$/.test(made)) return undefined;
      made += "^$.*+?|()".includes(character) ? character : plain(character);
    }
  }
  try {
    return new RegExp(made, "s");
  } catch {
    return undefined;
  }
}

/** Whether an expression looks at the begin or the end of the whole output, so that it cannot be tried on parts of it. */
export function isAnchored(text: string): boolean {
  return /[\^$]/.test(text.replace(/\\.|\[\^?[^\]]*\]/gs, ""));
}

function plain(character: string): string {
  return /[\\^$.*+?|()[\]{}/]/.test(character) ? `\\${character}` : character;
}

/** A bracket right after the opening one, or after its `^`, is one of the characters. */
function closingBracket(text: string, open: number): number | undefined {
  const from = open + (text.charAt(open + 1) === "^" ? 3 : 2);
  const end = text.indexOf("]", from);
  return end === -1 ? undefined : end;
}

/** What the stretch that overlaps with the next one holds at most, in characters. */
const overlap = 16 * 1024;

/** Looks for expressions in an output as it comes, however long it is. */
export class OutputWatch {
  readonly #waiting: { readonly text: string; readonly expression: RegExp }[] = [];
  readonly #anchored: { readonly text: string; readonly expression: RegExp }[] = [];
  readonly #seen = new Set<string>();
  #tail = "";

  constructor(expressions: readonly string[]) {
    for (const text of new Set(expressions)) {
      const expression = cmakeExpression(text);
      if (expression !== undefined) (isAnchored(text) ? this.#anchored : this.#waiting).push({ text, expression });
    }
  }

  add(text: string): void {
    if (this.#waiting.length === 0) return;
    const stretch = this.#tail + text;
    for (let at = this.#waiting.length - 1; at >= 0; at--) {
      const one = this.#waiting[at];
      if (one?.expression.test(stretch) === true) {
        this.#seen.add(one.text);
        this.#waiting.splice(at, 1);
      }
    }
    this.#tail = stretch.slice(-overlap);
  }

  /** Those of `expressions` that matched; `kept`: the output as far as it was kept, for those that look at its ends. */
  found(expressions: readonly string[], kept: string): readonly string[] {
    for (const { text, expression } of this.#anchored) if (expression.test(kept)) this.#seen.add(text);
    return expressions.filter((text) => this.#seen.has(text));
  }
}
