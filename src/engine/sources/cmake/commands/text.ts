import type { Handler } from "../call.ts";
import type { Interpreter } from "../interpreter.ts";
import { splitList } from "../split.ts";
import { certainText, joinList, known, knownPiece, render, separator, unknown, unknownPiece, unsetValue, value, withVia, worlds } from "../value.ts";
import type { Piece, Value } from "../value.ts";
import { compareVersions, toRegExp } from "../words.ts";
import { piecesOf, textOf } from "./arguments.ts";

/** Longer texts are data, and doubling one forty times is a bomb. */
const maximumText = 200_000;

/** Applies a function to every text that the pieces can be; what stays the same keeps its place. */
export function transform(vm: Interpreter, pieces: readonly Piece[], change: (text: string) => string | undefined): readonly Piece[] {
  const all = worlds(vm.conditions, pieces, [], 16);
  if (all === undefined) {
    // Too many combinations: change each piece by itself, which is right unless the change spans two of them.
    return pieces.map((piece) => {
      if (piece.unknown || piece.soft) return piece;
      const changed = piece.text.length > maximumText ? piece.text : change(piece.text);
      return changed === piece.text ? piece : changed === undefined ? unknownPiece(piece.text, piece.origin) : { ...piece, text: changed, exact: false };
    });
  }
  const out: Piece[] = [];
  let changed = false;
  for (const world of all) {
    // A variable that nothing sets counts as empty when it is worked on.
    const text = render(world.pieces.filter((piece) => !vm.countsAsEmpty(piece)));
    const isUnknown = world.pieces.some((piece) => piece.unknown && !vm.countsAsEmpty(piece));
    const changedText = isUnknown || text.length > maximumText ? undefined : change(text);
    const result = changedText !== undefined && changedText.length > maximumText ? undefined : changedText;
    if (result !== text) changed = true;
    const first = world.pieces.find((piece) => !piece.soft);
    const follows = world.pieces.find((piece) => piece.follows !== undefined)?.follows;
    const overridable = world.pieces.find((piece) => piece.overridable !== undefined)?.overridable;
    const base: Piece = { ...(result === undefined ? unknownPiece(text, first?.origin) : knownPiece(result, first?.origin)), guard: world.guard, via: first?.via, ...(follows ? { follows } : {}), ...(overridable ? { overridable } : {}) };
    if (base.text !== "") out.push(base);
  }
  return changed ? out : pieces;
}

