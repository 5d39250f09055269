import { readWith, unlessUnreadable } from "./cursor.ts";
import type { MangledSymbol } from "./ast.ts";
import { printSymbol } from "./print-names.ts";
import { readSymbol } from "./read-names.ts";

/** The syntax tree of a mangled name; undefined when it is none that can be read. */
export function parseSymbol(symbol: string): MangledSymbol | undefined {
  return readWith(symbol, readSymbol);
}

/** A mangled name as `c++filt` of GNU binutils prints it; undefined when it is none that can be read. */
export function demangle(symbol: string): string | undefined {
  const parsed = parseSymbol(symbol);
  return parsed === undefined ? undefined : unlessUnreadable(() => printSymbol(parsed));
}
