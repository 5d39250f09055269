import { join } from "node:path";
import type { Files, Location } from "../../../model/index.ts";
import { LineReader } from "./backtrace.ts";

export interface CacheEntry {
  readonly value: string;
  /** The line as written. */
  readonly text: string;
  /** The value's place in CMakeCache.txt. */
  readonly location: Location;
}

/** Entries of a CMakeCache.txt, `NAME:TYPE=VALUE` a line, those that CMake keeps for itself included. */
export function readCache(path: string, lines: LineReader): ReadonlyMap<string, CacheEntry> {
  const entries = new Map<string, CacheEntry>();
  for (const [line, content] of lines.lines(path).entries()) {
    const match = /^("?)([^":=#/][^:="]*)\1:([A-Z]+)=(.*)$/.exec(content);
    const name = match?.[2];
    const value = match?.[4];
    if (name === undefined || value === undefined) continue;
    const start = content.length - value.length;
    entries.set(name, { value, text: content, location: { path, range: { start: { line, character: start }, end: { line, character: content.length } } } });
  }
  return entries;
}

/** One value of the cache of a build folder. */
export function cacheValue(folder: string, name: string, files: Files): string | undefined {
  return readCache(join(folder, "CMakeCache.txt"), new LineReader(files)).get(name)?.value;
}
