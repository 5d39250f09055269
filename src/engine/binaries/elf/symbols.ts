import type { DynamicSymbol } from "../library.ts";
import { maximumSymbols } from "./hash-table.ts";
import type { SymbolHashTable } from "./hash-table.ts";
import { readUint64 } from "./range-reader.ts";
import type { RangeReader } from "./range-reader.ts";
import { keepTable, owned } from "./table-room.ts";
import type { TableKeeper } from "./table-room.ts";
import type { VersionName, Versions } from "./versions.ts";

const symbolSize = 24;
/** Mangled names of deep templates reach some 100 KB. */
const maximumNameLength = 1024 * 1024;
/** Bytes of names that one listing reads: many symbols that all name one long text end it. */
const maximumListing = 128 * 1024 * 1024;
/** Symbols that are read at once when all are listed: 1.5 MB. */
const listingWindow = 65536;
/** After so many single reads the next ones come from the whole tables. */
const singleReads = 24;
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
export class SymbolTable implements TableKeeper {
  readonly count: number;
  /** How many there should be; more than `count` in a damaged file. */
  readonly claimed: number;
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
    this.claimed = Math.max(tables.hash?.symbolCount ?? 0, tables.count);
    this.count = Math.max(0, Math.min(this.claimed, maximumSymbols, room));
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
  all(): Generator<DynamicSymbol> {
    return this.#select(() => true);
  }

  /** Symbols that other libraries must provide. */
  undefinedSymbols(): Generator<DynamicSymbol> {
    return this.#select((data, at) => data.getUint16(at + 6, true) === 0 && data.getUint8(at + 4) >> 4 !== 0 && data.getUint32(at, true) !== 0);
  }

  /** Names that others can bind to. A name that stands there in several versions is given once. */
  *exportedNames(): Generator<string> {
    const seen = this.#tables.versions().definitions.length === 0 ? undefined : new Set<string>();
    const budget = { left: maximumListing };
    for (let first = 0; first < this.count; first += listingWindow) {
      const data = this.#window(first);
      for (let at = 0; data !== undefined && at < data.byteLength; at += symbolSize) {
        const name = isDefinition(data, at) && isVisible(data, at) ? this.#name(data.getUint32(at, true), budget) : undefined;
        if (name !== undefined && name !== "" && seen?.has(name) !== true) {
          seen?.add(name);
          yield name;
        }
      }
    }
  }

  /** Exported names in which a text stands: found in the string table, so that only those few are made into texts. */
  *exportedNamesContaining(text: string): Generator<string> {
    const places = this.#placesOf(text);
    const budget = { left: maximumListing };
    const seen = new Set<string>();
    for (let first = 0; places.length > 0 && first < this.count; first += listingWindow) {
      const data = this.#window(first);
      for (let at = 0; data !== undefined && at < data.byteLength; at += symbolSize) {
        const offset = data.getUint32(at, true);
        if (isWithin(places, offset) && isDefinition(data, at) && isVisible(data, at)) {
          const name = this.#name(offset, budget);
          if (name !== undefined && !seen.has(name)) {
            seen.add(name);
            yield name;
          }
        }
      }
    }
  }

