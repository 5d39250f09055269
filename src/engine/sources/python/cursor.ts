import type { Token } from "./tokenizer.ts";

/** A statement that is not Python; the statement parser catches it and goes on with the next line. */
export class SyntaxFault extends Error {
  readonly start: number;

  constructor(message: string, start: number) {
    super(message);
    this.start = start;
  }
}

/** Nesting of brackets, lambdas and the like beyond which a statement is given up; CPython's own limit is 200. */
const maximumDepth = 200;

export const keywords = new Set([
  "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
  "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
  "while", "with", "yield",
]);

/** A place in the tokens, and the steps that every part of the parser takes. */
export class TokenCursor {
  protected readonly text: string;
  protected readonly tokens: readonly Token[];
  protected at = 0;
  /** Patterns of `match` additionally allow `as`. */
  protected inPattern = false;
  protected depth: number;

  constructor(text: string, tokens: readonly Token[], depth = 0) {
    this.text = text;
    this.tokens = tokens;
    this.depth = depth;
  }

  protected get token(): Token {
    return this.tokens[this.at] ?? endToken;
  }

  protected previousEnd(): number {
    return this.tokens[this.at - 1]?.end ?? 0;
  }

  protected isOperator(value: string): boolean {
    const token = this.token;
    return token.type === "operator" && token.value === value;
  }

  protected isWord(value: string): boolean {
    const token = this.token;
    return token.type === "name" && token.value === value;
  }

  protected acceptOperator(value: string): boolean {
    if (!this.isOperator(value)) return false;
    this.at++;
    return true;
  }

  protected acceptWord(value: string): boolean {
    if (!this.isWord(value)) return false;
    this.at++;
    return true;
  }

  protected expectOperator(value: string): void {
    if (!this.acceptOperator(value)) this.fail(`expected '${value}'`);
  }

  protected expectWord(value: string): void {
    if (!this.acceptWord(value)) this.fail(`expected '${value}'`);
  }

  protected expectName(): Token {
    const token = this.token;
    if (token.type !== "name" || keywords.has(token.value)) this.fail("expected a name");
    this.at++;
    return token;
  }

  protected fail(message: string): never {
    throw new SyntaxFault(message, this.token.start);
  }

  protected deeper<T>(parse: () => T): T {
    if (this.depth >= maximumDepth) this.fail("nested too deeply");
    this.depth++;
    try {
      return parse();
    } finally {
      this.depth--;
    }
  }

  protected startsExpression(): boolean {
    const token = this.token;
    switch (token.type) {
      case "string": case "fstring": case "number":
        return true;
      case "name":
        return !keywords.has(token.value) || ["None", "True", "False", "not", "lambda", "await", "yield"].includes(token.value);
      case "operator":
        return ["(", "[", "{", "-", "+", "~", "...", "*"].includes(token.value);
      default:
        return false;
    }
  }
}

const endToken: Token = { type: "end", start: 0, end: 0, value: "" };
