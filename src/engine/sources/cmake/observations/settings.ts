import type { Call, Interpreter, Arg } from "../interpreter.ts";
import type { Piece } from "../value.ts";
export function noteSet(_vm: Interpreter, _name: string, _call: Call, _pieces: readonly Piece[]): void {}
export function noteOption(_vm: Interpreter, _name: string, _pieces: readonly Piece[], _call: Call, _how: string): void {}
export function noteTargetDefinitions(_vm: Interpreter, _call: Call, _args: readonly Arg[]): void {}
export function noteDirectoryDefinitions(_vm: Interpreter, _call: Call, _definitions: readonly (readonly Piece[])[]): void {}
