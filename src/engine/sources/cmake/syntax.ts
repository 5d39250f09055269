import type { Location, Position, Range } from "../../model/index.ts";

/** One argument of a command. Offsets are UTF-16 code units into the file's text. */
export interface Argument {
  /** `paren` is a parenthesis inside an argument list, as `if((A) AND B)` has it. */
  readonly kind: "bracket" | "quoted" | "unquoted" | "paren";
  /** The whole argument, with its quotes or brackets. */
  readonly start: number;
  readonly end: number;
  /** The content without quotes or brackets. */
  readonly valueStart: number;
  readonly valueEnd: number;
  /** The argument taken apart at its references; filled in when it is first evaluated. */
  template?: Template;
}

/** An argument as literal text and references. */
export type Template = readonly Segment[];

export type Segment =
  | { readonly kind: "text"; readonly text: string; readonly start: number; readonly end: number; readonly exact: boolean; /** Kept by the evaluator, so that equal text stays the same object. */ piece?: object }
  | { readonly kind: "variable" | "environment" | "cache"; readonly name: Template; readonly plainName: string | undefined; readonly start: number; readonly end: number };

export interface Command {
  /** Lower case; CMake does not tell cases apart. */
  readonly name: string;
  readonly start: number;
  readonly nameEnd: number;
  /** After the closing parenthesis. */
  readonly end: number;
  readonly args: readonly Argument[];
}

export interface Comment {
  readonly start: number;
  readonly end: number;
}

export interface SyntaxProblem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** Commands with the blocks that they open. */
export type Node = CommandNode | IfNode | LoopNode | DefinitionNode | BlockNode;

export interface CommandNode {
  readonly kind: "command";
  readonly command: Command;
}

export interface IfNode {
  readonly kind: "if";
  readonly command: Command;
  /** `if`, then each `elseif`; `else` has no head arguments that matter and is told apart by its command's name. */
  readonly branches: readonly { readonly head: Command; readonly body: readonly Node[] }[];
  readonly end: number;
}

export interface LoopNode {
  readonly kind: "foreach" | "while";
  readonly command: Command;
  readonly body: readonly Node[];
  readonly end: number;
}

export interface DefinitionNode {
  readonly kind: "function" | "macro";
  readonly command: Command;
  readonly body: readonly Node[];
  readonly end: number;
}

export interface BlockNode {
  readonly kind: "block";
  readonly command: Command;
  readonly body: readonly Node[];
  readonly end: number;
}

/** Above the length of any text that is read, so that two offsets make one number. */
const longestText = 2 ** 26;

/** A parsed CMake file. It depends on nothing but its text, so it can be kept and shared. */
export class SourceFile {
  readonly path: string;
  readonly text: string;
  readonly commands: readonly Command[];
  readonly comments: readonly Comment[];
  readonly nodes: readonly Node[];
  readonly problems: readonly SyntaxProblem[];
  #lines: number[] | undefined;
  readonly #locations = new Map<number, Location>();

  constructor(path: string, text: string, parts: { commands: readonly Command[]; comments: readonly Comment[]; nodes: readonly Node[]; problems: readonly SyntaxProblem[] }) {
    this.path = path;
    this.text = text;
    this.commands = parts.commands;
    this.comments = parts.comments;
    this.nodes = parts.nodes;
    this.problems = parts.problems;
  }

  /** The content of an argument as it is written. */
  source(arg: Argument): string {
    return this.text.slice(arg.valueStart, arg.valueEnd);
  }

  position(offset: number): Position {
    const lines = (this.#lines ??= lineStarts(this.text));
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (lines[low] ?? 0) };
  }

  offset(position: Position): number {
    const lines = (this.#lines ??= lineStarts(this.text));
    const start = lines[position.line];
    return start === undefined ? this.text.length : Math.min(start + position.character, this.text.length);
  }

  range(start: number, end: number): Range {
    return { start: this.position(start), end: this.position(end) };
  }

  /** The same object for the same place: the facts of hundreds of targets lead back to few places. */
  location(start: number, end: number): Location {
    const key = start * longestText + end;
    let known = this.#locations.get(key);
    if (known === undefined) this.#locations.set(key, (known = { path: this.path, range: this.range(start, end) }));
    return known;
  }
}

/** A CR by itself ends a line too, for editors as in the language server protocol. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\r|\n/g)) starts.push(end.index + end[0].length);
  return starts;
}
