/** Fixes: edits of a text that leave it well-formed. */
import { LineIndex } from "../model/index.ts";
import type { Files, Fix, Location, Position, Range } from "../model/index.ts";

/** A text with its lines, to go between positions and offsets. */
interface Lined {
  readonly text: string;
  readonly lines: LineIndex;
}

/** The text that was asked about last: a file with a thousand findings is asked about a thousand times. */
let latest: Lined | undefined;

function lined(files: Files, path: string): Lined | undefined {
  const read = files.readText(path);
  if (!read.ok) return undefined;
  if (latest?.text !== read.text) latest = { text: read.text, lines: new LineIndex(read.text) };
  return latest;
}

function offsetOf(source: Lined, position: Position): number | undefined {
  const offset = source.lines.offsetAt(position);
  return offset === undefined || offset > source.text.length ? undefined : offset;
}

function rangeOf(source: Lined, start: number, end: number): Range {
  return { start: source.lines.positionAt(start), end: source.lines.positionAt(end) };
}

/** The text at a place, or undefined when it lies outside the file. */
export function textAt(files: Files, location: Location): string | undefined {
  const source = lined(files, location.path);
  if (source === undefined) return undefined;
  const start = offsetOf(source, location.range.start);
  const end = offsetOf(source, location.range.end);
  return start === undefined || end === undefined || end < start ? undefined : source.text.slice(start, end);
}

/** Replaces the first occurrence of `from` inside the place by `to`; undefined when `from` is not there. */
export function replaceFix(files: Files, location: Location, from: string, to: string, title: string, preferred = true): Fix | undefined {
  const source = lined(files, location.path);
  if (source === undefined) return undefined;
  const start = offsetOf(source, location.range.start);
  const end = offsetOf(source, location.range.end);
  if (start === undefined || end === undefined) return undefined;
  const at = source.text.slice(start, end).indexOf(from);
  if (at === -1) return undefined;
  const range = rangeOf(source, start + at, start + at + from.length);
  return { title, preferred, edits: [{ location: { path: location.path, range }, newText: to }] };
}

/**
 * Deletes one argument: an element of a Python list with its quotes and comma, an argument of a CMake
 * command with its white space (the whole command when nothing else is left in it), or one flag out of a
 * longer quoted string. `argument` is the text that must stand there; without it at the place there is no fix.
 */
export function deleteArgumentFix(files: Files, location: Location, argument: string, title: string, preferred = true): Fix | undefined {
  const source = lined(files, location.path);
  if (source === undefined || argument === "") return undefined;
  const from = offsetOf(source, location.range.start);
  const to = offsetOf(source, location.range.end);
  if (from === undefined || to === undefined) return undefined;
  const at = source.text.slice(from, to).indexOf(argument);
  if (at === -1) return undefined;
  const span = withSurroundings(source.text, from + at, from + at + argument.length, location.path.endsWith(".py"));
  if (span === undefined) return undefined;
  return { title, preferred, edits: [{ location: { path: location.path, range: rangeOf(source, span[0], span[1]) }, newText: "" }] };
}

