import type { Place } from "../source-file.ts";
import { callSuper } from "./calls.ts";
import { absolute, matches } from "./file-functions.ts";
import type { Arguments } from "./call-types.ts";
import { isGuarded, piecesOf, textOfPieces, wordsOfPieces } from "./guarded-text.ts";
import type { Interpreter } from "./interpreter.ts";
import { binary, textsOf, withUsual } from "./operators.ts";
import { choose } from "./alternatives.ts";
import { beyond, compatible, join, without } from "./conditions.ts";
import { isSpread } from "./truth.ts";
import type { ChoiceValue, DictValue, Element, ListValue, Piece, TextValue, UnknownValue, Value } from "./values.ts";
import { always, boolean, followed, none, number, render, text, unknown } from "./values.ts";

/** Calls a method of a built-in value, or of something unknown. */
export function callMethod(interpreter: Interpreter, self: Value, name: string, args: Arguments, place: Place): Value {
  switch (self.kind) {
    case "text":
      if (!self.known && name === "split") return piecesMethod(interpreter, self, name, args, place);
      return textCall(interpreter, self, name, args, place);
    case "list": return listMethod(interpreter, self, name, args, place) ?? unnamed(self, name, args);
    case "dict": return dictMethod(interpreter, self, name, args, place) ?? unnamed(self, name, args);
    case "version":
      return textMethod(interpreter, text(self.text, place, { follows: self.follows }), name, args, place) ?? unnamed(self, name, args);
    case "external":
      return self.name === "super" ? callSuper(interpreter, name, args, place) : interpreter.callOutside(`${self.name}.${name}`, args, place);
    case "unknown": {
      const { usual } = self;
      interpreter.callOutside(`?.${name}`, args, place);
      return withUsual(unnamed(self, name, args), usual?.kind === "text" ? usual : undefined, (value) => callMethod(interpreter, value, name, args, place));
    }
    case "choice":
      return piecesMethod(interpreter, self, name, args, place);
    case "object":
      // Methods of what is not known are calls of the outside too: `self.spawn(["cmake", ...])`.
      interpreter.callOutside(`?.${name}`, args, place);
      return unnamed(self, name, args);
    default:
      return unnamed(self, name, args);
  }
}

/** Methods that a text in pieces has as such. */
export const piecesMethods: ReadonlySet<string> = new Set(["split", "strip", "lstrip", "rstrip"]);

function piecesMethod(interpreter: Interpreter, self: ChoiceValue | TextValue, name: string, args: Arguments, place: Place): Value {
  const [argument] = args.positional;
  const onSpaces = argument === undefined || (argument.kind === "text" && argument.value === " ");
  const pieces = self.kind === "text" ? piecesOf(self) : self.pieces;
  if (pieces === undefined || !onSpaces || args.positional.length > 1 || args.keywords.size > 0) {
    return interpreter.lift(self, (one) => one.kind === "text" ? textCall(interpreter, one, name, args, place) : callMethod(interpreter, one, name, args, place));
  }
  // Space at the ends separates nothing.
  if (name !== "split") return self;
  const list = interpreter.newList("list", [], place);
  for (const word of wordsOfPieces(pieces)) interpreter.append(list, word.value, word.conditions);
  return list;
}

function unnamed(self: Value, name: string, args: Arguments): UnknownValue {
  return unknown(`${render(self)}.${name}(${args.positional.slice(0, 4).map(render).join(", ")})`, followed(self));
}

function textCall(interpreter: Interpreter, self: TextValue, name: string, args: Arguments, place: Place): Value {
  return usualMethod(interpreter, self, name, args, place) ?? textMethod(interpreter, self, name, args, place) ?? unnamed(self, name, args);
}

/** Takes a text that is not known for what it usually is, and on the other way for what is not known. */
function usualMethod(interpreter: Interpreter, self: TextValue, name: string, args: Arguments, place: Place): Value | undefined {
  const { usual } = self;
  if (usual === undefined || name === "join" || name === "format") return undefined;
  const result = interpreter.under(usual.because, () => textMethod(interpreter, text(usual.value, self.place, { steps: self.steps }), name, args, place));
  const [way, ...more] = without(always, usual.because);
  if (result === undefined || way === undefined || more.length > 0) return undefined;
  const unknownText = text(self.value, self.place, { known: false, follows: self.follows, steps: self.steps });
  const other = interpreter.under(way, () => textMethod(interpreter, unknownText, name, args, place) ?? unnamed(self, name, args));
  return choose([{ value: result, conditions: usual.because }, { value: other, conditions: way }], interpreter.stack);
}

