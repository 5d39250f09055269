import type { Place } from "../source-file.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Conditions, ModuleValue, Value } from "./values.ts";

/** Arguments of a call, in order and by keyword. */
export interface Arguments {
  readonly positional: Value[];
  /** `place` is that of the name alone, `whole` that of the name and the value. */
  readonly keywords: Map<string, { readonly value: Value; readonly place: Place; readonly whole?: Place }>;
  /** `*x` or `**x` of something unknown: more may have been given. */
  open: boolean;
}

/** A call of something outside the project, kept for those who look for extensions, `setup` and commands. */
export interface ExternalCall {
  readonly name: string;
  readonly arguments: Arguments;
  readonly place: Place;
  readonly conditions: Conditions;
  readonly result: Value;
}

/** Where imported modules come from. */
export interface Modules {
  load(interpreter: Interpreter, name: string, level: number): ModuleValue | undefined;
  /** A module in the folder of a package. */
  submodule(interpreter: Interpreter, parent: ModuleValue, name: string): ModuleValue | undefined;
  /** Executes another file in the scope that is current. */
  execute(interpreter: Interpreter, path: string): boolean;
}
