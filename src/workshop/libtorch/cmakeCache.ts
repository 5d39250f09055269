import { NodeFiles } from "../../engine/files/index.ts";

export interface CacheEntry {
  readonly name: string;
  /** "FILEPATH", "STRING", "INTERNAL", "UNINITIALIZED". */
  readonly type: string;
  readonly value: string;
}

/** The entries of a CMakeCache.txt by name; none when it cannot be read. Format: cmake --help-manual cmake, "CMakeCache.txt". */
export function readCacheEntries(file: string): ReadonlyMap<string, CacheEntry> {
  const read = new NodeFiles().readText(file);
  const entries = new Map<string, CacheEntry>();
  for (const line of read.ok ? read.text.split(/\r?\n/) : []) {
    const [, , name, type, value] = /^("?)([^":=#/][^:="]*)\1:([A-Z]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined && value !== undefined) {
      // CMake quotes values with spaces at either end by single quotes.
      entries.set(name, { name, type, value: /^'.*'$/.test(value) ? value.slice(1, -1) : value });
    }
  }
  return entries;
}