function textMethod(interpreter: Interpreter, self: TextValue, name: string, args: Arguments, place: Place): Value | undefined {
  const [argument] = args.positional;
  const same = (value: string): Value => text(value, self.place, { known: self.known, follows: self.follows, steps: self.steps });
  switch (name) {
    case "strip": case "lstrip": case "rstrip":
      return same(strip(self.value, name, argument?.kind === "text" ? argument.value : undefined));
    case "lower": case "casefold": return self.known ? same(self.value.toLowerCase()) : undefined;
    case "upper": return self.known ? same(self.value.toUpperCase()) : undefined;
    case "split": case "rsplit": case "splitlines":
      return self.known ? splitText(interpreter, self, name, args, place) : undefined;
    case "join":
      return argument === undefined ? undefined : joinTexts(interpreter, self, argument, place);
    case "format":
      return formatText(interpreter, self, args, place);
    case "replace": {
      const [from, to] = args.positional;
      return from?.kind === "text" && to?.kind === "text" && from.value !== "" ? same(self.value.replaceAll(from.value, to.value)) : undefined;
    }
    case "startsWith": case "startswith":
      return argument?.kind === "text" && self.known && argument.known ? boolean(self.value.startsWith(argument.value), self.follows) : undefined;
    case "endswith": {
      const suffixes = argument?.kind === "list" ? argument.elements.map((element) => element.value) : argument === undefined ? [] : [argument];
      return self.known && suffixes.length > 0 && suffixes.every((suffix) => suffix.kind === "text" && suffix.known) ? boolean(suffixes.some((suffix) => suffix.kind === "text" && self.value.endsWith(suffix.value)), self.follows) : undefined;
    }
    case "find": return argument?.kind === "text" && self.known ? number(self.value.indexOf(argument.value), self.follows) : undefined;
    case "count": return argument?.kind === "text" && self.known && argument.value !== "" ? number(self.value.split(argument.value).length - 1, self.follows) : undefined;
    case "isdigit": case "isnumeric": return self.known ? boolean(/^\d+$/.test(self.value)) : undefined;
    case "removeprefix": return argument?.kind === "text" && self.value.startsWith(argument.value) ? same(self.value.slice(argument.value.length)) : self;
    case "removesuffix": return argument?.kind === "text" && self.value.endsWith(argument.value) ? same(self.value.slice(0, self.value.length - argument.value.length)) : self;
    case "encode": case "decode": case "as_posix": case "expanduser": return self;
    case "resolve": case "absolute": return self.known ? same(absolute(interpreter, self.value)) : self;
    case "joinpath": case "with_name": {
      const base: Value = name === "joinpath" ? self : same(self.value.replace(/\/?[^/]*$/, ""));
      return args.positional.reduce((left, right) => binary(interpreter, "/", left, right, place), base);
    }
    case "glob": case "rglob":
      return argument?.kind === "text" && self.known && argument.known ? matches(interpreter, text(`${self.value}/${name === "rglob" ? "**/" : ""}${argument.value}`, place), place) : undefined;
    case "exists": case "is_file": case "is_dir":
      return interpreter.callOutside(name === "exists" ? "os.path.exists" : name === "is_file" ? "os.path.isfile" : "os.path.isdir", { positional: [self], keywords: new Map(), open: false }, place);
    default: return undefined;
  }
}

function strip(value: string, how: string, characters: string | undefined): string {
  const isIn = (char: string | undefined): boolean => char !== undefined && (characters === undefined ? /\s/.test(char) : characters.includes(char));
  let start = 0;
  let end = value.length;
  if (how !== "rstrip") while (start < end && isIn(value[start])) start++;
  if (how !== "lstrip") while (end > start && isIn(value[end - 1])) end--;
  return value.slice(start, end);
}

