import type { RangeReader } from "./range-reader.ts";

const maximumRecords = 4096;

/** Symbol versions that a file needs of one library. */
export interface VersionNeed {
  /** "libstdc++.so.6". */
  readonly library: string;
  /** "GLIBCXX_3.4.21", in file order. */
  readonly versions: readonly string[];
}

/** The linked list of DT_VERNEED. Links that do not move forward end it, so a cycle cannot hang. */
export function readVersionNeeds(reader: RangeReader, start: number, count: number, stringAt: (offset: number) => string | undefined): readonly VersionNeed[] {
  const needs: VersionNeed[] = [];
  let at = start;
  for (let index = 0; index < Math.min(count, maximumRecords); index += 1) {
    const record = reader.read(at, 16);
    if (record === undefined) {
      break;
    }
    const library = stringAt(record.getUint32(4, true));
    const versions: string[] = [];
    let auxiliary = at + record.getUint32(8, true);
    for (let step = 0; step < Math.min(record.getUint16(2, true), maximumRecords); step += 1) {
      const entry = reader.read(auxiliary, 16);
      if (entry === undefined) {
        break;
      }
      const version = stringAt(entry.getUint32(8, true));
      if (version !== undefined) {
        versions.push(version);
      }
      const next = entry.getUint32(12, true);
      if (next === 0) {
        break;
      }
      auxiliary += next;
    }
    if (library !== undefined) {
      needs.push({ library, versions });
    }
    const next = record.getUint32(12, true);
    if (next === 0) {
      break;
    }
    at += next;
  }
  return needs;
}
