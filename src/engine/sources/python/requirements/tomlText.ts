import { parseTOML } from "toml-eslint-parser";
import type { AST } from "toml-eslint-parser";
import type { Collector, SourceText } from "./collector.ts";

/** A value of a TOML document with its place. Keys of tables are in order of appearance. */
export type TomlNode =
  | { readonly kind: "string"; readonly value: string; /** Where the content starts, after the quote; undefined when escapes make it differ from the source. */ readonly content: number | undefined; readonly start: number; readonly end: number }
  | { readonly kind: "other"; readonly value: unknown; readonly start: number; readonly end: number }
  | { readonly kind: "array"; readonly elements: readonly TomlNode[]; readonly start: number; readonly end: number }
  | { readonly kind: "table"; readonly entries: Map<string, TomlNode>; readonly start: number; readonly end: number };

export type TomlTable = TomlNode & { readonly kind: "table" };

/** How many broken lines are skipped before a document is given up. */
const mostRepairs = 20;
/** Nesting beyond this would exhaust the parser's stack. */
const deepest = 200;

/** Parses TOML; a line that breaks it is left out and reported, so that the rest is still read. */
export function readToml(source: SourceText, collector: Collector): TomlTable | undefined {
  let text = source.text;
  if (nesting(text) > deepest) {
    collector.gaps.push({ kind: "file", path: source.path, message: `${source.path} nests brackets more than ${deepest} deep and was not read.` });
    return undefined;
  }
  for (let repairs = 0; ; repairs += 1) {
    try {
      return build(parseTOML(text), source);
    } catch (error) {
      const index = errorIndex(error);
      const { start, end } = lineAround(source.text, index ?? 0);
      if (index === undefined || repairs >= mostRepairs || text.slice(start, end).trim() === "") {
        collector.gaps.push({ kind: "file", path: source.path, location: source.location(start, end), message: `${source.path} is not valid TOML and could not be read: ${messageOf(error)}.` });
        return undefined;
      }
      collector.gaps.push({ kind: "file", path: source.path, location: source.location(start, end), message: `This line of ${source.path} is not valid TOML and was left out: ${messageOf(error)}.` });
      text = text.slice(0, start) + text.slice(start, end).replace(/[^\r]/g, " ") + text.slice(end);
    }
  }
}

function nesting(text: string): number {
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if (character === "[" || character === "{") most = Math.max(most, (depth += 1));
    else if (character === "]" || character === "}") depth -= 1;
    else if (character === "\n" && depth < 0) depth = 0;
  }
  return most;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function errorIndex(error: unknown): number | undefined {
  return typeof error === "object" && error !== null && "index" in error && typeof error.index === "number" ? error.index : undefined;
}

/** The line that holds `index`, or when nothing is left on it, the last line before it that holds anything. */
function lineAround(text: string, index: number): { readonly start: number; readonly end: number } {
  const start = text.lastIndexOf("\n", Math.max(0, Math.min(index, text.length) - 1)) + 1;
  const newline = text.indexOf("\n", start);
  return { start, end: newline < 0 ? text.length : newline };
}

function build(program: AST.TOMLProgram, source: SourceText): TomlTable {
  const root: TomlTable = { kind: "table", entries: new Map(), start: 0, end: source.text.length };
  const [top] = program.body;
  for (const item of top.body) {
    if (item.type === "TOMLKeyValue") {
      assign(root, item, source);
      continue;
    }
    const table = descend(root, item.resolvedKey, item.range);
    for (const entry of item.body) assign(table, entry, source);
  }
  return root;
}

/** The table at a resolved key; numbers in it are places in arrays of tables. */
function descend(root: TomlTable, keys: readonly (string | number)[], range: AST.Range): TomlTable {
  let at: TomlNode = root;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i];
    const fresh: TomlNode = typeof keys[i + 1] === "number"
      ? { kind: "array", elements: [], start: range[0], end: range[1] }
      : { kind: "table", entries: new Map(), start: range[0], end: range[1] };
    let next: TomlNode | undefined;
    if (at.kind === "table" && key !== undefined) {
      next = at.entries.get(String(key));
      if (!next || (next.kind !== "table" && next.kind !== "array")) at.entries.set(String(key), (next = fresh));
    } else if (at.kind === "array" && typeof key === "number") {
      next = at.elements[key] ?? fresh;
      if (next === fresh) (at.elements as TomlNode[])[key] = fresh;
    }
    at = next ?? fresh;
  }
  return at.kind === "table" ? at : { kind: "table", entries: new Map(), start: range[0], end: range[1] };
}

function assign(table: TomlTable, entry: AST.TOMLKeyValue, source: SourceText): void {
  const keys = entry.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  const last = keys.pop();
  if (last === undefined) return;
  const owner = keys.length === 0 ? table : descend(table, keys, entry.range);
  owner.entries.set(last, valueOf(entry.value, source));
}

function valueOf(node: AST.TOMLContentNode, source: SourceText): TomlNode {
  const [start, end] = node.range;
  if (node.type === "TOMLArray") return { kind: "array", elements: node.elements.map((one) => valueOf(one, source)), start, end };
  if (node.type === "TOMLInlineTable") {
    const table: TomlTable = { kind: "table", entries: new Map(), start, end };
    for (const entry of node.body) assign(table, entry, source);
    return table;
  }
  if (node.kind !== "string") return { kind: "other", value: node.value, start, end };
  const quotes = node.multiline ? 3 : 1;
  let content = start + quotes;
  if (node.multiline && source.text[content] === "\r") content += 1;
  if (node.multiline && source.text[content] === "\n") content += 1;
  return { kind: "string", value: node.value, content: source.text.startsWith(node.value, content) ? content : undefined, start, end };
}

/** The node at a path of keys, or undefined. */
export function tomlAt(root: TomlNode | undefined, ...keys: readonly string[]): TomlNode | undefined {
  let at = root;
  for (const key of keys) at = at?.kind === "table" ? at.entries.get(key) : undefined;
  return at;
}

export function tomlTable(root: TomlNode | undefined, ...keys: readonly string[]): ReadonlyMap<string, TomlNode> {
  const node = tomlAt(root, ...keys);
  return node?.kind === "table" ? node.entries : new Map();
}

export function tomlArray(root: TomlNode | undefined, ...keys: readonly string[]): readonly TomlNode[] {
  const node = tomlAt(root, ...keys);
  return node?.kind === "array" ? node.elements : [];
}

export function tomlString(root: TomlNode | undefined, ...keys: readonly string[]): string | undefined {
  const node = tomlAt(root, ...keys);
  return node?.kind === "string" ? node.value : undefined;
}
