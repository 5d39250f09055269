/** The file that holds what a child printed: bounded, readable at any time, and never a reason for a run to fail. */
import { open, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "./folders.ts";
import { sentenceOf } from "./sentences.ts";
import { Tail, leftOutNote } from "./text.ts";

export interface LogLimits {
  /** Bytes from the begin that the file holds. */
  readonly head: number;
  /** Bytes from the end that it holds when there are more. */
  readonly tail: number;
  /** Bytes that may wait for the disk before the child has to. */
  readonly waiting: number;
  /** Milliseconds between two writes of the end, so that a log is worth reading after a kill -9 of ours. */
  readonly refresh: number;
}

const usual: LogLimits = { head: 15 << 20, tail: 1 << 20, waiting: 1 << 20, refresh: 1000 };

export class LogFile {
  readonly #path: string;
  readonly #limits: LogLimits;
  readonly #tail: Tail;
  #handle: FileHandle | undefined;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #headSize = 0;
  #tailWritten = 0;
  #tailTime = 0;
  #work: Promise<void>;
  #problem: string | undefined;

  constructor(path: string, limits: LogLimits = usual) {
    this.#path = path;
    this.#limits = limits;
    this.#tail = new Tail(limits.tail);
    this.#work = this.#guarded(async () => {
      await makeFolder(dirname(path));
      this.#handle = await open(path, "w");
    });
  }

  /** Takes bytes; a promise when the disk is behind and the child should wait. */
  add(bytes: Buffer): Promise<void> | undefined {
    if (this.#problem !== undefined) return undefined;
    this.#waiting.push(bytes);
    this.#waitingSize += bytes.length;
    if (this.#waiting.length === 1) this.#work = this.#work.then(() => this.#guarded(() => this.#write()));
    return this.#waitingSize > this.#limits.waiting ? this.#work : undefined;
  }

  /** Writes what waits and closes the file. */
  async close(): Promise<{ readonly path: string; readonly problem?: string }> {
    await this.#work;
    await this.#guarded(() => this.#writeTail());
    await this.#guarded(() => this.#checkInPlace());
    await this.#handle?.close().catch(() => undefined);
    return { path: this.#path, ...(this.#problem === undefined ? {} : { problem: this.#problem }) };
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    if (this.#problem !== undefined) return;
    try {
      await work();
    } catch (error) {
      this.#problem = `${sentenceOf(error, `write the log file ${this.#path}`)} What was printed after that is not in it.`;
      this.#waiting = [];
      this.#waitingSize = 0;
    }
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingSize = 0;
    const head = bytes.subarray(0, Math.max(0, this.#limits.head - this.#headSize));
    if (head.length > 0) await writeAt(this.#handle, head, this.#headSize);
    this.#headSize += head.length;
    this.#tail.add(bytes.subarray(head.length));
    if (this.#tail.total > 0 && performance.now() - this.#tailTime > this.#limits.refresh) await this.#writeTail();
  }

  async #writeTail(): Promise<void> {
    if (this.#tail.total === this.#tailWritten) return;
    const tail = this.#tail.bytes();
    const leftOut = this.#tail.total - tail.length;
    const bytes = leftOut === 0 ? tail : Buffer.concat([Buffer.from(`\n${leftOutNote(leftOut)}\n`), tail]);
    await writeAt(this.#handle, bytes, this.#headSize);
    await this.#handle?.truncate(this.#headSize + bytes.length);
    this.#tailWritten = this.#tail.total;
    this.#tailTime = performance.now();
  }

  /** A test that deletes its folder may have taken the log with it. */
  async #checkInPlace(): Promise<void> {
    const ours = await this.#handle?.stat();
    const there = await stat(this.#path).catch(() => undefined);
    if (ours !== undefined && ours.isFile() && ours.ino !== there?.ino) this.#problem = `The log file ${this.#path} was deleted or replaced while the command ran.`;
  }
}

async function writeAt(handle: FileHandle | undefined, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle?.write(bytes, done, bytes.length - done, position + done) ?? { bytesWritten: bytes.length };
    done += bytesWritten;
  }
}
