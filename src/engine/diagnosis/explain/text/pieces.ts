import type { LogLine } from "../types.ts";
import { withoutControls } from "./controls.ts";
import { withoutQuoting } from "./literals.ts";
import { withoutPrefix } from "./prefixes.ts";
import { translatorFor } from "./translations.ts";

/** A line before it is joined with those that it was wrapped into. */
export interface Piece {
  readonly text: string;
  readonly first: number;
  readonly last: number;
  readonly writer?: string;
  /** As wide as it stood in the text, with its prefix. */
  readonly width: number;
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
  const translate = translatorFor(text);
  let number = 0;
  for (let from = 0; from <= text.length;) {
    const found = text.indexOf(end, from);
    const to = found === -1 ? text.length : found;
    number += 1;
    if (found !== -1 || to > from || number === 1) yield* cleaned(text.slice(from, to), number, translate);
    from = to + 1;
  }
}

function* cleaned(raw: string, number: number, translate: (line: string) => string): Generator<Piece> {
  const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  if (!line.includes("\\") && !line.includes("&")) {
    yield piece(withoutControls(line), number, translate);
    return;
  }
  // A record of a container's log may hold a prefix around JSON, or colours within it.
  const outer = withoutPrefix(withoutControls(line));
  for (const held of withoutQuoting(outer.text)) {
    const inner = piece(withoutControls(held), number, translate);
    yield outer.writer === undefined ? inner : { ...inner, writer: inner.writer === undefined ? outer.writer : `${outer.writer} ${inner.writer}` };
  }
}

function piece(line: string, number: number, translate: (line: string) => string): Piece {
  const { text, writer } = withoutPrefix(shortened(line));
  const trimmed = translate(text.trimEnd());
  return { text: trimmed, first: number, last: number, width: line.length, ...(writer === undefined ? {} : { writer }) };
}

function shortened(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine / 2)} [...] ${line.slice(-longestLine / 2)}`;
}

export function asLine({ text, first, last, writer }: Piece): LogLine {
  return { text, first, last, ...(writer === undefined ? {} : { writer }), ...(endIsCut(text) ? { isCut: true } : {}) };
}

function endIsCut(text: string): boolean {
  return /(?:\S ?(?:\.\.\.|…)|\[\.\.\.\]|[<[(](?:truncated|snip)[^\]>)]{0,40}[>\])])$/i.test(text.slice(-80));
}
