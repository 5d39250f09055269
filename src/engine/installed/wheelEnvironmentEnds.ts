import { memberTail } from "../binaries/archive/index.ts";
import type { Archive, Member, MemberTail } from "../binaries/archive/index.ts";
import { openElfRanges } from "../binaries/elf/index.ts";
import type { LibraryImage } from "../binaries/library.ts";

/** Packed bytes of an end that are fetched at most; libtorch_python of torch 2.14.1 needs 1.6 MB, libtorch_cpu 1 MB. */
const largestTail = 8 * 1024 * 1024;
const largestHead = 64 * 1024 * 1024;
/** patchelf puts the segment that it adds at the very end; nothing of the linker's follows it. */
const slack = 64;
const maximumSegments = 256;
const maximumSections = 1024;

const sectionTypes = { dynamicSymbols: 11, gnuHash: 0x6ffffff6, versions: 0x6fffffff, versionNeeds: 0x6ffffffe, versionDefinitions: 0x6ffffffd };

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  /** For version records: how many. */
  readonly info: number;
}

/**
 * Where the part begins that patchelf appended when it lengthened a path in the dynamic segment: names and hash table, or
 * all tables, then lie there. undefined for a file as its linker wrote it. `head` begins the file.
 */
export function appendedPart(head: Uint8Array, size: number): number | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length < 64 || view.getUint32(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1) {
    return undefined;
  }
  const table = Number(view.getBigUint64(32, true));
  const entry = view.getUint16(54, true);
  const count = Math.min(view.getUint16(56, true), maximumSegments);
  let last: { readonly offset: number; readonly end: number } | undefined;
  for (let index = 0; index < count && table + (index + 1) * entry <= head.length && entry >= 56; index += 1) {
    const at = table + index * entry;
    const offset = Number(view.getBigUint64(at + 8, true));
    const end = offset + Number(view.getBigUint64(at + 32, true));
    if (view.getUint32(at, true) === 1 && (last === undefined || end > last.end)) {
      last = { offset, end };
    }
  }
  const sections = Number(view.getBigUint64(40, true));
  return last !== undefined && last.offset > 0 && last.end <= size && last.end >= size - slack && sections > 0 && sections < size ? Math.min(last.offset, sections) : undefined;
}

/**
 * The export table of a library that patchelf has changed: symbols are at its head, their names and hashes at its end.
 * Both ends are unpacked, not what lies between, which is all the code. undefined when the tables are not so.
 */
export async function imageFromEnds(archive: Archive, member: Member, name: string, head: Uint8Array, appended: number): Promise<LibraryImage | undefined> {
  const tail = await memberTail(archive, member, appended, largestTail);
  if (tail === undefined) {
    return undefined;
  }
  const sections = readSections(head, tail);
  const one = (type: number): Section | undefined => sections.find((section) => section.type === type);
  const symbols = one(sectionTypes.dynamicSymbols);
  const hash = one(sectionTypes.gnuHash);
  const strings = symbols === undefined ? undefined : sections[symbols.link];
  if (symbols === undefined || hash === undefined || strings === undefined) {
    return undefined;
  }
  const versions = one(sectionTypes.versions);
  const needs = one(sectionTypes.versionNeeds);
  const definitions = one(sectionTypes.versionDefinitions);
  const tables = [hash, symbols, strings, versions, needs, definitions];
  const atHead = tables.flatMap((table) => (table !== undefined && table.offset < tail.offset ? [table.offset + table.size] : []));
  const length = Math.max(head.length, ...atHead);
  if (length > Math.min(largestHead, tail.offset)) {
    return undefined;
  }
  const start = length > head.length ? await archive.head(member, length) : head;
  const content = (table: Section | undefined): Uint8Array | undefined => {
    if (table === undefined) {
      return undefined;
    }
    const [bytes, at] = table.offset >= tail.offset ? [tail.bytes, table.offset - tail.offset] : [start, table.offset];
    return at + table.size <= bytes.length ? bytes.subarray(at, at + table.size) : undefined;
  };
  const [hashes, entries, names] = [content(hash), content(symbols), content(strings)];
  if (hashes === undefined || entries === undefined || names === undefined) {
    return undefined;
  }
  const file = assemble(head, [
    { tag: 0x6ffffef5, content: hashes },
    { tag: 6, content: entries, further: [[11, 24]] },
    { tag: 5, content: names, further: [[10, names.length]] },
    { tag: 0x6ffffff0, content: content(versions) },
    { tag: 0x6ffffffe, content: content(needs), further: [[0x6fffffff, needs?.info ?? 0]] },
    { tag: 0x6ffffffc, content: content(definitions), further: [[0x6ffffffd, definitions?.info ?? 0]] },
  ]);
  const opened = openElfRanges(name, file.length, (offset, wanted) => file.subarray(offset, offset + wanted));
  return opened.ok && agrees(opened.elf) ? withoutDynamic(opened.elf) : undefined;
}

