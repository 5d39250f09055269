/** What a child printed: its lines, and the part of it that is kept. */
import type { KeptText } from "./types.ts";

/** Longest line that is handed on whole, in UTF-16 units. */
export const longestLine = 65536;

// ECMA-48 control sequences, operating system commands with either end, other strings, and two-character escapes.
const sequences = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[PX^_][^\x1b]*(?:\x1b\\|$)|\x1b[ -/]*[0-~]/g;

/** Text without what a terminal would act upon. */
export function withoutSequences(text: string): string {
  return mayHoldSequences(text) ? text.replace(sequences, "") : text;
}

function mayHoldSequences(text: string): boolean {
  return /[\x1b\x9b]/.test(text);
}

/** Cuts text into lines. `\n`, `\r\n` and a lone `\r` (progress) end one. */
export class LineSplitter {
  readonly #emit: (line: string) => void;
  #line = "";
  #leftOut = 0;
  #holdsSequences = false;
  /** A carriage return has ended a line, or has been met at the begin of one: a line feed may follow. */
  #returned: "no" | "after a line" | "in an empty line" = "no";

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  add(text: string): void {
    const holds = mayHoldSequences(text);
    let feed = -1;
    let back = -1;
    for (let at = 0; at < text.length;) {
      if (feed < at) feed = find(text, "\n", at);
      if (back < at) back = find(text, "\r", at);
      const end = Math.min(feed, back);
      if (end > at) {
        this.#append(text, at, end);
        this.#holdsSequences ||= holds;
      }
      if (end < text.length) this.#end(end === feed);
      at = end + 1;
    }
  }

  /** The last line, when it has no end. */
  finish(): void {
    if (this.#line !== "") this.#flush();
  }

  #append(text: string, from: number, to: number): void {
    this.#returned = "no";
    const room = Math.min(to - from, longestLine - this.#line.length);
    this.#line += text.slice(from, from + room);
    this.#leftOut += to - from - room;
  }

  #end(lineFeed: boolean): void {
    if (this.#line !== "") {
      this.#flush();
      this.#returned = lineFeed ? "no" : "after a line";
    } else if (!lineFeed) {
      if (this.#returned === "no") this.#returned = "in an empty line";
    } else {
      if (this.#returned !== "after a line") this.#flush();
      this.#returned = "no";
    }
  }

  #flush(): void {
    const text = this.#holdsSequences ? withoutSequences(this.#line) : this.#line;
    const line = this.#leftOut === 0 ? text : `${text} [Abiding: ${this.#leftOut} more characters of this line left out]`;
    this.#line = "";
    this.#leftOut = 0;
    this.#holdsSequences = false;
    this.#emit(line);
  }
}

/** Where the character is, or the end of the text. */
function find(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at === -1 ? text.length : at;
}

/** The sentence that stands where something was left out. */
export function leftOutNote(bytes: number): string {
  return `[Abiding: ${bytes} bytes left out]`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The bytes, copied when they are a window on something much larger that would stay in memory as a whole. */
function owned(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength > 2 * bytes.length ? Buffer.from(bytes) : bytes;
}

/** Most pieces in which the end of a stream is kept. */
const mostPieces = 1024;

/** The last bytes of a stream, in a small multiple of their memory. The bytes that are added must not change. */
export class Tail {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #size = 0;
  /** All bytes that were added. */
  total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(bytes: Buffer): void {
    this.total += bytes.length;
    if (bytes.length === 0) return;
    this.#pieces.push(owned(bytes));
    this.#size += bytes.length;
    for (let first = this.#pieces[0]; first !== undefined && this.#size - first.length >= this.#limit; first = this.#pieces[0]) {
      this.#pieces.shift();
      this.#size -= first.length;
    }
    if (this.#pieces.length > mostPieces) this.#pieces = [Buffer.concat(this.#pieces)];
  }

  /** At most `limit` bytes, begun at a whole character. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#pieces);
    let from = Math.max(0, all.length - this.#limit);
    if (from > 0 || this.total > all.length) while (from < all.length && isContinuation(all[from])) from += 1;
    return all.subarray(from);
  }
}

/** Keeps the begin and the end of what is added, which is UTF-8. */
export class Keeper {
  readonly #headLimit: number;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #headFull = false;
  readonly #tail: Tail;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tail = new Tail(Math.floor(limit / 2));
  }

  add(bytes: Buffer): void {
    let rest = bytes;
    if (!this.#headFull) {
      let room = Math.min(bytes.length, this.#headLimit - this.#headSize);
      if (room < bytes.length) {
        this.#headFull = true;
        while (room > 0 && isContinuation(bytes[room])) room -= 1;
      }
      this.#head.push(owned(bytes.subarray(0, room)));
      this.#headSize += room;
      rest = bytes.subarray(room);
    }
    this.#tail.add(rest);
  }

  kept(): KeptText {
    const head = Buffer.concat(this.#head).toString();
    const tail = this.#tail.bytes();
    const leftOut = this.#tail.total - tail.length;
    if (leftOut === 0) return { text: head + tail.toString(), leftOut };
    return { text: `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${leftOutNote(leftOut)}\n${tail.toString()}`, leftOut };
  }
}
