import type { Location, Position, Range } from "../../model/index.ts";
import { parsePython } from "./parser.ts";
import type { Module } from "./syntax.ts";

/** A parsed Python file, with the way from offsets to lines. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly module: Module;
  readonly lineStarts: readonly number[];
}

/** A stretch of text in a file; turned into a `Location` only where something is reported. */
export interface Place {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

export function parseSourceFile(path: string, text: string): SourceFile {
  const lineStarts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) lineStarts.push(at + 1);
  }
  return { path, text, module: parsePython(text), lineStarts };
}

function positionAt(file: SourceFile, offset: number): Position {
  let low = 0;
  let high = file.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((file.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low, character: offset - (file.lineStarts[low] ?? 0) };
}

export function rangeOf(place: Place): Range {
  return { start: positionAt(place.file, place.start), end: positionAt(place.file, place.end) };
}

export function locationOf(place: Place): Location {
  return { path: place.file.path, range: rangeOf(place) };
}

/** The text as written, on one line and cut to a length that fits into a message. */
export function textOf(place: Place, limit = 160): string {
  const text = place.file.text.slice(place.start, Math.min(place.end, place.start + limit * 4)).replace(/\s+/g, " ");
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
