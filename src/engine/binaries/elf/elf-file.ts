import type { Files } from "../../model/index.ts";
import { RangeReader, readUint64 } from "./range-reader.ts";
import { SymbolTable } from "./symbols.ts";
import type { ElfSymbol } from "./symbols.ts";
import { readVersionNeeds } from "./versions.ts";
import type { VersionNeed } from "./versions.ts";

const maximumProgramHeaders = 512;
const maximumSections = 4096;
const maximumDynamicEntries = 16384;
const maximumNameLength = 64 * 1024;

export interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly virtualAddress: number;
  readonly fileSize: number;
}

interface Section {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

export type ElfResult = { readonly ok: true; readonly elf: ElfFile } | { readonly ok: false; readonly message: string };

/** Opens a file as ELF64 little-endian. The message of a failure is a sentence. */
export function openElf(path: string, files: Files): ElfResult {
  const status = files.status(path);
  if (status?.kind !== "file") {
    return { ok: false, message: `${path} is not a file that can be read.` };
  }
  const reader = new RangeReader(files, path, status.size);
  const header = reader.read(0, 64);
  if (header === undefined || header.getUint32(0) !== 0x7f454c46) {
    return { ok: false, message: `${path} is not an ELF file.` };
  }
  if (header.getUint8(4) !== 2 || header.getUint8(5) !== 1) {
    return { ok: false, message: `${path} is an ELF file, but not 64-bit little-endian.` };
  }
  const segments = readSegments(reader, header);
  return segments === undefined ? { ok: false, message: `${path} is a damaged ELF file: its program headers lie outside the file.` } : { ok: true, elf: new ElfFile(path, reader, header, segments) };
}

/** One opened ELF file. All members answer from small reads, most of them lazily. */
export class ElfFile {
  readonly path: string;
  /** e_machine: 62 is x86-64, 183 is AArch64. */
  readonly machine: number;
  readonly needed: readonly string[];
  readonly soname: string | undefined;
  readonly segments: readonly Segment[];
  readonly #reader: RangeReader;
  readonly #header: DataView;
  readonly #dynamic: ReadonlyMap<number, number>;
  readonly #symbols: SymbolTable | undefined;

