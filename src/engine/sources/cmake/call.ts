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

/**
 * What a run may cost. Beyond it the reading says so and stops. Commands and work grow with what there is to read: of 76 real
 * projects none needed more than half a command and 30 units of work for a character, and most of them a hundredth of that.
 */
export const limits = { commands: { least: 40_000, each: 1, most: 250_000 }, work: { least: 600_000, each: 60, most: 6_000_000 }, depth: 160, iterations: 400, guardedIterations: 48, calls: 60 };

/** The limit for a project of so many characters. */
export function allowed({ least, each, most }: { readonly least: number; readonly each: number; readonly most: number }, characters: number): number {
  return Math.min(least + each * characters, most);
}
