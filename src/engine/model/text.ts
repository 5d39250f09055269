/** A place in a text: zero-based line and UTF-16 code unit, as in LSP. Reports turn it into one-based. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** Half-open: `end` is the first position after the text. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A range in a file; `path` is absolute. */
export interface Location {
  readonly path: string;
  readonly range: Range;
}

/** A replacement of one range; an empty range inserts, an empty text deletes. */
export interface TextEdit {
  readonly location: Location;
  readonly newText: string;
}

export function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

export function rangeContains(range: Range, position: Position): boolean {
  return comparePositions(range.start, position) <= 0 && comparePositions(position, range.end) <= 0;
}
