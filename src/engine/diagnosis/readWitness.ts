import type { DirectoryEntry, Files, FileStatus, ReadResult } from "../model/index.ts";

/** Reads through to other files and remembers what was asked of which file: only such a file can matter when it changes. */
export class ReadWitness implements Files {
  /** The files themselves, for readings that leave no trace here. */
  readonly base: Files;
  readonly #lossy = new Set<string>();
  readonly #read = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #answers = new Map<string, Map<unknown, unknown>>();

  constructor(base: Files) {
    this.base = base;
  }

  /** True when the last reading of the file had to replace bytes. */
  isLossy(path: string): boolean {
    return this.#lossy.has(path);
  }

  /** True when the file's text, or part of it, was read. */
  wasRead(path: string): boolean {
    return this.#read.has(path);
  }

  /** True when anything was asked of the file, be it whether it exists. */
  wasAsked(path: string): boolean {
    return this.#asked.has(path) || this.#read.has(path);
  }

  /** What `read` makes of a file's text, worked out once until `forget`; undefined when the file cannot be read. */
  ofText<T>(path: string, read: (text: string) => T): T | undefined {
    let known = this.#answers.get(path);
    if (known === undefined) {
      this.#answers.set(path, (known = new Map()));
    }
    if (!known.has(read)) {
      const text = this.readText(path);
      known.set(read, text.ok ? read(text.text) : undefined);
    }
    return known.get(read) as T | undefined;
  }

  /** The file changed; without a file: all may have. */
  forget(path?: string): void {
    if (path === undefined) {
      this.#answers.clear();
    } else {
      this.#answers.delete(path);
    }
  }

  readText(path: string): ReadResult {
    this.#read.add(path);
    const read = this.base.readText(path);
    if (read.ok && read.lossy) {
      this.#lossy.add(path);
    } else {
      this.#lossy.delete(path);
    }
    return read;
  }

  readBytes(path: string, offset: number, length: number): Uint8Array | undefined {
    this.#read.add(path);
    return this.base.readBytes(path, offset, length);
  }

  status(path: string): FileStatus | undefined {
    this.#asked.add(path);
    return this.base.status(path);
  }

  list(path: string): readonly string[] {
    return this.base.list(path);
  }

  entries(path: string): readonly DirectoryEntry[] {
    return this.base.entries(path);
  }

  realPath(path: string): string | undefined {
    return this.base.realPath(path);
  }
}
