/** Names in a CMake file: what it defines, what it names, and where. Kept by text, so an index can never be stale. */
import * as path from "node:path";
import type { Position, Range } from "../engine/model/index.ts";
import { parseCMake } from "../engine/sources/cmake/parser.ts";
import type { Argument, Command, Node, SourceFile } from "../engine/sources/cmake/syntax.ts";

export type CMakeNameKind = "variable" | "option" | "function" | "macro" | "target" | "project" | "package";

export interface CMakeDefinition {
  readonly name: string;
  readonly kind: CMakeNameKind;
  /** The whole command or block. */
  readonly range: Range;
  /** The name alone. */
  readonly selection: Range;
  /** Where the name is known, when that is less than the file: parameters of a function. */
  readonly scope?: Range;
  /** The function or macro that it stands in. */
  readonly container?: string;
}

export interface CMakeIndex {
  readonly definitions: readonly CMakeDefinition[];
  /** What `include` and `add_subdirectory` name, as written. */
  readonly files: readonly { readonly text: string; readonly kind: "include" | "subdirectory"; readonly range: Range }[];
  /** What stands at a position. */
  at(position: Position): CMakeName | undefined;
}

export type CMakeName =
  | { readonly kind: "variable" | "command"; readonly name: string; readonly range: Range }
  /** A bare word can be a target, or the name of a variable. */
  | { readonly kind: "word"; readonly name: string; readonly range: Range }
  | { readonly kind: "include" | "subdirectory"; readonly name: string; readonly range: Range };

/** CMake's own files and those that other tools write in its language. */
export function isCMakeFile(file: string): boolean {
  return path.basename(file) === "CMakeLists.txt" || file.endsWith(".cmake");
}

interface Kept {
  readonly text: string;
  readonly index: CMakeIndex;
}

const kept = new Map<string, Kept>();
const maximumKept = 5000;

export function cmakeIndex(file: string, text: string): CMakeIndex {
  const known = kept.get(file);
  if (known?.text === text) {
    return known.index;
  }
  const index = indexOf(parseCMake(file, text));
  kept.delete(file);
  kept.set(file, { text, index });
  for (const oldest of kept.keys()) {
    if (kept.size <= maximumKept) {
      break;
    }
    kept.delete(oldest);
  }
  return index;
}

function indexOf(file: SourceFile): CMakeIndex {
  const definitions: CMakeDefinition[] = [];
  collect(file, file.nodes, undefined, definitions);
  const files = file.commands.flatMap((command) => {
    const [first] = command.args;
    const kind = fileKind(command.name);
    return kind === undefined || first === undefined ? [] : [{ kind, text: file.source(first), range: file.range(first.valueStart, first.valueEnd) }];
  });
  return { definitions, files, at: (position) => nameAt(file, file.offset(position)) };
}

function fileKind(command: string): "include" | "subdirectory" | undefined {
  return command === "include" ? "include" : command === "add_subdirectory" ? "subdirectory" : undefined;
}

function collect(file: SourceFile, nodes: readonly Node[], container: string | undefined, found: CMakeDefinition[]): void {
  // An own stack: nesting in a file that a fuzzer wrote must not end ours.
  const work: { nodes: readonly Node[]; container: string | undefined }[] = [{ nodes, container }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    for (const node of next.nodes) {
      const inside = next.container;
      switch (node.kind) {
        case "command":
          defineByCommand(file, node.command, inside, found);
          break;
        case "if":
          work.push(...node.branches.map((branch) => ({ nodes: branch.body, container: inside })));
          break;
        case "foreach":
        case "while":
        case "block":
          if (node.kind === "foreach") {
            define(file, node.command.args[0], "variable", node.command, inside, found);
          }
          work.push({ nodes: node.body, container: inside });
          break;
        case "function":
        case "macro": {
          const [name, ...parameters] = node.command.args;
          const whole = file.range(node.command.start, node.end);
          if (name !== undefined && name.valueEnd > name.valueStart) {
            found.push({ name: file.source(name), kind: node.kind, range: whole, selection: file.range(name.valueStart, name.valueEnd) });
            for (const parameter of parameters) {
              const selection = file.range(parameter.valueStart, parameter.valueEnd);
              found.push({ name: file.source(parameter), kind: "variable", range: selection, selection, scope: whole, container: file.source(name) });
            }
            work.push({ nodes: node.body, container: file.source(name) });
          }
          break;
        }
      }
    }
  }
  found.sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
}

