import type { DynamicSymbol } from "../library.ts";
import { maximumSymbols } from "./hash-table.ts";
import type { SymbolHashTable } from "./hash-table.ts";
import { readUint64 } from "./range-reader.ts";
import type { RangeReader } from "./range-reader.ts";
import type { VersionName, Versions } from "./versions.ts";

const symbolSize = 24;
const maximumNameLength = 64 * 1024;
/** Symbols that are read at once when all are listed: 1.5 MB. */
const listingWindow = 65536;
/** After so many single reads the next ones come from the whole tables. */
const singleReads = 24;
/** libtorch_cpu's names take 5.5 MB. Larger tables are read name by name. */
const maximumStrings = 48 * 1024 * 1024;
/** Symbol tables up to this size stay in memory once they were needed as a whole. */
const maximumKeptTable = 16 * 1024 * 1024;

const bindings = new Map<number, DynamicSymbol["binding"]>([[0, "local"], [1, "global"], [2, "weak"], [10, "unique"]]);
const types = new Map<number, DynamicSymbol["type"]>([[0, "none"], [1, "object"], [2, "function"], [6, "tls"], [10, "ifunc"]]);
const visibilities = ["default", "internal", "hidden", "protected"] as const;
/** Types that the loader binds to: no type, object, function, common, thread-local, indirect function. */
const bindableTypes = new Set([0, 1, 2, 5, 6, 10]);

/** File offsets of the tables. */
export interface SymbolTables {
  readonly symbols: number;
  readonly strings: number;
  readonly stringsSize: number;
  readonly hash: SymbolHashTable | undefined;
  /** How many symbols there are by other witnesses than the hash table, which may know of none. */
  readonly count: number;
  /** DT_VERSYM. */
  readonly versionIndexes: number | undefined;
  readonly versions: () => Versions;
}

/** The dynamic symbol table, looked up as glibc does it. */
export class SymbolTable {
  readonly count: number;
  readonly #reader: RangeReader;
  readonly #tables: SymbolTables;
  readonly #versionNames = new Map<number, DynamicSymbol["version"]>();
  #versionIndexes: DataView | undefined | "not-read" = "not-read";
  #strings: Buffer | undefined | "not-read" = "not-read";
  #kept: DataView | undefined | "not-read" = "not-read";
  #singleReads = 0;

  constructor(reader: RangeReader, tables: SymbolTables) {
    this.#reader = reader;
    this.#tables = tables;
    const room = Math.floor((reader.size - tables.symbols) / symbolSize);
    this.count = Math.max(0, Math.min(Math.max(tables.hash?.symbolCount ?? 0, tables.count), maximumSymbols, room));
  }

  /**
   * The symbol that a request for this name, and version, is bound to. As in glibc's elf/dl-lookup.c (check_match,
   * do_lookup_x): a version asked for matches that version, hidden or not, or a symbol without one; without a version
   * asked for the base or first version matches, else the only default one; local and hidden symbols never do.
   */
  lookup(name: string, version?: string): DynamicSymbol | undefined {
    const index = this.#find(name, version);
    const entry = index === undefined ? undefined : this.#entry(index);
    return index === undefined || entry === undefined || !isVisible(entry, 0) ? undefined : this.#symbol(index, entry, 0, name);
  }

  /** Every symbol, in the file's order; those whose name lies outside of the string table are left out. */
  *all(): Generator<DynamicSymbol> {
    for (const { index, data, at } of this.#entries()) {
      const name = this.#name(data.getUint32(at, true));
      if (name !== undefined) {
        yield this.#symbol(index, data, at, name);
      }
    }
  }

  /** Names that others can bind to. A name that stands there in several versions is given once. */
  *exportedNames(): Generator<string> {
    const seen = this.#tables.versions().definitions.length === 0 ? undefined : new Set<string>();
    for (const { data, at } of this.#entries()) {
      if (isDefinition(data, at) && isVisible(data, at)) {
        const name = this.#name(data.getUint32(at, true));
        if (name !== undefined && name !== "" && seen?.has(name) !== true) {
          seen?.add(name);
          yield name;
        }
      }
    }
  }

  /** Symbols that other libraries must provide. */
  *undefinedSymbols(): Generator<DynamicSymbol> {
    for (const { index, data, at } of this.#entries()) {
      if (data.getUint16(at + 6, true) === 0 && data.getUint8(at + 4) >> 4 !== 0) {
        const name = this.#name(data.getUint32(at, true));
        if (name !== undefined && name !== "") {
          yield this.#symbol(index, data, at, name);
        }
      }
    }
  }

  /** The name of a symbol that another library must provide; undefined for one that is defined here. */
  undefinedName(index: number): string | undefined {
    const entry = index > 0 && index < this.count ? this.#entry(index) : undefined;
    return entry === undefined || entry.getUint16(6, true) !== 0 ? undefined : this.#name(entry.getUint32(0, true));
  }

