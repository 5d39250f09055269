import type { Location, Position } from "./text.ts";

/** Line starts of a text, to turn offsets (UTF-16 code units) into positions. CR, LF and CRLF end a line. */
export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === 10 || (code === 13 && text.charCodeAt(index + 1) !== 10)) {
        this.#starts.push(index + 1);
      }
    }
  }

  positionAt(offset: number): Position {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low, character: offset - (this.#starts[low] ?? 0) };
  }

  /** The offset of a position; undefined beyond the last line. */
  offsetAt(position: Position): number | undefined {
    const start = this.#starts[position.line];
    return start === undefined ? undefined : start + position.character;
  }

  /** The location of `length` code units from `offset` in the file `path`. */
  locate(path: string, offset: number, length: number): Location {
    return { path, range: { start: this.positionAt(offset), end: this.positionAt(offset + length) } };
  }
}
