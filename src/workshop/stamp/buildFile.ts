import * as fs from "node:fs";
import { decodeText } from "../../engine/files/decode.ts";
import { maximumTextSize } from "../../engine/model/index.ts";

/** A file of a project as it lies on the disk. Edits are made on its bytes: a byte order mark, line ends and letters that are no UTF-8 stay. */
export interface BuildFile {
  /** Links resolved: what is written is the file itself. */
  readonly path: string;
  readonly bytes: Buffer;
  /** Without a byte order mark. */
  readonly text: string;
}

export interface Insertion {
  /** Zero-based: the new lines stand before this one. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** The file, or why it cannot be edited. */
export function openBuildFile(file: string): BuildFile | string {
  try {
    const real = fs.realpathSync(file);
    const status = fs.statSync(real);
    if (!status.isFile() || status.size > maximumTextSize) {
      return `${file} is ${status.isFile() ? "too large to be a build file" : "not a regular file"}.`;
    }
    const bytes = fs.readFileSync(real);
    const read = decodeText(file, bytes);
    return read.ok ? { path: real, bytes, text: read.text } : read.message;
  } catch (error) {
    return `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

const lineFeed = 10;
const carriageReturn = 13;

/** The file with further lines, which end as the lines around them do. */
export function withLines(file: BuildFile, insertion: Insertion): Buffer {
  const { bytes } = file;
  const mark = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  const starts = [mark];
  let end = "";
  for (let at = mark; at < bytes.length; at += 1) {
    const isPair = bytes[at] === carriageReturn && bytes[at + 1] === lineFeed;
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) {
      const before = starts.length <= insertion.line || end === "";
      end = before ? (isPair ? "\r\n" : bytes[at] === lineFeed ? "\n" : "\r") : end;
      at += isPair ? 1 : 0;
      starts.push(at + 1);
    }
  }
  const lineEnd = end === "" ? "\n" : end;
  const at = starts[insertion.line] ?? bytes.length;
  const before = bytes.subarray(0, at);
  const last = before.at(-1);
  const isWhole = before.length <= mark || last === lineFeed || last === carriageReturn;
  return Buffer.concat([before, Buffer.from((isWhole ? "" : lineEnd) + insertion.lines.map((line) => line + lineEnd).join("")), bytes.subarray(at)]);
}
