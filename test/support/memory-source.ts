import { checkRange } from "../../src/engine/binaries/archive/index.ts";
import type { ByteSource } from "../../src/engine/binaries/archive/index.ts";

/** Bytes of a test as a source; counts what is read. */
export class MemorySource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly identity = "memory";
  readonly ranges: { readonly offset: number; readonly length: number }[] = [];
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, name = "/w/test.whl") {
    this.#bytes = bytes;
    this.name = name;
    this.size = bytes.length;
  }

  get bytesRead(): number {
    return this.ranges.reduce((sum, one) => sum + one.length, 0);
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    try {
      checkRange(this, offset, length);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    this.ranges.push({ offset, length });
    return Promise.resolve(this.#bytes.slice(offset, offset + length));
  }
}
