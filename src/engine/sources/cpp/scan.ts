import type { Location } from "../../model/index.ts";
import { dispatchOnTensorType, isDispatchMacro, typeArgument } from "./dispatch.ts";
import { GuardStack } from "./guards.ts";
import { NameIndex } from "./nameIndex.ts";
import { NameUses } from "./nameUses.ts";
import type { SourceScan } from "./types.ts";

/** More records than this are never useful to a reader of findings; generated files reach it. */
const maximumRecords = 20_000;

const TAB = 9, LINE_FEED = 10, CARRIAGE_RETURN = 13, SPACE = 32, QUOTE = 34, HASH = 35, DOLLAR = 36, APOSTROPHE = 39,
  STAR = 42, DOT = 46, SLASH = 47, LESS = 60, GREATER = 62, BACKSLASH = 92, UNDERSCORE = 95;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isIdentifierStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === UNDERSCORE || code === DOLLAR;
}

function isIdentifierPart(code: number): boolean {
  return isIdentifierStart(code) || isDigit(code);
}

/** A record before its position is known: positions are computed once, at the end, from a table of line starts. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Scans C++ or CUDA text for includes, `#define`s and the uses of `names` ("AT_CHECK", "c10::optional", `dispatchOnTensorType`).
 * Comments, string contents and raw strings do not count; a name in a macro's body does. Never throws.
 */
export function scanSource(path: string, text: string, names: readonly string[]): SourceScan {
  let wanted = indexes.get(names);
  if (wanted === undefined) indexes.set(names, (wanted = { index: new NameIndex(names.filter((name) => name !== dispatchOnTensorType)), dispatch: names.includes(dispatchOnTensorType) }));
  return new Scanner(path, text, wanted.index, wanted.dispatch).scan();
}

/** Thousands of sources are scanned for the same names. */
const indexes = new WeakMap<readonly string[], { readonly index: NameIndex; readonly dispatch: boolean }>();

class Scanner {
  readonly #path: string;
  readonly #text: string;
  readonly #names: NameIndex;
  readonly #dispatch: boolean;
  readonly #guards = new GuardStack();
  readonly #includes: (Span & { header: string; angled: boolean; guards: readonly string[] })[] = [];
  readonly #found: (Span & { name: string; guards: readonly string[] })[] = [];
  readonly #defines: (Span & { name: string; value: string; guards: readonly string[] })[] = [];
  #at = 0;

  constructor(path: string, text: string, names: NameIndex, dispatch: boolean) {
    this.#path = path;
    this.#text = text;
    this.#names = names;
    this.#dispatch = dispatch;
  }