function withSurroundings(text: string, from: number, to: number, python: boolean): [number, number] | undefined {
  let start = from;
  let end = to;
  const quote = text[start - 1] ?? "";
  const quoted = quote !== "" && "\"'".includes(quote) && text[end] === quote;
  if (quoted) {
    start -= 1;
    end += 1;
    if (python) {
      while (/[fFrRbBuU]/.test(text[start - 1] ?? "") && !/[\w]/.test(text[start - 2] ?? " ")) start -= 1;
    }
    if (python) return withoutElement(text, start, end);
    // The value of a key in JSON or TOML: the file is none without it.
    if (/[:=]\s*$/.test(text.slice(Math.max(0, start - 20), start))) return [from, to];
    // `set(X "-DA")` without its value would unset X: the empty string stays.
    return isValueOfVariable(text, start) ? [from, to] : withoutCMakeArgument(text, start, end);
  }
  const before = text[start - 1] ?? "";
  const after = text[end] ?? "";
  if (!/[\s"'();[\],]/.test(before) || !/[\s"'();[\],]/.test(after)) return undefined;
  if (!python && !insideQuotes(text, start)) return isValueOfVariable(text, start) ? undefined : withoutCMakeArgument(text, start, end);
  if (/[ \t;]/.test(before)) {
    while (/[ \t;]/.test(text[start - 1] ?? "")) start -= 1;
  } else {
    while (/[ \t;]/.test(text[end] ?? "")) end += 1;
  }
  return [start, end];
}

function isValueOfVariable(text: string, at: number): boolean {
  const head = /([A-Za-z_]\w*)[ \t]*\([^()]*$/.exec(text.slice(Math.max(0, at - 500), at));
  return head !== null && /^(?:set|option|string|list)$/i.test(head[1] ?? "");
}

function insideQuotes(text: string, at: number): boolean {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return (text.slice(lineStart, at).match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1;
}

/** An element of a list, tuple or call: with the comma after it, else with the comma before it. */
function withoutElement(text: string, from: number, to: number): [number, number] | undefined {
  const following = /^\s*,/.exec(text.slice(to, to + 200));
  if (following !== null) {
    let end = to + following[0].length;
    const rest = /^[ \t]*(#[^\n]*)?\r?\n/.exec(text.slice(end, end + 400));
    const lineStart = text.lastIndexOf("\n", from - 1) + 1;
    if (rest !== null && /^[ \t]*$/.test(text.slice(lineStart, from))) return [lineStart, end + rest[0].length];
    end += /^[ \t]*/.exec(text.slice(end, end + 200))?.[0].length ?? 0;
    return [from, end];
  }
  const preceding = /,\s*$/.exec(text.slice(Math.max(0, from - 200), from));
  if (preceding !== null) return [from - preceding[0].length, to];
  const alone = /[[(]\s*$/.test(text.slice(Math.max(0, from - 200), from)) && /^\s*[\])]/.test(text.slice(to, to + 200));
  return alone ? [from, to] : undefined;
}

/** An argument of a CMake command: with the white space before it; the whole command when it was the only argument. */
function withoutCMakeArgument(text: string, from: number, to: number): [number, number] {
  const head = /(?:^|\n)([ \t]*)[A-Za-z_]\w*[ \t]*\(\s*$/.exec(text.slice(Math.max(0, from - 200), from));
  const tail = /^\s*\)[ \t]*(?:\r?\n|$)/.exec(text.slice(to, to + 200));
  if (head !== null && tail !== null) {
    const leadingNewline = head[0].startsWith("\n") ? 1 : 0;
    return [from - head[0].length + leadingNewline, to + tail[0].length];
  }
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  const ownLine = /^[ \t]*$/.test(text.slice(lineStart, from)) ? /^[ \t]*\r?\n/.exec(text.slice(to, to + 200)) : null;
  if (ownLine !== null) return [lineStart, to + ownLine[0].length];
  let start = from;
  while (/[ \t]/.test(text[start - 1] ?? "")) start -= 1;
  if (start === from && text[start - 1] === "(") {
    let end = to;
    while (/[ \t]/.test(text[end] ?? "")) end += 1;
    return [start, end];
  }
  return [start, to];
}

/** Adds a string after an element of a Python list, quoted as that element is. Undefined when the element is no plain string. */
export function insertElementFix(files: Files, element: Location, text: string, title: string, preferred = true): Fix | undefined {
  const source = lined(files, element.path);
  if (source === undefined) return undefined;
  const start = offsetOf(source, element.range.start);
  const end = offsetOf(source, element.range.end);
  if (start === undefined || end === undefined) return undefined;
  const inner = source.text[start - 1] ?? "";
  const outer = source.text[start] ?? "";
  const quotedOutside = "\"'".includes(inner) && inner !== "" && source.text[end] === inner;
  const quote = quotedOutside ? inner : outer;
  if (quote === "" || !"\"'".includes(quote) || text.includes(quote) || text.includes("\\")) return undefined;
  const at = quotedOutside ? end + 1 : end;
  if (!/^\s*[,\])]/.test(source.text.slice(at, at + 200))) return undefined;
  const position = source.lines.positionAt(at);
  return { title, preferred, edits: [{ location: { path: element.path, range: { start: position, end: position } }, newText: `, ${quote}${text}${quote}` }] };
}
