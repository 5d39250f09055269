import type { BuildProblem, BuildTool } from "../types.ts";

/** A place as a tool writes it: line and column count from one. */
export interface DraftPlace {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface DraftNote {
  readonly message: string;
  readonly place?: DraftPlace;
}

/** A problem while its lines still come. */
export interface Draft {
  tool: BuildTool;
  readonly severity: BuildProblem["severity"];
  message: string;
  place?: DraftPlace;
  code?: string;
  related: DraftNote[];
  /** Whose folders a relative path may start from. */
  readonly relativeTo: "build" | "source";
  /** The folder that make had entered. */
  entered?: string;
}

export interface Sink {
  add(draft: Draft): void;
  /** Something that belongs to the last problem; a problem of its own when there was none. */
  note(note: DraftNote, tool: BuildTool): void;
  /** For what holds of all problems since the last call: Clang says at the end that it was Clang. */
  sinceMark(): readonly Draft[];
  mark(): void;
}

/** Understands the lines of some tools. */
export interface LineReader {
  /** False: the line is none of its. */
  take(line: string): boolean;
  /** Nothing more comes. */
  end?(): void;
}

/** The words of tools for how grave it is. */
export function severityOf(word: string | undefined): BuildProblem["severity"] {
  return word === undefined || /error|fatal|unimplemented/i.test(word) ? "error" : /warn/i.test(word) ? "warning" : "info";
}

export function placeOf(file: string | undefined, line: string | undefined, column?: string): DraftPlace | undefined {
  return file === undefined ? undefined : { file, ...(line === undefined ? {} : { line: Number(line) }), ...(column === undefined ? {} : { column: Number(column) }) };
}