  scan(): SourceScan {
    const text = this.#text;
    const length = text.length;
    let lineIsEmpty = true;
    while (this.#at < length) {
      const code = text.charCodeAt(this.#at);
      if (code === LINE_FEED) {
        lineIsEmpty = true;
        this.#at++;
        continue;
      }
      if (code === SPACE || code === TAB || code === CARRIAGE_RETURN) {
        this.#at++;
        continue;
      }
      if (isIdentifierStart(code)) this.#identifier();
      else if (isDigit(code)) this.#number();
      else if (code === SLASH && text.charCodeAt(this.#at + 1) === SLASH) {
        this.#at = endOfLogicalLine(text, this.#at);
        continue;
      } else if (code === SLASH && text.charCodeAt(this.#at + 1) === STAR) {
        const close = text.indexOf("*/", this.#at + 2);
        this.#at = close < 0 ? length : close + 2;
        continue;
      } else if (code === QUOTE || code === APOSTROPHE) this.#at = endOfLiteral(text, this.#at, code);
      else if (code === HASH && lineIsEmpty) this.#directive();
      else if (code === BACKSLASH) {
        // A spliced line does not start a new one, so a `#` after it is no directive.
        this.#at++;
        if (text.charCodeAt(this.#at) === CARRIAGE_RETURN) this.#at++;
        if (text.charCodeAt(this.#at) === LINE_FEED) this.#at++;
      } else this.#at++;
      lineIsEmpty = false;
    }
    return this.#result();
  }

  #identifier(): void {
    const text = this.#text;
    const start = this.#at;
    let end = start + 1;
    while (isIdentifierPart(text.charCodeAt(end))) end++;
    if (text.charCodeAt(end) === QUOTE && end - start <= 3 && text.charCodeAt(end - 1) === 82 && /^(?:u8|u|U|L)?R$/.test(text.slice(start, end))) {
      this.#at = endOfRawString(text, end);
      return;
    }
    const match = this.#names.match(text, start, end);
    if (match !== undefined && this.#found.length < maximumRecords) {
      this.#found.push({ name: match.name, start, end: match.end, guards: this.#guards.current });
    }
    if (this.#dispatch && text.startsWith("AT_DISPATCH_", start) && isDispatchMacro(text.slice(start, end)) && this.#found.length < maximumRecords) {
      const type = typeArgument(text, end);
      if (type !== undefined) this.#found.push({ name: dispatchOnTensorType, ...type, guards: this.#guards.current });
    }
    this.#at = match?.end ?? end;
  }

  /** A preprocessing number swallows the `'` of `1'000`, which would otherwise open a character literal. */
  #number(): void {
    const text = this.#text;
    let end = this.#at + 1;
    for (;;) {
      const code = text.charCodeAt(end);
      if (isIdentifierPart(code) || code === DOT || (code === APOSTROPHE && isIdentifierPart(text.charCodeAt(end + 1)))) end++;
      else break;
    }
    this.#at = end;
  }

  #directive(): void {
    const text = this.#text;
    let at = skipBlanks(text, this.#at + 1);
    const nameStart = at;
    while (isIdentifierPart(text.charCodeAt(at))) at++;
    const directive = text.slice(nameStart, at);
    if (directive === "define") {
      this.#define(at);
      return;
    }
    const end = endOfLogicalLine(text, at);
    if (directive === "include" || directive === "include_next" || directive === "import") this.#include(at, end);
    else if (directive !== "") this.#guards.directive(directive, () => detached(logicalText(text.slice(at, end))));
    this.#at = end;
  }

  #include(at: number, end: number): void {
    const text = this.#text;
    const open = skipBlanks(text, at);
    const code = text.charCodeAt(open);
    if (code !== LESS && code !== QUOTE) return;
    const close = text.indexOf(code === LESS ? ">" : '"', open + 1);
    if (close < 0 || close > end || this.#includes.length >= maximumRecords) return;
    this.#includes.push({ header: detached(text.slice(open + 1, close)), angled: text.charCodeAt(close) === GREATER, start: open + 1, end: close, guards: this.#guards.current });
  }

  /** Leaves the body to the main loop, so that names used in it are found. */
  #define(at: number): void {
    const text = this.#text;
    const start = skipBlanks(text, at);
    let end = start;
    while (isIdentifierPart(text.charCodeAt(end))) end++;
    this.#at = end;
    if (end === start) return;
    const name = detached(text.slice(start, end));
    const value = detached(logicalText(text.slice(end, Math.min(endOfLogicalLine(text, end), end + 400))));
    this.#guards.defined(name, value);
    if (this.#defines.length < maximumRecords) this.#defines.push({ name, value, start, end, guards: this.#guards.current });
  }

  #result(): SourceScan {
    const starts = this.#includes.length + this.#found.length + this.#defines.length > 0 ? lineStarts(this.#text) : [0];
    const place = (span: Span): Location => ({ path: this.#path, range: { start: positionAt(starts, span.start), end: positionAt(starts, span.end) } });
    // Records between the same directives share their guards.
    const seen = new Map<readonly string[], readonly string[]>();
    const visible = (guards: readonly string[]): readonly string[] => {
      let known = seen.get(guards);
      if (known === undefined) seen.set(guards, (known = this.#guards.visible(guards)));
      return known;
    };
    const names = new NameUses(this.#path, this.#found.map((one) => ({ name: one.name, start: positionAt(starts, one.start), length: one.end - one.start, guards: visible(one.guards) })));
    return {
      path: this.#path,
      includes: this.#includes.map((one) => ({ header: one.header, angled: one.angled, location: place(one), guards: visible(one.guards) })),
      namesWhere: names.where,
      defines: this.#defines.map((one) => ({ name: one.name, value: one.value, location: place(one), guards: visible(one.guards) })),
    };
  }
}

const kept = new Map<string, string>();
const maximumKept = 20_000;

/** The text by itself: a part of a string keeps the whole file in memory, and most headers are included many times. */
function detached(text: string): string {
  if (text.length > 200) return Buffer.from(text).toString();
  let own = kept.get(text);
  if (own === undefined) {
    own = Buffer.from(text).toString();
    if (kept.size >= maximumKept) kept.clear();
    kept.set(own, own);
  }
  return own;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at++;
  return at;
}

/** Offset of the line feed that ends the line at `from`, spliced lines included; the text's length at its end. */
function endOfLogicalLine(text: string, from: number): number {
  let at = from;
  for (;;) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    const last = text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 2 : end - 1;
    if (last < from || text.charCodeAt(last) !== BACKSLASH) return end;
    at = end + 1;
  }
}

/** An ordinary literal ends at its quote or, when that is missing, at the end of the line. */
function endOfLiteral(text: string, from: number, quote: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === BACKSLASH) at += text.charCodeAt(at + 1) === CARRIAGE_RETURN ? 2 : 1;
    else if (code === LINE_FEED) return at;
  }
  return text.length;
}

function endOfRawString(text: string, quote: number): number {
  const open = text.indexOf("(", quote);
  // The standard allows 16 characters of delimiter; anything longer is not a raw string.
  if (open < 0 || open - quote > 17) return quote + 1;
  const closing = `)${text.slice(quote + 1, open)}"`;
  const close = text.indexOf(closing, open);
  return close < 0 ? text.length : close + closing.length;
}

/** One logical line as one string: splices and comments gone, white space single. */
function logicalText(raw: string): string {
  return raw
    .replace(/\\\r?\n/g, " ")
    .replace(/\/\*.*?(?:\*\/|$)|\/\/.*$/gs, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function positionAt(starts: readonly number[], offset: number): { line: number; character: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low, character: offset - (starts[low] ?? 0) };
}
