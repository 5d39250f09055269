import { readUint64 } from "./range-reader.ts";
import type { RangeReader } from "./range-reader.ts";

const symbolSize = 24;
/** libtorch_cpu has 75,000; a file that claims more than this is damaged. */
const maximumSymbols = 8_000_000;
const maximumNameLength = 64 * 1024;
const maximumChain = 1_000_000;

export interface ElfSymbol {
  readonly name: string;
  readonly defined: boolean;
  readonly binding: "local" | "global" | "weak" | "other";
  readonly value: number;
  readonly size: number;
}

interface Tables {
  readonly symbols: number;
  readonly strings: number;
  readonly stringsSize: number;
  readonly gnuHash: number | undefined;
  readonly hash: number | undefined;
}

interface GnuHash {
  readonly bucketCount: number;
  readonly firstHashed: number;
  readonly bloomCount: number;
  readonly bloomShift: number;
  readonly bloom: number;
  readonly buckets: number;
  readonly chains: number;
}

/** The dynamic symbol table, looked up through DT_GNU_HASH or DT_HASH. */
export class SymbolTable {
  readonly #reader: RangeReader;
  readonly #tables: Tables;
  readonly #gnu: GnuHash | undefined;

  constructor(reader: RangeReader, tables: Tables) {
    this.#reader = reader;
    this.#tables = tables;
    this.#gnu = tables.gnuHash === undefined ? undefined : readGnuHash(reader, tables.gnuHash);
  }

  lookup(name: string): ElfSymbol | undefined {
    return this.#gnu === undefined ? this.#lookupSysv(name) : this.#lookupGnu(name, this.#gnu);
  }

  *all(): Generator<ElfSymbol> {
    const { symbols, strings, stringsSize } = this.#tables;
    const count = Math.min(this.#count(), maximumSymbols, Math.floor((this.#reader.size - symbols) / symbolSize));
    const table = count > 0 ? this.#reader.read(symbols, count * symbolSize) : undefined;
    const names = this.#reader.read(strings, Math.min(stringsSize, this.#reader.size - strings));
    if (table === undefined || names === undefined) {
      return;
    }
    const text = Buffer.from(names.buffer, names.byteOffset, names.byteLength);
    for (let index = 1; index < count; index += 1) {
      const start = table.getUint32(index * symbolSize, true);
      const end = start < text.length ? text.indexOf(0, start) : -1;
      if (end >= 0 && end - start <= maximumNameLength) {
        yield symbolAt(table, index * symbolSize, text.toString("latin1", start, end));
      }
    }
  }

  #lookupGnu(name: string, gnu: GnuHash): ElfSymbol | undefined {
    const hash = gnuHash(name);
    const word = this.#reader.read(gnu.bloom + (Math.floor(hash / 64) % gnu.bloomCount) * 8, 8);
    if (word === undefined) {
      return undefined;
    }
    const bits = word.getBigUint64(0, true);
    const mask = (1n << BigInt(hash % 64)) | (1n << BigInt((hash >>> gnu.bloomShift) % 64));
    if ((bits & mask) !== mask) {
      return undefined;
    }
    let index = this.#reader.read(gnu.buckets + (hash % gnu.bucketCount) * 4, 4)?.getUint32(0, true) ?? 0;
    if (index < gnu.firstHashed) {
      return undefined;
    }
    for (let steps = 0; steps < maximumChain; steps += 1) {
      const chain = this.#reader.read(gnu.chains + (index - gnu.firstHashed) * 4, 4)?.getUint32(0, true);
      if (chain === undefined) {
        return undefined;
      }
      if ((chain | 1) >>> 0 === (hash | 1) >>> 0) {
        const symbol = this.#symbol(index);
        if (symbol?.name === name && symbol.defined) {
          return symbol;
        }
      }
      if ((chain & 1) === 1) {
        return undefined;
      }
      index += 1;
    }
    return undefined;
  }

