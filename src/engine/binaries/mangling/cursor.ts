import type { Node } from "./ast.ts";

/** Names longer than this are no names of a compiler; everything after it is bounded by it. */
export const maximumLength = 65_536;
/** The deepest nesting that is read, printed or written; compilers of real code stay below a hundred. */
export const maximumDepth = 600;
const maximumSteps = 400_000;

/** What is thrown, inside this folder only, when a name cannot be read: one object, because names that are none are common. */
export const unreadable = new Error("This is no mangled name that can be read.");

export function fail(): never {
  throw unreadable;
}

/** The result of `attempt`, or undefined where it gave up. */
export function unlessUnreadable<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error === unreadable) return undefined;
    throw error;
  }
}

/** What `read` makes of a mangled name; undefined when it is none that can be read. */
export function readWith<T>(symbol: string, read: (cursor: Cursor) => T): T | undefined {
  if (!symbol.startsWith("_Z") || symbol.length > maximumLength) return undefined;
  const cursor = new Cursor(symbol, false);
  const result = unlessUnreadable(() => read(cursor));
  if (result !== undefined || !cursor.sawScope) return result;
  return unlessUnreadable(() => read(new Cursor(symbol, true)));
}

/** A place in a mangled name, and what has been seen up to it. */
export class Cursor {
  readonly text: string;
  at = 0;
  readonly substitutions: Node[] = [];
  /** The last class or function name, which a constructor repeats. */
  lastName = "";
  /** Inside `cv`, where T_ may be followed by the arguments of the conversion function itself. */
  inConversion = false;
  inExpression = false;
  /** Whether `sr` and a name begin a list of scopes that ends with E, as clang writes it; g++ writes a type. */
  readonly scopesEnd: boolean;
  /** Set where the two could be told apart by nothing but what follows. */
  sawScope = false;
  #depth = 0;
  #steps = 0;

  constructor(text: string, scopesEnd: boolean) {
    this.text = text;
    this.scopesEnd = scopesEnd;
  }

  peek(): string {
    return this.text.charAt(this.at);
  }

  next(): string {
    return this.text.charAt(this.at + 1);
  }

  take(): string {
    return this.text.charAt(this.at++);
  }

  /** Consumes `expected` where it stands here. */
  eat(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  expect(expected: string): void {
    if (!this.eat(expected)) fail();
  }

  /** Digits, as they are written; empty where there are none. */
  digits(): string {
    const from = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at++;
    return this.text.slice(from, this.at);
  }

  /** A number that may be negative: n marks it. */
  signedDigits(): string {
    const sign = this.eat("n") ? "n" : "";
    const digits = this.digits();
    return digits === "" ? fail() : sign + digits;
  }

  /** What stands before the underscore of a sequence number: "" for the first, "0" for the second. */
  compactNumber(): string {
    const digits = this.digits();
    this.expect("_");
    return digits;
  }

  /** <source-name> without its length. */
  sourceName(): string {
    let length = 0;
    const from = this.at;
    for (let code = this.text.charCodeAt(this.at); isDigit(code); code = this.text.charCodeAt(++this.at)) {
      length = length * 10 + code - 48;
      if (length > maximumLength) fail();
    }
    if (this.at === from || length === 0 || this.at + length > this.text.length) fail();
    this.at += length;
    return this.text.slice(this.at - length, this.at);
  }

  /** Enters one level of nesting; `leave` must follow unless reading fails. */
  enter(): void {
    if (++this.#depth > maximumDepth || ++this.#steps > maximumSteps) fail();
  }

  leave(): void {
    this.#depth--;
  }

  remember(node: Node): void {
    this.substitutions.push(node);
  }
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
