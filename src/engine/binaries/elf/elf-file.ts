import type { Files, VersionNeed } from "../../model/index.ts";
import type { DynamicSymbol, LibraryImage } from "../library.ts";
import { readDynamic, tag } from "./dynamic.ts";
import type { DynamicEntries } from "./dynamic.ts";
import { GnuHashTable, SysvHashTable } from "./hash-table.ts";
import { dynamicSegment, fileOffset, interpreterSegment, noteSegment, readHeader } from "./header.ts";
import type { ElfHeader, ElfType, Segment } from "./header.ts";
import { readNotes } from "./notes.ts";
import type { ElfNote } from "./notes.ts";
import { RangeReader, maximumRequest } from "./range-reader.ts";
import type { FetchRange } from "./range-reader.ts";
import { damaged, hex } from "./refusal.ts";
import type { ElfFailure } from "./refusal.ts";
import { relocatedSymbols } from "./relocations.ts";
import { readSections } from "./sections.ts";
import type { Section } from "./sections.ts";
import { SymbolTable } from "./symbols.ts";
import { readVersions } from "./versions.ts";
import type { Versions } from "./versions.ts";

/** Of search paths and comments. */
const maximumText = 64 * 1024;
/** Of names of libraries and versions. */
const maximumName = 4096;
const maximumProblems = 32;
const sectionTypeNote = 7;
const sectionTypeDynamicSymbols = 11;

export type ElfResult = { readonly ok: true; readonly elf: ElfFile } | ElfFailure;

/** Opens a file as ELF64 little-endian. */
export function openElf(path: string, files: Files): ElfResult {
  const status = files.status(path);
  if (status?.kind !== "file") {
    return { ok: false, problem: "unreadable", message: `${path} is not a file that can be read.` };
  }
  return openElfRanges(path, status.size, (offset, length) => files.readBytes(path, offset, length));
}

/** The same for bytes that are somewhere else: a member of an archive, unpacked. `path` is what the image calls itself. */
export function openElfRanges(path: string, size: number, fetch: FetchRange): ElfResult {
  return openReader(path, new RangeReader(size, fetch), true);
}

/** `whole` false: only the head of the file is there, and its end is not missed. */
export function openReader(path: string, reader: RangeReader, whole: boolean): ElfResult {
  const header = readHeader(path, reader, whole);
  if ("ok" in header) {
    return header;
  }
  const dynamic = readDynamic(reader, header.segments);
  const segment = header.segments.find((one) => one.type === dynamicSegment);
  if (segment !== undefined && dynamic === undefined) {
    return damaged(path, `its dynamic segment, ${segment.fileSize} bytes from ${hex(segment.offset)}, cannot be read`, segment.offset);
  }
  const elf = new ElfFile(path, reader, header, dynamic);
  const problem = elf.symbolTableProblem();
  return problem === undefined ? { ok: true, elf } : damaged(path, problem.what, problem.offset);
}

/** One opened ELF file. All members answer from small reads, most of them lazily. */
export class ElfFile implements LibraryImage {
  readonly path: string;
  readonly exportsKnownBy = "names";
  readonly type: ElfType;
  readonly machine: number;
  readonly soname: string | undefined;
  readonly needed: readonly string[];
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** Every symbol is bound when the file is loaded, whatever dlopen is told. */
  readonly bindNow: boolean;
  /** The loader's default folders and cache are not searched for what it needs. */
  readonly noDefaultLib: boolean;
  /** It has a version for each symbol (DT_VERSYM). */
  readonly hasSymbolVersions: boolean;
  /** Its code must be changed when it is loaded, which hardened systems refuse. */
  readonly textRelocations: boolean;
  /** A program, though of type DYN. */
  readonly positionIndependentProgram: boolean;
  readonly segments: readonly Segment[];
  readonly #reader: RangeReader;
  readonly #header: ElfHeader;
  readonly #dynamic: DynamicEntries | undefined;
  readonly #problems = new Set<string>();
  /** File offset of the string table. */
  readonly #strings: number | undefined;
  #symbolTable: SymbolTable | undefined | "not-read" = "not-read";
  #versions: Versions | undefined;
  #sections: readonly Section[] | undefined;