const string: Handler = (vm, call) => {
  const [mode, ...rest] = call.args;
  const name = (index: number) => textOf(rest[index]);
  const put = (variable: string | undefined, pieces: readonly Piece[]) => {
    if (variable !== undefined) vm.assign(variable, pieces);
  };
  switch (textOf(mode)?.toUpperCase()) {
    case "APPEND":
    case "PREPEND": {
      const variable = name(0);
      if (variable === undefined) return;
      const old = vm.lookup(variable).pieces;
      const added = rest.slice(1).flatMap((arg) => arg.pieces);
      return put(variable, textOf(mode)?.toUpperCase() === "APPEND" ? [...old, ...added] : [...added, ...old]);
    }
    case "CONCAT":
      return put(name(0), rest.slice(1).flatMap((arg) => arg.pieces));
    case "JOIN": {
      const glue = textOf(rest[0]) ?? "";
      return put(name(1), rest.slice(2).flatMap((arg, index) => (index === 0 ? arg.pieces : [knownPiece(glue), ...arg.pieces])));
    }
    case "TOUPPER":
      return put(name(1), transform(vm, rest[0]?.pieces ?? [], (text) => text.toUpperCase()));
    case "TOLOWER":
      return put(name(1), transform(vm, rest[0]?.pieces ?? [], (text) => text.toLowerCase()));
    case "STRIP":
      return put(name(1), transform(vm, rest[0]?.pieces ?? [], (text) => text.trim()));
    case "LENGTH":
      return put(name(1), transform(vm, rest[0]?.pieces ?? [], (text) => String(text.length)));
    case "SUBSTRING": {
      const [begin, length] = [Number(textOf(rest[1])), Number(textOf(rest[2]))];
      return put(name(3), transform(vm, rest[0]?.pieces ?? [], (text) => (Number.isNaN(begin) || Number.isNaN(length) ? undefined : length < 0 ? text.slice(begin) : text.slice(begin, begin + length))));
    }
    case "FIND": {
      const needle = textOf(rest[1]);
      const reverse = textOf(rest[3]) === "REVERSE";
      return put(name(2), transform(vm, rest[0]?.pieces ?? [], (text) => (needle === undefined ? undefined : String(reverse ? text.lastIndexOf(needle) : text.indexOf(needle)))));
    }
    case "REPLACE": {
      const [from, to] = [textOf(rest[0]), textOf(rest[1])];
      return put(name(2), transform(vm, rest.slice(3).flatMap((arg) => arg.pieces), (text) => (from === undefined || to === undefined || from === "" ? undefined : text.replaceAll(from, to))));
    }
    case "REGEX":
      return regex(vm, textOf(rest[0]) ?? "", rest.slice(1).map((arg) => arg.pieces));
    case "COMPARE": {
      const [operator, a, b] = [textOf(rest[0]), textOf(rest[1]), textOf(rest[2])];
      const result = a === undefined || b === undefined ? undefined : operator === "EQUAL" ? a === b : operator === "NOTEQUAL" ? a !== b : operator === "LESS" ? a < b : operator === "GREATER" ? a > b : undefined;
      return put(name(3), [result === undefined ? unknownPiece(`\${${name(3) ?? ""}}`, vm.origin()) : knownPiece(result ? "1" : "0")]);
    }
    default: {
      const last = textOf(rest.at(-1));
      if (last !== undefined && /^[A-Za-z_]\w*$/.test(last)) vm.set(last, unknown(`\${${last}}`, vm.origin()));
    }
  }
};

function regex(vm: Interpreter, mode: string, [pattern, second, third, ...input]: readonly (readonly Piece[])[]): void {
  const expression = pattern === undefined ? undefined : toRegExp(certainText(pattern) ?? "(");
  const [name, text, replacement] = mode === "REPLACE" ? [third, input.flat(), certainText(second ?? [])] : [second, [...(third ?? []), ...input.flat()], undefined];
  const variable = certainText(name ?? []);
  if (variable === undefined) return;
  vm.assign(variable, transform(vm, text, (given) => {
    if (expression === undefined) return undefined;
    const every = new RegExp(expression.source, "g");
    if (mode === "MATCHALL") return (given.match(every) ?? []).join(";");
    if (mode === "MATCH") {
      const match = expression.exec(given);
      vm.setMatches(match);
      return match?.[0] ?? "";
    }
    return replacement === undefined ? undefined : given.replace(every, replacement.replace(/\$/g, "$$$$").replace(/\\(\d)/g, (_, digit: string) => (digit === "0" ? "$&" : `$${digit}`)));
  }));
}

