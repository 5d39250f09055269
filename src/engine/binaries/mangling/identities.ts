import type { Node } from "./ast.ts";
import { fail, maximumDepth } from "./cursor.ts";

/** Numbers nodes so that two of the same structure have the same number, whatever objects they are; but for `distinct` ones. */
export class Identities {
  readonly distinct: Set<Node>;
  readonly #known = new Map<Node, number>();
  readonly #numbers = new Map<string, number>();
  #depth = 0;

  constructor(distinct: ReadonlySet<Node> = new Set()) {
    this.distinct = new Set(distinct);
  }

  /** Whether another node of this structure has a number; if so this one gets a number of its own. */
  part(node: Node): boolean {
    const before = this.#numbers.size;
    this.of(node);
    if (this.#numbers.size > before) return false;
    this.distinct.add(node);
    this.#known.delete(node);
    this.of(node);
    return true;
  }

  of(node: Node): number {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    if (++this.#depth > maximumDepth) fail();
    const key = this.distinct.has(node) ? `!${this.#numbers.size}` : this.#key(node);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(key, number);
    }
    this.#known.set(node, number);
    this.#depth--;
    return number;
  }

  #key(node: Node): string {
    const parts: string[] = [];
    for (const [name, value] of Object.entries(node) as readonly (readonly [string, unknown])[]) {
      // How a constructor is printed is no part of which it is.
      if (name === "of" && node.kind !== "initializer" && node.kind !== "destructor-reference") continue;
      parts.push(this.#part(value));
    }
    return parts.join(";");
  }

  #part(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map((one) => this.#part(one)).join(",")}]`;
    if (typeof value !== "object" || value === null) return String(value);
    if ("kind" in value) return `#${this.of(value as Node)}`;
    return `{${Object.values(value).map((one) => this.#part(one)).join(",")}}`;
  }
}
