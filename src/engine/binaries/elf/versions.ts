import type { VersionNeed } from "../../model/index.ts";
import type { RangeReader } from "./range-reader.ts";
import { hex } from "./refusal.ts";

/** Of one file, all lists together; glibc's libc has 60. */
const maximumRecords = 16384;

/** What an index of DT_VERSYM stands for. */
export interface VersionName {
  readonly name: string;
  /** Of a needed version: the library that is asked for it. */
  readonly library?: string;
  /** A need that only that very version satisfies. */
  readonly hidden: boolean;
}

export interface Versions {
  readonly needs: readonly VersionNeed[];
  /** Without the base definition, which repeats the file's own name. */
  readonly definitions: readonly string[];
  readonly byIndex: ReadonlyMap<number, VersionName>;
}

/** File offsets of the first records. */
export interface VersionPlaces {
  readonly needs: number | undefined;
  readonly definitions: number | undefined;
}

/**
 * The linked lists of DT_VERNEED and DT_VERDEF. Like the loader it follows the links and not the counts; links only
 * point forward and their number is bounded, so that a cycle cannot hang.
 */
export function readVersions(reader: RangeReader, places: VersionPlaces, stringAt: (offset: number) => string | undefined, report: (problem: string) => void): Versions {
  const budget = { left: maximumRecords };
  const byIndex = new Map<number, VersionName>();
  const needs: VersionNeed[] = [];
  const definitions: string[] = [];
  forEachRecord(reader, places.needs, 16, 12, budget, report, (record, at) => {
    const library = stringAt(record.getUint32(4, true));
    const versions: string[] = [];
    forEachRecord(reader, at + record.getUint32(8, true), 16, 12, budget, report, (entry, entryAt) => {
      const name = stringAt(entry.getUint32(8, true));
      const other = entry.getUint16(6, true);
      if (name === undefined) {
        report(`The name of a needed version, given at ${hex(entryAt)}, lies outside of the string table.`);
      } else {
        versions.push(name);
        byIndex.set(other & 0x7fff, { name, ...(library === undefined ? {} : { library }), hidden: (other & 0x8000) !== 0 });
      }
    });
    if (library === undefined) {
      report(`The name of a library whose versions are needed, given at ${hex(at)}, lies outside of the string table.`);
    } else {
      needs.push({ library, versions });
    }
  });
  forEachRecord(reader, places.definitions, 20, 16, budget, report, (record, at) => {
    const auxiliary = reader.read(at + record.getUint32(12, true), 8);
    const name = auxiliary === undefined ? undefined : stringAt(auxiliary.getUint32(0, true));
    if (name === undefined) {
      report(`The name of a version definition, given at ${hex(at)}, cannot be read.`);
    } else if ((record.getUint16(2, true) & 1) === 0) {
      definitions.push(name);
      byIndex.set(record.getUint16(4, true) & 0x7fff, { name, hidden: false });
    }
  });
  return { needs, definitions, byIndex };
}

function forEachRecord(reader: RangeReader, start: number | undefined, size: number, nextField: number, budget: { left: number }, report: (problem: string) => void, use: (record: DataView, at: number) => void): void {
  for (let at = start; at !== undefined; budget.left -= 1) {
    const record = budget.left > 0 ? reader.read(at, size) : undefined;
    if (record === undefined) {
      report(budget.left > 0 ? `A version record at ${hex(at)} lies outside of the file.` : `There are more than ${maximumRecords} version records.`);
      return;
    }
    use(record, at);
    const next = record.getUint32(nextField, true);
    at = next === 0 ? undefined : at + next;
  }
}
