import { readUint64 } from "./range-reader.ts";
import type { RangeReader } from "./range-reader.ts";
import { damaged, hex, refuseClass, refuseOther } from "./refusal.ts";
import type { ElfFailure } from "./refusal.ts";

/** Only core dumps have as many. */
const maximumProgramHeaders = 100_000;
const programHeaderSize = 56;
export const loadSegment = 1;
export const dynamicSegment = 2;
export const interpreterSegment = 3;
export const noteSegment = 4;

export interface Segment {
  /** PT_LOAD 1, PT_DYNAMIC 2, PT_INTERP 3, PT_NOTE 4. */
  readonly type: number;
  /** 1 executable, 2 writable, 4 readable. */
  readonly flags: number;
  readonly offset: number;
  readonly virtualAddress: number;
  readonly fileSize: number;
  readonly alignment: number;
}

/** "DYN" is a shared library or a position-independent program. */
export type ElfType = "REL" | "EXEC" | "DYN" | "CORE" | "OTHER";

export interface ElfHeader {
  readonly type: ElfType;
  /** e_machine: 62 is x86-64, 183 is AArch64. */
  readonly machine: number;
  readonly segments: readonly Segment[];
  readonly programHeadersEnd: number;
  readonly sections: { readonly offset: number; readonly entrySize: number; readonly count: number; readonly namesIndex: number };
}

/** `whole`: the file is all there, so what its segments name must be too. */
export function readHeader(path: string, reader: RangeReader, whole: boolean): ElfHeader | ElfFailure {
  const start = reader.read(0, Math.min(512, reader.size));
  if (start === undefined) {
    return { ok: false, problem: "unreadable", message: `${path} cannot be read.` };
  }
  if (start.byteLength < 4 || start.getUint32(0) !== 0x7f454c46) {
    return refuseOther(path, new Uint8Array(start.buffer, start.byteOffset, start.byteLength), reader.size);
  }
  const refused = start.byteLength < 20 ? undefined : refuseClass(path, start);
  if (refused !== undefined) {
    return refused;
  }
  if (start.byteLength < 64) {
    return damaged(path, `it ends after ${reader.size} bytes, within its header`, reader.size);
  }
  const sections = readSectionsPlace(reader, start);
  const segments = readSegments(path, reader, start);
  if ("ok" in segments) {
    return segments;
  }
  if (whole) {
    for (const [index, one] of segments.entries()) {
      if ((one.type === loadSegment || one.type === dynamicSegment) && !reader.has(one.offset, one.fileSize)) {
        return damaged(path, `it is truncated: segment ${index}, ${one.fileSize} bytes from ${hex(one.offset)}, ends beyond the file's ${reader.size} bytes`, one.offset);
      }
    }
  }
  return { type: (["OTHER", "REL", "EXEC", "DYN", "CORE"] as const)[start.getUint16(16, true)] ?? "OTHER", machine: start.getUint16(18, true), segments, programHeadersEnd: readUint64(start, 32) + segments.length * start.getUint16(54, true), sections };
}

/** Numbers that do not fit the header stand in the first section's own header. */
function readSectionsPlace(reader: RangeReader, header: DataView): ElfHeader["sections"] {
  const offset = readUint64(header, 40);
  const entrySize = header.getUint16(58, true);
  const count = header.getUint16(60, true);
  const namesIndex = header.getUint16(62, true);
  const first = offset > 0 && entrySize >= 64 && (count === 0 || namesIndex === 0xffff) ? reader.read(offset, 64) : undefined;
  return {
    offset,
    entrySize,
    count: count === 0 && first !== undefined ? readUint64(first, 32) : count,
    namesIndex: namesIndex === 0xffff && first !== undefined ? first.getUint32(40, true) : namesIndex,
  };
}

function readSegments(path: string, reader: RangeReader, header: DataView): readonly Segment[] | ElfFailure {
  const offset = readUint64(header, 32);
  const entrySize = header.getUint16(54, true);
  let count = header.getUint16(56, true);
  if (count === 0xffff) {
    const firstSection = reader.read(readUint64(header, 40), 64);
    if (firstSection === undefined) {
      return damaged(path, "the number of its program headers is said to stand in its section headers, which lie outside of the file", 56);
    }
    count = firstSection.getUint32(44, true);
  }
  if (count === 0) {
    return [];
  }
  if (entrySize < programHeaderSize) {
    return damaged(path, `its program headers are said to have ${entrySize} bytes each instead of ${programHeaderSize}`, 54);
  }
  if (count > maximumProgramHeaders) {
    return damaged(path, `it claims ${count} program headers`, 56);
  }
  const table = reader.read(offset, entrySize * count);
  if (table === undefined) {
    return damaged(path, `its ${count} program headers at ${hex(offset)} lie outside of the file's ${reader.size} bytes`, 32);
  }
  return Array.from({ length: count }, (_, index) => {
    const at = index * entrySize;
    return {
      type: table.getUint32(at, true),
      flags: table.getUint32(at + 4, true),
      offset: readUint64(table, at + 8),
      virtualAddress: readUint64(table, at + 16),
      fileSize: readUint64(table, at + 32),
      alignment: readUint64(table, at + 48),
    };
  });
}

/** Where the bytes of a virtual address stand in the file. */
export function fileOffset(segments: readonly Segment[], address: number): number | undefined {
  const segment = segments.find((one) => one.type === loadSegment && address >= one.virtualAddress && address - one.virtualAddress < one.fileSize);
  return segment === undefined ? undefined : address - segment.virtualAddress + segment.offset;
}
