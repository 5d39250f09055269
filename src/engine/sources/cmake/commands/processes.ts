import type { TorchLookup } from "../../../model/index.ts";
import type { Call, Handler } from "../call.ts";
import type { Interpreter } from "../interpreter.ts";
import { knownPiece, unknownPiece, value } from "../value.ts";
import type { Piece } from "../value.ts";
import { byKeyword, shown, textOf } from "./arguments.ts";
import { noteCMakeArguments, whereCalled } from "./packages.ts";

const singles = ["OUTPUT_VARIABLE", "RESULT_VARIABLE", "ERROR_VARIABLE", "RESULTS_VARIABLE", "WORKING_DIRECTORY", "TIMEOUT", "INPUT_FILE", "OUTPUT_FILE", "ERROR_FILE", "COMMAND_ECHO", "COMMAND_ERROR_IS_FATAL", "ENCODING"];
const flags = ["OUTPUT_QUIET", "ERROR_QUIET", "OUTPUT_STRIP_TRAILING_WHITESPACE", "ERROR_STRIP_TRAILING_WHITESPACE", "ECHO_OUTPUT_VARIABLE", "ECHO_ERROR_VARIABLE"];

/** execute_process(): nothing is run; a question to torch is recognised, so that the answer follows torch. */
const executeProcess: Handler = (vm, call) => {
  const parsed = byKeyword(call.args, flags, singles, ["COMMAND"]);
  const command = (parsed.values.get("COMMAND") ?? []).map(shown).join(" ");
  const output = textOf(parsed.values.get("OUTPUT_VARIABLE")?.[0]);
  const result = textOf(parsed.values.get("RESULT_VARIABLE")?.[0]) ?? textOf(parsed.values.get("RESULTS_VARIABLE")?.[0]);
  const checked = result !== undefined || parsed.values.has("COMMAND_ERROR_IS_FATAL");
  const origin = vm.origin();
  if (output !== undefined) vm.assign(output, [outputPiece(vm, command, output)]);
  if (result !== undefined) vm.assign(result, [{ ...knownPiece("0", origin), overridable: `result of ${call.file.path}:${call.command.start}` }]);
  const error = textOf(parsed.values.get("ERROR_VARIABLE")?.[0]);
  if (error !== undefined && error !== output) vm.assign(error, [unknownPiece(`\${${error}}`, origin)]);
  for (const what of lookups(command)) {
    vm.observations.push({ kind: "torch-lookup", what, use: what === "TorchConfig.cmake text" ? "parsed" : "read", guarded: isGuarded(command), ...whereCalled(vm, call) });
    if (!checked && /ABI/i.test(what) && output !== undefined) vm.notes.abiQuestions.push({ call, variable: output, conditions: vm.conditions.list(vm.state.path) });
  }
  if (/\bcmake\b/.test(command) && /-D/.test(command)) noteCMakeArguments(vm, call, parsed.values.get("COMMAND") ?? [], undefined);
};

