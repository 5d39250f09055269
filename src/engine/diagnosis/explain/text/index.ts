import { stripVTControlCharacters } from "node:util";
import type { Log } from "../types.ts";

/** Reads a log, a traceback, or what somebody copied of one. */
export function readLog(text: string): Log {
  const lines = stripVTControlCharacters(text).split(/\r?\n/).map((line, index) => ({ text: line, first: index + 1, last: index + 1 }));
  return { lines, exceptions: [] };
}
