import type { BuildTool } from "../types.ts";
import { placeOf, severityOf } from "./draft.ts";
import type { Draft, LineReader, Sink } from "./draft.ts";
import { cudaToolLine, nvccLine, nvlinkLine, ptxasLine } from "./patterns.ts";

/** nvcc with its front end, and the assembler and linker of device code behind it. */
export class CudaReader implements LineReader {
  readonly #sink: Sink;
  #open: { readonly draft: Draft; readonly lines: string[] } | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  take(line: string): boolean {
    return this.#more(line) || this.#frontEnd(line) || this.#tool(line);
  }

  end(): void {
    this.#close();
  }

  /** The message goes on in indented lines, down to the source line with its caret; an empty line ends it. */
  #more(line: string): boolean {
    if (this.#open === undefined) {
      return false;
    }
    if (/^\s+\S/.test(line) && this.#open.lines.length < 60) {
      this.#open.lines.push(line);
      return true;
    }
    this.#close();
    return line === "" || /^Remark: The warnings can be suppressed/.test(line);
  }

  #close(): void {
    if (this.#open === undefined) {
      return;
    }
    const { draft, lines } = this.#open;
    this.#open = undefined;
    const caret = lines.findIndex((one) => /^\s*\^\s*$/.test(one));
    const words = caret < 1 ? lines : [...lines.slice(0, caret - 1), ...lines.slice(caret + 1)];
    if (words.length > 0) {
      draft.message = [draft.message, ...words.map((one) => one.trim())].join(" ");
    }
  }

  #frontEnd(line: string): boolean {
    const found = nvccLine.regexp.exec(line);
    if (found === null) {
      return false;
    }
    const [, file, row, word, code, message = ""] = found;
    const place = placeOf(file, row);
    const draft: Draft = { tool: "nvcc", severity: severityOf(word), message, relativeTo: "build", related: [], ...(place === undefined ? {} : { place }), ...(code === undefined ? {} : { code }) };
    this.#sink.add(draft);
    this.#open = { draft, lines: [] };
    return true;
  }

  #tool(line: string): boolean {
    const [, ptx, row, ptxasWord, ptxasMessage] = ptxasLine.regexp.exec(line) ?? [];
    if (ptxasMessage !== undefined) {
      const place = placeOf(ptx, row);
      this.#sink.add({ tool: "ptxas", severity: severityOf(ptxasWord), message: ptxasMessage, relativeTo: "build", related: [], ...(place === undefined ? {} : { place }) });
      return true;
    }
    const [, program, word, message] = cudaToolLine.regexp.exec(line) ?? [];
    if (program === undefined || message === undefined) {
      return /^(?:ptxas info {4}:|Remark: The warnings can be suppressed|\d+ errors? detected in the compilation of )/.test(line);
    }
    // The reason was given before.
    if (program === "ptxas" && message === "Ptx assembly aborted due to errors") {
      return true;
    }
    const tool: BuildTool = program === "ptxas" || program === "nvlink" ? program : "nvcc";
    const object = nvlinkLine.regexp.exec(line)?.[3];
    this.#sink.add({ tool, severity: severityOf(word), message, relativeTo: "build", related: [], ...(object === undefined ? {} : { place: { file: object } }) });
    return true;
  }
}
