import { AtomParser } from "./atoms.ts";
import { SyntaxFault } from "./cursor.ts";
import type { Argument, Comprehension, Expression, Parameter } from "./syntax.ts";
import { tokenize } from "./tokenizer.ts";

/** Binding strength of the binary operators between comparison and unary minus. */
const strengths: Readonly<Record<string, number>> = { "|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6 };

const comparisonOperators = new Set(["<", ">", "==", ">=", "<=", "!=", "<>"]);

/** Recursive descent over the expression grammar of the Python reference. */
export class ExpressionParser extends AtomParser {
  /** `a, *b, c`: one expression, or a tuple without brackets. */
  parseExpressionList(): Expression {
    const first = this.parseStarOrNamed();
    if (!this.isOperator(",")) return first;
    const elements = [first];
    while (this.acceptOperator(",")) {
      if (!this.startsExpression()) break;
      elements.push(this.parseStarOrNamed());
    }
    return { type: "tuple", elements, start: first.start, end: this.previousEnd() };
  }

  parseStarOrNamed(): Expression {
    const start = this.token.start;
    if (this.acceptOperator("*")) {
      const value = this.parseBinary(1);
      return { type: "starred", stars: "*", value, start, end: value.end };
    }
    return this.parseNamed();
  }

  parseNamed(): Expression {
    const value = this.parseExpression();
    if (value.type === "name" && this.acceptOperator(":=")) {
      const assigned = this.parseExpression();
      return { type: "walrus", target: value, value: assigned, start: value.start, end: assigned.end };
    }
    if (this.inPattern && this.acceptWord("as")) this.expectName();
    return value;
  }

  parseExpression(): Expression {
    return this.deeper(() => {
      if (this.isWord("lambda")) return this.#parseLambda();
      if (this.isWord("yield")) return this.#parseYield();
      const then = this.#parseOr();
      if (!this.isWord("if") || this.inPattern) return then;
      const mark = this.at++;
      const test = this.#parseOr();
      if (!this.acceptWord("else")) {
        // The `if` belongs to a comprehension.
        this.at = mark;
        return then;
      }
      const otherwise = this.parseExpression();
      return { type: "conditional", test, then, otherwise, start: then.start, end: otherwise.end };
    });
  }

  #parseLambda(): Expression {
    const start = this.token.start;
    this.at++;
    const parameters = this.parseParameters(":");
    this.expectOperator(":");
    const body = this.parseExpression();
    return { type: "lambda", parameters, body, start, end: body.end };
  }

  #parseYield(): Expression {
    const start = this.token.start;
    this.at++;
    this.acceptWord("from");
    if (!this.startsExpression()) return { type: "yield", start, end: this.previousEnd() };
    const value = this.parseExpressionList();
    return { type: "yield", value, start, end: value.end };
  }

  /** Parameters up to `closer`, which is left in place. */
  protected parseParameters(closer: ")" | ":"): Parameter[] {
    const parameters: Parameter[] = [];
    while (!this.isOperator(closer)) {
      const start = this.token.start;
      const star = this.acceptOperator("**") ? "**" : this.acceptOperator("*") ? "*" : "";
      if (star === "" && this.acceptOperator("/")) {
        // Only marks the ones before it as positional.
      } else if (star === "*" && (this.isOperator(",") || this.isOperator(closer))) {
        // Only marks the ones after it as keywords.
      } else {
        const name = this.expectName().value;
        if (closer === ")" && this.acceptOperator(":")) this.parseStarOrNamed();
        const value = this.acceptOperator("=") ? this.parseExpression() : undefined;
        parameters.push({ name, star, start, end: this.previousEnd(), ...(value === undefined ? {} : { default: value }) });
      }
      if (!this.acceptOperator(",")) break;
    }
    return parameters;
  }

  #parseOr(): Expression {
    return this.#parseBoolean("or", () => this.#parseBoolean("and", () => this.#parseNot()));
  }

  #parseBoolean(operator: "and" | "or", operand: () => Expression): Expression {
    const first = operand();
    if (!this.isWord(operator)) return first;
    const values = [first];
    while (this.acceptWord(operator)) values.push(operand());
    return { type: "boolean", operator, values, start: first.start, end: this.previousEnd() };
  }

  #parseNot(): Expression {
    const start = this.token.start;
    if (!this.acceptWord("not")) return this.#parseComparison();
    const operand = this.deeper(() => this.#parseNot());
    return { type: "unary", operator: "not", operand, start, end: operand.end };
  }

  #parseComparison(): Expression {
    const left = this.parseBinary(1);
    let operator = this.#comparisonOperator();
    if (operator === undefined) return left;
    const rest: { operator: string; right: Expression }[] = [];
    while (operator !== undefined) {
      rest.push({ operator, right: this.parseBinary(1) });
      operator = this.#comparisonOperator();
    }
    return { type: "comparison", left, rest, start: left.start, end: this.previousEnd() };
  }

  #comparisonOperator(): string | undefined {
    const token = this.token;
    if (token.type === "operator" && comparisonOperators.has(token.value)) {
      this.at++;
      return token.value;
    }
    if (token.type !== "name") return undefined;
    if (this.acceptWord("in")) return "in";
    if (this.acceptWord("is")) return this.acceptWord("not") ? "is not" : "is";
    const next = this.tokens[this.at + 1];
    if (token.value === "not" && next?.type === "name" && next.value === "in") {
      this.at += 2;
      return "not in";
    }
    return undefined;
  }

  protected parseBinary(minimum: number): Expression {
    let left = this.#parseUnary();
    for (;;) {
      const token = this.token;
      const strength = token.type === "operator" ? strengths[token.value] : undefined;
      if (strength === undefined || strength < minimum) return left;
      this.at++;
      const right = this.parseBinary(strength + 1);
      left = { type: "binary", operator: token.value, left, right, start: left.start, end: right.end };
    }
  }

  #parseUnary(): Expression {
    const token = this.token;
    if (token.type === "operator" && (token.value === "-" || token.value === "+" || token.value === "~")) {
      this.at++;
      const operand = this.deeper(() => this.#parseUnary());
      return { type: "unary", operator: token.value, operand, start: token.start, end: operand.end };
    }
    const isAwait = this.isWord("await");
    if (isAwait) this.at++;
    const base = this.parsePrimary();
    const left: Expression = isAwait ? { type: "await", value: base, start: token.start, end: base.end } : base;
    if (!this.acceptOperator("**")) return left;
    const right = this.deeper(() => this.#parseUnary());
    return { type: "binary", operator: "**", left, right, start: left.start, end: right.end };
  }

  protected parsePrimary(): Expression {
    let value = this.parseAtom();
    for (;;) {
      if (this.acceptOperator(".")) {
        const name = this.token;
        if (name.type !== "name") this.fail("expected an attribute name");
        this.at++;
        value = { type: "attribute", object: value, name: name.value, nameStart: name.start, start: value.start, end: name.end };
      } else if (this.isOperator("(")) {
        const args = this.parseArguments();
        value = { type: "call", callee: value, arguments: args, start: value.start, end: this.previousEnd() };
      } else if (this.acceptOperator("[")) {
        const index = this.deeper(() => this.#parseSlices());
        this.expectOperator("]");
        value = { type: "subscript", object: value, index, start: value.start, end: this.previousEnd() };
      } else return value;
    }
  }

  /** Arguments of a call or bases of a class, with their brackets. */
  protected parseArguments(): Argument[] {
    this.expectOperator("(");
    const args: Argument[] = [];
    while (!this.isOperator(")")) {
      args.push(this.#parseArgument());
      if (!this.acceptOperator(",")) break;
    }
    this.expectOperator(")");
    return args;
  }

  #parseArgument(): Argument {
    const first = this.token;
    const start = first.start;
    const star = this.acceptOperator("**") ? "**" : this.acceptOperator("*") ? "*" : undefined;
    if (star !== undefined) {
      const value = this.parseExpression();
      return { star, value, start, end: value.end };
    }
    const next = this.tokens[this.at + 1];
    if (first.type === "name" && next?.type === "operator" && next.value === "=") {
      this.at += 2;
      const value = this.inPattern ? this.parseNamed() : this.parseExpression();
      return { name: first.value, nameRange: first, value, start, end: value.end };
    }
    const value = this.parseNamed();
    if (!this.startsClauses()) return { value, start, end: value.end };
    const clauses = this.parseClauses();
    const generator: Comprehension = { type: "comprehension", makes: "generator", element: value, clauses, start, end: this.previousEnd() };
    return { value: generator, start, end: generator.end };
  }

  #parseSlices(): Expression {
    const first = this.#parseSlice();
    if (!this.isOperator(",")) return first;
    const elements = [first];
    while (this.acceptOperator(",")) {
      if (this.isOperator("]")) break;
      elements.push(this.#parseSlice());
    }
    return { type: "tuple", elements, start: first.start, end: this.previousEnd() };
  }

  #parseSlice(): Expression {
    const start = this.token.start;
    const lower = this.isOperator(":") ? undefined : this.parseStarOrNamed();
    if (!this.acceptOperator(":")) return lower ?? this.fail("expected an index");
    const upper = this.#sliceEnds() ? undefined : this.parseExpression();
    const step = this.acceptOperator(":") && !this.#sliceEnds() ? this.parseExpression() : undefined;
    return {
      type: "slice", start, end: this.previousEnd(),
      ...(lower === undefined ? {} : { lower }), ...(upper === undefined ? {} : { upper }), ...(step === undefined ? {} : { step }),
    };
  }

  #sliceEnds(): boolean {
    return this.isOperator(":") || this.isOperator("]") || this.isOperator(",");
  }

  protected parseEmbedded(start: number, end: number): Expression {
    const inner = new ExpressionParser(this.text, tokenize(this.text, start, end, true), this.depth + 1);
    try {
      return this.deeper(() => inner.parseExpressionList());
    } catch (fault) {
      if (fault instanceof SyntaxFault) return { type: "unreadable", start, end };
      throw fault;
    }
  }
}
