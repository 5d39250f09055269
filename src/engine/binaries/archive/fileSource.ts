import * as fs from "node:fs/promises";
import { ByteSourceError } from "./errors.ts";
import type { ByteSource } from "./types.ts";

/** A single range is bounded, so that no length in a hostile file asks for all memory. */
const maximumRange = 256 * 1024 * 1024;

/**
 * A file of this machine. It is opened for each read and stays open for none, so nothing has to be closed; a file that
 * changes in between is noticed. Throws ByteSourceError.
 */
export async function fileSource(path: string): Promise<ByteSource> {
  const status = await fs.stat(path).catch((error: unknown) => {
    throw new ByteSourceError("missing", `${path} cannot be read: ${codeOf(error)}.`, error);
  });
  if (!status.isFile()) {
    throw new ByteSourceError("unreadable", `${path} is not a regular file.`);
  }
  return new FileSource(path, status.size, status.mtimeMs);
}

class FileSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly identity: string;
  readonly #modified: number;
  #bytesRead = 0;

  constructor(name: string, size: number, modified: number) {
    this.name = name;
    this.size = size;
    this.identity = `${size}-${modified}`;
    this.#modified = modified;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this, offset, length);
    try {
      const handle = await fs.open(this.name);
      try {
        const status = await handle.stat();
        if (status.size !== this.size || status.mtimeMs !== this.#modified) {
          throw new ByteSourceError("changed", `${this.name} changed while it was read.`);
        }
        const bytes = new Uint8Array(length);
        let filled = 0;
        while (filled < length) {
          const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
          if (bytesRead === 0) {
            throw new ByteSourceError("changed", `${this.name} became shorter while it was read.`);
          }
          filled += bytesRead;
        }
        this.#bytesRead += length;
        return bytes;
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw error instanceof ByteSourceError ? error : new ByteSourceError("unreadable", `${this.name} cannot be read: ${codeOf(error)}.`, error);
    }
  }
}

/** Throws for a range that a source does not have, or that is too large for one read. */
export function checkRange(source: Pick<ByteSource, "name" | "size">, offset: number, length: number): void {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0 || length > maximumRange || offset + length > source.size) {
    throw new ByteSourceError("outside", `${source.name} has ${source.size} bytes; ${length} bytes from byte ${offset} cannot be read.`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
