import type { Arg, Call, Handler } from "../call.ts";
import { evaluateCondition } from "../condition.ts";
import type { Interpreter } from "../interpreter.ts";
import { noteOption, noteSet } from "../observations/settings.ts";
import { splitList } from "../split.ts";
import { certainText, joinList, known, knownPiece, render, unknown, unsetValue, value, withVia } from "../value.ts";
import type { Piece } from "../value.ts";
import { byKeyword, piecesOf, shown, textOf } from "./arguments.ts";

/** set(): normal, PARENT_SCOPE, CACHE and ENV forms. */
const set: Handler = (vm, call) => {
  const [target, ...rest] = call.args;
  if (target === undefined) return;
  return vm.inWorlds(target.pieces, (name, isKnown) => {
    if (!isKnown) return vm.gap(`The name of the variable set by ${shown(target)} could not be evaluated.`);
    const environment = /^ENV\{(.*)\}$/.exec(name);
    if (environment !== null) return vm.state.write(vm.globalProperties, name, value(rest[0] === undefined ? [] : withVia(rest[0].pieces, `environment variable ${environment[1] ?? ""} set`, vm.origin(), vm.frame)));
    const cacheAt = rest.findIndex((arg) => arg.argument.kind === "unquoted" && textOf(arg) === "CACHE");
    if (cacheAt >= 0 && rest.length > cacheAt + 2) return setCache(vm, name, rest.slice(0, cacheAt), textOf(rest[cacheAt + 1]) ?? "", rest.slice(cacheAt + 3), call);
    const toParent = textOf(rest.at(-1)) === "PARENT_SCOPE";
    const values = toParent ? rest.slice(0, -1) : rest;
    const scope = toParent ? vm.scope.parent : vm.scope;
    if (scope === undefined) return;
    if (values.length === 0) {
      noteSet(vm, name, call, []);
      return vm.set(name, unsetValue, scope);
    }
    const pieces = joinList(piecesOf(values));
    noteSet(vm, name, call, pieces);
    vm.assign(name, pieces, scope);
  });
};

function setCache(vm: Interpreter, name: string, values: readonly Arg[], type: string, options: readonly Arg[], call: Call): void {
  const force = type === "INTERNAL" || options.some((arg) => textOf(arg) === "FORCE");
  const present = vm.cacheTable.get(name);
  const pieces = joinList(piecesOf(values));
  if (!force) noteOption(vm, name, pieces, call, "cache default");
  if (present !== undefined && present.absent.length === 0 && !force) {
    vm.usage.set(name);
    return;
  }
  const open = force ? pieces : overridable(pieces, name);
  vm.assign(name, open, vm.cacheTable);
  // An empty default leaves the variable to whoever configures.
  if (!force && pieces.length === 0) vm.set(name, { pieces: [{ ...knownPiece(""), overridable: name }], absent: [] }, vm.cacheTable);
  if (force && vm.scope.get(name) !== undefined && type !== "INTERNAL") vm.assign(name, open);
}

function overridable(pieces: readonly Piece[], name: string): readonly Piece[] {
  return pieces.map((piece) => (piece.soft ? piece : { ...piece, overridable: name }));
}

const option: Handler = (vm, call) => {
  const name = textOf(call.args[0]);
  if (name === undefined) return;
  vm.usage.set(name);
  const given = call.args[2];
  const pieces = given === undefined ? [knownPiece("OFF", vm.origin())] : given.pieces;
  noteOption(vm, name, pieces, call, "cache default");
  if (vm.cacheTable.get(name)?.absent.length === 0) return;
  const set = vm.scope.get(name);
  if (set !== undefined && set.absent.length === 0) return; // CMP0077
  vm.assign(name, overridable(pieces, name), vm.cacheTable);
};

/** CMakeDependentOption: the option where all the conditions hold, else the forced value in a variable that hides it. */
const dependentOption: Handler = (vm, call) => {
  const [first, , given, depends, force] = call.args;
  const name = textOf(first);
  if (name === undefined || depends === undefined) return;
  const offered = (): void => {
    if (vm.cacheTable.get(name)?.absent.length !== 0) vm.assign(name, overridable(given?.pieces ?? [], name), vm.cacheTable);
  };
  const forced = (): void => vm.assign(name, force?.pieces ?? []);
  const truth = evaluateCondition(vm, splitList(depends.pieces).flatMap((condition, index) => [...(index > 0 ? [wordOf(depends, "AND")] : []), ...parenthesised(depends, condition)]));
  if ("decided" in truth) return !truth.decided && depends.pieces.length > 0 ? forced() : offered();
  const { conditions } = vm;
  return vm.state.fork([
    { guard: conditions.guard(truth.code), run: () => {
      offered();
      // What the cache has, also where a merge with the other branch leaves a variable that hides it.
      vm.set(name, vm.cacheTable.get(name) ?? unsetValue);
      return "normal";
    } },
    { guard: conditions.guard(truth.code ^ 1), run: () => {
      forced();
      return "normal";
    } },
  ]);
};

function wordOf(arg: Arg, text: string): Arg {
  return { pieces: [knownPiece(text)], argument: { ...arg.argument, kind: /^[()]$/.test(text) ? "paren" : "unquoted" } };
}

/** One condition of the list as the arguments that if() would get (CMP0127). */
function parenthesised(arg: Arg, condition: readonly Piece[]): Arg[] {
  const text = certainText(condition);
  const words = text === undefined ? [] : (text.match(/[()]|[^\s()]+/g) ?? []);
  const inner = words.length > 0 ? words.map((word) => wordOf(arg, word)) : [{ pieces: condition, argument: { ...arg.argument, kind: "unquoted" as const } }];
  return [wordOf(arg, "("), ...inner, wordOf(arg, ")")];
}

