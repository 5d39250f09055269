/**
 * Tokens of Python source, with the offsets of the text they came from. Follows the lexical analysis
 * chapter of the Python language reference up to 3.14. Never throws: what is not Python becomes an
 * "error" token, and an unclosed bracket ends where a line can only start a new statement.
 */

export type TokenType = "name" | "number" | "string" | "fstring" | "operator" | "newline" | "indent" | "dedent" | "error" | "end";

export interface Token {
  readonly type: TokenType;
  readonly start: number;
  readonly end: number;
  /** Name, operator or number as written; the decoded value of a string. */
  readonly value: string;
  /** Pieces of an f-string: literal texts and the ranges of the expressions between them. */
  readonly pieces?: readonly FormattedPiece[];
}

export type FormattedPiece =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "expression"; readonly start: number; readonly end: number; readonly conversion: string; readonly format: string };

/** Above this many tokens a file is data, not a build script. */
const maximumTokens = 400_000;
const maximumFormatDepth = 8;

/** Words that cannot go on an expression: at the start of a line they close brackets that were left open. */
const statementWords = new Set(["def", "class", "import", "return", "try", "while", "with", "raise", "del", "pass", "break", "continue", "global", "nonlocal", "assert"]);

const operators3 = new Set(["**=", "//=", ">>=", "<<=", "...", "!=="]);
const operators2 = new Set(["**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "<>"]);

const simpleEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", "\\": "\\", "'": "'", '"': '"' };

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code >= 0x80;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 48 && code <= 57);
}

/** Tokens of `text` between `from` and `to`. Inside an expression (`inBrackets`) line ends mean nothing. */
export function tokenize(text: string, from = 0, to = text.length, inBrackets = false): Token[] {
  return new Tokenizer(text, from, to, inBrackets).run();
}

class Tokenizer {
  readonly #text: string;
  readonly #to: number;
  readonly #tokens: Token[] = [];
  readonly #indents: number[] = [0];
  readonly #nested: boolean;
  #at: number;
  #brackets = 0;

  constructor(text: string, from: number, to: number, inBrackets: boolean) {
    this.#text = text;
    this.#at = from;
    this.#to = to;
    this.#nested = inBrackets;
    if (from === 0 && text.charCodeAt(0) === 0xfeff) this.#at = 1;
  }

  run(): Token[] {
    let lineStart = !this.#nested;
    while (this.#at < this.#to && this.#tokens.length < maximumTokens) {
      if (lineStart) {
        lineStart = false;
        if (this.#startLine()) {
          lineStart = true;
          continue;
        }
        if (this.#at >= this.#to) break;
      }
      const code = this.#text.charCodeAt(this.#at);
      if (code === 32 || code === 9 || code === 12) {
        this.#at++;
      } else if (code === 10 || code === 13) {
        lineStart = this.#endLine();
      } else if (code === 35) {
        this.#skipComment();
      } else if (code === 92) {
        this.#continueLine();
      } else {
        this.#token(code);
      }
    }
    if (!this.#nested) {
      const last = this.#tokens.at(-1);
      if (last !== undefined && last.type !== "newline" && last.type !== "dedent") this.#push("newline", this.#to, this.#to, "");
      while (this.#indents.length > 1) {
        this.#indents.pop();
        this.#push("dedent", this.#to, this.#to, "");
      }
    }
    this.#push("end", this.#to, this.#to, "");
    return this.#tokens;
  }

  #push(type: TokenType, start: number, end: number, value: string): void {
    this.#tokens.push({ type, start, end, value });
  }

