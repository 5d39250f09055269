const blockSize = 32 * 1024;
/** Above this a request is served alone, not through the cache of blocks. */
const largeRequest = 128 * 1024;
const maximumCachedBlocks = 256;
/** Of all readers together, 32 MB: a wheel may have thousands of libraries, each with a reader of its own. */
const maximumBlocksOfAll = 1024;
/** No table that loading depends on is larger; a damaged size cannot ask for more. */
export const maximumRequest = 96 * 1024 * 1024;

/** Bytes from `offset`, fewer at the end of the file; undefined when they cannot be had. */
export type FetchRange = (offset: number, length: number) => Uint8Array | undefined;

/** Reads ranges of one file through a cache of blocks, and counts what it read. */
export class RangeReader {
  readonly size: number;
  readonly #fetchRange: FetchRange;
  readonly #blocks: Blocks = new Map();
  #bytesRead = 0;

  constructor(size: number, fetchRange: FetchRange) {
    this.size = size;
    this.#fetchRange = fetchRange;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Exactly `length` bytes, or undefined when the file does not have them or they are too many. */
  read(offset: number, length: number): DataView | undefined {
    if (!this.has(offset, length) || length > maximumRequest) {
      return undefined;
    }
    if (length > largeRequest) {
      const bytes = this.#fetch(offset, length);
      return bytes === undefined || bytes.length < length ? undefined : view(bytes);
    }
    const first = Math.floor(offset / blockSize);
    const last = Math.floor(Math.max(offset, offset + length - 1) / blockSize);
    if (first === last) {
      const block = this.#block(first);
      const start = offset - first * blockSize;
      return block === undefined || block.length < start + length ? undefined : view(block.subarray(start, start + length));
    }
    const joined = new Uint8Array(length);
    for (let index = first; index <= last; index += 1) {
      const block = this.#block(index);
      const from = Math.max(offset, index * blockSize);
      const to = Math.min(offset + length, (index + 1) * blockSize);
      if (block === undefined || block.length < to - index * blockSize) {
        return undefined;
      }
      joined.set(block.subarray(from - index * blockSize, to - index * blockSize), from - offset);
    }
    return view(joined);
  }

  /** Whether the file reaches that far. */
  has(offset: number, length: number): boolean {
    return Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0 && offset + length <= this.size;
  }

  /** The bytes up to the next NUL; undefined when none follows within `limit`. */
  readBytesToNul(offset: number, limit: number): Buffer | undefined {
    let step = 128;
    while (true) {
      const length = Math.min(step, limit, this.size - offset);
      const found = length <= 0 ? undefined : this.read(offset, length);
      if (found === undefined) {
        return undefined;
      }
      const bytes = Buffer.from(found.buffer, found.byteOffset, found.byteLength);
      const end = bytes.indexOf(0);
      if (end >= 0) {
        return bytes.subarray(0, end);
      }
      if (length < step || step >= limit) {
        return undefined;
      }
      step *= 8;
    }
  }

  #block(index: number): Uint8Array | undefined {
    const cached = this.#blocks.get(index);
    if (cached !== undefined) {
      return cached;
    }
    const start = index * blockSize;
    const bytes = this.#fetch(start, Math.min(blockSize, this.size - start));
    if (bytes !== undefined) {
      if (this.#blocks.size >= maximumCachedBlocks) {
        this.#blocks.clear();
      }
      this.#blocks.set(index, bytes);
      shareRoom(this.#blocks, index);
    }
    return bytes;
  }

  #fetch(offset: number, length: number): Uint8Array | undefined {
    const bytes = this.#fetchRange(offset, length);
    this.#bytesRead += bytes?.length ?? 0;
    return bytes;
  }
}

type Blocks = Map<number, Uint8Array>;

/** The blocks that were read last by any reader, as a ring; it keeps no reader alive. */
const latest: ({ readonly blocks: Blocks; readonly index: number } | undefined)[] = [];
let next = 0;

/** Enters a block, and drops the oldest of all readers when there are too many. */
function shareRoom(blocks: Blocks, index: number): void {
  const oldest = latest[next];
  oldest?.blocks.delete(oldest.index);
  latest[next] = { blocks, index };
  next = (next + 1) % maximumBlocksOfAll;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A 64-bit unsigned field; values beyond exact numbers become Infinity, which every bound refuses. */
export function readUint64(data: DataView, offset: number): number {
  const value = data.getUint32(offset, true) + data.getUint32(offset + 4, true) * 0x1_0000_0000;
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
}
