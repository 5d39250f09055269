import { SyntaxFault } from "./cursor.ts";
import { ExpressionParser } from "./expressions.ts";
import type { Argument, Expression, Handler, Match, Module, ImportedName, Statement, SyntaxProblem } from "./syntax.ts";
import { maximumTokens, tokenize } from "./tokenizer.ts";

const maximumBlockDepth = 100;
const maximumProblems = 100;
const augmentedOperators = new Set(["+=", "-=", "*=", "/=", "//=", "%=", "**=", ">>=", "<<=", "&=", "^=", "|=", "@="]);

/** Parses a Python file. A statement that cannot be read becomes a "broken" one, and reading goes on behind it. */
export function parsePython(text: string): Module {
  const tokens = tokenize(text);
  const end = tokens.at(-1)?.start ?? text.length;
  const isCut = tokens.length > maximumTokens && end < text.length;
  const parser = new StatementParser(text, tokens);
  const body = parser.parseModule();
  // What is broken only because the text ends in its middle is no mistake of whoever wrote it.
  const problems = isCut ? parser.problems.filter((problem) => problem.start < end) : parser.problems;
  return { text, body, problems, ...(isCut ? { cutAt: end } : {}) };
}

class StatementParser extends ExpressionParser {
  readonly problems: SyntaxProblem[] = [];
  #blocks = 0;

  parseModule(): Statement[] {
    const body: Statement[] = [];
    while (this.token.type !== "end") this.#statementInto(body);
    return body;
  }

