import { isObject, objectsOf } from "./reading.ts";
import type { JsonObject } from "./reading.ts";

/** JSON that was found in an output. */
export interface FoundDocument {
  readonly value: JsonObject;
  /** It ends in its middle: only the entries of `benchmarks` that are whole were kept. */
  readonly cut: boolean;
}

/** Objects that begin and never end, after which no more are tried: each costs a reading to the end. */
const mostUnended = 16;

/**
 * The JSON documents with a `benchmarks` list in a text that may hold anything else around them: a program's own lines, or the
 * half of a document that a crash left. Other objects are answered only where there is no such document.
 */
export function findDocuments(text: string): FoundDocument[] {
  const whole = parsed(text.trim());
  if (whole !== undefined) {
    return isObject(whole) ? [{ value: whole, cut: false }] : [];
  }
  const found: FoundDocument[] = [];
  const others: FoundDocument[] = [];
  const opening = /^[ \t]*\{|\{(?=\s*"(?:context|benchmarks|machine_info|meta|devices)"\s*:)/gm;
  let unended = 0;
  let rest: JsonObject | undefined;
  for (let match = opening.exec(text); match !== null && unended < mostUnended; match = opening.exec(text)) {
    const begin = match.index + match[0].length - 1;
    const end = endOfValue(text, begin);
    if (end === undefined) {
      unended++;
      rest ??= salvaged(text, begin);
      continue;
    }
    const value = parsed(text.slice(begin, end));
    if (isObject(value)) {
      const isDocument = "benchmarks" in value;
      (isDocument ? found : others).push({ value, cut: false });
      // What never ended before a whole document was no document.
      rest = isDocument ? undefined : rest;
      opening.lastIndex = end;
    }
  }
  if (rest !== undefined) {
    found.push({ value: rest, cut: true });
  }
  return found.length > 0 ? found : others.slice(0, 1);
}

/** JSON, also with the NaN and Infinity that Google Benchmark and Python write and JSON does not know; those become null. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|nan|Infinity|infinity|inf)\b/g, (token) => (token.startsWith('"') ? token : "null")));
    } catch {
      return undefined;
    }
  }
}

/** Where the object or list that begins at `begin` ends, exclusive; undefined when it does not. */
function endOfValue(text: string, begin: number): number | undefined {
  const token = /["{}[\]]/g;
  token.lastIndex = begin;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') {
      const end = endOfString(text, match.index);
      if (end === undefined) {
        return undefined;
      }
      token.lastIndex = end;
      continue;
    }
    depth += match[0] === "{" || match[0] === "[" ? 1 : -1;
    if (depth === 0) {
      return match.index + 1;
    }
  }
  return undefined;
}

function endOfString(text: string, begin: number): number | undefined {
  for (let at = text.indexOf('"', begin + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") {
      backslashes++;
    }
    if (backslashes % 2 === 0) {
      return at + 1;
    }
  }
  return undefined;
}

/** The whole entries of a document that ends in its middle. */
function salvaged(text: string, begin: number): JsonObject | undefined {
  const list = /"benchmarks"\s*:\s*\[/g;
  list.lastIndex = begin;
  const match = list.exec(text);
  if (match === null) {
    return undefined;
  }
  const entries: unknown[] = [];
  for (let at = list.lastIndex; ; ) {
    const opens = text.indexOf("{", at);
    const end = opens === -1 ? undefined : endOfValue(text, opens);
    if (end === undefined) {
      break;
    }
    entries.push(parsed(text.slice(opens, end)));
    at = end;
  }
  const head = parsed(`${text.slice(begin, match.index)}"benchmarks":[]}`);
  return { ...(isObject(head) ? head : {}), benchmarks: objectsOf(entries) };
}
