import type { ElfHeader } from "./header.ts";
import { readUint64 } from "./range-reader.ts";
import type { RangeReader } from "./range-reader.ts";

const maximumSections = 100_000;
const maximumNames = 16 * 1024 * 1024;

/** Section headers: for people and for what is not loaded. What loading depends on never comes from them. */
export interface Section {
  readonly name: string;
  /** SHT_NOTE is 7, SHT_DYNSYM 11. */
  readonly type: number;
  readonly offset: number;
  /** Bytes of the file: none for .bss. */
  readonly size: number;
  readonly alignment: number;
}

/** Empty for a file without section headers, or with damaged ones. */
export function readSections(reader: RangeReader, { offset, entrySize, count, namesIndex }: ElfHeader["sections"]): readonly Section[] {
  if (offset === 0 || entrySize < 64 || count > maximumSections || namesIndex >= count) {
    return [];
  }
  const table = reader.read(offset, entrySize * count);
  if (table === undefined) {
    return [];
  }
  const names = reader.read(readUint64(table, namesIndex * entrySize + 24), Math.min(readUint64(table, namesIndex * entrySize + 32), maximumNames));
  const text = names === undefined ? Buffer.alloc(0) : Buffer.from(names.buffer, names.byteOffset, names.byteLength);
  return Array.from({ length: count }, (_, index) => {
    const at = index * entrySize;
    const nameAt = table.getUint32(at, true);
    const nameEnd = nameAt < text.length ? text.subarray(0, nameAt + 256).indexOf(0, nameAt) : -1;
    const type = table.getUint32(at + 4, true);
    return {
      name: nameEnd < 0 ? "" : text.toString("latin1", nameAt, nameEnd),
      type,
      offset: readUint64(table, at + 24),
      // SHT_NOBITS occupies no bytes of the file; SHT_NULL is no section, and may hold counts that fit nowhere else.
      size: type === 8 || type === 0 ? 0 : readUint64(table, at + 32),
      alignment: readUint64(table, at + 48),
    };
  });
}