  constructor(path: string, reader: RangeReader, header: DataView, segments: readonly Segment[]) {
    this.path = path;
    this.machine = header.getUint16(18, true);
    this.segments = segments;
    this.#reader = reader;
    this.#header = header;
    const { first, needed } = readDynamic(reader, segments);
    this.#dynamic = first;
    this.needed = needed.flatMap((offset) => this.#string(offset) ?? []);
    const soname = first.get(14);
    this.soname = soname === undefined ? undefined : this.#string(soname);
    this.#symbols = this.#openSymbols();
  }

  /** Bytes read from disk so far. */
  get bytesRead(): number {
    return this.#reader.bytesRead;
  }

  /** The exported symbol of that exact mangled name, found through the hash table. */
  lookup(name: string): ElfSymbol | undefined {
    return this.#symbols?.lookup(name);
  }

  /** Whether symbols can be looked up at all. */
  get hasSymbols(): boolean {
    return this.#symbols !== undefined;
  }

  /** Every symbol of the dynamic table, defined and undefined. */
  symbols(): Iterable<ElfSymbol> {
    return this.#symbols?.all() ?? [];
  }

  /** Names of symbols that other files can bind to. */
  *exportedNames(): Generator<string> {
    for (const symbol of this.symbols()) {
      if (symbol.defined && symbol.binding !== "local") {
        yield symbol.name;
      }
    }
  }

  /** What DT_VERNEED asks of other libraries. */
  versionNeeds(): readonly VersionNeed[] {
    const address = this.#dynamic.get(0x6ffffffe);
    const offset = address === undefined ? undefined : this.#fileOffset(address);
    return offset === undefined ? [] : readVersionNeeds(this.#reader, offset, this.#dynamic.get(0x6fffffff) ?? 0, (at) => this.#string(at));
  }

  /** File range of a section; undefined in files stripped of section headers. */
  section(name: string): { readonly offset: number; readonly size: number } | undefined {
    return readSections(this.#reader, this.#header).find((one) => one.name === name);
  }

  /** Bytes of the file, or undefined outside of it. */
  bytes(offset: number, length: number): Uint8Array | undefined {
    const data = this.#reader.read(offset, length);
    return data === undefined ? undefined : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }

  #string(offset: number): string | undefined {
    const table = this.#dynamic.get(5);
    const start = table === undefined ? undefined : this.#fileOffset(table);
    const size = this.#dynamic.get(10) ?? 0;
    return start === undefined || offset >= size ? undefined : this.#reader.readString(start + offset, Math.min(size - offset, maximumNameLength));
  }

  #fileOffset(address: number): number | undefined {
    const segment = this.segments.find((one) => one.type === 1 && address >= one.virtualAddress && address - one.virtualAddress < one.fileSize);
    return segment === undefined ? undefined : address - segment.virtualAddress + segment.offset;
  }

  #openSymbols(): SymbolTable | undefined {
    const at = (tag: number): number | undefined => {
      const address = this.#dynamic.get(tag);
      return address === undefined ? undefined : this.#fileOffset(address);
    };
    const symbols = at(6);
    const strings = at(5);
    if (symbols === undefined || strings === undefined) {
      return undefined;
    }
    return new SymbolTable(this.#reader, { symbols, strings, stringsSize: this.#dynamic.get(10) ?? 0, gnuHash: at(0x6ffffef5), hash: at(4) });
  }
}

function readSegments(reader: RangeReader, header: DataView): readonly Segment[] | undefined {
  const offset = readUint64(header, 32);
  const entrySize = header.getUint16(54, true);
  const count = header.getUint16(56, true);
  if (count === 0) {
    return [];
  }
  if (entrySize < 56 || count > maximumProgramHeaders) {
    return undefined;
  }
  const table = reader.read(offset, entrySize * count);
  if (table === undefined) {
    return undefined;
  }
  return Array.from({ length: count }, (_, index) => {
    const at = index * entrySize;
    return {
      type: table.getUint32(at, true),
      flags: table.getUint32(at + 4, true),
      offset: readUint64(table, at + 8),
      virtualAddress: readUint64(table, at + 16),
      fileSize: readUint64(table, at + 32),
    };
  });
}

function readDynamic(reader: RangeReader, segments: readonly Segment[]): { readonly first: ReadonlyMap<number, number>; readonly needed: readonly number[] } {
  const first = new Map<number, number>();
  const needed: number[] = [];
  const segment = segments.find((one) => one.type === 2);
  const count = segment === undefined ? 0 : Math.min(Math.floor(segment.fileSize / 16), maximumDynamicEntries);
  const table = segment === undefined ? undefined : reader.read(segment.offset, count * 16);
  for (let index = 0; table !== undefined && index < count; index += 1) {
    const tag = readUint64(table, index * 16);
    const value = readUint64(table, index * 16 + 8);
    if (tag === 0) {
      break;
    }
    if (tag === 1) {
      needed.push(value);
    } else if (!first.has(tag)) {
      first.set(tag, value);
    }
  }
  return { first, needed };
}

function readSections(reader: RangeReader, header: DataView): readonly Section[] {
  const offset = readUint64(header, 40);
  const entrySize = header.getUint16(58, true);
  const count = header.getUint16(60, true);
  const namesIndex = header.getUint16(62, true);
  if (entrySize < 64 || count > maximumSections || namesIndex >= count) {
    return [];
  }
  const table = reader.read(offset, entrySize * count);
  if (table === undefined) {
    return [];
  }
  const names = readUint64(table, namesIndex * entrySize + 24);
  const namesSize = readUint64(table, namesIndex * entrySize + 32);
  return Array.from({ length: count }, (_, index) => {
    const at = index * entrySize;
    const nameOffset = table.getUint32(at, true);
    const name = nameOffset < namesSize ? reader.readString(names + nameOffset, Math.min(namesSize - nameOffset, 256)) : undefined;
    // SHT_NOBITS (8) occupies no bytes of the file.
    const size = table.getUint32(at + 4, true) === 8 ? 0 : readUint64(table, at + 32);
    return { name: name ?? "", offset: readUint64(table, at + 24), size };
  });
}
