import * as fs from "node:fs";
import type { StreamName } from "../../process/types.ts";

/** A line that the plugin wrote. */
export type PytestLine =
  | { readonly event: "python"; readonly executable: string }
  | { readonly event: "collecting"; readonly file: string }
  | { readonly event: "collect-failed"; readonly node: string; readonly text: string }
  | { readonly event: "found"; readonly file: string; readonly name: string; readonly line: number | null; readonly markers: readonly string[] }
  | { readonly event: "collected"; readonly count: number }
  | { readonly event: "start" | "end"; readonly file: string; readonly name: string }
  | PytestPhase
  | { readonly event: "finish"; readonly status: number; readonly imported: readonly { readonly name: string; readonly file: string | null }[] };

/** How the set-up, the call or the tear-down of a test ended. */
export interface PytestPhase {
  readonly event: "report";
  readonly file: string;
  readonly name: string;
  readonly when: "setup" | "call" | "teardown";
  readonly outcome: "passed" | "failed" | "skipped";
  readonly seconds: number;
  readonly reason: string | null;
  readonly xfail: string | null;
  readonly crash: { readonly path: string; readonly line: number; readonly message: string } | null;
  readonly text: string | null;
  readonly log: string;
  readonly actual: string | null;
  readonly expected: string | null;
}

/** Reads the lines that were added to a file since it was read the last time; a torn last line waits for its end. */
export class LineReader {
  readonly #file: string;
  #at = 0;
  #rest = "";

  constructor(file: string) {
    this.#file = file;
  }

  read(): readonly PytestLine[] {
    const added = this.#added();
    if (added === "") return [];
    const lines = (this.#rest + added).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line): readonly PytestLine[] => {
      try {
        return [JSON.parse(line) as PytestLine];
      } catch {
        return [];
      }
    });
  }

  #added(): string {
    let descriptor: number | undefined;
    try {
      descriptor = fs.openSync(this.#file, "r");
      const size = fs.fstatSync(descriptor).size - this.#at;
      if (size <= 0) return "";
      const bytes = Buffer.alloc(size);
      const count = fs.readSync(descriptor, bytes, 0, size, this.#at);
      // A line is ASCII: json.dumps escapes the rest, so that no character is torn.
      this.#at += count;
      return bytes.toString("utf8", 0, count);
    } catch {
      return "";
    } finally {
      if (descriptor !== undefined) fs.closeSync(descriptor);
    }
  }
}

type Piece = { readonly text: string } | { readonly mark: string };

/**
 * Brings the two streams of a process together: what is printed on either between two marks is passed on between them, and a
 * mark when both streams have come to it. One stream is often read ahead of the other.
 */
export class MarkedStreams {
  readonly #streams: Readonly<Record<StreamName, MarkedStream>>;
  readonly #waiting: Readonly<Record<StreamName, Piece[]>> = { stdout: [], stderr: [] };
  readonly #onText: (text: string) => void;
  readonly #onMark: (what: string) => void;

  constructor(mark: string, onText: (text: string) => void, onMark: (what: string) => void) {
    this.#streams = { stdout: new MarkedStream(mark), stderr: new MarkedStream(mark) };
    this.#onText = onText;
    this.#onMark = onMark;
  }

  add(text: string, stream: StreamName): void {
    const waiting = this.#waiting[stream];
    this.#streams[stream].add(text, (part) => void waiting.push({ text: part }), (mark) => void waiting.push({ mark }));
    this.#pass();
  }

  /** Both streams have ended: what has no counterpart is passed on as it is. */
  end(): void {
    const { stdout, stderr } = this.#waiting;
    for (const stream of ["stdout", "stderr"] as const) this.#streams[stream].end((text) => void this.#waiting[stream].push({ text }));
    this.#pass();
    for (const piece of [...stdout.splice(0), ...stderr.splice(0)]) {
      if ("text" in piece) this.#onText(piece.text);
    }
  }

  #pass(): void {
    const { stdout, stderr } = this.#waiting;
    for (;;) {
      for (const waiting of [stdout, stderr]) {
        for (let first = waiting[0]; first !== undefined && "text" in first; first = waiting[0]) {
          waiting.shift();
          this.#onText(first.text);
        }
      }
      const [mark] = stdout;
      if (mark === undefined || stderr.length === 0 || "text" in mark) return;
      stdout.shift();
      stderr.shift();
      this.#onMark(mark.mark);
    }
  }
}

/** Takes the marks of the plugin out of a stream, and tells where they stand. A mark may come in pieces. */
class MarkedStream {
  readonly #mark: string;
  #rest = "";

  constructor(mark: string) {
    this.#mark = mark;
  }

  add(text: string, onText: (text: string) => void, onMark: (what: string) => void): void {
    let left = this.#rest + text;
    this.#rest = "";
    for (;;) {
      const at = left.indexOf(this.#mark);
      if (at === -1) break;
      const end = left.indexOf("\n", at);
      if (end === -1) {
        if (at > 0) onText(left.slice(0, at));
        this.#rest = left.slice(at);
        return;
      }
      if (at > 0) onText(left.slice(0, at));
      onMark(left.slice(at + this.#mark.length, end));
      left = left.slice(end + 1);
    }
    const torn = this.#tornMark(left);
    this.#rest = left.slice(left.length - torn);
    if (left.length > torn) onText(left.slice(0, left.length - torn));
  }

  /** What waited for more when the stream ended. */
  end(onText: (text: string) => void): void {
    if (this.#rest !== "" && !this.#rest.startsWith(this.#mark)) onText(this.#rest);
    this.#rest = "";
  }

  #tornMark(text: string): number {
    for (let length = Math.min(this.#mark.length - 1, text.length); length > 0; length--) if (this.#mark.startsWith(text.slice(-length))) return length;
    return 0;
  }
}
