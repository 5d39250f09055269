import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Location } from "../../../engine/model/index.ts";
import type { BuildProblem } from "../types.ts";
import { CMakeReader } from "./cmake.ts";
import { CompilerReader } from "./compilers.ts";
import { CudaReader } from "./cuda.ts";
import type { Draft, DraftNote, DraftPlace, LineReader, Sink } from "./draft.ts";
import { DriverReader } from "./drivers.ts";
import { LinkerReader } from "./linkers.ts";
import { PythonReader } from "./python.ts";

export interface ProblemReaderOptions {
  /** Where the step runs, absolute. */
  readonly folder: string;
  /** Where the project's sources are, absolute: CMake names files from there. */
  readonly source: string;
  /** pip shows what its children print with two blanks before it. */
  readonly isIndented?: boolean;
  readonly exists: (file: string) => boolean;
}

/** Of one build; a template library can say one thing ten thousand times. */
const most = 1000;
/** A line that is longer is a command or a dump, and no message. */
const longestLine = 16 * 1024;
const entering = /^\S*make(?:\[\d+\])?: (Entering|Leaving) directory ['`](.+)'$/;

/**
 * Finds what tools complain of in the output of a build, line by line. Pure but for `exists`, which decides from which folder
 * a relative path starts. Notes, inclusions and call stacks go with the problem that they belong to; what is said twice is
 * one problem.
 */
export class ProblemReader {
  readonly #options: ProblemReaderOptions;
  readonly #drafts: Draft[] = [];
  readonly #folders: string[] = [];
  readonly #readers: readonly LineReader[];
  #errors = 0;
  readonly #seen = new Set<string>();
  /** What notes belong to, kept or not. */
  #last: Draft | undefined;
  #marked = 0;
  #leftOut = 0;

  constructor(options: ProblemReaderOptions) {
    this.#options = options;
    const sink: Sink = {
      add: (draft) => this.#add(draft),
      note: (note, tool) => this.#note(note, tool),
      sinceMark: () => this.#drafts.slice(this.#marked),
      mark: () => {
        this.#marked = this.#drafts.length;
      },
    };
    this.#readers = [new CMakeReader(sink), new CudaReader(sink), new PythonReader(sink), new DriverReader(sink, () => this.#errors), new LinkerReader(sink), new CompilerReader(sink)];
  }

  push(text: string): void {
    if (text.length > longestLine) {
      return;
    }
    const plain = stripVTControlCharacters(text).trimEnd();
    const line = this.#options.isIndented === true && plain.startsWith("  ") ? plain.slice(2) : plain;
    const [, way, folder] = entering.exec(line) ?? [];
    if (folder !== undefined) {
      if (way === "Entering") {
        this.#folders.push(folder);
      } else {
        this.#folders.pop();
      }
      return;
    }
    for (const reader of this.#readers) {
      if (reader.take(line)) {
        return;
      }
    }
  }

  /** All problems, in the order in which they came. */
  end(): readonly BuildProblem[] {
    for (const reader of this.#readers) {
      reader.end?.();
    }
    const problems = new Map<string, BuildProblem>();
    for (const draft of this.#drafts) {
      const problem = this.#problem(draft);
      const key = JSON.stringify([problem.severity, problem.message, problem.location, problem.code]);
      if (!problems.has(key)) {
        problems.set(key, problem);
      }
    }
    const left: BuildProblem[] = this.#leftOut === 0 ? [] : [{ tool: "make", severity: "info", message: `${this.#leftOut} more messages were left out; the log has them.` }];
    return [...problems.values(), ...left];
  }

  #add(draft: Draft): void {
    if (draft.severity === "error") {
      this.#errors += 1;
    }
    this.#last = draft;
    const entered = this.#folders.at(-1);
    if (entered !== undefined) {
      draft.entered = entered;
    }
    // Messages of several lines are not whole yet; `end` tells those that are the same.
    const key = JSON.stringify([draft.severity, draft.message, draft.place, draft.code, entered]);
    if (draft.place?.column !== undefined && this.#seen.has(key)) {
      return;
    }
    this.#seen.add(key);
    // Errors are what a failed build is about: thousands of warnings before them do not keep them out.
    if (this.#drafts.length >= (draft.severity === "error" ? 2 * most : most)) {
      this.#leftOut += 1;
      return;
    }
    this.#drafts.push(draft);
  }

  #note(note: DraftNote, tool: Draft["tool"]): void {
    const last = this.#last;
    if (last === undefined) {
      this.#add({ tool, severity: "info", message: note.message, related: [], relativeTo: "build", ...(note.place === undefined ? {} : { place: note.place }) });
    } else if (last.related.length < 50) {
      last.related.push(note);
    }
  }

  #problem({ tool, severity, message, place, code, related, relativeTo, entered }: Draft): BuildProblem {
    const location = this.#locate(place, relativeTo, entered);
    return {
      tool, severity,
      // A place that is no file of this machine is still worth reading.
      message: message === "" ? "It says nothing more." : message,
      ...(location === undefined ? {} : { location }),
      ...(code === undefined ? {} : { code }),
      ...(related.length === 0 ? {} : {
        related: related.map((one) => {
          const at = this.#locate(one.place, relativeTo, entered);
          return { message: one.message, ...(at === undefined ? {} : { location: at }) };
        }),
      }),
    };
  }

  #locate(place: DraftPlace | undefined, relativeTo: Draft["relativeTo"], entered: string | undefined): Location | undefined {
    if (place === undefined) {
      return undefined;
    }
    const { folder, source, exists } = this.#options;
    const inside = entered ?? folder;
    const bases = relativeTo === "source" ? [source, inside, folder] : [inside, folder, source];
    const file = bases.map((base) => path.resolve(base, place.file)).find((one) => exists(one));
    const start = { line: Math.max(0, (place.line ?? 1) - 1), character: Math.max(0, (place.column ?? 1) - 1) };
    return file === undefined ? undefined : { path: file, range: { start, end: start } };
  }
}