  #find(name: string, version: string | undefined): number | undefined {
    const candidates = this.#tables.hash?.candidates(name) ?? [];
    let defaults = 0;
    let onlyDefault: number | undefined;
    for (const index of candidates) {
      const entry = index < this.count ? this.#entry(index) : undefined;
      if (entry === undefined || !isDefinition(entry, 0) || !bindableTypes.has(entry.getUint8(4) & 15) || this.#name(entry.getUint32(0, true)) !== name) {
        continue;
      }
      const versionIndex = this.#versionIndex(index);
      if (versionIndex === undefined) {
        return index;
      }
      const number = versionIndex & 0x7fff;
      const hidden = (versionIndex & 0x8000) !== 0;
      if (version === undefined) {
        if (number < 3) {
          return index;
        }
        if (!hidden) {
          defaults += 1;
          onlyDefault ??= index;
        }
      } else {
        const own = this.#tables.versions().byIndex.get(number)?.name;
        if (own === version || (own === undefined && !hidden)) {
          return index;
        }
      }
    }
    return defaults === 1 ? onlyDefault : undefined;
  }

  *#entries(): Generator<{ readonly index: number; readonly data: DataView; readonly at: number }> {
    for (let first = 0; first < this.count; first += listingWindow) {
      const count = Math.min(listingWindow, this.count - first);
      const data = this.#reader.read(this.#tables.symbols + first * symbolSize, count * symbolSize);
      if (data === undefined) {
        return;
      }
      // The first symbol of the table is none.
      for (let index = first === 0 ? 1 : 0; index < count; index += 1) {
        yield { index: first + index, data, at: index * symbolSize };
      }
    }
  }

  #entry(index: number): DataView | undefined {
    if (this.#singleReads < singleReads) {
      this.#singleReads += 1;
      return this.#reader.read(this.#tables.symbols + index * symbolSize, symbolSize);
    }
    const size = this.count * symbolSize;
    if (this.#kept === "not-read") {
      this.#kept = size > maximumKeptTable ? undefined : this.#reader.read(this.#tables.symbols, size);
    }
    const kept = this.#kept;
    return kept === undefined ? this.#reader.read(this.#tables.symbols + index * symbolSize, symbolSize) : new DataView(kept.buffer, kept.byteOffset + index * symbolSize, symbolSize);
  }

  #name(offset: number): string | undefined {
    const { strings, stringsSize } = this.#tables;
    if (offset >= stringsSize) {
      return undefined;
    }
    if (this.#singleReads < singleReads && this.#strings === "not-read") {
      return this.#reader.readBytesToNul(strings + offset, Math.min(stringsSize - offset, maximumNameLength))?.toString("latin1");
    }
    if (this.#strings === "not-read") {
      const read = stringsSize > maximumStrings ? undefined : this.#reader.read(strings, Math.min(stringsSize, this.#reader.size - strings));
      this.#strings = read === undefined ? undefined : Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    }
    const text = this.#strings;
    if (text === undefined) {
      return this.#reader.readBytesToNul(strings + offset, Math.min(stringsSize - offset, maximumNameLength))?.toString("latin1");
    }
    const end = offset < text.length ? text.indexOf(0, offset) : -1;
    return end < 0 || end - offset > maximumNameLength ? undefined : text.toString("latin1", offset, end);
  }

  #versionIndex(index: number): number | undefined {
    if (this.#versionIndexes === "not-read") {
      const start = this.#tables.versionIndexes;
      this.#versionIndexes = start === undefined ? undefined : this.#reader.read(start, this.count * 2);
    }
    const indexes = this.#versionIndexes;
    return indexes === undefined || index * 2 + 2 > indexes.byteLength ? undefined : indexes.getUint16(index * 2, true);
  }

  #symbol(index: number, data: DataView, at: number, name: string): DynamicSymbol {
    const information = data.getUint8(at + 4);
    const version = this.#version(index);
    return {
      name,
      binding: bindings.get(information >> 4) ?? "other",
      type: types.get(information & 15) ?? "other",
      visibility: visibilities[data.getUint8(at + 5) & 3] ?? "default",
      defined: data.getUint16(at + 6, true) !== 0,
      value: readUint64(data, at + 8),
      size: readUint64(data, at + 16),
      ...(version === undefined ? {} : { version }),
    };
  }

  #version(index: number): DynamicSymbol["version"] {
    const number = this.#versionIndex(index);
    if (number === undefined || (number & 0x7fff) < 1) {
      return undefined;
    }
    if (!this.#versionNames.has(number)) {
      const found: VersionName | undefined = this.#tables.versions().byIndex.get(number & 0x7fff);
      this.#versionNames.set(number, found === undefined ? undefined : { ...found, hidden: found.hidden || (number & 0x8000) !== 0 });
    }
    return this.#versionNames.get(number);
  }
}

/** A symbol at value 0 counts as one only when it is absolute or thread-local. */
function isDefinition(data: DataView, at: number): boolean {
  const section = data.getUint16(at + 6, true);
  const valued = data.getUint32(at + 8, true) !== 0 || data.getUint32(at + 12, true) !== 0;
  return section !== 0 && (valued || section === 0xfff1 || (data.getUint8(at + 4) & 15) === 6);
}

function isVisible(data: DataView, at: number): boolean {
  const binding = data.getUint8(at + 4) >> 4;
  const visibility = data.getUint8(at + 5) & 3;
  return (binding === 1 || binding === 2 || binding === 10) && (visibility === 0 || visibility === 3);
}
