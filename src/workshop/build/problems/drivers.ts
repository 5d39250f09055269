import type { BuildTool } from "../types.ts";
import { placeOf } from "./draft.ts";
import type { LineReader, Sink } from "./draft.ts";

const ninjaFailed = /^FAILED: (?:\[code=\d+\] )?(.+?)\s*$/;
const ninjaSays = /^ninja: (error|fatal|warning): (?:([^\s:][^:]*):(\d+): )?(.*)$/;
const makeFailed = /^\S*make(?:\[\d+\])?: \*\*\* \[(?:.+?:\d+: )?(.+?)\] (Error \d+|.+)$/;
const makeSays = /^\S*make(?:\[\d+\])?: \*\*\* (?!\[)(.*?)(?:\s+Stop\.)?$/;
const makeFileSays = /^([^\s:][^:]*):(\d+): \*\*\* (.*?)(?:\s+Stop\.)?$/;

/**
 * ninja and make. That a step failed is a problem of its own only where none of its output said why: of a command whose
 * messages nobody here understands.
 */
export class DriverReader implements LineReader {
  readonly #sink: Sink;
  readonly #errors: () => number;
  #failed: { readonly target: string; readonly tool: BuildTool; readonly errors: number } | undefined;

  /** `errors`: how many there are so far. */
  constructor(sink: Sink, errors: () => number) {
    this.#sink = sink;
    this.#errors = errors;
  }

  take(line: string): boolean {
    const target = ninjaFailed.exec(line)?.[1];
    if (target !== undefined) {
      this.#settle();
      this.#failed = { target, tool: "ninja", errors: this.#errors() };
      return true;
    }
    if (/^\[\d+\/\d+\] /.test(line)) {
      this.#settle();
      return true;
    }
    if (/^ninja: build stopped: /.test(line)) {
      return true;
    }
    return this.#ninja(line) || this.#make(line);
  }

  end(): void {
    this.#settle();
  }

  #ninja(line: string): boolean {
    const [, word, file, row, message] = ninjaSays.exec(line) ?? [];
    if (message === undefined) {
      return false;
    }
    const place = placeOf(file, row);
    this.#sink.add({ tool: "ninja", severity: word === "warning" ? "warning" : "error", message, relativeTo: "build", related: [], ...(place === undefined ? {} : { place }) });
    return true;
  }

  #make(line: string): boolean {
    const [, target, how] = makeFailed.exec(line) ?? [];
    if (target !== undefined) {
      if (this.#errors() === 0) {
        this.#sink.add({ tool: "make", severity: "error", message: `${target}: its command failed (${how ?? ""}).`, relativeTo: "build", related: [] });
      }
      return true;
    }
    const [, file, row, said] = makeFileSays.exec(line) ?? [];
    const message = said ?? makeSays.exec(line)?.[1];
    if (message === undefined) {
      return false;
    }
    const place = placeOf(file, row);
    this.#sink.add({ tool: "make", severity: "error", message, relativeTo: "build", related: [], ...(place === undefined ? {} : { place }) });
    return true;
  }

  #settle(): void {
    if (this.#failed !== undefined && this.#failed.errors === this.#errors()) {
      this.#sink.add({ tool: this.#failed.tool, severity: "error", message: `${this.#failed.target}: its command failed; its output says more.`, relativeTo: "build", related: [] });
    }
    this.#failed = undefined;
  }
}
