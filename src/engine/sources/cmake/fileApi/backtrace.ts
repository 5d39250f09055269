import type { EvidenceStep, Files, Location, SourceEvidence } from "../../../model/index.ts";
import { index, list, object, objects, text } from "./json.ts";
import type { Json } from "./json.ts";
import { absolute } from "./reply.ts";

/** Longest chain of calls and includes that is followed. */
const maximumDepth = 64;

interface Step {
  readonly command: string | undefined;
  readonly location: Location;
}

/** The backtrace graph of one target: where in the build files something was said. */
export class Backtraces {
  readonly #nodes: readonly Json[];
  readonly #commands: readonly unknown[];
  readonly #paths: readonly string[];
  readonly #sourceDirectory: string;
  readonly #lines: LineReader;

  constructor(target: Json, sourceDirectory: string, lines: LineReader) {
    const graph = object(target["backtraceGraph"]);
    this.#nodes = objects(graph?.["nodes"]);
    this.#commands = list(graph?.["commands"]);
    this.#paths = list(graph?.["files"]).map((path) => absolute(sourceDirectory, text(path) ?? ""));
    this.#sourceDirectory = sourceDirectory;
    this.#lines = lines;
  }

  /** The place of a backtrace: the innermost one inside the project, with the way to it. */
  evidence(node: unknown): (SourceEvidence & { readonly command: string | undefined }) | undefined {
    const steps = this.#steps(node);
    const found = steps.find((step) => step.location.path.startsWith(`${this.#sourceDirectory}/`)) ?? steps[0];
    if (found === undefined) return undefined;
    const via = steps.filter((step) => step !== found).map((step): EvidenceStep => ({ location: step.location, what: `${step.command ?? "command"} called` }));
    return { kind: "source", location: found.location, text: this.#lines.text(found.location), via, command: found.command };
  }

  #steps(node: unknown): readonly Step[] {
    const steps: Step[] = [];
    let at = index(node);
    for (let depth = 0; at !== undefined && depth < maximumDepth; depth++) {
      const current = this.#nodes[at];
      const path = this.#paths[index(current?.["file"]) ?? -1];
      const line = index(current?.["line"]);
      if (path !== undefined && line !== undefined) steps.push({ command: text(this.#commands[index(current?.["command"]) ?? -1]), location: this.#lines.location(path, line - 1) });
      at = index(current?.["parent"]);
    }
    return steps;
  }
}

/** CMake gives lines only; the range is the line's text without its indentation. */
export class LineReader {
  readonly #files: Files;
  readonly #cache = new Map<string, readonly string[]>();

  constructor(files: Files) {
    this.#files = files;
  }

  location(path: string, line: number): Location {
    const content = this.lines(path)[line] ?? "";
    return { path, range: { start: { line, character: content.length - content.trimStart().length }, end: { line, character: content.trimEnd().length } } };
  }

  text(location: Location): string {
    return (this.lines(location.path)[location.range.start.line] ?? "").trim();
  }

  lines(path: string): readonly string[] {
    let lines = this.#cache.get(path);
    if (lines === undefined) {
      const read = this.#files.readText(path);
      this.#cache.set(path, (lines = read.ok ? read.text.split(/\r?\n/) : []));
    }
    return lines;
  }
}
