import { demangle } from "../../../binaries/mangling/index.ts";
import type { LogLine } from "../types.ts";
import { withoutControls } from "./controls.ts";
import { isKeyedText, withoutQuoting } from "./literals.ts";
import { withoutPrefix } from "./prefixes.ts";
import type { Unprefixed } from "./prefixes.ts";
import { translatorFor } from "./translations.ts";

/** A line before it is joined with those that it was wrapped into. */
export interface Piece extends Unprefixed {
  readonly first: number;
  readonly last: number;
  /** As wide as it stood in the text, with its prefix. */
  readonly width: number;
  readonly endsWithSpace: boolean;
  /** Something stood before it that a program puts before each line. */
  readonly hasPrefix: boolean;
}

/** Longest line that is read whole: a command line of nvcc has a few thousand characters. */
const longestLine = 32768;

/** Whether a carriage return alone ends the lines, as of texts from old editors and some web pages. */
function lineEnd(text: string): string {
  return text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
}

/** UTF-16 that was read as bytes has a NUL beside every character. */
function withoutNuls(text: string): string {
  const begin = text.slice(0, 400);
  return begin.length > 8 && begin.split("\0").length - 1 > begin.length / 3 ? text.replaceAll("\0", "") : text;
}

/** The lines of a text, cleaned one by one. */
export function* piecesOf(given: string): Generator<Piece> {
  const text = withoutNuls(given);
  const end = lineEnd(text);
  const clean = cleaner(text);
  let number = 0;
  for (let from = 0; from <= text.length;) {
    const found = text.indexOf(end, from);
    const to = found === -1 ? text.length : found;
    number += 1;
    if (found !== -1 || to > from || number === 1) yield* clean(text.slice(from, to), number);
    from = to + 1;
  }
}

function cleaner(text: string): (raw: string, number: number) => Generator<Piece> {
  const translate = translatorFor(text);
  const isJson = /^[\ufeff\s]*[{[]\s*(?:["{[]|$)/.test(text.slice(0, 400));
  const piece = (given: string, number: number): Piece => {
    const line = shortened(given);
    const own = withoutPrefix(line);
    return { ...own, text: translate(own.text.trimEnd()), first: number, last: number, width: line.length, endsWithSpace: line.endsWith(" "), hasPrefix: own.text.length < line.length };
  };
  const withoutMark = markRemover();
  const isOfDiff = diffReader();
  return function* (raw, number) {
    if (isOfDiff(raw)) {
      yield piece("", number);
      return;
    }
    const line = withoutMark(raw.endsWith("\r") ? raw.slice(0, -1) : raw);
    if (!isJson && !line.includes("\\") && !line.includes("&") && !isKeyedText(line)) {
      yield piece(withoutControls(line), number);
      return;
    }
    // A record of a container's log may itself have a prefix.
    const outer = withoutPrefix(line);
    for (const held of withoutQuoting(outer.text, isJson)) {
      const inner = piece(withoutControls(held), number);
      yield outer.writer === undefined ? inner : { ...inner, writer: inner.writer === undefined ? outer.writer : `${outer.writer} ${inner.writer}` };
    }
  };
}

/** A path or name that an editor's terminal or a web page made into a link when it was copied. */
const link = /\[([^[\]]{1,1024})\]\((?:https?|file|vscode[\w+-]{0,40}):\/\/[^()\s]{1,2048}\)/g;

/**
 * Takes the marks of Markdown's headings, which titles of issues are, of its links, and of comments into which somebody put a
 * whole traceback.
 */
function markRemover(): (line: string) => string {
  let isFirst = true;
  let isComment = false;
  return (given) => {
    const line = given.includes("](") ? given.replace(link, "$1") : given;
    const isTitle = isFirst || line.startsWith("##");
    isFirst &&= line.trim() === "";
    isComment = line.startsWith("#") && (isComment || /^# ?Traceback \(most recent call last\):/.test(line));
    if (isComment) return line.replace(/^# ?/, "");
    return isTitle ? line.replace(/^#{1,6} (?=\S)/, "") : line;
  };
}

/** The lines of a unified diff are source that somebody changes: nothing in them happened. Each hunk tells how many they are. */
function diffReader(): (raw: string) => boolean {
  let [old, changed] = [0, 0];
  return (raw) => {
    const hunk = /^(?:\u001b\[[\d;]{0,16}m)*@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/.exec(raw);
    if (hunk !== null) {
      [old, changed] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      return true;
    }
    if (old <= 0 && changed <= 0) return false;
    const sign = /^(?:\u001b\[[\d;]{0,16}m)*([-+ \\]|$)/.exec(raw)?.[1];
    if (sign !== "+" && sign !== "\\") old -= 1;
    if (sign !== "-" && sign !== "\\") changed -= 1;
    if (sign === undefined) [old, changed] = [0, 0];
    return sign !== undefined;
  };
}

function shortened(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine / 2)} [...] ${line.slice(-longestLine / 2)}`;
}

export function asLine({ text, first, last, writer }: Piece): LogLine {
  return { text, first, last, ...(writer === undefined ? {} : { writer }), ...(endIsCut(text) ? { isCut: true } : {}) };
}

/** A mangled name that is none as it stands. */
function endsInName(text: string): boolean {
  const name = /(?:^|[\s'"`:])(_Z\w{3,})$/.exec(text.slice(-4096))?.[1];
  return name !== undefined && demangle(name) === undefined;
}

function endIsCut(text: string): boolean {
  return /(?:\S ?(?:\.\.\.|…)|\[\.\.\.\]|[<[(](?:truncated|snip)[^\]>)]{0,40}[>\])])$/i.test(text.slice(-80)) || endsInName(text);
}
