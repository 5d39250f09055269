import * as path from "node:path";
import { ArchiveError } from "./errors.ts";
import { refuseBombs, refuseOverlaps } from "./hostile.ts";
import type { Member } from "./types.ts";

const maximumEntries = 200_000;
const maximumDirectory = 64 * 1024 * 1024;
const endRecordSize = 22;
const locatorSize = 20;
const wideRecordSize = 56;
const maximumComment = 65_535;
const entrySize = 46;
const narrowLimit = 0xffffffff;
/** What nearly all names are: nothing in them needs a closer look. */
const plainName = /^[\w+-][\w+.-]*(?:\/[\w+-][\w+.-]*)*$/;

/** Bytes that the reader of a directory asks for. */
export interface Wanted {
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads the central directory of a zip archive of `size` bytes. It yields the ranges that it needs and is handed their
 * bytes, so that it serves files and servers alike. Throws ArchiveError. Layout: PKWARE APPNOTE 6.3, sections 4.3 and
 * 4.5.3 (ZIP64).
 */
export function* readDirectory(archive: string, size: number): Generator<Wanted, ReadonlyMap<string, Member>, Uint8Array> {
  if (size < endRecordSize) {
    throw new ArchiveError(archive, "is no zip archive: it is too short for an end record");
  }
  const tailLength = Math.min(size, endRecordSize + maximumComment + locatorSize);
  const tailStart = size - tailLength;
  const tail = view(yield { offset: tailStart, length: tailLength });
  const end = findEndRecord(tail);
  if (end === undefined) {
    throw new ArchiveError(archive, "is no zip archive, or is cut off: no end record was found in its last bytes");
  }
  let place: DirectoryPlace = { disk: tail.readUInt16LE(end + 4), count: tail.readUInt16LE(end + 10), size: tail.readUInt32LE(end + 12), start: tail.readUInt32LE(end + 16), end: tailStart + end };
  const locator = end - locatorSize;
  if ((place.count === 0xffff || place.size === narrowLimit || place.start === narrowLimit) && locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50) {
    const offset = wide(tail, locator + 8);
    if (offset > size - wideRecordSize) {
      throw new ArchiveError(archive, "is damaged: its ZIP64 end record would lie outside the file", undefined, tailStart + locator);
    }
    const record = view(yield { offset, length: wideRecordSize });
    if (record.readUInt32LE(0) !== 0x06064b50) {
      throw new ArchiveError(archive, "is damaged: no ZIP64 end record is where its locator points", undefined, offset);
    }
    place = { disk: record.readUInt32LE(16), count: wide(record, 32), size: wide(record, 40), start: wide(record, 48), end: offset };
  }
  checkPlace(archive, place);
  if (place.size === 0) {
    return new Map();
  }
  // Where something was put in front of the archive, all offsets are short by its length.
  let shift = 0;
  let bytes = place.start + place.size <= place.end ? view(yield { offset: place.start, length: place.size }) : undefined;
  if (bytes === undefined || !startsEntry(bytes, 0)) {
    shift = place.end - place.size - place.start;
    bytes = shift > 0 ? view(yield { offset: place.start + shift, length: place.size }) : undefined;
  }
  if (bytes === undefined || !startsEntry(bytes, 0)) {
    throw new ArchiveError(archive, "is damaged: no directory is where its end record says", undefined, place.start);
  }
  return parseEntries(archive, bytes, { start: place.start + shift, shift, count: place.count, archiveSize: size });
}

interface DirectoryPlace {
  readonly disk: number;
  readonly count: number;
  readonly size: number;
  readonly start: number;
  /** Where the end record begins. */
  readonly end: number;
}

function checkPlace(archive: string, place: DirectoryPlace): void {
  if (place.disk !== 0 && place.disk !== 0xffff) {
    throw new ArchiveError(archive, "is one part of an archive that is split over several files", undefined, place.end);
  }
  if (place.size > place.end || place.start > place.end) {
    throw new ArchiveError(archive, "is damaged or cut off: its directory would lie outside the file", undefined, place.end);
  }
  if (place.size > maximumDirectory || place.count > maximumEntries) {
    throw new ArchiveError(archive, `has a directory of ${place.count} entries and ${place.size} bytes; above ${maximumEntries} entries or ${maximumDirectory} bytes it is not read`, undefined, place.end);
  }
}

/** The last end record whose comment reaches exactly to the end of the file; else the last one that fits into it. */
function findEndRecord(tail: Buffer): number | undefined {
  let fitting: number | undefined;
  for (let at = tail.length - endRecordSize; at >= 0; at -= 1) {
    at = tail.lastIndexOf("PK\u0005\u0006", at, "latin1");
    if (at < 0) {
      break;
    }
    const recordEnd = at + endRecordSize + tail.readUInt16LE(at + 20);
    if (recordEnd === tail.length) {
      return at;
    }
    if (recordEnd < tail.length) {
      fitting ??= at;
    }
  }
  return fitting;
}

interface Layout {
  readonly start: number;
  readonly shift: number;
  readonly count: number;
  readonly archiveSize: number;
}

function parseEntries(archive: string, bytes: Buffer, layout: Layout): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  let at = 0;
  let count = 0;
  while (startsEntry(bytes, at)) {
    count += 1;
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const next = at + entrySize + nameLength + extraLength + bytes.readUInt16LE(at + 32);
    const offset = layout.start + at;
    if (next > bytes.length || count > maximumEntries) {
      throw new ArchiveError(archive, "is damaged: an entry of its directory is cut off", undefined, offset);
    }
    const flags = bytes.readUInt16LE(at + 8);
    const written = decodeName(bytes, at + entrySize, nameLength);
    const name = safeName(written);
    if (name === undefined) {
      throw new ArchiveError(archive, "has a name that leads out of the archive or that no file can have", written, offset);
    }
    const sizes = readSizes(bytes, at, at + entrySize + nameLength, extraLength);
    if (sizes === undefined) {
      throw new ArchiveError(archive, "has sizes above 4 GB without the ZIP64 field that holds them", written, offset);
    }
    const member: Member = {
      name,
      size: sizes.size,
      compressedSize: sizes.compressedSize,
      method: bytes.readUInt16LE(at + 10),
      crc32: bytes.readUInt32LE(at + 16),
      headerOffset: sizes.headerOffset + layout.shift,
      // Bit 0: encrypted; bit 6: strong encryption; bit 13: local headers are masked.
      encrypted: (flags & 0x2041) !== 0,
      ...unixMode(bytes, at),
    };
    if (member.headerOffset + 30 + member.compressedSize > layout.start) {
      throw new ArchiveError(archive, `would lie outside the archive: ${member.compressedSize} bytes from byte ${member.headerOffset}`, written, offset);
    }
    if (members.has(name)) {
      throw new ArchiveError(archive, "occurs twice", written, offset);
    }
    if (!name.endsWith("/")) {
      members.set(name, member);
    }
    at = next;
  }
  if (at !== bytes.length) {
    throw new ArchiveError(archive, "is damaged: its directory does not consist of entries", undefined, layout.start + at);
  }
  // Without ZIP64 the count is kept in 16 bits, whatever the number.
  if ((count & 0xffff) !== (layout.count & 0xffff)) {
    throw new ArchiveError(archive, `is damaged: its end record says ${layout.count} entries, its directory has ${count}`, undefined, layout.start);
  }
  refuseOverlaps(archive, members, layout.start);
  refuseBombs(archive, members, layout.archiveSize);
  return members;
}

