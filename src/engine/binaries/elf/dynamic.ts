import { dynamicSegment } from "./header.ts";
import type { Segment } from "./header.ts";
import { readUint64 } from "./range-reader.ts";
import type { RangeReader } from "./range-reader.ts";

const entrySize = 16;
/** The widest libraries known need a hundred others; the rest of the segment is a few dozen entries. */
const maximumEntries = 4096;

/** Tags of the dynamic segment. Source: gABI "Dynamic Section", and glibc's elf/elf.h for the GNU ones. */
export const tag = {
  needed: 1, pltRelocationsSize: 2, hash: 4, strings: 5, symbols: 6, relocations: 7, relocationsSize: 8, stringsSize: 10, soname: 14, rpath: 15,
  pltRelocationType: 20, textRelocations: 22, pltRelocations: 23, bindNow: 24, runpath: 29, flags: 30,
  gnuHash: 0x6ffffef5, versionIndexes: 0x6ffffff0, relativeCount: 0x6ffffff9, flags1: 0x6ffffffb,
  versionDefinitions: 0x6ffffffc, versionNeeds: 0x6ffffffe,
} as const;

export interface DynamicEntries {
  /** Of tags that stand there more than once the last counts, as for the loader. */
  readonly values: ReadonlyMap<number, number>;
  /** DT_NEEDED, as offsets into the string table. */
  readonly needed: readonly number[];
}

/** undefined: there is no dynamic segment, or it cannot be read. */
export function readDynamic(reader: RangeReader, segments: readonly Segment[]): DynamicEntries | undefined {
  const segment = segments.find((one) => one.type === dynamicSegment);
  const count = segment === undefined ? 0 : Math.min(Math.floor(segment.fileSize / entrySize), maximumEntries);
  const table = segment === undefined ? undefined : reader.read(segment.offset, count * entrySize);
  if (table === undefined) {
    return undefined;
  }
  const values = new Map<number, number>();
  const needed: number[] = [];
  for (let at = 0; at < count * entrySize; at += entrySize) {
    const key = readUint64(table, at);
    if (key === 0) {
      break;
    }
    const value = readUint64(table, at + 8);
    if (key === tag.needed) {
      needed.push(value);
    } else {
      values.set(key, value);
    }
  }
  return { values, needed };
}
