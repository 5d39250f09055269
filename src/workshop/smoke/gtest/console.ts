import { BothEnds } from "../limits.ts";

/** What a GoogleTest program printed of one of its tests; without an end it was the one that ran last. */
export interface ConsoleCase {
  /** "Suite.Case", of an instance with its parameters: "Some/Suite.Case/0". */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped" | undefined;
  readonly milliseconds: number;
  readonly output: string;
}

const begins = /\[ RUN {6}\] (\S+\.\S+)$/;
const ends = /\[ {2}(?: {5}OK|FAILED | SKIPPED|SKIPPED ) ?\] (\S+\.[^\s,(]+).*?(?: \((\d+) ms\))?$/;

/** Characters of the output of one of many tests. */
const kept = 16 * 1024;

/**
 * Follows what a GoogleTest program prints, line by line: it is known which test ran when the program crashes, and how those
 * before it ended, which its report, written at the end, does not tell.
 */
export class Console {
  readonly #cases = new Map<string, ConsoleCase>();
  #open: { readonly name: string; readonly output: BothEnds } | undefined;

  add(line: string): void {
    // What a test prints without a line end stands before it.
    const [, name] = begins.exec(line) ?? [];
    if (name !== undefined) {
      this.#close();
      this.#open = { name, output: new BothEnds(kept) };
      return;
    }
    if (this.#open === undefined) return;
    const [whole, ended, milliseconds] = ends.exec(line) ?? [];
    if (whole === undefined || ended !== this.#open.name) {
      this.#open.output.add(`${line}\n`);
      return;
    }
    const before = line.slice(0, line.length - whole.length);
    if (before !== "") this.#open.output.add(before);
    this.#cases.set(ended, {
      name: ended, milliseconds: Number(milliseconds ?? 0), output: this.#open.output.text,
      status: whole.includes("OK ]") ? "passed" : whole.includes("FAILED") ? "failed" : "skipped",
    });
    this.#open = undefined;
  }

  get cases(): readonly ConsoleCase[] {
    this.#close();
    return [...this.#cases.values()];
  }

  #close(): void {
    if (this.#open !== undefined) this.#cases.set(this.#open.name, { name: this.#open.name, status: undefined, milliseconds: 0, output: this.#open.output.text });
    this.#open = undefined;
  }
}

/** The test as its source defines it: "Some/Suite.Case/0" and "Suite/1.Case" are instances of "Suite.Case". */
export function definedAs(name: string): string {
  const dot = name.indexOf(".");
  const parts = name.slice(0, dot).split("/");
  // "Prefix/Suite", "Suite/0" of a typed test, "Prefix/Suite/0" of an instantiated typed one.
  const last = parts.at(-1) ?? "";
  const suite = /^\d+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last;
  return `${suite}.${name.slice(dot + 1).split("/")[0] ?? ""}`;
}

/** A filter that runs tests with all their instances. https://google.github.io/googletest/advanced.html#running-a-subset-of-the-tests */
export function filterFor(names: readonly string[]): string {
  return names.flatMap((name) => {
    const dot = name.indexOf(".");
    const suite = name.slice(0, dot);
    const rest = name.slice(dot + 1);
    return name.includes("/") ? [name] : [name, `*/${name}/*`, `${suite}/*.${rest}`, `*/${suite}/*.${rest}`];
  }).join(":");
}