  #lookupSysv(name: string): ElfSymbol | undefined {
    const start = this.#tables.hash;
    const header = start === undefined ? undefined : this.#reader.read(start, 8);
    if (start === undefined || header === undefined) {
      return undefined;
    }
    const bucketCount = header.getUint32(0, true);
    const chainCount = header.getUint32(4, true);
    if (bucketCount === 0) {
      return undefined;
    }
    let index = this.#reader.read(start + 8 + (sysvHash(name) % bucketCount) * 4, 4)?.getUint32(0, true) ?? 0;
    for (let steps = 0; index !== 0 && index < chainCount && steps < Math.min(chainCount, maximumChain); steps += 1) {
      const symbol = this.#symbol(index);
      if (symbol?.name === name && symbol.defined) {
        return symbol;
      }
      index = this.#reader.read(start + 8 + (bucketCount + index) * 4, 4)?.getUint32(0, true) ?? 0;
    }
    return undefined;
  }

  #symbol(index: number): ElfSymbol | undefined {
    const entry = this.#reader.read(this.#tables.symbols + index * symbolSize, symbolSize);
    const offset = entry?.getUint32(0, true);
    if (entry === undefined || offset === undefined || offset >= this.#tables.stringsSize) {
      return undefined;
    }
    const name = this.#reader.readString(this.#tables.strings + offset, Math.min(this.#tables.stringsSize - offset, maximumNameLength));
    return name === undefined ? undefined : symbolAt(entry, 0, name);
  }

  /** The dynamic segment does not say how many symbols there are; the hash tables do. */
  #count(): number {
    if (this.#tables.hash !== undefined) {
      return this.#reader.read(this.#tables.hash, 8)?.getUint32(4, true) ?? 0;
    }
    const gnu = this.#gnu;
    const buckets = gnu === undefined ? undefined : this.#reader.read(gnu.buckets, gnu.bucketCount * 4);
    if (gnu === undefined || buckets === undefined) {
      return 0;
    }
    let last = 0;
    for (let index = 0; index < gnu.bucketCount; index += 1) {
      last = Math.max(last, buckets.getUint32(index * 4, true));
    }
    if (last < gnu.firstHashed) {
      return gnu.firstHashed;
    }
    for (let steps = 0; steps < maximumChain; steps += 1) {
      const chain = this.#reader.read(gnu.chains + (last - gnu.firstHashed) * 4, 4)?.getUint32(0, true);
      if (chain === undefined) {
        return 0;
      }
      last += 1;
      if ((chain & 1) === 1) {
        break;
      }
    }
    return last;
  }
}

function readGnuHash(reader: RangeReader, start: number): GnuHash | undefined {
  const header = reader.read(start, 16);
  const bucketCount = header?.getUint32(0, true) ?? 0;
  const bloomCount = header?.getUint32(8, true) ?? 0;
  if (header === undefined || bucketCount === 0 || bloomCount === 0 || bucketCount > maximumSymbols || bloomCount > maximumSymbols) {
    return undefined;
  }
  const bloom = start + 16;
  const buckets = bloom + bloomCount * 8;
  // A shift of 32 or more would be taken modulo 32 by the operator.
  const bloomShift = header.getUint32(12, true) % 32;
  return { bucketCount, firstHashed: header.getUint32(4, true), bloomCount, bloomShift, bloom, buckets, chains: buckets + bucketCount * 4 };
}

function symbolAt(table: DataView, at: number, name: string): ElfSymbol {
  const bind = table.getUint8(at + 4) >> 4;
  return {
    name,
    defined: table.getUint16(at + 6, true) !== 0,
    // 10 is STB_GNU_UNIQUE, which binds like a global.
    binding: bind === 0 ? "local" : bind === 1 || bind === 10 ? "global" : bind === 2 ? "weak" : "other",
    value: readUint64(table, at + 8),
    size: readUint64(table, at + 16),
  };
}

function gnuHash(name: string): number {
  let hash = 5381;
  for (let index = 0; index < name.length; index += 1) {
    hash = (Math.imul(hash, 33) + name.charCodeAt(index)) >>> 0;
  }
  return hash;
}

function sysvHash(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) {
    hash = ((hash << 4) + name.charCodeAt(index)) >>> 0;
    const high = hash & 0xf0000000;
    hash = ((hash ^ (high >>> 24)) & ~high) >>> 0;
  }
  return hash;
}
