import { tag } from "./dynamic.ts";
import type { DynamicEntries } from "./dynamic.ts";
import type { RangeReader } from "./range-reader.ts";

const entrySize = 24;
const window = 4096 * entrySize;
/** libtorch_cuda has 40 MB of them, nearly all of which are relative ones at the front that are skipped unread. */
const maximumBytes = 128 * 1024 * 1024;

/**
 * Symbol indexes in the order in which the loader processes relocations when it binds everything at once: DT_RELA
 * and then DT_JMPREL, without the relative ones that the linker counts in DT_RELACOUNT, and each index once for a run
 * of equal ones. Source: glibc's elf/dynamic-link.h (_ELF_DYNAMIC_DO_RELOC) and elf/do-rel.h.
 */
export function* relocatedSymbols(reader: RangeReader, dynamic: DynamicEntries, offsetOf: (address: number) => number | undefined): Generator<number> {
  const value = (key: number): number => dynamic.values.get(key) ?? 0;
  const relative = value(tag.relativeCount) * entrySize;
  const tables = [
    { address: value(tag.relocations), size: value(tag.relocationsSize), skip: relative },
    // The PLT's relocations may be of the kind without addend, which no 64-bit machine here uses.
    { address: value(tag.pltRelocations), size: value(tag.pltRelocationType) === tag.relocations ? value(tag.pltRelocationsSize) : 0, skip: 0 },
  ];
  let left = maximumBytes;
  for (const { address, size, skip } of tables) {
    const start = address === 0 ? undefined : offsetOf(address);
    let previous = 0;
    for (let at = skip; start !== undefined && at + entrySize <= size && left > 0; at += window, left -= window) {
      const length = Math.floor(Math.min(window, size - at) / entrySize) * entrySize;
      const data = reader.read(start + at, length);
      if (data === undefined) {
        break;
      }
      for (let entry = 0; entry < length; entry += entrySize) {
        const symbol = data.getUint32(entry + 12, true);
        if (symbol !== 0 && symbol !== previous) {
          previous = symbol;
          yield symbol;
        }
      }
    }
  }
}