/** Commands that define a name by their first argument. */
const firstArgument: Readonly<Record<string, CMakeNameKind>> = {
  set: "variable", option: "option", project: "project", find_package: "package",
  find_library: "variable", find_path: "variable", find_file: "variable", find_program: "variable", get_filename_component: "variable",
  get_property: "variable", get_target_property: "variable", cmake_dependent_option: "option",
  add_library: "target", add_executable: "target", add_custom_target: "target", pybind11_add_module: "target",
  nanobind_add_module: "target", cuda_add_library: "target", cuda_add_executable: "target", hip_add_library: "target",
};

/** Sub-commands whose second or third argument is a variable to write. */
const secondArgument = new Set(["list append", "list prepend", "list insert", "list transform", "string append", "string prepend", "string concat", "string join", "math expr", "file glob", "file glob_recurse", "file read", "cmake_path set"]);

function defineByCommand(file: SourceFile, command: Command, container: string | undefined, found: CMakeDefinition[]): void {
  const kind = firstArgument[command.name] ?? (/^python3?_add_library$/.test(command.name) ? "target" : undefined);
  if (kind !== undefined) {
    define(file, command.args[0], kind, command, container, found);
    return;
  }
  const [first, second] = command.args;
  if (first !== undefined && secondArgument.has(`${command.name} ${file.source(first).toLowerCase()}`)) {
    define(file, second, "variable", command, container, found);
  }
  command.args.forEach((argument, index) => {
    if (/^(?:OUTPUT|RESULT|ERROR|RESULTS)_VARIABLE$/.test(file.source(argument))) {
      define(file, command.args[index + 1], "variable", command, container, found);
    }
  });
}

function define(file: SourceFile, argument: Argument | undefined, kind: CMakeNameKind, command: Command, container: string | undefined, found: CMakeDefinition[]): void {
  const name = argument === undefined ? "" : file.source(argument);
  if (argument !== undefined && name !== "" && !name.includes("$")) {
    found.push({
      name, kind, range: file.range(command.start, command.end), selection: file.range(argument.valueStart, argument.valueEnd),
      ...(container === undefined ? {} : { container }),
    });
  }
}

function nameAt(file: SourceFile, offset: number): CMakeName | undefined {
  const command = commandAt(file.commands, offset);
  if (command === undefined) {
    return undefined;
  }
  if (offset <= command.nameEnd) {
    return { kind: "command", name: command.name, range: file.range(command.start, command.nameEnd) };
  }
  const argument = command.args.find((one) => one.kind !== "paren" && one.start <= offset && offset <= one.end);
  if (argument === undefined) {
    return undefined;
  }
  const variable = argument.kind === "bracket" ? undefined : variableAt(file, argument, offset);
  if (variable !== undefined) {
    return variable;
  }
  const name = file.source(argument);
  const range = file.range(argument.valueStart, argument.valueEnd);
  const kind = command.args[0] === argument ? fileKind(command.name) : undefined;
  return { kind: kind ?? "word", name, range };
}

/** The innermost `${NAME}` around an offset, which may lie on its braces. */
function variableAt(file: SourceFile, argument: Argument, offset: number): CMakeName | undefined {
  const text = file.source(argument);
  const at = offset - argument.valueStart;
  for (const match of text.matchAll(/\$(?:ENV|CACHE)?\{([A-Za-z0-9_./+-]+)\}/g)) {
    const end = match.index + match[0].length;
    if (match.index <= at && at <= end && !match[0].startsWith("$ENV")) {
      const name = match[1] ?? "";
      const start = argument.valueStart + end - 1 - name.length;
      return { kind: "variable", name, range: file.range(start, start + name.length) };
    }
  }
  return undefined;
}

function commandAt(commands: readonly Command[], offset: number): Command | undefined {
  let low = 0;
  let high = commands.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const command = commands[middle];
    if (command === undefined || command.start > offset) {
      high = middle - 1;
    } else if (command.end < offset) {
      low = middle + 1;
    } else {
      return command;
    }
  }
  return undefined;
}
