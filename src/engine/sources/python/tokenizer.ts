/**
 * Tokens of Python source, with the offsets of the text they came from. Follows the lexical analysis
 * chapter of the Python language reference up to 3.14. Never throws: what is not Python becomes an
 * "error" token, and an unclosed bracket ends where a line can only start a new statement.
 */
import type { FormattedPiece } from "./string-text.ts";
import { endOfString, scanFormatted, unescape } from "./string-text.ts";

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

/** Above this many tokens a file is data, not a build script: what follows is not read. */
export const maximumTokens = 400_000;

/** Words that cannot go on an expression: at the start of a line they close brackets that were left open. */
const statementWords = new Set(["def", "class", "import", "return", "try", "while", "with", "raise", "del", "pass", "break", "continue", "global", "nonlocal", "assert"]);

const operators3 = new Set(["**=", "//=", ">>=", "<<=", "...", "!=="]);
const operators2 = new Set(["**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "<>"]);

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
  #to: number;
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
    // Where reading stops there is the end of the file for everyone who looks at the tokens.
    if (this.#tokens.length >= maximumTokens) this.#to = Math.min(this.#at, this.#to);
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