const unset: Handler = (vm, call) => {
  const name = textOf(call.args[0]);
  if (name === undefined) return;
  if (name.startsWith("ENV{")) return vm.state.write(vm.globalProperties, name, unsetValue);
  const where = textOf(call.args[1]);
  if (where === "CACHE") vm.state.write(vm.cacheTable, name, unsetValue);
  else vm.state.write(where === "PARENT_SCOPE" ? (vm.scope.parent ?? vm.scope) : vm.scope, name, unsetValue);
};

const math: Handler = (vm, call) => {
  const name = textOf(call.args[1]);
  const expression = textOf(call.args[2]);
  if (name === undefined) return;
  const result = expression === undefined ? undefined : calculate(expression);
  vm.set(name, result === undefined ? unknown(`\${${name}}`, vm.origin()) : known(String(result), vm.origin()));
};

/** Sums and products of integers, left to right within their precedence; anything else stays unknown. */
function calculate(expression: string): number | undefined {
  if (!/^[\d\s+*%()/-]{1,80}$/.test(expression)) return undefined;
  let at = 0;
  const text = expression.replace(/\s+/g, "");
  const factor = (): number => {
    if (text[at] === "-") return at++, -factor();
    if (text[at] === "(") {
      at++;
      const inner = sum();
      at++;
      return inner;
    }
    const digits = /^\d+/.exec(text.slice(at))?.[0] ?? "";
    at += Math.max(digits.length, 1);
    return digits === "" ? NaN : Number(digits);
  };
  const product = (): number => {
    let left = factor();
    while (text[at] === "*" || text[at] === "/" || text[at] === "%") {
      const operator = text[at++];
      const right = factor();
      left = operator === "*" ? left * right : operator === "/" ? Math.trunc(left / right) : left % right;
    }
    return left;
  };
  const sum = (): number => {
    let left = product();
    while (text[at] === "+" || text[at] === "-") left += text[at++] === "+" ? product() : -product();
    return left;
  };
  const result = sum();
  return Number.isSafeInteger(result) && at >= text.length ? result : undefined;
}

const parseArguments: Handler = (vm, call) => {
  let args = call.args;
  let given: readonly Arg[];
  if (textOf(args[0]) === "PARSE_ARGV") {
    const skip = Number(textOf(args[1]) ?? "0");
    args = args.slice(2);
    given = splitList(vm.lookup("ARGV").pieces).slice(skip).map((pieces) => ({ pieces, argument: { ...call.command.args[0], kind: "unquoted" } as Arg["argument"] }));
  } else given = args.slice(4);
  const prefix = textOf(args[0]);
  if (prefix === undefined) return;
  const words = (arg: Arg | undefined) => (arg === undefined ? [] : splitList(arg.pieces).map(render));
  const [flags, single, multiple] = [words(args[1]), words(args[2]), words(args[3])];
  const parsed = byKeyword(given, flags, single, multiple);
  for (const flag of flags) vm.set(`${prefix}_${flag}`, known(parsed.flags.has(flag) ? "TRUE" : "FALSE"));
  for (const keyword of [...single, ...multiple]) {
    const values = parsed.values.get(keyword);
    vm.set(`${prefix}_${keyword}`, values === undefined ? unsetValue : value(joinList(piecesOf(values))));
  }
  vm.set(`${prefix}_UNPARSED_ARGUMENTS`, parsed.positional.length === 0 ? unsetValue : value(joinList(piecesOf(parsed.positional))));
};

const separateArguments: Handler = (vm, call) => {
  const name = textOf(call.args[0]);
  if (name === undefined) return;
  const source = call.args.length > 2 ? (call.args.at(-1) as Arg).pieces : vm.lookup(name).pieces;
  vm.set(name, value(source.map((piece) => (piece.unknown ? piece : { ...piece, text: piece.text.replace(/[ \t\n]+/g, ";"), exact: piece.exact }))));
};

const filenameComponent: Handler = (vm, call) => {
  const name = textOf(call.args[0]);
  const path = textOf(call.args[1]);
  const mode = textOf(call.args[2]);
  if (name === undefined) return;
  const base = textOf(call.args[4]);
  const result = path === undefined ? undefined : component(path, mode ?? "", textOf(call.args[3]) === "BASE_DIR" && base !== undefined ? base : vm.directory.path);
  vm.set(name, result === undefined ? unknown(`\${${name}}`, vm.origin()) : known(result, vm.origin()));
};

function component(path: string, mode: string, base: string): string | undefined {
  const file = path.slice(path.lastIndexOf("/") + 1);
  switch (mode) {
    case "DIRECTORY":
    case "PATH":
      return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    case "NAME":
      return file;
    case "EXT":
      return file.includes(".") ? file.slice(file.indexOf(".")) : "";
    case "NAME_WE":
      return file.split(".")[0] ?? "";
    case "LAST_EXT":
      return file.includes(".") ? file.slice(file.lastIndexOf(".")) : "";
    case "NAME_WLE":
      return file.includes(".") ? file.slice(0, file.lastIndexOf(".")) : file;
    case "ABSOLUTE":
    case "REALPATH":
      return normalize(path.startsWith("/") ? path : `${base}/${path}`);
    default:
      return undefined;
  }
}

/** Resolves "." and ".." in an absolute path. */
export function normalize(path: string): string {
  const out: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") out.pop();
    else out.push(part);
  }
  return `/${out.join("/")}`;
}


export const variableCommands: ReadonlyMap<string, Handler> = new Map([
  ["set", set], ["option", option], ["cmake_dependent_option", dependentOption], ["unset", unset], ["math", math],
  ["cmake_parse_arguments", parseArguments], ["separate_arguments", separateArguments], ["get_filename_component", filenameComponent],
]);