  /**
   * Where a name can begin that holds the text: from the beginning of each string that does to the last place of the
   * text in it, because linkers store a name that ends a longer one within it.
   */
  #placesOf(text: string): readonly { readonly from: number; readonly to: number }[] {
    const strings = this.#stringTable();
    const wanted = Buffer.from(text, "latin1");
    const places: { from: number; to: number }[] = [];
    let end = 0;
    for (let at = strings?.indexOf(wanted) ?? -1; strings !== undefined && at >= 0 && wanted.length > 0; at = strings.indexOf(wanted, end)) {
      end = strings.indexOf(0, at);
      if (end < 0) {
        break;
      }
      places.push({ from: strings.lastIndexOf(0, at) + 1, to: strings.lastIndexOf(wanted, end - wanted.length) });
    }
    return places;
  }

  /** Names of those of the symbols, given by index, that other libraries must provide. */
  *undefinedNames(indexes: Iterable<number>): Generator<string> {
    const budget = { left: maximumListing };
    for (const index of indexes) {
      const entry = index > 0 && index < this.count ? this.#entry(index) : undefined;
      const name = entry === undefined || entry.getUint16(6, true) !== 0 ? undefined : this.#name(entry.getUint32(0, true), budget);
      if (name !== undefined && name !== "") {
        yield name;
      }
    }
  }

  #find(name: string, version: string | undefined): number | undefined {
    const candidates = this.#tables.hash?.candidates(name) ?? [];
    const wanted = Buffer.from(`${name}\0`, "latin1");
    let defaults = 0;
    let onlyDefault: number | undefined;
    for (const index of candidates) {
      const entry = index < this.count ? this.#entry(index) : undefined;
      if (entry === undefined || !isDefinition(entry, 0) || !bindableTypes.has(entry.getUint8(4) & 15) || !this.#isNamed(entry.getUint32(0, true), wanted)) {
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

  *#select(wanted: (data: DataView, at: number) => boolean): Generator<DynamicSymbol> {
    const budget = { left: maximumListing };
    for (let first = 0; first < this.count; first += listingWindow) {
      const data = this.#window(first);
      // The first symbol of the table is none.
      for (let at = first === 0 ? symbolSize : 0; data !== undefined && at < data.byteLength; at += symbolSize) {
        const name = wanted(data, at) ? this.#name(data.getUint32(at, true), budget) : undefined;
        if (name !== undefined) {
          yield this.#symbol(first + at / symbolSize, data, at, name);
        }
      }
    }
  }

  #window(first: number): DataView | undefined {
    return this.#reader.read(this.#tables.symbols + first * symbolSize, Math.min(listingWindow, this.count - first) * symbolSize);
  }

  forgetTables(): void {
    this.#versionIndexes = "not-read";
    this.#strings = "not-read";
    this.#kept = "not-read";
  }

  #keep(table: DataView | undefined): DataView | undefined {
    keepTable(this, table?.byteLength ?? 0);
    return owned(table);
  }

  #entry(index: number): DataView | undefined {
    if (this.#singleReads < singleReads) {
      this.#singleReads += 1;
      return this.#reader.read(this.#tables.symbols + index * symbolSize, symbolSize);
    }
    const size = this.count * symbolSize;
    if (this.#kept === "not-read") {
      this.#kept = size > maximumKeptTable ? undefined : this.#keep(this.#reader.read(this.#tables.symbols, size));
    }
    const kept = this.#kept;
    return kept === undefined ? this.#reader.read(this.#tables.symbols + index * symbolSize, symbolSize) : new DataView(kept.buffer, kept.byteOffset + index * symbolSize, symbolSize);
  }

  #name(offset: number, budget: { left: number }): string | undefined {
    const text = this.#stringTable();
    if (text === undefined || offset >= text.length || budget.left <= 0) {
      return undefined;
    }
    const end = text.indexOf(0, offset);
    budget.left -= (end < 0 ? text.length : end) - offset;
    return end < 0 || end - offset > maximumNameLength ? undefined : text.toString("latin1", offset, end);
  }

  /** Compares in place; `wanted` ends with a NUL. */
  #isNamed(offset: number, wanted: Buffer): boolean {
    const { strings, stringsSize } = this.#tables;
    if (offset + wanted.length > stringsSize) {
      return false;
    }
    if (this.#singleReads < singleReads && this.#strings === "not-read") {
      const found = this.#reader.read(strings + offset, wanted.length);
      return found !== undefined && wanted.equals(new Uint8Array(found.buffer, found.byteOffset, found.byteLength));
    }
    const text = this.#stringTable();
    return text !== undefined && offset + wanted.length <= text.length && text.compare(wanted, 0, wanted.length, offset, offset + wanted.length) === 0;
  }

  #stringTable(): Buffer | undefined {
    if (this.#strings === "not-read") {
      const read = this.#keep(this.#reader.read(this.#tables.strings, Math.min(this.#tables.stringsSize, this.#reader.size - this.#tables.strings)));
      this.#strings = read === undefined ? undefined : Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    }
    return this.#strings;
  }

  #versionIndex(index: number): number | undefined {
    if (this.#versionIndexes === "not-read") {
      const start = this.#tables.versionIndexes;
      this.#versionIndexes = start === undefined ? undefined : this.#keep(this.#reader.read(start, this.count * 2));
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

/** `places` in rising order. */
function isWithin(places: readonly { readonly from: number; readonly to: number }[], offset: number): boolean {
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((places[middle]?.from ?? 0) <= offset) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const place = places[low];
  return place !== undefined && place.from <= offset && offset <= place.to;
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