function splitText(interpreter: Interpreter, self: TextValue, name: string, args: Arguments, place: Place): Value {
  const separator = args.positional[0] ?? args.keywords.get("sep")?.value;
  const maximum = args.positional[1] ?? args.keywords.get("maxsplit")?.value;
  let pieces: string[];
  if (name === "splitlines") pieces = self.value.split(/\r\n|\r|\n/);
  else if (separator?.kind === "text" && separator.value !== "") pieces = self.value.split(separator.value);
  else pieces = self.value.split(/\s+/).filter((piece) => piece !== "");
  const joiner = separator?.kind === "text" ? separator.value : " ";
  if (maximum?.kind === "number" && maximum.value >= 0 && pieces.length > maximum.value + 1) {
    const { value } = maximum;
    pieces = name === "rsplit" ? [pieces.slice(0, pieces.length - value).join(joiner), ...pieces.slice(pieces.length - value)] : [...pieces.slice(0, value), pieces.slice(value).join(joiner)];
  }
  const list = interpreter.newList("list", [], place);
  let from = self.place.start;
  for (const piece of pieces.slice(0, 2_000)) {
    // Where the literal holds the piece as it is, that is the text to edit.
    const at = piece === "" ? -1 : self.place.file.text.indexOf(piece, from);
    const inside = at >= 0 && at + piece.length <= self.place.end;
    const where = inside ? { file: self.place.file, start: at, end: at + piece.length } : self.place;
    if (inside) from = at + piece.length;
    interpreter.append(list, text(piece, where, { follows: self.follows, steps: self.steps }));
  }
  return list;
}

function joinTexts(interpreter: Interpreter, separator: TextValue, value: Value, place: Place): Value {
  return interpreter.lift(value, (one) => {
    if (one.kind !== "list") return unknown(`${render(separator)}.join(${render(one)})`, followed(one));
    const guarded = joinGuarded(interpreter, separator, one, place);
    if (guarded !== undefined) return guarded;
    let result: Value = text("", place);
    let isFirst = true;
    for (const element of interpreter.elementsOf(one)) {
      const open = element.conditions.length > 0 || isSpread(element.value);
      const piece = open ? text(`{${render(element.value)}}`, place, { known: false, follows: followed(element.value) }) : element.value;
      if (!isFirst) result = binary(interpreter, "+", result, separator, place);
      result = binary(interpreter, "+", result, piece, place);
      isFirst = false;
    }
    return result;
  });
}

/** The texts of a list of which some may be missing; a separator goes with the one behind it. */
function joinGuarded(interpreter: Interpreter, separator: TextValue, list: ListValue, place: Place): Value | undefined {
  const elements = interpreter.elementsOf(list);
  if (!elements.some((element) => element.conditions.length > 0 || isGuarded(element.value))) return undefined;
  // Without the first the next would start with a separator, which is no harm where it is a space.
  if (elements[0]?.conditions.length !== 0 && separator.value.trim() !== "") return undefined;
  const pieces: Piece[] = [];
  for (const [index, element] of elements.entries()) {
    const value = isSpread(element.value) ? text(`{${render(element.value)}}`, place, { known: false, follows: followed(element.value) }) : textsOf(interpreter, element.value, place);
    if (index > 0) pieces.push({ value: separator, conditions: element.conditions });
    for (const piece of piecesOf(value) ?? []) if (compatible(piece.conditions, element.conditions)) pieces.push({ value: piece.value, conditions: join(element.conditions, piece.conditions) });
  }
  return textOfPieces(pieces, interpreter.stack);
}

