import type { RangeReader } from "./range-reader.ts";

/** libtorch_cpu has 75,000 symbols; a file that claims more than this is damaged. */
export const maximumSymbols = 2_000_000;
const chainWindow = 16 * 1024;
/** Of one lookup. A name stands there once for each of its versions; thousands of equal hashes are an attack. */
const maximumCandidates = 1024;
/** DT_HASH gives all symbols of a bucket. */
const maximumBucket = 16384;

/** A hash table of dynamic symbols: where a name can stand, and how many symbols there are at least. */
export interface SymbolHashTable {
  /** Indexes of symbols whose hash is the name's, in the table's order. Names must still be compared. */
  candidates(name: string): Iterable<number>;
  /** One more than the highest index that the table knows. */
  readonly symbolCount: number;
}

/**
 * DT_GNU_HASH. Its chains hold 31 bits of each name's hash, so a name that is absent is found absent without looking
 * at any name; the Bloom filter before them would only save reading the chains, which are read as a whole here.
 */
export class GnuHashTable implements SymbolHashTable {
  readonly symbolCount: number;
  /** Symbols before it are in no bucket. */
  readonly firstHashed: number;
  /** File range of the whole table. */
  readonly start: number;
  readonly end: number;
  readonly #buckets: Uint32Array;
  readonly #chains: Uint32Array;

  private constructor(start: number, end: number, firstHashed: number, buckets: Uint32Array, chains: Uint32Array) {
    this.start = start;
    this.end = end;
    this.firstHashed = firstHashed;
    this.#buckets = buckets;
    this.#chains = chains;
    this.symbolCount = firstHashed + chains.length;
  }

  /** undefined: there is no such table there, or it leads out of the file. */
  static read(reader: RangeReader, start: number): GnuHashTable | undefined {
    const header = reader.read(start, 16);
    if (header === undefined) {
      return undefined;
    }
    const bucketCount = header.getUint32(0, true);
    const firstHashed = header.getUint32(4, true);
    const bloomCount = header.getUint32(8, true);
    if (bucketCount === 0 || bucketCount > maximumSymbols || bloomCount > maximumSymbols || firstHashed > maximumSymbols) {
      return undefined;
    }
    const bucketsAt = start + 16 + bloomCount * 8;
    const buckets = numbers(reader, bucketsAt, bucketCount);
    if (buckets === undefined) {
      return undefined;
    }
    let last = 0;
    for (const bucket of buckets) {
      if (bucket > last) {
        last = bucket;
      }
    }
    const chainsAt = bucketsAt + bucketCount * 4;
    // No bucket in use: nothing is exported.
    const length = last < firstHashed ? 0 : chainLength(reader, chainsAt, last - firstHashed);
    const chains = length === undefined ? undefined : numbers(reader, chainsAt, length);
    return chains === undefined ? undefined : new GnuHashTable(start, chainsAt + chains.length * 4, firstHashed, buckets, chains);
  }

  *candidates(name: string): Generator<number> {
    const hash = gnuHash(name);
    const chains = this.#chains;
    let found = 0;
    for (let at = (this.#buckets[hash % this.#buckets.length] ?? 0) - this.firstHashed; at >= 0 && at < chains.length; at += 1) {
      const chain = chains[at] ?? 1;
      if (((chain ^ hash) >>> 1) === 0) {
        yield at + this.firstHashed;
        found += 1;
      }
      if ((chain & 1) === 1 || found >= maximumCandidates) {
        return;
      }
    }
  }

  /** Whether a symbol of that hash is there: "no" is exact, "yes" right up to a collision of 31 bits in one bucket. */
  mayHold(name: string): boolean {
    for (const _ of this.candidates(name)) {
      return true;
    }
    return false;
  }

  /** The 31 bits of a symbol's hash that the table holds; undefined for a symbol that is in no bucket. */
  hashOf(index: number): number | undefined {
    const chain = this.#chains[index - this.firstHashed];
    return chain === undefined ? undefined : chain >>> 1;
  }

  /** Whether buckets and chains fit each other in every entry: so only a real table does. */
  isConsistent(): boolean {
    let expected = 0;
    for (const [bucket, first] of this.#buckets.entries()) {
      if (first === 0) {
        continue;
      }
      // Symbols are sorted by bucket, so each chain begins where the one before it ended.
      if (first - this.firstHashed !== expected) {
        return false;
      }
      let last: number;
      do {
        last = this.#chains[expected] ?? 1;
        const even = (last & ~1) >>> 0;
        if (expected >= this.#chains.length || (even % this.#buckets.length !== bucket && (even + 1) % this.#buckets.length !== bucket)) {
          return false;
        }
        expected += 1;
      } while ((last & 1) === 0);
    }
    return expected === this.#chains.length;
  }
}

/** DT_HASH, the table of the System V ABI. */
export class SysvHashTable implements SymbolHashTable {
  readonly symbolCount: number;
  readonly #buckets: Uint32Array;
  readonly #chains: Uint32Array;

  private constructor(buckets: Uint32Array, chains: Uint32Array) {
    this.#buckets = buckets;
    this.#chains = chains;
    this.symbolCount = chains.length;
  }

  static read(reader: RangeReader, start: number): SysvHashTable | undefined {
    const header = reader.read(start, 8);
    const bucketCount = header?.getUint32(0, true) ?? 0;
    const chainCount = header?.getUint32(4, true) ?? 0;
    if (header === undefined || bucketCount > maximumSymbols || chainCount > maximumSymbols) {
      return undefined;
    }
    const buckets = numbers(reader, start + 8, bucketCount);
    const chains = numbers(reader, start + 8 + bucketCount * 4, chainCount);
    return buckets === undefined || chains === undefined ? undefined : new SysvHashTable(buckets, chains);
  }

  *candidates(name: string): Generator<number> {
    let index = this.#buckets.length === 0 ? 0 : (this.#buckets[sysvHash(name) % this.#buckets.length] ?? 0);
    // A chain may run in a circle.
    for (let steps = 0; index !== 0 && index < this.#chains.length && steps < maximumBucket; steps += 1) {
      yield index;
      index = this.#chains[index] ?? 0;
    }
  }
}

function chainLength(reader: RangeReader, chainsAt: number, from: number): number | undefined {
  for (let index = from; index < maximumSymbols; ) {
    const count = Math.min(chainWindow, Math.floor((reader.size - chainsAt) / 4) - index);
    const window = count > 0 ? reader.read(chainsAt + index * 4, count * 4) : undefined;
    if (window === undefined) {
      return undefined;
    }
    for (let at = 0; at < count; at += 1) {
      index += 1;
      if ((window.getUint32(at * 4, true) & 1) === 1) {
        return index;
      }
    }
  }
  return undefined;
}

function numbers(reader: RangeReader, offset: number, count: number): Uint32Array | undefined {
  const data = reader.read(offset, count * 4);
  if (data === undefined) {
    return undefined;
  }
  // A copy, because the view may begin at any byte; the machines that editors run on are little-endian.
  return new Uint32Array(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice().buffer);
}

function gnuHash(name: string): number {
  let hash = 5381;
  for (let index = 0; index < name.length; index += 1) {
    hash = (Math.imul(hash, 33) + name.charCodeAt(index)) >>> 0;
  }
  return hash;
}

/** The hash of DT_HASH, and of names in version records. */
export function sysvHash(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) {
    hash = ((hash << 4) + name.charCodeAt(index)) >>> 0;
    const high = hash & 0xf0000000;
    hash = ((hash ^ (high >>> 24)) & ~high) >>> 0;
  }
  return hash;
}
