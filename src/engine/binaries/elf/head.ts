import type { VersionNeed } from "../../model/index.ts";
import type { DynamicSymbol, LibraryImage } from "../library.ts";
import { openReader } from "./elf-file.ts";
import type { GnuHashTable } from "./hash-table.ts";
import { findHash, findNames, findVersions, isHashMoved, isMovedBehind, mayHoldVersions } from "./head-scan.ts";
import type { FoundNames } from "./head-scan.ts";
import { dynamicSegment, loadSegment, readHeader } from "./header.ts";
import { RangeReader } from "./range-reader.ts";
import { SymbolTable } from "./symbols.ts";

/** Tables that lie deeper than this are not looked for: the largest known, of a debug build, end at 80 MB. */
const deepest = 128 * 1024 * 1024;

export interface NeedMore {
  readonly needMore: true;
}

/**
 * What the first bytes of a library tell of its symbols. Linkers put the hash table, the symbols and their names
 * first, but the dynamic segment that says where they are, and the section headers, last; so the tables are searched,
 * and accepted only where hashes, symbols and names agree. patchelf moves symbols and names to the end when it
 * lengthens an RPATH and leaves the hash table behind; then presence by hash is what can be told.
 *
 * undefined: no ELF file that is read, or its tables are not at its head.
 */
export function imageFromHead(bytes: Uint8Array, name: string): LibraryImage | NeedMore | undefined {
  const reader = new RangeReader(bytes.length, (offset, length) => bytes.subarray(offset, offset + length));
  const header = bytes.length < 64 ? undefined : readHeader(name, reader, false);
  if (header === undefined || "ok" in header) {
    // Program headers that lie further on are the only thing that may be missing.
    return header === undefined || (header.problem === "damaged" && header.offset === 32 && bytes.length < deepest) ? { needMore: true } : undefined;
  }
  const dynamic = header.segments.find((one) => one.type === dynamicSegment);
  if (dynamic === undefined) {
    return undefined;
  }
  if (reader.has(dynamic.offset, dynamic.fileSize)) {
    const opened = openReader(name, reader, false);
    if (opened.ok) {
      return opened.elf;
    }
  }
  const first = header.segments.find((one) => one.type === loadSegment);
  const limit = Math.min(first === undefined ? deepest : first.offset + first.fileSize, deepest);
  const complete = bytes.length >= limit;
  const head = bytes.subarray(0, Math.min(bytes.length, limit));
  const scanned = new RangeReader(head.length, (offset, length) => head.subarray(offset, offset + length));
  const hash = findHash(scanned, head);
  if (hash === undefined) {
    return complete || isHashMoved(head, header.programHeadersEnd) ? undefined : { needMore: true };
  }
  const names = findNames(scanned, head, hash);
  if (names !== undefined && (complete || mayHoldVersions(head, hash, names))) {
    return new HeadImage(name, header.machine, scanned, head, hash, names);
  }
  return complete || (names === undefined && isMovedBehind(head, hash)) ? new HashImage(name, header.machine, hash) : { needMore: true };
}

/** What is not known while the dynamic segment was not read. */
abstract class PartialImage {
  readonly path: string;
  readonly machine: number;
  readonly soname = undefined;
  readonly needed = undefined;
  readonly rpath: readonly string[] = [];
  readonly runpath: readonly string[] = [];

  constructor(path: string, machine: number) {
    this.path = path;
    this.machine = machine;
  }
}

/** Symbols and names as they stand at the head of a library. */
class HeadImage extends PartialImage implements LibraryImage {
  readonly exportsKnownBy = "names";
  readonly #symbols: SymbolTable;
  readonly #needs: readonly VersionNeed[];
  readonly #definitions: readonly string[];

  constructor(path: string, machine: number, reader: RangeReader, head: Uint8Array, hash: GnuHashTable, names: FoundNames) {
    super(path, machine);
    const { versions, indexes } = findVersions(reader, head, hash, names);
    this.#needs = versions.needs;
    this.#definitions = versions.definitions;
    this.#symbols = new SymbolTable(reader, { symbols: names.symbols, strings: names.strings, stringsSize: head.length - names.strings, hash, count: names.count, versionIndexes: indexes, versions: () => versions });
  }

  defines(name: string, version?: string): boolean {
    return this.#symbols.lookup(name, version) !== undefined;
  }

  exportedNames(): Iterable<string> {
    return this.#symbols.exportedNames();
  }

  exportedNamesContaining(text: string): Iterable<string> {
    return this.#symbols.exportedNamesContaining(text);
  }

  versionDefinitions(): readonly string[] {
    return this.#definitions;
  }

  versionNeeds(): readonly VersionNeed[] {
    return this.#needs;
  }

  imports(): Iterable<DynamicSymbol> {
    return this.#symbols.undefinedSymbols();
  }
}

/** Only a hash table: names can be asked for, not listed. */
class HashImage extends PartialImage implements LibraryImage {
  readonly exportsKnownBy = "hashes";
  readonly #hash: GnuHashTable;

  constructor(path: string, machine: number, hash: GnuHashTable) {
    super(path, machine);
    this.#hash = hash;
  }

  defines(name: string): boolean {
    return this.#hash.mayHold(name);
  }

  exportedNames(): Iterable<string> {
    return [];
  }

  versionDefinitions(): readonly string[] {
    return [];
  }

  versionNeeds(): readonly VersionNeed[] {
    return [];
  }

  imports(): undefined {
    return undefined;
  }
}
