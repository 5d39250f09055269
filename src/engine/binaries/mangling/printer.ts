import type { Node } from "./ast.ts";
import { fail, maximumDepth } from "./cursor.ts";

/** The longest text that is printed of one name, in characters. */
export const maximumOutput = 1_048_576;
const maximumSteps = 1_000_000;

/** The template arguments that T_ stands for, innermost template first. */
export interface Scope {
  readonly args: readonly Node[];
  readonly outer: Scope | undefined;
}

/** Text as it grows, and what a template parameter means at this point of it. */
export class Printer {
  text = "";
  scope: Scope | undefined;
  /** The template whose name is being printed, for the type of a conversion function in it. */
  template: Scope["args"] | undefined;
  /** Which element of a pack is being printed. */
  packIndex = 0;
  /** Inside the signature of a lambda T_ is one of its own: auto:1. */
  inLambda = 0;
  /** What template parameters meant where a reference to one was first printed. */
  readonly #firstScopes = new Map<Node, Scope | undefined>();
  /** The nodes that are being printed, outermost first. */
  readonly #open: Node[] = [];
  #steps = 0;
  /** The last character, so that the text, a rope, is not flattened for a look at it. */
  #last = "";

  get last(): string {
    return this.#last;
  }

  get length(): number {
    return this.text.length;
  }

  add(text: string): void {
    if (text === "") return;
    this.text += text;
    this.#last = text.charAt(text.length - 1);
    if (this.text.length > maximumOutput) fail();
  }

  /** Drops what was added after `length`. The last character stays what it was: so does `c++filt`, and prints `> >>` for it. */
  cut(length: number): void {
    this.text = this.text.slice(0, length);
  }

  step(): void {
    if (++this.#steps > maximumSteps) fail();
  }

  enter(node: Node): void {
    this.step();
    if (this.#open.push(node) > maximumDepth) fail();
  }

  leave(): void {
    this.#open.pop();
  }

  /**
   * The scope in which `c++filt` looks up the parameter of a reference to it. One that is met again through a substitution
   * keeps the meaning that it had first, unless it is printed inside itself: where two templates share a T_, that differs
   * from what the ABI says.
   */
  scopeOfReference(reference: Node, parameter: Node): Scope | undefined {
    if (!this.#firstScopes.has(parameter)) {
      this.#firstScopes.set(parameter, this.scope);
      return this.scope;
    }
    const inside = this.#open.includes(parameter) || this.#open.slice(0, -1).includes(reference);
    return inside ? this.scope : this.#firstScopes.get(parameter);
  }

  /** The argument that a template parameter stands for: of a pack the element that is being printed. */
  argument(parameter: Node & { kind: "parameter" }): Node {
    const argument = this.wholeArgument(parameter);
    return argument.kind === "pack" ? argument.args[this.packIndex] ?? fail() : argument;
  }

  /** The argument that a template parameter stands for, a pack as a whole. */
  wholeArgument(parameter: Node & { kind: "parameter" }): Node {
    const { number } = parameter;
    // Parameters of an outer level (TL0__) are those of a generic lambda; nothing says here what they stand for.
    if (number.startsWith("L")) return fail();
    return this.scope?.args[number === "" ? 0 : Number(number) + 1] ?? fail();
  }

  /** Does `work` with `scope` as what template parameters refer to. */
  within(scope: Scope | undefined, work: () => void): void {
    const before = this.scope;
    this.scope = scope;
    work();
    this.scope = before;
  }

  /** Items with commas between; those at the end that print nothing leave no comma. */
  list(items: readonly Node[], print: (item: Node) => void): void {
    let end = this.length;
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (item === undefined) break;
      if (index > 0) this.add(", ");
      const before = this.length;
      print(item);
      if (index === 0 || this.length > before) end = this.length;
    }
    if (this.length > end) this.cut(end);
  }
}