  /** Measures the indentation. True when the line holds nothing and was skipped. */
  #startLine(): boolean {
    const text = this.#text;
    let column = 0;
    let at = this.#at;
    for (; at < this.#to; at++) {
      const code = text.charCodeAt(at);
      if (code === 32) column++;
      else if (code === 9) column = (column | 7) + 1;
      else if (code === 12) column = 0;
      else break;
    }
    const code = text.charCodeAt(at);
    this.#at = at;
    if (at >= this.#to) return false;
    if (code === 35) {
      this.#skipComment();
      return this.#skipLineEnd();
    }
    if (code === 10 || code === 13) return this.#skipLineEnd();
    const current = this.#indents.at(-1) ?? 0;
    if (column > current) {
      this.#indents.push(column);
      this.#push("indent", at, at, "");
    } else {
      while ((this.#indents.at(-1) ?? 0) > column) {
        this.#indents.pop();
        this.#push("dedent", at, at, "");
      }
      // A dedent to a column that no block has: count it as the enclosing block's.
    }
    return false;
  }

  #skipLineEnd(): boolean {
    if (this.#at >= this.#to) return true;
    if (this.#text.charCodeAt(this.#at) === 13 && this.#text.charCodeAt(this.#at + 1) === 10) this.#at++;
    this.#at++;
    return true;
  }

  #skipComment(): void {
    while (this.#at < this.#to) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 10 || code === 13) return;
      this.#at++;
    }
  }

  /** At a line end. True when a new logical line starts. */
  #endLine(): boolean {
    const start = this.#at;
    this.#skipLineEnd();
    if (this.#nested) return false;
    if (this.#brackets > 0 && !this.#startsStatement()) return false;
    this.#brackets = 0;
    this.#push("newline", start, this.#at, "");
    return true;
  }

  #startsStatement(): boolean {
    let at = this.#at;
    while (at < this.#to && (this.#text.charCodeAt(at) === 32 || this.#text.charCodeAt(at) === 9)) at++;
    const start = at;
    while (at < this.#to && isNamePart(this.#text.charCodeAt(at))) at++;
    if (at === start || at - start > 8) return false;
    const next = this.#text.charCodeAt(at);
    return statementWords.has(this.#text.slice(start, at)) && next !== 61 && next !== 46 && next !== 44;
  }

  #continueLine(): void {
    const next = this.#text.charCodeAt(this.#at + 1);
    if (next === 10 || next === 13) {
      this.#at++;
      this.#skipLineEnd();
    } else {
      this.#push("error", this.#at, this.#at + 1, "\\");
      this.#at++;
    }
  }

  #token(code: number): void {
    const start = this.#at;
    const text = this.#text;
    if (isNameStart(code)) {
      let at = start + 1;
      while (at < this.#to && isNamePart(text.charCodeAt(at))) at++;
      const quote = text.charCodeAt(at);
      if ((quote === 34 || quote === 39) && at < this.#to && at - start <= 2) {
        const prefix = text.slice(start, at).toLowerCase();
        if (/^(?:[rbuft]|br|rb|fr|rf|tr|rt)$/.test(prefix)) {
          this.#string(start, at, prefix);
          return;
        }
      }
      this.#at = at;
      this.#push("name", start, at, text.slice(start, at));
    } else if (code === 34 || code === 39) {
      this.#string(start, start, "");
    } else if ((code >= 48 && code <= 57) || (code === 46 && isDigit(text.charCodeAt(start + 1)))) {
      this.#number(start);
    } else {
      this.#operator(start, code);
    }
  }

  #number(start: number): void {
    const text = this.#text;
    let at = start;
    const prefixed = text.charCodeAt(at) === 48 && /[xXoObB]/.test(text[at + 1] ?? "");
    if (prefixed) at += 2;
    while (at < this.#to) {
      const code = text.charCodeAt(at);
      if (isNamePart(code) && code < 0x80) {
        const exponent = !prefixed && (code === 101 || code === 69);
        at++;
        const sign = text.charCodeAt(at);
        if (exponent && (sign === 43 || sign === 45) && isDigit(text.charCodeAt(at + 1))) at++;
      } else if (code === 46 && !prefixed) at++;
      else break;
    }
    this.#at = at;
    this.#push("number", start, at, text.slice(start, at));
  }

  #operator(start: number, code: number): void {
    const three = this.#text.slice(start, Math.min(start + 3, this.#to));
    let length = 1;
    if (operators3.has(three) && three !== "!==") length = 3;
    else if (operators2.has(three.slice(0, 2))) length = 2;
    const value = three.slice(0, length);
    if (code === 40 || code === 91 || code === 123) this.#brackets++;
    else if (code === 41 || code === 93 || code === 125) this.#brackets = Math.max(0, this.#brackets - 1);
    this.#at = start + length;
    const known = length > 1 || "()[]{},:;.=+-*/%@&|^~<>!".includes(value);
    this.#push(known ? "operator" : "error", start, this.#at, value);
  }

  #string(start: number, quoteAt: number, prefix: string): void {
    const quote = this.#text[quoteAt] ?? '"';
    const triple = this.#text.startsWith(quote.repeat(3), quoteAt) && quoteAt + 3 <= this.#to;
    const open = quoteAt + (triple ? 3 : 1);
    const close = triple ? quote.repeat(3) : quote;
    const raw = prefix.includes("r");
    if (prefix.includes("f") || prefix.includes("t")) {
      const scanned = scanFormatted(this.#text, open, this.#to, close, raw, 0);
      this.#at = scanned.end;
      this.#tokens.push({ type: "fstring", start, end: scanned.end, value: "", pieces: scanned.pieces });
      return;
    }
    const content = endOfString(this.#text, open, this.#to, close);
    this.#at = Math.min(content + (this.#text.startsWith(close, content) ? close.length : 0), this.#to);
    const written = this.#text.slice(open, content);
    this.#push("string", start, this.#at, raw ? written : unescape(written));
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Offset of the closing quotes, or of the place where the string breaks off. */
function endOfString(text: string, from: number, to: number, close: string): number {
  const quote = close.charCodeAt(0);
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    if (code === 92) {
      at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 3 : 2;
    } else if (code === quote && (close.length === 1 || text.startsWith(close, at))) {
      return at;
    } else if (close.length === 1 && (code === 10 || code === 13)) {
      return at;
    } else at++;
  }
  return to;
}

/** Decodes the escapes of a string literal (language reference, 2.5.1). */
function unescape(written: string): string {
  if (!written.includes("\\")) return written;
  return written.replace(/\\(\r\n|[\s\S]?)((?<=\\x)[0-9a-fA-F]{2}|(?<=\\u)[0-9a-fA-F]{4}|(?<=\\U)[0-9a-fA-F]{8}|(?<=\\[0-7])[0-7]{0,2}|)/g, (all, first: string, rest: string) => {
    if (first === "\n" || first === "\r\n" || first === "\r") return "";
    if ((first === "x" || first === "u" || first === "U") && rest !== "") return codePoint(Number.parseInt(rest, 16));
    if (/^[0-7]$/.test(first)) return codePoint(Number.parseInt(first + rest, 8));
    return simpleEscapes[first] === undefined ? all : simpleEscapes[first] + rest;
  });
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

interface ScannedFormat {
  readonly pieces: readonly FormattedPiece[];
  /** After the closing quotes. */
  readonly end: number;
}

/** Reads an f-string from behind its opening quotes; nested quotes of the same kind are allowed (PEP 701). */
function scanFormatted(text: string, from: number, to: number, close: string, raw: boolean, depth: number): ScannedFormat {
  const pieces: FormattedPiece[] = [];
  let literal = "";
  let at = from;
  const flush = (): void => {
    if (literal !== "") pieces.push({ kind: "text", value: raw ? literal : unescape(literal) });
    literal = "";
  };
  while (at < to) {
    const char = text[at] ?? "";
    if (text.startsWith(close, at)) {
      flush();
      return { pieces, end: at + close.length };
    }
    if (close.length === 1 && (char === "\n" || char === "\r")) break;
    if (char === "\\") {
      const named = !raw && text.startsWith("N{", at + 1) ? text.indexOf("}", at) + 1 : 0;
      const next = text[at + 1];
      const length = named > 0 ? named - at : next === "{" || next === "}" ? 1 : 2;
      literal += text.slice(at, at + length);
      at += length;
    } else if ((char === "{" || char === "}") && text[at + 1] === char) {
      literal += char;
      at += 2;
    } else if (char === "{") {
      flush();
      const field = scanField(text, at + 1, to, close, depth);
      pieces.push(field.piece);
      at = field.end;
    } else {
      literal += char;
      at++;
    }
  }
  flush();
  return { pieces, end: Math.min(at, to) };
}

/** Reads a replacement field from behind its brace. */
function scanField(text: string, from: number, to: number, close: string, depth: number): { piece: FormattedPiece; end: number } {
  let at = from;
  let brackets = 0;
  let expressionEnd = -1;
  let conversion = "";
  while (at < to) {
    const char = text[at] ?? "";
    if (char === '"' || char === "'") {
      if (close.length === 1 && char === close && !hasClosingBrace(text, at, to)) break;
      at = skipNestedString(text, at, to, depth);
      continue;
    }
    if (close.length === 1 && char === "\n" && brackets === 0 && !hasClosingBrace(text, at, to)) break;
    if (char === "(" || char === "[" || char === "{") brackets++;
    else if (char === ")" || char === "]") brackets--;
    else if (char === "}") {
      if (brackets <= 0) break;
      brackets--;
    } else if (brackets === 0 && char === "!" && text[at + 1] !== "=") {
      expressionEnd = at;
      conversion = text[at + 1] ?? "";
      at += 2;
      continue;
    } else if (brackets === 0 && char === ":") {
      break;
    }
    at++;
  }
  const end = expressionEnd < 0 ? at : expressionEnd;
  let format = "";
  if (text[at] === ":") {
    const formatStart = at + 1;
    let braces = 0;
    for (at++; at < to; at++) {
      const char = text[at];
      if (char === "{") braces++;
      else if (char === "}" && braces-- === 0) break;
      else if (close.length === 1 && (char === "\n" || char === close)) break;
    }
    format = text.slice(formatStart, at);
  }
  const trimmed = /\s*=\s*$/.exec(text.slice(from, end));
  const debug = trimmed !== null && !/[=!<>]=\s*$/.test(text.slice(from, end)) ? trimmed[0].length : 0;
  return { piece: { kind: "expression", start: from, end: end - debug, conversion, format }, end: text[at] === "}" ? at + 1 : at };
}

function hasClosingBrace(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 125) return true;
    if (code === 10) return false;
  }
  return false;
}

function skipNestedString(text: string, quoteAt: number, to: number, depth: number): number {
  const quote = text[quoteAt] ?? '"';
  const close = text.startsWith(quote.repeat(3), quoteAt) ? quote.repeat(3) : quote;
  const before = text.slice(Math.max(0, quoteAt - 2), quoteAt).toLowerCase();
  if (/[ft]r?$/.test(before) && depth < maximumFormatDepth) {
    return scanFormatted(text, quoteAt + close.length, to, close, before.endsWith("r"), depth + 1).end;
  }
  const end = endOfString(text, quoteAt + close.length, to, close);
  return Math.min(end + (text.startsWith(close, end) ? close.length : 0), to);
}
