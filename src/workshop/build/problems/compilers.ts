import type { BuildTool } from "../types.ts";
import { placeOf, severityOf } from "./draft.ts";
import type { Draft, DraftNote, LineReader, Sink } from "./draft.ts";
import { compilerLine, driverLine } from "./patterns.ts";

const includedFrom = /^(?:In file included from|\s+from) (.+?):(\d+)(?::\d+)?[,:]$/;
/** "ops.cpp:10:7:   required from here", "…: required from 'f(T) [with T = int]'" */
const instantiated = /^(.+?):(\d+):(?:(\d+):)?\s{2,}((?:recursively )?required (?:from|by)\b.*)$/;
/** '<command-line>: warning: "_GLIBCXX_USE_CXX11_ABI" redefined': two flags that contradict each other. */
const commandLine = /^<(?:command[- ]line|built-in)>(?::\d+:\d+)?: (error|warning|note): (.*?)(?:\s+\[(-W[^\]]*)\])?$/;
/** "ops.cpp: In function 'int main()':" and its like say nothing that the next line does not. */
const context = /^(?:.+?: )?(?:In (?:instantiation of|function|member function|static member function|constructor|destructor|lambda function|substitution of|copy constructor|function template)\b.*|At (?:global scope|top level))[:,]$/;
const clangCount = /^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated\.$/;

/** GCC and Clang. Which of the two is told by how it ends, or by the driver that complains. */
export class CompilerReader implements LineReader {
  readonly #sink: Sink;
  /** What leads to the next problem: inclusions, instantiations. */
  #leading: DraftNote[] = [];

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  take(line: string): boolean {
    const included = includedFrom.exec(line);
    if (included !== null) {
      this.#lead("Included from here.", included[1], included[2]);
      return true;
    }
    const required = instantiated.exec(line);
    if (required !== null) {
      this.#lead(`Template ${required[4] ?? ""}.`, required[1], required[2], required[3]);
      return true;
    }
    if (context.test(line)) {
      return true;
    }
    if (clangCount.test(line)) {
      this.#isClang();
      return true;
    }
    return this.#message(line) || this.#driver(line);
  }

  #lead(message: string, file: string | undefined, line: string | undefined, column?: string): void {
    const place = placeOf(file, line, column);
    this.#leading.push({ message, ...(place === undefined ? {} : { place }) });
  }

  #message(line: string): boolean {
    const found = compilerLine.regexp.exec(line);
    const [, aboutFlags, said = "", flag] = found === null ? commandLine.exec(line) ?? [] : [];
    if (found === null && aboutFlags === undefined) {
      return false;
    }
    const [, file, row, column, word = aboutFlags, message = said, code = flag] = found ?? [];
    const place = placeOf(file, row, column);
    if (word === "note") {
      this.#sink.note({ message, ...(place === undefined ? {} : { place }) }, "gcc");
      return true;
    }
    this.#sink.add({
      tool: "gcc", severity: severityOf(word), message, relativeTo: "build", related: this.#leading,
      ...(place === undefined ? {} : { place }), ...(code === undefined ? {} : { code }),
    });
    this.#leading = [];
    return true;
  }

  #driver(line: string): boolean {
    const found = driverLine.regexp.exec(line);
    if (found === null) {
      return false;
    }
    const [, program = "", word, message = ""] = found;
    // That the linker failed is said by the linker itself.
    if (program === "collect2" || /^linker command failed/.test(message)) {
      return true;
    }
    const tool: BuildTool = program.includes("clang") ? "clang" : "gcc";
    this.#sink.add({ tool, severity: severityOf(word), message, relativeTo: "build", related: [] });
    if (tool === "clang") {
      this.#isClang();
    }
    return true;
  }

  #isClang(): void {
    for (const draft of this.#sink.sinceMark().filter((one: Draft) => one.tool === "gcc")) {
      draft.tool = "clang";
    }
    this.#sink.mark();
  }
}
