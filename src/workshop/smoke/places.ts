import type { Location } from "../../engine/model/index.ts";

/** A whole line of a file; `line` counts from one, as tools print it. */
export function lineOf(path: string, line: number, column = 1): Location {
  const at = { line: Math.max(0, line - 1), character: Math.max(0, column - 1) };
  return { path, range: { start: at, end: at } };
}
