import type { RecordedSymbols } from "../../catalogue/index.ts";
import { demangle, readMangled } from "../mangling/index.ts";
import { canonical, livesOf } from "./lives.ts";
import { keyOf, namesOf, readWrittenName } from "./names.ts";
import type { WrittenName } from "./names.ts";
import { namesContaining, suggestionsFor } from "./search.ts";
import { asWritten } from "./spelling.ts";
import type { SymbolAnswer, SymbolLife } from "./types.ts";

/** More are counted and not shown. */
const mostLives = 50;

/**
 * The lives of the symbols that a text names: a mangled or C name (one life, if it is recorded), or a qualified name as
 * people and demanglers write it, with or without parameters (one for each overload, oldest first). Empty: no recorded
 * release exports it, or it is of a kind that is not recorded: `symbolAnswer` says which.
 */
export function symbolLives(query: string, history: RecordedSymbols): readonly SymbolLife[] {
  const symbol = symbolOf(query, history);
  if (symbol === undefined) {
    const name = readWrittenName(query.trim());
    return name === undefined ? [] : asWritten(name, livesOf(namesOf(name, history), history));
  }
  const key = canonical(symbol);
  const lives = livesOf(overloadsOf(symbol, history), history).filter((one) => one.spellings.some((spelling) => spelling.symbol === symbol || canonical(spelling.symbol) === key));
  return lives.map((one) => ({ ...one, symbol, demangled: demangle(symbol) ?? symbol }));
}

/** Every signature that recorded releases have of the qualified name of a symbol, oldest first: what a release has in its place. */
export function overloadLives(symbol: string, history: RecordedSymbols): readonly SymbolLife[] {
  return livesOf(overloadsOf(symbol, history), history);
}

/** All that the record says of a name, a part of one included. */
export function symbolAnswer(query: string, history: RecordedSymbols): SymbolAnswer {
  const text = query.trim();
  const symbol = symbolOf(text, history);
  const written = symbol === undefined || !symbol.startsWith("_Z") ? readWrittenName(text.replace(/@.*$/s, "")) : undefined;
  // A function without a namespace may have been a C name in some releases and a C++ name in others.
  const lives = written !== undefined && symbol !== undefined ? livesOf(namesOf(written, history), history) : symbolLives(text, history);
  if (lives.length > 0) {
    return { query, asked: symbol === undefined ? "name" : "symbol", known: "found", lives: lives.slice(0, mostLives), more: Math.max(0, lives.length - mostLives), suggestions: [] };
  }
  const name = symbol === undefined ? written : undefined;
  const overloads = symbol === undefined ? (name === undefined ? [] : livesOf(namesOf(name, history), history)) : overloadLives(symbol, history);
  const none = { query, asked: symbol === undefined ? "name" as const : "symbol" as const, known: isRecordedName(symbol, name, history) ? "none" as const : "not-recorded" as const, lives: [], more: 0 };
  if (overloads.length > 0) {
    return { ...none, suggestions: overloads.map((one) => one.demangled) };
  }
  const { lives: parts, more } = partLives(text, history);
  return parts.length > 0 ? { query, asked: "part", known: "found", lives: parts, more, suggestions: [] } : { ...none, suggestions: suggestionsFor(text, name, history) };
}

/** Names in which a part stands, by what they name. */
function partLives(part: string, history: RecordedSymbols): { readonly lives: readonly SymbolLife[]; readonly more: number } {
  const entities = new Map<string, string[]>();
  for (const name of namesContaining(part, history)) {
    const key = keyOf(name) ?? name;
    entities.set(key, [...entities.get(key) ?? [], name]);
  }
  const lives: SymbolLife[] = [];
  let more = 0;
  for (const names of entities.values()) {
    if (lives.length < mostLives) lives.push(...livesOf(names, history));
    else more += names.length;
  }
  return { lives: lives.slice(0, mostLives), more: more + Math.max(0, lives.length - mostLives) };
}

function overloadsOf(symbol: string, history: RecordedSymbols): readonly string[] {
  const name = symbol.startsWith("_Z") ? readWrittenName(keyOf(symbol) ?? "") : undefined;
  const found = name === undefined ? [] : namesOf(name, history);
  return found.includes(symbol) ? found : [...found, symbol];
}

/** A mangled or C name, without the version that loaders print behind it and the underscore of Mach-O. */
function symbolOf(query: string, history: RecordedSymbols): string | undefined {
  const text = query.trim().replace(/@.*$/s, "").replace(/^__Z/, "_Z");
  if (/^_Z/.test(text)) return readMangled(text) === undefined ? undefined : text;
  return /^\w+$/.test(text) && history.isRecorded(text) && (history.releasesExporting(text) ?? []).length > 0 ? text : undefined;
}

/** Whether a name of that kind would be in the record. */
function isRecordedName(symbol: string | undefined, name: WrittenName | undefined, history: RecordedSymbols): boolean {
  if (symbol !== undefined) return history.isRecorded(symbol);
  if (name === undefined) return false;
  const encoded = name.components.map((one) => `${one.length}${one}`).join("");
  const starts = name.components.length === 1 ? [name.key, `_Z${encoded}`] : [`_ZN${encoded}E`];
  // A table may leave names out by what they take: those that take tensors.
  const ends = ["v", "RKN2at6TensorE"];
  return starts.some((start) => (start.startsWith("_Z") ? ends.every((end) => history.isRecorded(start + end)) : history.isRecorded(start)));
}