const list: Handler = (vm, call) => {
  const [modeArg, nameArg, ...rest] = call.args;
  const mode = textOf(modeArg)?.toUpperCase();
  const name = textOf(nameArg);
  if (mode === undefined || name === undefined) return;
  vm.noteUse(name);
  const current = vm.lookup(name);
  // Adding to a list copies it.
  vm.conditions.work += current.pieces.length >> 3;
  const elements = () => splitList(current.pieces);
  const certain = () => (current.pieces.every((piece) => (!piece.unknown || vm.countsAsEmpty(piece)) && piece.guard.length === 0) ? elements().filter((one) => !one.every((piece) => piece.unset !== undefined)) : undefined);
  const put = (variable: string | undefined, to: Value | undefined) => {
    if (variable !== undefined) vm.set(variable, to ?? unknown(`\${${variable}}`, vm.origin()));
  };
  const texts = rest.map(textOf);
  switch (mode) {
    case "APPEND":
    case "PREPEND": {
      if (rest.length === 0) return;
      const added = withVia(joinList(piecesOf(rest)), `variable ${name} set`, vm.origin(), vm.frame);
      const old = current.pieces.length === 0 ? [] : current.pieces;
      return vm.set(name, value(mode === "APPEND" ? [...old, separator, ...added] : [...added, separator, ...old]));
    }
    case "INSERT":
      return vm.set(name, value([...current.pieces, separator, ...joinList(piecesOf(rest.slice(1)))]));
    case "REMOVE_ITEM":
      return vm.set(name, value(joinList(elements().filter((one) => !texts.includes(render(one))))));
    case "REMOVE_DUPLICATES": {
      const seen = new Set<string>();
      return vm.set(name, value(joinList(elements().filter((one) => {
        const key = `${render(one)}|${one.map((piece) => piece.guard.join("&")).join(",")}`;
        return !seen.has(key) && seen.add(key);
      }))));
    }
    case "FILTER": {
      const expression = toRegExp(texts[2] ?? "(");
      if (expression === undefined) return;
      const keep = texts[0] === "INCLUDE";
      return vm.set(name, value(joinList(elements().filter((one) => one.some((piece) => piece.unknown) || expression.test(render(one)) === keep))));
    }
    case "REVERSE":
      return vm.set(name, value(joinList(elements().reverse())));
    case "SORT":
      return vm.set(name, value(joinList(elements().sort((a, b) => (texts.includes("NATURAL") ? compareVersions(render(a), render(b)) : render(a) < render(b) ? -1 : 1)))));
    case "LENGTH": {
      const all = certain();
      return put(texts[0], all && known(String(all.length)));
    }
    case "GET": {
      const all = certain();
      const out = rest.at(-1);
      if (all === undefined) return put(textOf(out), undefined);
      return put(textOf(out), value(joinList(texts.slice(0, -1).map((index) => all.at(Number(index)) ?? []))));
    }
    case "FIND": {
      const all = certain();
      return put(texts[1], all && texts[0] !== undefined ? known(String(all.findIndex((one) => render(one) === texts[0]))) : undefined);
    }
    case "JOIN": {
      const glue = texts[0] ?? "";
      const out: Piece[] = [];
      elements().forEach((one, index) => out.push(...(index > 0 && glue !== "" ? [{ ...knownPiece(glue), guard: one[0]?.guard ?? [] }] : []), ...one));
      return put(texts[1], value(out));
    }
    case "SUBLIST": {
      const all = certain();
      const [begin, length] = [Number(texts[0]), Number(texts[1])];
      return put(texts[2], all && value(joinList(length < 0 ? all.slice(begin) : all.slice(begin, begin + length))));
    }
    case "POP_FRONT":
    case "POP_BACK": {
      const all = elements();
      const popped = mode === "POP_BACK" ? all.pop() : all.shift();
      vm.set(name, value(joinList(all)));
      return put(texts[0], popped === undefined ? unsetValue : value(popped));
    }
    case "TRANSFORM":
      return transformList(vm, name, elements(), texts);
    default:
      return;
  }
};

function transformList(vm: Interpreter, name: string, elements: readonly (readonly Piece[])[], texts: readonly (string | undefined)[]): void {
  const outputAt = texts.indexOf("OUTPUT_VARIABLE");
  const output = outputAt >= 0 ? texts[outputAt + 1] : name;
  const expression = toRegExp(texts[1] ?? "(");
  const each = (pieces: readonly Piece[]): readonly Piece[] => {
    switch (texts[0]) {
      case "PREPEND":
        return [knownPiece(texts[1] ?? ""), ...pieces];
      case "APPEND":
        return [...pieces, knownPiece(texts[1] ?? "")];
      case "TOUPPER":
        return transform(vm, pieces, (text) => text.toUpperCase());
      case "TOLOWER":
        return transform(vm, pieces, (text) => text.toLowerCase());
      case "STRIP":
        return transform(vm, pieces, (text) => text.trim());
      case "REPLACE":
        return transform(vm, pieces, (text) => (expression === undefined ? undefined : text.replace(new RegExp(expression.source, "g"), (texts[2] ?? "").replace(/\\(\d)/g, "$$$1"))));
      default:
        return pieces;
    }
  };
  if (output !== undefined) vm.assign(output, joinList(elements.map(each)));
}

export const textCommands: ReadonlyMap<string, Handler> = new Map([["string", string], ["list", list]]);
