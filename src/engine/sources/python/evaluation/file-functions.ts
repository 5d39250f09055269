import type { Place } from "../source-file.ts";
import type { Arguments } from "./call-types.ts";
import type { Interpreter } from "./interpreter.ts";
import type { LibraryFunction } from "./library.ts";
import { baseOf, directoryOf, joinPath, normalisePath } from "./paths.ts";
import { Scope } from "./scope.ts";
import type { TextValue, Value } from "./values.ts";
import { boolean, followed, none, render, text, unknown } from "./values.ts";

/** Folders visited and names matched by one glob. */
const limits = { folders: 200, matches: 2_000 };

export function absolute(interpreter: Interpreter, path: string): string {
  return normalisePath(path.startsWith("/") ? path : joinPath([interpreter.directory, path]));
}

function path(transform: (path: string, interpreter: Interpreter) => string): LibraryFunction {
  return (interpreter, args, place) => interpreter.lift(args.positional[0] ?? unknown("path"), (value) => {
    if (value.kind !== "text") return unknown(render(value), followed(value));
    return value.known ? text(transform(value.value, interpreter), place, { steps: value.steps, follows: value.follows }) : value;
  });
}

function joined(interpreter: Interpreter, args: Arguments, place: Place): Value {
  let result: Value | undefined;
  for (const argument of args.positional) {
    const before: Value | undefined = result;
    result = before === undefined ? argument : interpreter.lift(before, (left) => interpreter.lift(argument, (right) => joinTwo(interpreter, left, right, place)));
  }
  return interpreter.lift(result ?? text(".", place), (value) => args.open ? unknown(render(value)) : interpreter.asText(value, place));
}

function joinTwo(interpreter: Interpreter, left: Value, right: Value, place: Place): TextValue {
  const a = interpreter.asText(left, place);
  const b = interpreter.asText(right, place);
  return text(joinPath([a.value, b.value]), place, { known: a.known && b.known, follows: a.follows ?? b.follows });
}

/** Whether a file is there: a file of the project now is; anything else may come later. */
function present(kind: "file" | "directory" | undefined): LibraryFunction {
  return (interpreter, args) => {
    const [value] = args.positional;
    if (value?.kind !== "text" || !value.known) return undefined;
    const full = absolute(interpreter, value.value);
    if (!full.startsWith(`${interpreter.directory}/`)) return undefined;
    const status = interpreter.files.status(full);
    return status !== undefined && (kind === undefined || status.kind === kind) ? boolean(true) : undefined;
  };
}

function globbed(interpreter: Interpreter, args: Arguments, place: Place): Value | undefined {
  return interpreter.lift(args.positional[0] ?? unknown("pattern"), (value) => value.kind === "text" && value.known ? matches(interpreter, value, place) : unknown(`glob(${render(value)})`));
}

