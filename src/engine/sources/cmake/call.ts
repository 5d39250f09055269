import type { Interpreter } from "./interpreter.ts";
import type { Piece } from "./value.ts";
import type { Exit } from "./state.ts";
import type { Argument, Command, SourceFile } from "./syntax.ts";

/** An evaluated argument; an unquoted list has become several. */
export interface Arg {
  readonly pieces: readonly Piece[];
  readonly argument: Argument;
}

export interface Call {
  readonly command: Command;
  readonly file: SourceFile;
  readonly args: readonly Arg[];
}

export type Handler = (vm: Interpreter, call: Call) => Exit | undefined | void;

/** What a run may cost. Beyond it the reading says so and stops. */
export const limits = { commands: 250_000, work: 6_000_000, depth: 160, iterations: 400, guardedIterations: 48, calls: 60 };
