import { placeOf } from "./draft.ts";
import type { Draft, LineReader, Sink } from "./draft.ts";
import { linkerLine } from "./patterns.ts";

const prefix = /^(?:\S*\/)?(?:[\w.]+-)*(?:ld(?:\.bfd|\.gold|\.lld|64\.lld)?|mold|lld): (?:(error|warning|fatal|fatal error): )?(.*)$/;
const inFunction = /^(.+?): in function `(.+)':$/;
/** Without debug information: "link.cpp:(.text+0xa): undefined reference to `f()'". */
const atOffset = /^([^\s(][^(]*?):\((\.[^)]*)\): ((?:undefined reference to|multiple definition of|more undefined references to|relocation truncated|dangerous relocation).*)$/;
/** gold: "ops.o:link.cpp:function main: error: undefined reference to 'f()'" */
const gold = /^([^\s:][^:]*):([^:]*):function (.+?): (error|warning): (.*)$/;
const continued = /^>>> (.*)$/;

/** GNU ld, gold, lld and mold. */
export class LinkerReader implements LineReader {
  readonly #sink: Sink;
  #function: string | undefined;
  #open: Draft | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  take(line: string): boolean {
    const more = continued.exec(line)?.[1];
    if (more !== undefined && this.#open !== undefined) {
      this.#open.related.push({ message: more.trim() });
      return true;
    }
    const [, objectOfGold, sourceOfGold, nameInGold, wordOfGold, messageOfGold] = gold.exec(line) ?? [];
    if (messageOfGold !== undefined) {
      this.#add(messageOfGold, wordOfGold === "warning", sourceOfGold === "" ? objectOfGold : sourceOfGold, undefined, nameInGold);
      return true;
    }
    const [, word, said] = prefix.exec(line) ?? [];
    const text = said ?? line;
    const enclosing = inFunction.exec(text)?.[2];
    if (enclosing !== undefined) {
      this.#function = enclosing;
      return true;
    }
    const [, file, row, message] = linkerLine.regexp.exec(text) ?? [];
    if (message !== undefined) {
      this.#add(message, false, file, row, this.#function);
      return true;
    }
    const [, source, , referred] = atOffset.exec(text) ?? [];
    if (referred !== undefined) {
      this.#add(referred, false, source, undefined, this.#function);
      return true;
    }
    if (said === undefined) {
      return false;
    }
    this.#function = undefined;
    const [, object, warning] = /^(.+?): warning: (.*)$/.exec(said) ?? [];
    const isWarning = word === "warning" || warning !== undefined || /^(?:warning: |skipping incompatible )/.test(said);
    this.#add(warning === undefined ? said.replace(/^warning: /, "") : `${object ?? ""}: ${warning}`, isWarning, undefined, undefined, undefined);
    return true;
  }

  #add(message: string, isWarning: boolean, file: string | undefined, line: string | undefined, inside: string | undefined): void {
    const place = placeOf(file, line);
    this.#open = {
      tool: "ld", severity: isWarning ? "warning" : "error", message, relativeTo: "build",
      related: inside === undefined ? [] : [{ message: `In function ${inside}.` }],
      ...(place === undefined ? {} : { place }),
    };
    this.#sink.add(this.#open);
  }
}