  constructor(path: string, reader: RangeReader, header: ElfHeader, dynamic: DynamicEntries | undefined) {
    this.path = path;
    this.type = header.type;
    this.machine = header.machine;
    this.segments = header.segments;
    this.#reader = reader;
    this.#header = header;
    this.#dynamic = dynamic;
    this.#strings = this.#offsetOf(tag.strings);
    this.needed = (dynamic?.needed ?? []).flatMap((offset) => this.#textOf("DT_NEEDED", offset, maximumName) ?? []);
    this.soname = this.#textOf("DT_SONAME", this.#value(tag.soname));
    this.rpath = splitPath(this.#textOf("DT_RPATH", this.#value(tag.rpath)));
    this.runpath = splitPath(this.#textOf("DT_RUNPATH", this.#value(tag.runpath)));
    const flags = this.#value(tag.flags) ?? 0;
    const flags1 = this.#value(tag.flags1) ?? 0;
    this.bindNow = this.#value(tag.bindNow) !== undefined || (flags & 8) !== 0 || (flags1 & 1) !== 0;
    this.noDefaultLib = (flags1 & 0x800) !== 0;
    this.hasSymbolVersions = this.#value(tag.versionIndexes) !== undefined;
    this.textRelocations = this.#value(tag.textRelocations) !== undefined || (flags & 4) !== 0;
    this.positionIndependentProgram = (flags1 & 0x0800_0000) !== 0;
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#reader.size;
  }

  /** Bytes read so far. */
  get bytesRead(): number {
    return this.#reader.bytesRead;
  }

  /** Sentences about damage that was met so far and that costs only a part: a name outside of the string table. */
  get problems(): readonly string[] {
    return [...this.#problems];
  }

  /** The program that loads it: "/lib64/ld-linux-x86-64.so.2"; undefined for most libraries. */
  get interpreter(): string | undefined {
    const segment = this.segments.find((one) => one.type === interpreterSegment);
    return segment === undefined ? undefined : this.#reader.readBytesToNul(segment.offset, Math.min(segment.fileSize, maximumText))?.toString("utf8");
  }

  /** The exported symbol that a request for this mangled name binds to, found through the hash table. */
  lookup(name: string, version?: string): DynamicSymbol | undefined {
    return this.#symbols()?.lookup(name, version);
  }

  defines(name: string, version?: string): boolean {
    return this.lookup(name, version) !== undefined;
  }

  /** Every symbol of the dynamic table, defined and undefined. */
  symbols(): Iterable<DynamicSymbol> {
    return this.#symbols()?.all() ?? [];
  }

  exportedNames(): Iterable<string> {
    return this.#symbols()?.exportedNames() ?? [];
  }

  exportedNamesContaining(text: string): Iterable<string> {
    return this.#symbols()?.exportedNamesContaining(text) ?? [];
  }

  imports(): Iterable<DynamicSymbol> {
    return this.#symbols()?.undefinedSymbols() ?? [];
  }

  versionNeeds(): readonly VersionNeed[] {
    return this.#readVersions().needs;
  }

  versionDefinitions(): readonly string[] {
    return this.#readVersions().definitions;
  }

  /**
   * Names of undefined symbols in the order in which the loader looks them up when it binds all at once, each once:
   * the first that nobody provides and that is not weak is the one it names. It relocates dependencies before the
   * libraries that need them.
   */
  relocationOrder(): readonly string[] {
    const symbols = this.#symbols();
    if (symbols === undefined) {
      return [];
    }
    const indexes = new Set<number>();
    for (const index of this.#relocatedSymbols()) {
      if (index < symbols.count) {
        indexes.add(index);
      }
    }
    return [...new Set(symbols.undefinedNames(indexes))];
  }

  /** All notes: of the note segments, or of note sections in a file without segments. */
  notes(): readonly ElfNote[] {
    const segments = this.segments.filter((one) => one.type === noteSegment).map((one) => ({ offset: one.offset, size: one.fileSize, alignment: one.alignment }));
    return readNotes(this.#reader, segments.length > 0 ? segments : this.sections().filter((one) => one.type === sectionTypeNote));
  }

  /** Strings of .comment, each once: the compilers and linkers that made the file's parts. */
  comment(): readonly string[] {
    const section = this.section(".comment");
    const bytes = section === undefined ? undefined : this.bytes(section.offset, Math.min(section.size, maximumText));
    const texts = bytes === undefined ? [] : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").split("\0");
    return [...new Set(texts.filter((text) => text !== ""))];
  }

  /** Empty in files stripped of section headers. */
  sections(): readonly Section[] {
    this.#sections ??= readSections(this.#reader, this.#header.sections);
    return this.#sections;
  }

  /** The first section of that name. */
  section(name: string): Section | undefined {
    return this.sections().find((one) => one.name === name);
  }

  /** Bytes of the file, or undefined outside of it and for more than 64 MB. They may be a view: do not write to them. */
  bytes(offset: number, length: number): Uint8Array | undefined {
    const data = this.#reader.read(offset, length);
    return data === undefined ? undefined : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }

  /** Where the bytes of a virtual address stand in the file. */
  fileOffset(address: number): number | undefined {
    return fileOffset(this.segments, address);
  }

  /** Why no symbol can be looked up though the file says that it has some; `offset` is where the table should be. */
  symbolTableProblem(): { readonly what: string; readonly offset: number } | undefined {
    if (this.#dynamic === undefined) {
      return undefined;
    }
    for (const [key, what, size] of [[tag.strings, "string table", this.#value(tag.stringsSize) ?? 1], [tag.symbols, "symbol table", 24], [tag.gnuHash, "GNU hash table", 16], [tag.hash, "hash table", 8], [tag.versionIndexes, "symbol version table", 2]] as const) {
      const address = this.#value(key);
      const offset = address === undefined ? undefined : this.fileOffset(address);
      if (address !== undefined && offset === undefined) {
        return { what: `the address of its ${what}, ${hex(address)}, lies in none of its segments`, offset: this.segments.find((one) => one.type === dynamicSegment)?.offset ?? 0 };
      }
      if (offset !== undefined && (!this.#reader.has(offset, size) || size > maximumRequest)) {
        return { what: `its ${what} at ${hex(offset)}, said to have ${size} bytes or more, does not fit the file`, offset };
      }
    }
    const hash = this.#offsetOf(tag.gnuHash) ?? this.#offsetOf(tag.hash);
    const symbols = this.#offsetOf(tag.symbols);
    if (symbols === undefined || this.#strings === undefined) {
      return undefined;
    }
    const table = this.#symbols();
    if (table === undefined) {
      return { what: `its hash table at ${hex(hash ?? 0)} leads out of the file`, offset: hash ?? 0 };
    }
    return table.claimed > table.count ? { what: `its symbol table at ${hex(symbols)} is said to have ${table.claimed} entries, which do not fit the file`, offset: symbols } : undefined;
  }

  #value(key: number): number | undefined {
    return this.#dynamic?.values.get(key);
  }

  #offsetOf(key: number): number | undefined {
    const address = this.#value(key);
    return address === undefined ? undefined : this.fileOffset(address);
  }

  #report(problem: string): void {
    if (this.#problems.size < maximumProblems) {
      this.#problems.add(problem);
    }
  }

  /** A text of the string table; library names and paths are UTF-8. */
  #text(offset: number, limit: number): string | undefined {
    const start = this.#strings;
    const size = this.#value(tag.stringsSize) ?? Infinity;
    return start === undefined || offset >= size ? undefined : this.#reader.readBytesToNul(start + offset, Math.min(size - offset, limit))?.toString("utf8");
  }

  #textOf(what: string, offset: number | undefined, limit = maximumText): string | undefined {
    const text = offset === undefined ? undefined : this.#text(offset, limit);
    if (offset !== undefined && text === undefined) {
      this.#report(`The text of ${what}, said to be at ${offset} in the string table, lies outside of it.`);
    }
    return text;
  }

  #readVersions(): Versions {
    for (const [key, what] of [[tag.versionNeeds, "needed versions"], [tag.versionDefinitions, "version definitions"]] as const) {
      const address = this.#value(key);
      if (address !== undefined && this.fileOffset(address) === undefined) {
        this.#report(`The address of its ${what}, ${hex(address)}, lies in none of its segments.`);
      }
    }
    this.#versions ??= readVersions(this.#reader, { needs: this.#offsetOf(tag.versionNeeds), definitions: this.#offsetOf(tag.versionDefinitions) }, (offset) => this.#text(offset, maximumName), (problem) => this.#report(problem));
    return this.#versions;
  }

  #symbols(): SymbolTable | undefined {
    if (this.#symbolTable === "not-read") {
      this.#symbolTable = this.#openSymbols();
    }
    return this.#symbolTable;
  }

  #openSymbols(): SymbolTable | undefined {
    const symbols = this.#offsetOf(tag.symbols);
    const strings = this.#strings;
    const gnuHash = this.#offsetOf(tag.gnuHash);
    const sysvHash = this.#offsetOf(tag.hash);
    const hash = gnuHash !== undefined ? GnuHashTable.read(this.#reader, gnuHash) : sysvHash !== undefined ? SysvHashTable.read(this.#reader, sysvHash) : undefined;
    if (symbols === undefined || strings === undefined || (hash === undefined && (gnuHash ?? sysvHash) !== undefined)) {
      return undefined;
    }
    return new SymbolTable(this.#reader, {
      symbols,
      strings,
      stringsSize: this.#value(tag.stringsSize) ?? this.#reader.size - strings,
      hash,
      count: this.#countWithoutHash(symbols, hash),
      versionIndexes: this.#offsetOf(tag.versionIndexes),
      versions: () => this.#readVersions(),
    });
  }

  #relocatedSymbols(): Iterable<number> {
    return this.#dynamic === undefined ? [] : relocatedSymbols(this.#reader, this.#dynamic, (address) => this.fileOffset(address));
  }

  /**
   * GNU hash tables hold what is exported. A library that exports nothing has an empty one, which does not even tell
   * how many undefined symbols there are: then the section headers do, and the relocations for those that matter.
   */
  #countWithoutHash(symbols: number, hash: GnuHashTable | SysvHashTable | undefined): number {
    if (hash !== undefined && hash.symbolCount > (hash instanceof GnuHashTable ? hash.firstHashed : 0)) {
      return 0;
    }
    const section = this.sections().find((one) => one.type === sectionTypeDynamicSymbols && one.offset === symbols);
    let count = section === undefined ? 0 : Math.floor(section.size / 24);
    for (const index of this.#relocatedSymbols()) {
      count = Math.max(count, index + 1);
    }
    return count;
  }
}

/** An empty RPATH says nothing; an empty part of one is the working folder. */
function splitPath(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(":");
}