/** Every exported name must be found through the hash table: then no byte of names and hashes is wrong. */
function agrees(elf: LibraryImage): boolean {
  for (const name of elf.exportedNames()) {
    if (!elf.defines(name)) {
      return false;
    }
  }
  return true;
}

function readSections(head: Uint8Array, tail: MemberTail): readonly Section[] {
  const header = new DataView(head.buffer, head.byteOffset, 64);
  const table = Number(header.getBigUint64(40, true)) - tail.offset;
  const entry = header.getUint16(58, true);
  const count = Math.min(header.getUint16(60, true), maximumSections);
  const view = new DataView(tail.bytes.buffer, tail.bytes.byteOffset, tail.bytes.byteLength);
  if (entry < 64 || table < 0 || table + entry * count > view.byteLength) {
    return [];
  }
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * entry;
    return { type: view.getUint32(at + 4, true), offset: Number(view.getBigUint64(at + 24, true)), size: Number(view.getBigUint64(at + 32, true)), link: view.getUint32(at + 40, true), info: view.getUint32(at + 44, true) };
  });
}

interface Table {
  readonly tag: number;
  readonly content: Uint8Array | undefined;
  readonly further?: readonly (readonly [tag: number, value: number])[];
}

/** An ELF file of nothing but the tables, one after the other, so that the reader of ELF files reads them. */
function assemble(head: Uint8Array, tables: readonly Table[]): Uint8Array {
  const present = tables.flatMap(({ tag, content, further }) => (content === undefined ? [] : [{ tag, content, further: further ?? [] }]));
  const entries = present.reduce((sum, one) => sum + 1 + one.further.length, 1);
  const dynamicAt = 64 + 2 * 56;
  let at = dynamicAt + entries * 16;
  const placed = present.map((one) => {
    const offset = Math.ceil(at / 8) * 8;
    at = offset + one.content.length;
    return { ...one, offset };
  });
  const file = new Uint8Array(at);
  const view = new DataView(file.buffer);
  file.set(head.subarray(0, 64));
  view.setBigUint64(32, 64n, true);
  view.setBigUint64(40, 0n, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 2, true);
  view.setUint16(60, 0, true);
  view.setUint16(62, 0, true);
  const segment = (index: number, type: number, offset: number, size: number): void => {
    const start = 64 + index * 56;
    view.setUint32(start, type, true);
    view.setUint32(start + 4, 4, true);
    for (const [field, value] of [[8, offset], [16, offset], [24, offset], [32, size], [40, size], [48, 8]] as const) {
      view.setBigUint64(start + field, BigInt(value), true);
    }
  };
  segment(0, 1, 0, file.length);
  segment(1, 2, dynamicAt, entries * 16);
  const dynamic = placed.flatMap((one): readonly (readonly [number, number])[] => [[one.tag, one.offset], ...one.further]);
  for (const [index, [tag, value]] of dynamic.entries()) {
    view.setBigUint64(dynamicAt + index * 16, BigInt(tag), true);
    view.setBigUint64(dynamicAt + index * 16 + 8, BigInt(value), true);
  }
  for (const one of placed) {
    file.set(one.content, one.offset);
  }
  return file;
}

/** The dynamic segment was not read: what a library is called and what it needs is not known, rather than nothing. */
function withoutDynamic(elf: LibraryImage): LibraryImage {
  return {
    path: elf.path,
    machine: elf.machine,
    soname: undefined,
    needed: undefined,
    rpath: [],
    runpath: [],
    exportsKnownBy: elf.exportsKnownBy,
    defines: (symbol, version) => elf.defines(symbol, version),
    exportedNames: () => elf.exportedNames(),
    versionDefinitions: () => elf.versionDefinitions(),
    versionNeeds: () => elf.versionNeeds(),
    imports: () => elf.imports(),
  };
}
