import { placeOf } from "./draft.ts";
import type { Draft, DraftPlace, LineReader, Sink } from "./draft.ts";
import { pythonFrame, pythonWarningLine } from "./patterns.ts";

const traceback = /^(?:\S.*: )?Traceback \(most recent call last\):$/;
/** "RuntimeError: …", "subprocess.CalledProcessError: …", "SystemExit" */
const exception = /^((?:\w+\.)*\w*(?:Error|Exception|Exit|Interrupt|Unavailable|Warning|Failed\w*))(?:: (.*))?$/;
const chained = /^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$/;
/** What pip says after it has shown why. */
const repeated = /^(?:Exception:|subprocess-exited-with-error|metadata-generation-failed|Failed to build (?:one or more|installable) wheels.*|Could not build wheels for .*)$/;

/** Tracebacks, warnings, and the errors of setuptools and pip. */
export class PythonReader implements LineReader {
  readonly #sink: Sink;
  #frames: DraftPlace[] | undefined;
  /** The traceback before, of which the next one is the consequence. */
  #last: { readonly draft: Draft; isChained: boolean } | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  take(line: string): boolean {
    if (traceback.test(line)) {
      this.#frames ??= [];
      return true;
    }
    if (chained.test(line) && this.#last !== undefined) {
      this.#last.isChained = true;
      return true;
    }
    return this.#inTraceback(line) || this.#warning(line) || this.#complaint(line);
  }

  #inTraceback(line: string): boolean {
    const [, file, row, inside] = pythonFrame.exec(line) ?? [];
    const place = placeOf(file, row);
    if (place !== undefined && (this.#frames !== undefined || inside === undefined)) {
      this.#frames = [...(this.#frames ?? []), place];
      return true;
    }
    if (this.#frames === undefined) {
      return false;
    }
    if (line === "" || line.startsWith(" ")) {
      return true;
    }
    const [, name, said] = exception.exec(line) ?? [];
    const frames = this.#frames;
    this.#frames = undefined;
    if (name === undefined) {
      return false;
    }
    // Where the project's own code stands is more telling than where a library gave up.
    const shown = frames.findLast((one) => !/[\\/](?:site-packages|dist-packages|lib[\\/]python[\d.]+)[\\/]|^</.test(one.file)) ?? frames.findLast((one) => !one.file.startsWith("<"));
    const draft: Draft = { tool: "python", severity: "error", message: said === undefined || said === "" ? name : `${name}: ${said}`, relativeTo: "source", related: [], ...(shown === undefined ? {} : { place: shown }) };
    if (this.#last?.isChained === true) {
      draft.related.push({ message: this.#last.draft.message, ...(this.#last.draft.place === undefined ? {} : { place: this.#last.draft.place }) }, ...this.#last.draft.related);
      Object.assign(this.#last.draft, draft);
      this.#last.isChained = false;
      return true;
    }
    this.#sink.add(draft);
    this.#last = { draft, isChained: false };
    return true;
  }

  #warning(line: string): boolean {
    const [, file, row, code, message] = pythonWarningLine.regexp.exec(line) ?? [];
    const place = placeOf(file, row);
    if (message === undefined || code === undefined || place === undefined) {
      return false;
    }
    this.#sink.add({ tool: "python", severity: "warning", message, code, place, relativeTo: "source", related: [] });
    return true;
  }

  #complaint(line: string): boolean {
    const [, word, message] = /^(error|ERROR): (.*)$/.exec(line) ?? [];
    if (message === undefined) {
      return false;
    }
    if (!repeated.test(message)) {
      this.#sink.add({ tool: word === "ERROR" ? "pip" : "python", severity: "error", message, relativeTo: "source", related: [] });
    }
    return true;
  }
}