/** The upper half of the external attributes, where "version made by" names Unix (3) or macOS (19). APPNOTE 4.4.2 and 4.4.15. */
function unixMode(bytes: Buffer, at: number): { readonly mode?: number } {
  const system = bytes.readUInt8(at + 5);
  const mode = bytes.readUInt16LE(at + 40);
  return (system === 3 || system === 19) && mode !== 0 ? { mode } : {};
}

function startsEntry(bytes: Buffer, at: number): boolean {
  return at + entrySize <= bytes.length && bytes.readUInt32LE(at) === 0x02014b50;
}

/** UTF-8 where it is valid, whatever flag bit 11 says: many writers forget the flag. */
export function decodeName(bytes: Buffer, start: number, length: number): string {
  const text = bytes.toString("utf8", start, start + length);
  return text.includes("\uFFFD") ? bytes.toString("latin1", start, start + length) : text;
}

/** The name in normal form; undefined for one that climbs out, is absolute, or that no file system takes. */
export function safeName(name: string): string | undefined {
  if (plainName.test(name)) {
    return name;
  }
  const slashed = name.replaceAll("\\", "/");
  if (name === "" || name.includes("\0") || slashed.startsWith("/") || /^[A-Za-z]:/.test(name) || slashed.split("/").includes("..")) {
    return undefined;
  }
  const normal = path.posix.normalize(name);
  return normal === "." || normal === "./" ? undefined : normal;
}

/**
 * Sizes and offset of an entry. Those that are 0xffffffff stand in the ZIP64 extra field, in order; some writers (the
 * ROCm wheels) put all of them there although only one is needed, which shows in the others' being repeated.
 */
function readSizes(bytes: Buffer, at: number, extraStart: number, extraLength: number): Pick<Member, "size" | "compressedSize" | "headerOffset"> | undefined {
  const narrow = [bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)];
  if (narrow.includes(narrowLimit)) {
    const field = wideField(bytes, extraStart, extraStart + extraLength);
    const values = Array.from({ length: Math.floor(field.length / 8) }, (_, index) => wide(field, index * 8));
    const byPlace = values.length >= 3 && narrow.every((value, index) => value === narrowLimit || value === values[index]);
    let next = 0;
    for (const [index, value] of narrow.entries()) {
      if (value === narrowLimit) {
        const found = values[byPlace ? index : next];
        next += 1;
        if (found === undefined) {
          return undefined;
        }
        narrow[index] = found;
      }
    }
  }
  const [size = 0, compressedSize = 0, headerOffset = 0] = narrow;
  return { size, compressedSize, headerOffset };
}

/** The content of the extra field 0x0001; empty when there is none. */
function wideField(bytes: Buffer, start: number, end: number): Buffer {
  for (let at = start; at + 4 <= end; at += 4 + bytes.readUInt16LE(at + 2)) {
    if (bytes.readUInt16LE(at) === 1) {
      return bytes.subarray(at + 4, Math.min(end, at + 4 + bytes.readUInt16LE(at + 2)));
    }
  }
  return Buffer.alloc(0);
}

/** A 64-bit number; what no number can hold exactly becomes infinite, which is outside of every file. */
function wide(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(value);
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
