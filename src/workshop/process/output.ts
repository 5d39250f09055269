/** Reads what a child prints and hands it to everybody who wants it, no faster than they take it. */
import { isAscii } from "node:buffer";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { LogFile } from "./logFile.ts";
import { Keeper, LineSplitter } from "./text.ts";
import type { ProcessResult, RunOptions, StreamName } from "./types.ts";

const usualKeep = 256 << 10;
/** After the command has ended: milliseconds of silence after which nobody waits for output any more, and the most that is waited. */
const silence = 1000;
const longest = 3000;
/** Milliseconds between two looks at that. */
const look = 50;

type Kept = Pick<ProcessResult, "stdout" | "stderr" | "output" | "log">;

/** A mistake in a listener must not lose the run; it is thrown where nobody but the runtime catches it. */
export function surface<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
    return undefined;
  }
}

class Reader {
  readonly ended: Promise<void>;
  isHeld = false;
  #isOver = false;
  readonly #stream: Readable;
  readonly #finish: () => void;

  constructor(stream: Readable, name: StreamName, options: RunOptions, take: (bytes: Buffer) => Promise<void> | undefined) {
    this.#stream = stream;
    // A character that came in two pieces is one; a wrong byte becomes U+FFFD.
    const decoder = new StringDecoder("utf8");
    const { onLine } = options;
    const lines = onLine === undefined ? undefined : new LineSplitter((text) => surface(() => onLine({ stream: name, text })));
    const hand = (text: string, bytes: Buffer): void => {
      if (text === "") return;
      const waits = [take(bytes), surface(() => options.onText?.(text, name))].filter((one) => one instanceof Promise);
      lines?.add(text);
      if (waits.length > 0) void this.#hold(waits);
    };
    this.ended = new Promise((settle) => {
      stream.once("close", settle);
      stream.once("error", () => settle());
    });
    stream.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      const text = decoder.write(chunk);
      // What the decoder did not hold back or replace needs no second encoding.
      hand(text, text.length === chunk.length && isAscii(chunk) ? chunk : Buffer.from(text));
    });
    this.#finish = () => {
      const rest = decoder.end();
      hand(rest, Buffer.from(rest));
      lines?.finish();
    };
  }

  async #hold(waits: readonly Promise<void>[]): Promise<void> {
    this.isHeld = true;
    this.#stream.pause();
    await Promise.allSettled(waits);
    this.isHeld = false;
    this.#stream.resume();
  }

  /** Nothing is read any more. */
  finish(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#isOver = true;
    this.#stream.destroy();
  }
}

export class Output {
  readonly #both: Keeper;
  readonly #stdout: Keeper;
  readonly #stderr: Keeper;
  readonly #log: LogFile | undefined;
  #readers: readonly Reader[] = [];
  #lastTime = 0;

  constructor(options: RunOptions) {
    const keep = options.keep ?? usualKeep;
    this.#both = new Keeper(keep);
    this.#stdout = new Keeper(keep);
    this.#stderr = new Keeper(keep);
    this.#log = options.logFile === undefined ? undefined : new LogFile(options.logFile);
  }

  read(streams: Readonly<Record<StreamName, Readable>>, options: RunOptions): void {
    const taker = (keeper: Keeper) => (bytes: Buffer): Promise<void> | undefined => {
      this.#lastTime = performance.now();
      keeper.add(bytes);
      this.#both.add(bytes);
      return this.#log?.add(bytes);
    };
    this.#readers = [
      new Reader(streams.stdout, "stdout", options, taker(this.#stdout)),
      new Reader(streams.stderr, "stderr", options, taker(this.#stderr)),
    ];
  }

  /**
   * After the command has ended: waits until its output has too, or, when another process holds it open, until that is
   * silent. A listener that takes its time is waited for until `stopped`; without `stopped`, after a cancel, it is not.
   */
  async settle(stopped?: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = Promise.race([Promise.all(this.#readers.map(({ ended }) => ended)), ...(stopped === undefined ? [] : [stopped])]).then(() => {
      isOver = true;
    });
    let [begin, last] = [performance.now(), performance.now()];
    while (!isOver) {
      await Promise.race([over, delay(look)]);
      const isHeld = this.#readers.some((reader) => reader.isHeld);
      if (isHeld && stopped === undefined) return;
      const now = performance.now();
      if (isHeld) [begin, last] = [now, now];
      else if (now - Math.max(last, this.#lastTime) > silence || now - begin > longest) return;
    }
  }

  async close(): Promise<Kept> {
    for (const reader of this.#readers) reader.finish();
    const log = await this.#log?.close();
    return { stdout: this.#stdout.kept(), stderr: this.#stderr.kept(), output: this.#both.kept(), ...(log === undefined ? {} : { log }) };
  }
}