/** `"{} {name}".format(...)`. */
function formatText(interpreter: Interpreter, self: TextValue, args: Arguments, place: Place): Value {
  let result: Value = text("", self.place, { steps: self.steps });
  let next = 0;
  let from = 0;
  const add = (piece: Value): void => { result = binary(interpreter, "+", result, piece, self.place); };
  for (const match of self.value.matchAll(/\{\{|\}\}|\{([^{}!:.[]*)([.[][^{}!:]*)?(?:![rsa])?(?::([^{}]*))?\}/g)) {
    add(text(self.value.slice(from, match.index), place));
    from = match.index + match[0].length;
    if (match[0] === "{{" || match[0] === "}}") {
      add(text(match[0].slice(1), place));
      continue;
    }
    const key = match[1] ?? "";
    const value = key === "" ? args.positional[next++] : /^\d+$/.test(key) ? args.positional[Number(key)] : args.keywords.get(key)?.value;
    if (value === undefined || match[2] !== undefined) add(text(match[0], place, { known: false }));
    else add(textsOf(interpreter, value, place));
  }
  add(text(self.value.slice(from), place));
  return result;
}

function listMethod(interpreter: Interpreter, self: ListValue, name: string, args: Arguments, place: Place): Value | undefined {
  const [argument] = args.positional;
  switch (name) {
    case "append": case "add":
      if (argument !== undefined) interpreter.append(self, argument);
      return none;
    case "extend": case "update":
      if (argument !== undefined) interpreter.extend(self, argument);
      return none;
    case "insert": {
      const value = args.positional[1];
      if (value === undefined) return none;
      interpreter.change(self, (list) => {
        const at = argument?.kind === "number" ? argument.value : list.elements.length;
        list.elements.splice(at, 0, { value, conditions: beyond(interpreter.conditions, list.base) });
      });
      return none;
    }
    case "remove": case "discard":
      if (argument !== undefined) removeElements(interpreter, self, (element) => element.value.kind === argument.kind && render(element.value) === render(argument));
      return none;
    case "pop": {
      const at = argument?.kind === "number" ? argument.value : -1;
      const element = self.elements.at(at);
      if (element === undefined) return undefined;
      removeElements(interpreter, self, (one) => one === element || (one.value === element.value && one.value.kind !== "none"));
      return element.value;
    }
    case "clear":
      removeElements(interpreter, self, () => true);
      return none;
    case "copy": {
      const list = interpreter.newList(self.makes, [], place);
      interpreter.extend(list, self);
      return list;
    }
    case "reverse": interpreter.change(self, (list) => { list.elements.reverse(); }); return none;
    case "sort": return none;
    case "union": {
      const list = interpreter.newList(self.makes, [], place);
      for (const one of [self, ...args.positional]) interpreter.extend(list, one);
      return list;
    }
    case "count": case "index": return undefined;
    default: return undefined;
  }
}

/** Takes elements away where the program stands, and leaves them under the conditions that lead elsewhere. */
function removeElements(interpreter: Interpreter, from: ListValue, matchesElement: (element: Element) => boolean): void {
  interpreter.change(from, (list) => {
    const taken = beyond(interpreter.conditions, list.base);
    list.elements = list.elements.flatMap((element) => {
      if (!matchesElement(element) || !interpreter.holds(element.conditions)) return [element];
      return taken.length === 0 ? [] : without(element.conditions, taken).map((conditions) => ({ value: element.value, conditions }));
    });
  });
}

function dictMethod(interpreter: Interpreter, self: DictValue, name: string, args: Arguments, place: Place): Value | undefined {
  const [key, fallback] = args.positional;
  switch (name) {
    case "get": case "setdefault": case "pop": {
      if (key?.kind !== "text" && key?.kind !== "number") return undefined;
      const found = interpreter.entry(self, key.value);
      if (found !== undefined) return found;
      if (name === "setdefault" && fallback !== undefined) interpreter.setEntry(self, key, fallback, place);
      return self.open ? undefined : (fallback ?? none);
    }
    case "update":
      if (key !== undefined) interpreter.merge(self, key);
      for (const [word, { value, place: keyPlace }] of args.keywords) interpreter.setEntry(self, text(word, keyPlace), value, keyPlace);
      return none;
    case "copy": {
      const dict = interpreter.newDict(place);
      interpreter.merge(dict, self);
      return dict;
    }
    case "keys": case "values": case "items": {
      if (self.open) return undefined;
      const list = interpreter.newList("list", [], place);
      for (const entry of self.entries) {
        const pair = interpreter.newList("tuple", [{ value: entry.key, conditions: always }, { value: entry.value, conditions: always }], place);
        interpreter.append(list, name === "keys" ? entry.key : name === "values" ? entry.value : pair, entry.conditions);
      }
      return list;
    }
    default: return undefined;
  }
}
