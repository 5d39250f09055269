import { TokenCursor, keywords } from "./cursor.ts";
import type { Comprehension, Expression, NumberLiteral } from "./syntax.ts";
import type { Token } from "./tokenizer.ts";

/** Literals, displays and comprehensions: what an expression is made of. */
export abstract class AtomParser extends TokenCursor {
  abstract parseExpressionList(): Expression;
  abstract parseStarOrNamed(): Expression;
  abstract parseNamed(): Expression;
  protected abstract parseBinary(minimum: number): Expression;
  protected abstract parsePrimary(): Expression;
  /** An expression inside an f-string, which has tokens of its own. */
  protected abstract parseEmbedded(start: number, end: number): Expression;

  protected startsClauses(): boolean {
    if (this.isWord("for")) return true;
    const next = this.tokens[this.at + 1];
    return this.isWord("async") && next?.type === "name" && next.value === "for";
  }

  protected parseClauses(): Comprehension["clauses"] {
    const clauses: { target: Expression; iterable: Expression; tests: Expression[] }[] = [];
    while (this.startsClauses()) {
      this.acceptWord("async");
      this.expectWord("for");
      const target = this.parseTargets();
      this.expectWord("in");
      const iterable = this.#parseIterable();
      const tests: Expression[] = [];
      while (this.acceptWord("if")) tests.push(this.#parseIterable());
      clauses.push({ target, iterable, tests });
    }
    return clauses;
  }

  /** An expression in a comprehension, where `if` starts a filter unless `else` follows. */
  #parseIterable(): Expression {
    return this.parseNamed();
  }

  /** Targets of `for` and comprehensions: stops before `in`. */
  protected parseTargets(): Expression {
    const first = this.#parseTarget();
    if (!this.isOperator(",")) return first;
    const elements = [first];
    while (this.acceptOperator(",")) {
      if (this.isWord("in") || this.isOperator("=")) break;
      elements.push(this.#parseTarget());
    }
    return { type: "tuple", elements, start: first.start, end: this.previousEnd() };
  }

  #parseTarget(): Expression {
    const start = this.token.start;
    if (this.acceptOperator("*")) {
      const value = this.parsePrimary();
      return { type: "starred", stars: "*", value, start, end: value.end };
    }
    return this.parsePrimary();
  }

  protected parseAtom(): Expression {
    const token = this.token;
    const { start, end } = token;
    switch (token.type) {
      case "string": case "fstring":
        return this.#parseStrings();
      case "number":
        this.at++;
        return numberOf(token);
      case "name":
        if (token.value === "True" || token.value === "False" || token.value === "None") {
          this.at++;
          return { type: "constant", value: token.value, start, end };
        }
        if (keywords.has(token.value)) this.fail(`unexpected '${token.value}'`);
        this.at++;
        return { type: "name", id: token.value, start, end };
      case "operator":
        if (token.value === "(") return this.deeper(() => this.#parseParenthesised());
        if (token.value === "[") return this.deeper(() => this.#parseListDisplay());
        if (token.value === "{") return this.deeper(() => this.#parseBraces());
        if (token.value === "...") {
          this.at++;
          return { type: "constant", value: "...", start, end };
        }
        break;
      default:
    }
    return this.fail("expected an expression");
  }

  /** One or more literals next to each other, which Python joins. */
  #parseStrings(): Expression {
    const first = this.token;
    const start = first.start;
    let plain = "";
    let parts: (string | { expression: Expression; conversion: string; format: string })[] | undefined;
    let end = first.end;
    for (let token = first; token.type === "string" || token.type === "fstring"; token = this.token) {
      if (token.type === "string") {
        if (parts === undefined) plain += token.value;
        else parts.push(token.value);
      } else {
        parts ??= plain === "" ? [] : [plain];
        for (const piece of token.pieces ?? []) {
          parts.push(piece.kind === "text" ? piece.value : { expression: this.parseEmbedded(piece.start, piece.end), conversion: piece.conversion, format: piece.format });
        }
      }
      end = token.end;
      this.at++;
    }
    return parts === undefined ? { type: "string", value: plain, start, end } : { type: "fstring", parts, start, end };
  }

  #parseParenthesised(): Expression {
    const start = this.token.start;
    this.expectOperator("(");
    if (this.acceptOperator(")")) return { type: "tuple", elements: [], start, end: this.previousEnd() };
    const first = this.parseStarOrNamed();
    if (this.startsClauses()) {
      const clauses = this.parseClauses();
      this.expectOperator(")");
      return { type: "comprehension", makes: "generator", element: first, clauses, start, end: this.previousEnd() };
    }
    if (!this.isOperator(",")) {
      this.expectOperator(")");
      // Only the brackets are gone: the range stays that of the inner text, which is what one edits.
      return first;
    }
    const elements = this.#parseElements(first, ")");
    return { type: "tuple", elements, start, end: this.previousEnd() };
  }

  #parseElements(first: Expression, closer: string): Expression[] {
    const elements = [first];
    while (this.acceptOperator(",")) {
      if (this.isOperator(closer)) break;
      elements.push(this.parseStarOrNamed());
    }
    this.expectOperator(closer);
    return elements;
  }

  #parseListDisplay(): Expression {
    const start = this.token.start;
    this.expectOperator("[");
    if (this.acceptOperator("]")) return { type: "list", elements: [], start, end: this.previousEnd() };
    const first = this.parseStarOrNamed();
    if (this.startsClauses()) {
      const clauses = this.parseClauses();
      this.expectOperator("]");
      return { type: "comprehension", makes: "list", element: first, clauses, start, end: this.previousEnd() };
    }
    return { type: "list", elements: this.#parseElements(first, "]"), start, end: this.previousEnd() };
  }

  #parseBraces(): Expression {
    const start = this.token.start;
    this.expectOperator("{");
    if (this.acceptOperator("}")) return { type: "dict", entries: [], start, end: this.previousEnd() };
    const first = this.#parseEntry();
    if (first.isSet) {
      if (this.startsClauses()) {
        const clauses = this.parseClauses();
        this.expectOperator("}");
        return { type: "comprehension", makes: "set", element: first.value, clauses, start, end: this.previousEnd() };
      }
      return { type: "set", elements: this.#parseElements(first.value, "}"), start, end: this.previousEnd() };
    }
    if (first.key !== undefined && this.startsClauses()) {
      const clauses = this.parseClauses();
      this.expectOperator("}");
      return { type: "comprehension", makes: "dict", element: first.key, value: first.value, clauses, start, end: this.previousEnd() };
    }
    const entries = [{ key: first.key, value: first.value }];
    while (this.acceptOperator(",")) {
      if (this.isOperator("}")) break;
      const { key, value } = this.#parseEntry();
      entries.push({ key, value });
    }
    this.expectOperator("}");
    return { type: "dict", entries, start, end: this.previousEnd() };
  }

  #parseEntry(): { key: Expression | undefined; value: Expression; isSet: boolean } {
    if (this.acceptOperator("**")) return { key: undefined, value: this.parseBinary(1), isSet: false };
    const key = this.parseStarOrNamed();
    if (!this.acceptOperator(":")) return { key: undefined, value: key, isSet: true };
    return { key, value: this.parseNamed(), isSet: false };
  }
}

function numberOf(token: Token): NumberLiteral {
  const written = token.value.replaceAll("_", "").replace(/[jJlL]$/, "");
  const old = /^0[0-7]+$/.test(written) ? `0o${written.slice(1)}` : written;
  return { type: "number", value: Number(old), start: token.start, end: token.end };
}
