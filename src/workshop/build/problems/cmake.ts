import { placeOf } from "./draft.ts";
import type { Draft, LineReader, Sink } from "./draft.ts";
import { cmakeHeader } from "./patterns.ts";

const calledFrom = /^ {2}(.+?):(\d+) \((.+)\)$/;
const tail = /^This warning is for project developers\./;
/** Messages of CMake files may be whole books. */
const longest = 200;

/** CMake's own messages: a header, indented paragraphs, and the calls that led there. */
export class CMakeReader implements LineReader {
  readonly #sink: Sink;
  #open: { readonly draft: Draft; readonly lines: string[]; isStack: boolean } | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  take(line: string): boolean {
    return this.#more(line) || this.#header(line);
  }

  end(): void {
    this.#close();
  }

  #more(line: string): boolean {
    const open = this.#open;
    if (open === undefined) {
      return false;
    }
    if (line === "Call Stack (most recent call first):") {
      open.isStack = true;
      return true;
    }
    if (open.isStack) {
      const [, file, row, command] = calledFrom.exec(line) ?? [];
      const place = placeOf(file, row);
      if (place !== undefined) {
        open.draft.related.push({ message: `Called by ${command ?? ""}.`, place });
        return true;
      }
    } else if (line === "" || line.startsWith(" ")) {
      if (open.lines.length < longest) {
        open.lines.push(line.trim());
      }
      return true;
    }
    this.#close();
    return line === "" || tail.test(line);
  }

  #header(line: string): boolean {
    const found = cmakeHeader.exec(line);
    if (found === null) {
      return false;
    }
    const [, word = "", file, row, command, listFile, message] = found;
    const place = placeOf(file ?? listFile, row);
    const draft: Draft = {
      tool: "cmake", severity: /Error/.test(word) ? "error" : "warning", message: message ?? "", relativeTo: "source", related: [],
      ...(place === undefined ? {} : { place }), ...(command === undefined ? {} : { code: command }),
    };
    this.#sink.add(draft);
    this.#open = { draft, lines: [], isStack: false };
    return true;
  }

  #close(): void {
    if (this.#open === undefined) {
      return;
    }
    const { draft, lines } = this.#open;
    this.#open = undefined;
    const paragraphs = lines.join("\n").split(/\n{2,}/).map((one) => one.replaceAll("\n", " ").trim()).filter((one) => one !== "");
    draft.message = [...(draft.message === "" ? [] : [draft.message]), ...paragraphs].join("\n");
  }
}
