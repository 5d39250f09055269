import type { RangeReader } from "./range-reader.ts";

/** Read in all, those that several ranges repeat included. */
const maximumNotes = 4096;
const maximumName = 256;
const maximumDescriptor = 1024 * 1024;
/** All descriptors of a file together. */
const maximumBytes = 4 * 1024 * 1024;

/** A note: what a tool wrote into the file for others to find without loading it. */
export interface ElfNote {
  /** "GNU", "Abiding". */
  readonly owner: string;
  /** Each owner numbers its own; NT_GNU_BUILD_ID is 3, NT_GNU_PROPERTY_TYPE_0 is 5. */
  readonly type: number;
  readonly descriptor: Uint8Array;
}

/** File range of notes; they are padded to 8 bytes where the alignment is 8, to 4 everywhere else. */
export interface NoteRange {
  readonly offset: number;
  readonly size: number;
  readonly alignment: number;
}

/** Notes of all ranges, each once. A note that does not fit its range ends that range. */
export function readNotes(reader: RangeReader, ranges: readonly NoteRange[]): readonly ElfNote[] {
  const notes = new Map<number, ElfNote>();
  let left = maximumNotes;
  let bytes = 0;
  for (const { offset, size, alignment } of ranges) {
    const pad = (length: number): number => (alignment === 8 ? Math.ceil(length / 8) * 8 : Math.ceil(length / 4) * 4);
    for (let at = 0; at + 12 <= size && left > 0 && bytes < maximumBytes; left -= 1) {
      const header = reader.read(offset + at, 12);
      const nameSize = header?.getUint32(0, true) ?? Infinity;
      const descriptorSize = header?.getUint32(4, true) ?? Infinity;
      const descriptorAt = at + pad(12 + nameSize);
      const name = nameSize <= maximumName ? reader.read(offset + at + 12, nameSize) : undefined;
      const descriptor = descriptorSize <= maximumDescriptor && descriptorAt + descriptorSize <= size ? reader.read(offset + descriptorAt, descriptorSize) : undefined;
      if (header === undefined || name === undefined || descriptor === undefined) {
        break;
      }
      const owner = Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString("latin1").split("\0", 1)[0] ?? "";
      notes.set(offset + at, { owner, type: header.getUint32(8, true), descriptor: new Uint8Array(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength).slice() });
      bytes += descriptorSize;
      at = pad(descriptorAt + descriptorSize);
    }
  }
  return [...notes.values()];
}
