import type { DirectoryEntry, Files, FileStatus, ReadResult } from "../model/index.ts";

/** Reads through to other files and remembers which texts were not UTF-8. */
export class EncodingWitness implements Files {
  readonly #base: Files;
  readonly #lossy = new Set<string>();

  constructor(base: Files) {
    this.#base = base;
  }

  /** True when the last reading of the file had to replace bytes. */
  isLossy(path: string): boolean {
    return this.#lossy.has(path);
  }

  readText(path: string): ReadResult {
    const read = this.#base.readText(path);
    if (read.ok && read.lossy) {
      this.#lossy.add(path);
    } else {
      this.#lossy.delete(path);
    }
    return read;
  }

  readBytes(path: string, offset: number, length: number): Uint8Array | undefined {
    return this.#base.readBytes(path, offset, length);
  }

  status(path: string): FileStatus | undefined {
    return this.#base.status(path);
  }

  list(path: string): readonly string[] {
    return this.#base.list(path);
  }

  entries(path: string): readonly DirectoryEntry[] {
    return this.#base.entries(path);
  }

  realPath(path: string): string | undefined {
    return this.#base.realPath(path);
  }
}