function outputPiece(vm: Interpreter, command: string, output: string): Piece {
  const asksTorch = /\bimport torch\b|\bfrom torch\b|TorchConfig\.cmake/.test(command);
  const piece: Piece = { ...unknownPiece(`\${${output}}`, vm.origin()) };
  if (!asksTorch) return /\bimport tensorflow\b/.test(command) ? { ...piece, follows: "tensorflow" } : piece;
  const { torchVersion, torchCudaVersion } = vm.context;
  const printed = /print\(\s*(?:str\()?torch\.(__version__|version\.cuda)\)?(?:\.split\('([.+])'\)\[(\d)\])?\s*(?:,\s*end=(?:''|""))?\s*\)\s*;?\s*["']?$/.exec(command);
  const whole = printed?.[1] === "__version__" ? torchVersion : printed?.[1] === "version.cuda" ? (torchCudaVersion ?? undefined) : undefined;
  const text = whole === undefined || printed?.[2] === undefined ? whole : whole.split(printed[2])[Number(printed[3])];
  return text === undefined ? { ...piece, follows: "torch" } : { ...knownPiece(text, vm.origin()), follows: "torch" };
}

/** The ABI properties of torch that a command line asks for. */
function lookups(command: string): TorchLookup["what"][] {
  const found: TorchLookup["what"][] = [];
  if (/TorchConfig\.cmake/.test(command) && /_GLIBCXX_USE_CXX11_ABI/.test(command)) found.push("TorchConfig.cmake text");
  if (!/\btorch\b/.test(command)) return found;
  for (const name of ["_PYBIND11_BUILD_ABI", "_PYBIND11_COMPILER_TYPE", "_PYBIND11_STDLIB"] as const) if (command.includes(name)) found.push(`torch._C.${name}`);
  if (/torch\._C\._GLIBCXX_USE_CXX11_ABI/.test(command)) found.push("torch._C._GLIBCXX_USE_CXX11_ABI");
  if (/compiled_with_cxx11_abi/.test(command)) found.push("torch.compiled_with_cxx11_abi");
  return found;
}

function isGuarded(command: string): boolean {
  return /getattr\([^)]*,[^)]*,|hasattr\(|\btry:/.test(command);
}

/** file(): what reads or lists files is unknown, except the sources that GLOB finds. */
const file: Handler = (vm, call) => {
  const mode = textOf(call.args[0]);
  const [first, second] = [textOf(call.args[1]), textOf(call.args[2])];
  if (mode === "GLOB" || mode === "GLOB_RECURSE") return first === undefined ? undefined : glob(vm, call, first, mode === "GLOB_RECURSE");
  if (mode === "READ" || mode === "STRINGS") {
    if (second === undefined) return;
    if (/TorchConfig\.cmake/.test(shown(call.args[1]))) vm.observations.push({ kind: "torch-lookup", what: "TorchConfig.cmake text", use: "parsed", guarded: false, ...whereCalled(vm, call) });
    return vm.assign(second, [{ ...unknownPiece(`\${${second}}`, vm.origin()), ...(/TorchConfig\.cmake/.test(shown(call.args[1])) ? { follows: "torch" as const } : {}) }]);
  }
  if (mode === "TO_CMAKE_PATH" || mode === "TO_NATIVE_PATH") return second === undefined ? undefined : vm.assign(second, call.args[1]?.pieces ?? []);
  if (mode === "REAL_PATH" || mode === "RELATIVE_PATH") {
    const out = mode === "REAL_PATH" ? second : first;
    if (out !== undefined) vm.assign(out, [unknownPiece(`\${${out}}`, vm.origin())]);
  }
};

/** GLOB results matter only for the languages of a target: a pattern stands for its files. */
function glob(vm: Interpreter, call: Call, variable: string, recursive: boolean): void {
  const patterns: Piece[] = [];
  let skip = 0;
  for (const arg of call.args.slice(2)) {
    const text = shown(arg);
    if (skip-- > 0) continue;
    skip = 0;
    if (text === "RELATIVE") skip = 1;
    else if (text !== "CONFIGURE_DEPENDS" && text !== "LIST_DIRECTORIES") {
      for (const piece of expandGlob(vm, text, recursive)) patterns.push({ ...knownPiece(";"), soft: true }, { ...knownPiece(piece, arg.pieces[0]?.origin), guard: arg.pieces[0]?.guard ?? [] });
    }
  }
  vm.set(variable, value(patterns));
}

const maximumMatches = 400;

function expandGlob(vm: Interpreter, pattern: string, recursive: boolean): readonly string[] {
  const path = pattern.startsWith("/") ? pattern : `${vm.directory.path}/${pattern}`;
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)];
  if (/[*?[$]/.test(folder) || !folder.startsWith(vm.rootDirectory)) return [path];
  let matcher: RegExp;
  try {
    matcher = new RegExp(`^${name.replace(/[.+^()|{}\\]/g, "\\$&").replace(/\*/g, "[^/]*").replace(/\?/g, "[^/]")}$`);
  } catch {
    return [path];
  }
  const out: string[] = [];
  const folders = [folder];
  for (let index = 0; index < folders.length && index < 200 && out.length < maximumMatches; index++) {
    for (const entry of vm.files.list(folders[index] as string)) {
      const whole = `${folders[index] as string}/${entry}`;
      if (matcher.test(entry)) out.push(whole);
      else if (recursive && !entry.includes(".") && vm.files.status(whole)?.kind === "directory") folders.push(whole);
    }
  }
  return out.slice(0, maximumMatches);
}

export const processCommands: ReadonlyMap<string, Handler> = new Map([["execute_process", executeProcess], ["file", file]]);