/** Files of the project that match a shell pattern, `**` included. */
export function matches(interpreter: Interpreter, pattern: TextValue, place: Place): Value {
  const full = absolute(interpreter, pattern.value);
  const isRelative = !pattern.value.startsWith("/");
  const parts = full.split("/").slice(1);
  const firstWild = parts.findIndex((part) => /[*?[]/.test(part));
  const root = firstWild < 0 ? full : `/${parts.slice(0, firstWild).join("/")}`;
  const found: string[] = [];
  const budget = { folders: limits.folders };
  if (firstWild < 0) {
    if (interpreter.files.status(full) !== undefined) found.push(full);
  } else walk(interpreter, root, parts.slice(firstWild), found, budget);
  const list = interpreter.newList("list", [], place);
  if (found.length === 0) {
    interpreter.append(list, unknown(`*glob(${render(pattern)})`));
    return list;
  }
  for (const one of found) interpreter.append(list, text(isRelative ? one.slice(interpreter.directory.length + 1) : one, place));
  return list;
}

function walk(interpreter: Interpreter, folder: string, parts: readonly string[], found: string[], budget: { folders: number }): void {
  const [part, ...rest] = parts;
  if (part === undefined || budget.folders-- <= 0) return;
  const entries = interpreter.files.entries(folder);
  if (part === "**") {
    walk(interpreter, folder, rest.length === 0 ? ["*"] : rest, found, budget);
    for (const { name, kind } of entries) {
      if (kind === "directory" && !name.startsWith(".")) walk(interpreter, `${folder}/${name}`, parts, found, budget);
    }
    return;
  }
  for (const { name, kind } of entries) {
    if (found.length >= limits.matches || !matchesPattern(name, part)) continue;
    const full = `${folder}/${name}`;
    if (rest.length === 0) found.push(full);
    else if (kind !== "file") walk(interpreter, full, rest, found, budget);
  }
}

/** Shell pattern of one path component; backtracks at most once a star, so that no pattern is slow. */
function matchesPattern(name: string, pattern: string): boolean {
  if (name.startsWith(".") && !pattern.startsWith(".")) return false;
  let at = 0;
  let star = -1;
  let starAt = 0;
  let index = 0;
  while (at < name.length) {
    const char = pattern[index];
    const set = char === "[" ? /^\[(!?)([^\]]+)\]/.exec(pattern.slice(index)) : null;
    if (set !== null && inSet(name[at] ?? "", set[2] ?? "") !== (set[1] === "!")) {
      index += set[0].length;
      at++;
    } else if (set === null && char !== undefined && (char === "?" || char === name[at]) && char !== "*") {
      index++;
      at++;
    } else if (char === "*") {
      star = index++;
      starAt = at;
    } else if (star >= 0) {
      index = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (pattern[index] === "*") index++;
  return index >= pattern.length;
}

function inSet(char: string, set: string): boolean {
  for (let index = 0; index < set.length; index++) {
    if (set[index + 1] === "-" && index + 2 < set.length) {
      if (char >= (set[index] ?? "") && char <= (set[index + 2] ?? "")) return true;
      index += 2;
    } else if (set[index] === char) return true;
  }
  return false;
}

function workingDirectory(interpreter: Interpreter, _: Arguments, place: Place): Value {
  return text(interpreter.directory, place);
}

function addSearchPath(interpreter: Interpreter, args: Arguments): Value {
  const folder = args.positional.at(-1);
  if (folder?.kind === "text" && folder.known && interpreter.searchPaths.length < 50) interpreter.searchPaths.push(absolute(interpreter, folder.value));
  return none;
}

/** `exec(open("version.py").read())`, into the current names or into a dict. */
function executeText(interpreter: Interpreter, args: Arguments, place: Place): Value {
  const [source, names] = args.positional;
  const path = source?.kind === "unknown" ? /^(?:compile\()?open\("([^"]+)"\)\.read\(\)/.exec(source.text)?.[1] : undefined;
  if (path === undefined) return none;
  if (names?.kind !== "dict") {
    interpreter.modules.execute(interpreter, path);
    return none;
  }
  const { scope } = interpreter;
  const inner = new Scope(undefined, interpreter.stack);
  interpreter.scope = inner;
  const done = interpreter.modules.execute(interpreter, path);
  interpreter.scope = scope;
  if (!done) names.open = true;
  for (const name of inner.names()) interpreter.setEntry(names, text(name, place), inner.own(name, interpreter.stack) ?? none, place);
  return none;
}

export const fileFunctions: Readonly<Record<string, LibraryFunction | undefined>> = {
  "os.path.join": joined,
  "pathlib.Path": joined,
  "pathlib.PurePath": joined,
  "pathlib.Path.cwd": workingDirectory,
  "os.getcwd": workingDirectory,
  "os.path.dirname": path(directoryOf),
  "os.path.basename": path(baseOf),
  "os.path.abspath": path((value, interpreter) => absolute(interpreter, value)),
  "os.path.realpath": path((value, interpreter) => absolute(interpreter, value)),
  "os.path.normpath": path(normalisePath),
  "os.path.expanduser": path((value) => value),
  "os.path.relpath": path((value, interpreter) => {
    const full = absolute(interpreter, value);
    return full.startsWith(`${interpreter.directory}/`) ? full.slice(interpreter.directory.length + 1) : full;
  }),
  "sys.path.append": addSearchPath,
  "sys.path.insert": addSearchPath,
  "builtins.exec": executeText,
  "os.fspath": path((value) => value),
  "os.path.exists": present(undefined),
  "os.path.isfile": present("file"),
  "os.path.isdir": present("directory"),
  "glob.glob": globbed,
  "glob.iglob": globbed,
  "os.listdir": (interpreter, args, place) => {
    const [folder] = args.positional;
    if (folder?.kind !== "text" || !folder.known) return undefined;
    const names = interpreter.files.list(absolute(interpreter, folder.value));
    if (names.length === 0 || names.length > limits.matches) return undefined;
    return interpreter.newList("list", names.map((name) => ({ value: text(name, place), conditions: [] })), place);
  },
  "os.path.splitext": (interpreter, args, place) => {
    const [value] = args.positional;
    if (value?.kind !== "text" || !value.known) return undefined;
    const suffix = /(?<=[^/])\.[^./]*$/.exec(value.value)?.[0] ?? "";
    const parts = [value.value.slice(0, value.value.length - suffix.length), suffix];
    return interpreter.newList("tuple", parts.map((part) => ({ value: text(part, place), conditions: [] })), place);
  },
  "builtins.open": (interpreter, args) => {
    const [value] = args.positional;
    return value?.kind === "text" && value.known ? unknown(`open(${JSON.stringify(absolute(interpreter, value.value))})`) : undefined;
  },
};
