/** Files of lines, however large: in pieces, so that no more than a piece and a line is in memory. */
import { open } from "node:fs/promises";

const piece = 1024 * 1024;
/** A longer line is no record; what is over is not kept. */
const longestLine = 1024 * 1024;

/** Lines with their numbers, from 1. `isWhole`: it ends with a line end; false only of the last one. */
export interface Line {
  readonly number: number;
  readonly text: string;
  readonly isWhole: boolean;
  /** It was longer than can be kept. */
  readonly isCut: boolean;
}

/** The lines of a file in groups as they come, without line ends; a byte order mark is no part of the first. Rejects with the system's error. */
export async function* linesOf(file: string, signal?: AbortSignal): AsyncGenerator<readonly Line[]> {
  const handle = await open(file, "r");
  try {
    const buffer = Buffer.alloc(piece);
    let rest = Buffer.alloc(0);
    let isCut = false;
    let number = 0;
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, piece, null);
      if (bytesRead === 0) break;
      const end = buffer.subarray(0, bytesRead).lastIndexOf(10);
      if (end < 0) {
        // Where a line that is too long goes on, nothing of it is kept.
        isCut ||= rest.length + bytesRead > longestLine;
        rest = isCut ? Buffer.alloc(0) : Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        continue;
      }
      const texts = Buffer.concat([rest, buffer.subarray(0, end)]).toString("utf8").split("\n");
      rest = Buffer.from(buffer.subarray(end + 1, bytesRead));
      const cut = isCut;
      const first = number;
      number += texts.length;
      isCut = false;
      yield texts.map((text, index) => ({ number: first + index + 1, text: clean(text, first + index), isWhole: true, isCut: cut && index === 0 }));
    }
    if (rest.length > 0 || isCut) yield [{ number: number + 1, text: clean(rest.toString("utf8"), number), isWhole: false, isCut }];
  } finally {
    await handle.close();
  }
}

function clean(text: string, index: number): string {
  const line = index === 0 && text.startsWith("\uFEFF") ? text.slice(1) : text;
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