  /** Parses one line of statements or one compound statement; always moves on. */
  #statementInto(body: Statement[]): void {
    const from = this.at;
    const start = this.token.start;
    try {
      if (this.token.type === "newline" || this.token.type === "indent" || this.token.type === "dedent") {
        this.at++;
        return;
      }
      const compound = this.#parseCompound();
      if (compound !== undefined) body.push(compound);
      else this.#simpleStatementsInto(body);
    } catch (fault) {
      if (!(fault instanceof SyntaxFault)) throw fault;
      this.inPattern = false;
      if (this.problems.length < maximumProblems) this.problems.push({ message: fault.message, start: fault.start, end: fault.start });
      this.#skipStatement(from);
      body.push({ type: "broken", message: fault.message, start, end: this.previousEnd() });
    }
  }

  /** Goes behind the line end, leaving a block that follows to be read as statements of its own. */
  #skipStatement(from: number): void {
    if (this.at === from) this.at++;
    while (this.token.type !== "newline" && this.token.type !== "end" && this.token.type !== "dedent") this.at++;
    if (this.token.type === "newline") this.at++;
  }

  #simpleStatementsInto(body: Statement[]): void {
    for (;;) {
      body.push(this.#parseSimple());
      if (!this.acceptOperator(";")) break;
      if (this.token.type === "newline") break;
    }
    if (this.token.type === "newline") this.at++;
    else if (this.token.type !== "end" && this.token.type !== "dedent") this.fail("expected the end of the line");
  }

  #parseSimple(): Statement {
    const token = this.token;
    const start = token.start;
    if (token.type === "name") {
      const next = this.tokens[this.at + 1];
      switch (token.value) {
        case "pass": case "break": case "continue":
          this.at++;
          return { type: token.value, start, end: token.end };
        case "return": {
          this.at++;
          const value = this.startsExpression() ? this.parseExpressionList() : undefined;
          return { type: "return", start, end: this.previousEnd(), ...(value === undefined ? {} : { value }) };
        }
        case "raise": {
          this.at++;
          const value = this.startsExpression() ? this.parseExpression() : undefined;
          if (this.acceptWord("from")) this.parseExpression();
          return { type: "raise", start, end: this.previousEnd(), ...(value === undefined ? {} : { value }) };
        }
        case "del": {
          this.at++;
          const list = this.parseExpressionList();
          return { type: "delete", targets: list.type === "tuple" ? list.elements : [list], start, end: list.end };
        }
        case "assert": {
          this.at++;
          const test = this.parseExpression();
          if (this.acceptOperator(",")) this.parseExpression();
          return { type: "assert", test, start, end: this.previousEnd() };
        }
        case "import":
          return this.#parseImport();
        case "from":
          return this.#parseImportFrom();
        case "global": case "nonlocal": {
          this.at++;
          const names = [this.expectName().value];
          while (this.acceptOperator(",")) names.push(this.expectName().value);
          return { type: token.value, names, start, end: this.previousEnd() };
        }
        case "type":
          if (next?.type === "name") return this.#parseTypeAlias();
      }
    }
    return this.#parseAssignment();
  }

  #parseTypeAlias(): Statement {
    const start = this.token.start;
    this.at += 2;
    this.#skipTypeParameters();
    this.expectOperator("=");
    this.parseExpression();
    return { type: "pass", start, end: this.previousEnd() };
  }

  #parseAssignment(): Statement {
    const first = this.parseExpressionList();
    const { start } = first;
    const token = this.token;
    if (token.type === "operator" && augmentedOperators.has(token.value)) {
      this.at++;
      const value = this.parseExpressionList();
      return { type: "augmented", target: first, operator: token.value.slice(0, -1), value, start, end: value.end };
    }
    if (this.acceptOperator(":")) {
      this.parseExpression();
      const value = this.acceptOperator("=") ? this.parseExpressionList() : undefined;
      return { type: "assign", targets: [first], start, end: this.previousEnd(), ...(value === undefined ? {} : { value }) };
    }
    if (!this.isOperator("=")) return { type: "expression", value: first, start, end: first.end };
    const chain = [first];
    while (this.acceptOperator("=")) chain.push(this.parseExpressionList());
    const value = chain.pop() ?? first;
    return { type: "assign", targets: chain, value, start, end: value.end };
  }

  #dottedName(): string {
    let name = this.expectName().value;
    while (this.acceptOperator(".")) name += `.${this.expectName().value}`;
    return name;
  }

  #importedName(dotted: boolean): ImportedName {
    const start = this.token.start;
    const name = dotted ? this.#dottedName() : this.expectName().value;
    const as = this.acceptWord("as") ? this.expectName().value : undefined;
    return { name, start, end: this.previousEnd(), ...(as === undefined ? {} : { as }) };
  }

  #parseImport(): Statement {
    const start = this.token.start;
    this.at++;
    const names = [this.#importedName(true)];
    while (this.acceptOperator(",")) names.push(this.#importedName(true));
    return { type: "import", names, start, end: this.previousEnd() };
  }

  #parseImportFrom(): Statement {
    const start = this.token.start;
    this.at++;
    let level = 0;
    for (;;) {
      if (this.acceptOperator(".")) level++;
      else if (this.acceptOperator("...")) level += 3;
      else break;
    }
    const module = this.isWord("import") ? "" : this.#dottedName();
    this.expectWord("import");
    if (this.acceptOperator("*")) return { type: "import-from", module, level, names: [], all: true, start, end: this.previousEnd() };
    const bracketed = this.acceptOperator("(");
    const names = [this.#importedName(false)];
    while (this.acceptOperator(",")) {
      if (bracketed && this.isOperator(")")) break;
      names.push(this.#importedName(false));
    }
    if (bracketed) this.expectOperator(")");
    return { type: "import-from", module, level, names, all: false, start, end: this.previousEnd() };
  }

  #parseCompound(): Statement | undefined {
    const token = this.token;
    if (token.type === "operator" && token.value === "@") return this.#parseDecorated();
    if (token.type !== "name") return undefined;
    switch (token.value) {
      case "if":
        return this.#parseIf();
      case "for":
        return this.#parseFor(token.start);
      case "while": {
        this.at++;
        const test = this.parseNamed();
        const body = this.#parseBlock();
        const otherwise = this.acceptWord("else") ? this.#parseBlock() : [];
        return { type: "while", test, body, otherwise, start: token.start, end: this.previousEnd() };
      }
      case "try":
        return this.#parseTry();
      case "with":
        return this.#parseWith(token.start);
      case "def": case "class":
        return this.#parseDefinition([], token.start);
      case "async": {
        const next = this.tokens[this.at + 1]?.value;
        if (next !== "def" && next !== "for" && next !== "with") return undefined;
        this.at++;
        return next === "def" ? this.#parseDefinition([], token.start) : next === "for" ? this.#parseFor(token.start) : this.#parseWith(token.start);
      }
      case "match":
        return this.#startsMatch() ? this.#parseMatch() : undefined;
      default:
        return undefined;
    }
  }

  #parseBlock(): Statement[] {
    this.expectOperator(":");
    const body: Statement[] = [];
    if (this.token.type !== "newline") {
      this.#simpleStatementsInto(body);
      return body;
    }
    if (this.tokens[++this.at]?.type !== "indent") return body;
    if (this.#blocks >= maximumBlockDepth) this.fail("blocks nested too deeply");
    this.at++;
    this.#blocks++;
    try {
      while (!this.#blockEnds()) this.#statementInto(body);
    } finally {
      this.#blocks--;
    }
    this.#acceptDedent();
    return body;
  }

  #acceptDedent(): void {
    if (this.token.type === "dedent") this.at++;
  }

  #blockEnds(): boolean {
    return this.token.type === "dedent" || this.token.type === "end";
  }

  /** An `elif` becomes an `if` alone in the other branch; the chain is read in a loop, so its length does not matter. */
  #parseIf(): Statement {
    const links: { start: number; test: Expression; body: Statement[] }[] = [];
    let start = this.token.start;
    this.at++;
    let otherwise: Statement[] = [];
    for (;;) {
      const test = this.parseNamed();
      links.push({ start, test, body: this.#parseBlock() });
      start = this.token.start;
      if (this.acceptWord("elif")) continue;
      if (this.acceptWord("else")) otherwise = this.#parseBlock();
      break;
    }
    const end = this.previousEnd();
    for (const link of links.reverse()) otherwise = [{ type: "if", test: link.test, body: link.body, otherwise, start: link.start, end }];
    const whole = otherwise[0];
    return whole ?? this.fail("expected a condition");
  }

  #parseFor(start: number): Statement {
    this.at++;
    const target = this.parseTargets();
    this.expectWord("in");
    const iterable = this.parseExpressionList();
    const body = this.#parseBlock();
    const otherwise = this.acceptWord("else") ? this.#parseBlock() : [];
    return { type: "for", target, iterable, body, otherwise, start, end: this.previousEnd() };
  }

  #parseTry(): Statement {
    const start = this.token.start;
    this.at++;
    const body = this.#parseBlock();
    const handlers: Handler[] = [];
    while (this.isWord("except")) {
      const handlerStart = this.token.start;
      this.at++;
      this.acceptOperator("*");
      const catches = this.isOperator(":") ? undefined : this.parseExpressionList();
      const name = this.acceptWord("as") ? this.expectName().value : undefined;
      const handled = this.#parseBlock();
      handlers.push({ body: handled, start: handlerStart, end: this.previousEnd(), ...(catches === undefined ? {} : { catches }), ...(name === undefined ? {} : { name }) });
    }
    const otherwise = this.acceptWord("else") ? this.#parseBlock() : [];
    const last = this.acceptWord("finally") ? this.#parseBlock() : [];
    return { type: "try", body, handlers, otherwise, finally: last, start, end: this.previousEnd() };
  }

  #parseWith(start: number): Statement {
    this.at++;
    const mark = this.at;
    let items: { context: Expression; target?: Expression }[];
    try {
      items = this.#parseWithItems(false);
      if (!this.isOperator(":")) this.fail("expected ':'");
    } catch (fault) {
      if (!(fault instanceof SyntaxFault) || this.tokens[mark]?.value !== "(") throw fault;
      this.at = mark + 1;
      items = this.#parseWithItems(true);
      this.expectOperator(")");
    }
    const body = this.#parseBlock();
    return { type: "with", items, body, start, end: this.previousEnd() };
  }

  #parseWithItems(bracketed: boolean): { context: Expression; target?: Expression }[] {
    const items: { context: Expression; target?: Expression }[] = [];
    do {
      if (bracketed && this.isOperator(")")) break;
      const context = this.parseExpression();
      items.push(this.acceptWord("as") ? { context, target: this.parseStarOrNamed() } : { context });
    } while (this.acceptOperator(","));
    return items;
  }

  #parseDecorated(): Statement {
    const decorators: Expression[] = [];
    const start = this.token.start;
    while (this.acceptOperator("@")) {
      decorators.push(this.parseNamed());
      while (this.token.type === "newline") this.at++;
    }
    this.acceptWord("async");
    return this.#parseDefinition(decorators, start);
  }

  #parseDefinition(decorators: Expression[], start: number): Statement {
    const word = this.token.value;
    if (word !== "def" && word !== "class") this.fail("expected a function or class");
    this.at++;
    const name = this.expectName();
    this.#skipTypeParameters();
    if (word === "class") {
      const bases: Argument[] = this.isOperator("(") ? this.parseArguments() : [];
      const body = this.#parseBlock();
      return { type: "class", name: name.value, nameStart: name.start, bases, body, decorators, start, end: this.previousEnd() };
    }
    this.expectOperator("(");
    const parameters = this.parseParameters(")");
    this.expectOperator(")");
    if (this.acceptOperator("->")) this.parseExpression();
    const body = this.#parseBlock();
    return { type: "function", name: name.value, nameStart: name.start, parameters, body, decorators, start, end: this.previousEnd() };
  }

  /** `[T, *Ts]` after the name of a function, class or alias (PEP 695): of no use here. */
  #skipTypeParameters(): void {
    if (!this.isOperator("[")) return;
    let depth = 0;
    do {
      if (this.isOperator("[")) depth++;
      else if (this.isOperator("]")) depth--;
      else if (this.token.type === "newline" || this.token.type === "end") this.fail("expected ']'");
      this.at++;
    } while (depth > 0);
  }

  /** `match` is a name unless the line ends with a colon and a `case` follows. */
  #startsMatch(): boolean {
    let at = this.at + 1;
    while (this.tokens[at] !== undefined && this.tokens[at]?.type !== "newline" && this.tokens[at]?.type !== "end") at++;
    return this.tokens[at - 1]?.value === ":" && this.tokens[at + 1]?.type === "indent" && this.tokens[at + 2]?.value === "case";
  }

  #parseMatch(): Statement {
    const start = this.token.start;
    this.at++;
    const subject = this.parseExpressionList();
    this.expectOperator(":");
    this.at += 2;
    const cases: { pattern: Expression; guard?: Expression; body: Statement[] }[] = [];
    while (this.acceptWord("case")) {
      this.inPattern = true;
      const pattern = this.parseExpressionList();
      if (this.acceptWord("as")) this.expectName();
      this.inPattern = false;
      const guard = this.acceptWord("if") ? this.parseNamed() : undefined;
      const body = this.#parseBlock();
      cases.push(guard === undefined ? { pattern, body } : { pattern, guard, body });
    }
    if (this.token.type === "dedent") this.at++;
    const match: Match = { type: "match", subject, cases, start, end: this.previousEnd() };
    return match;
  }
}
