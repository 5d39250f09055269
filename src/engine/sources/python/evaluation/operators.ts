import type { Place } from "../source-file.ts";
import type { Interpreter } from "./interpreter.ts";
import { isGuarded, joinPieces } from "./guarded-text.ts";
import { joinPath } from "./paths.ts";
import { isSpread, truthOf } from "./truth.ts";
import { joinUsual } from "./usual.ts";
import type { Element, ListValue, UnknownValue, Value } from "./values.ts";
import { boolean, followed, number, render, text, tooMany, unknown, usually } from "./values.ts";
import { compareVersions, parseVersion } from "../../../model/index.ts";

/** Longest text that is kept; a loop that doubles one must not fill the memory. */
const maximumLength = 100_000;

export function binary(interpreter: Interpreter, operator: string, left: Value, right: Value, place: Place): Value {
  // One list whose elements carry the conditions, rather than a list for each way.
  if (operator === "+" && isListOnEveryWay(left) && isListOnEveryWay(right)) return concatenate(interpreter, left, right, place);
  if (operator === "+") {
    const joined = joinPieces(asPieces(interpreter, left, right, place), asPieces(interpreter, right, left, place), interpreter.stack);
    if (joined !== undefined) return joined.value ?? longText();
  }
  return interpreter.lift(left, (a) => interpreter.lift(right, (b) => binaryOf(interpreter, operator, a, b, place)));
}

function binaryOf(interpreter: Interpreter, operator: string, a: Value, b: Value, place: Place): Value {
  const follows = followed(a) ?? followed(b);
  if (operator === "+") {
    if (a.kind === "list" || b.kind === "list") return concatenate(interpreter, a, b, place);
    if (a.kind === "text" || b.kind === "text") {
      const left = interpreter.asText(a, place);
      const right = interpreter.asText(b, place);
      if (left.value.length + right.value.length > maximumLength) return longText();
      return text(left.value + right.value, place, { known: left.known && right.known, follows: torchFirst(left.follows, right.follows), usual: joinUsual([left, right]), steps: [...left.steps, ...right.steps].slice(0, 6) });
    }
  }
  if (operator === "%" && a.kind === "text") return formatPercent(interpreter, a.value, b, place);
  if (operator === "*" && b.kind === "number" && (a.kind === "list" || a.kind === "text")) return repeat(interpreter, a, b.value, place);
  if (operator === "/" && (a.kind === "text" || b.kind === "text")) {
    const left = interpreter.asText(a, place);
    const right = interpreter.asText(b, place);
    return text(joinPath([left.value, right.value]), place, { known: left.known && right.known, follows });
  }
  if (operator === "|" && a.kind === "dict") {
    const dict = interpreter.newDict(place);
    interpreter.merge(dict, a);
    interpreter.merge(dict, b);
    return dict;
  }
  if (operator === "|" && a.kind === "list" && b.kind === "list") return concatenate(interpreter, a, b, place);
  if (a.kind === "number" && b.kind === "number") {
    const value = arithmetic(operator, a.value, b.value);
    if (value !== undefined) return number(value, follows);
  }
  return unknown(`${render(a)} ${operator} ${render(b)}`, follows);
}

/** `str(value)` on every way. */
export function textsOf(interpreter: Interpreter, value: Value, place: Place): Value {
  return isGuarded(value) ? value : interpreter.lift(value, (one) => interpreter.asText(one, place));
}

/** What stands beside a text in pieces, as a text. */
function asPieces(interpreter: Interpreter, value: Value, beside: Value, place: Place): Value {
  return isGuarded(beside) ? textsOf(interpreter, value, place) : value;
}

/** A text that is too long, or in too many pieces, to be kept. */
function longText(): Value {
  return unknown(tooMany);
}

function isListOnEveryWay(value: Value): boolean {
  return value.kind === "list" || (value.kind === "choice" && value.alternatives.length > 0 && value.alternatives.every((one) => one.value.kind === "list"));
}

function torchFirst<T extends "torch" | "environment">(a: T | undefined, b: T | undefined): T | undefined {
  return a === "torch" ? a : b ?? a;
}

function concatenate(interpreter: Interpreter, a: Value, b: Value, place: Place): Value {
  const list = interpreter.newList(a.kind === "list" ? a.makes : "list", [], place);
  interpreter.extend(list, a);
  interpreter.extend(list, b);
  return list;
}

function repeat(interpreter: Interpreter, a: Value, times: number, place: Place): Value {
  if (a.kind === "text") return a.value.length * times > maximumLength ? longText() : text(a.value.repeat(Math.max(0, times)), place, { known: a.known, follows: a.follows });
  const list = interpreter.newList("list", [], place);
  for (let round = 0; round < Math.min(times, 1000); round++) interpreter.extend(list, a);
  return list;
}

function arithmetic(operator: string, a: number, b: number): number | undefined {
  switch (operator) {
    case "+": return a + b;
    case "-": return a - b;
    case "*": return a * b;
    case "/": return b === 0 ? undefined : a / b;
    case "//": return b === 0 ? undefined : Math.floor(a / b);
    case "%": return b === 0 ? undefined : ((a % b) + b) % b;
    case "**": return a ** b;
    case "<<": return a * 2 ** b;
    case ">>": return Math.floor(a / 2 ** b);
    case "|": return Number.isSafeInteger(a) && a < 2 ** 31 && b < 2 ** 31 ? a | b : undefined;
    case "&": return a < 2 ** 31 && b < 2 ** 31 ? a & b : undefined;
    default: return undefined;
  }
}

/** `"%s" % value`, with one value, a tuple or a dict. */
function formatPercent(interpreter: Interpreter, template: string, argument: Value, place: Place): Value {
  const positional = argument.kind === "list" && argument.makes === "tuple" ? argument.elements.map((element) => element.value) : [argument];
  let next = 0;
  let result: Value = text("", place);
  let from = 0;
  const add = (piece: Value): void => { result = binary(interpreter, "+", result, piece, place); };
  for (const match of template.matchAll(/%(?:\((\w+)\))?[#0\- +]*(\d*)(?:\.\d+)?([a-zA-Z%])/g)) {
    add(text(template.slice(from, match.index), place));
    from = match.index + match[0].length;
    if (match[3] === "%") add(text("%", place));
    else if (match[1] !== undefined) add(argument.kind === "dict" ? (interpreter.entry(argument, match[1]) ?? unknown(match[1])) : unknown(match[1]));
    else add(textsOf(interpreter, positional[next++] ?? unknown("?"), place));
  }
  add(text(template.slice(from), place));
  return result;
}

/** A test that is the opposite, so that both ways of writing it are recognised as one. */
export function negate(value: Value): Value {
  const truth = truthOf(value);
  if (truth !== undefined && value.kind !== "unknown") return boolean(!truth, followed(value));
  const rendered = render(value);
  const result = unknown(rendered.startsWith("not ") ? rendered.slice(4) : `not ${rendered}`, followed(value));
  return { ...withUsual(result, usually(value), negate), ...(truth === undefined ? {} : { truth: !truth }) };
}

/** Notes what an unknown value is when environment variables are left alone. */
export function withUsual(result: UnknownValue, usual: Value | undefined, transform: (usual: Value) => Value): UnknownValue {
  if (usual === undefined) return result;
  const value = transform(usual);
  return value.kind === "unknown" ? result : { ...result, usual: value };
}

export function compare(operator: string, a: Value, b: Value): Value {
  switch (operator) {
    case "!=": case "<>": return negate(compare("==", a, b));
    case "is not": return negate(compare("is", a, b));
    case "not in": return negate(compare("in", a, b));
  }
  const follows = followed(a) ?? followed(b);
  const settled = operator === "in" ? contains(a, b) : operator === "is" ? identical(a, b) : order(operator, a, b);
  if (settled !== undefined) return boolean(settled, follows);
  // `a < b` is the opposite of `a >= b`: one name for both.
  const name = operator === "<" ? `not ${render(a)} >= ${render(b)}` : operator === "<=" ? `not ${render(a)} > ${render(b)}` : `${render(a)} ${operator} ${render(b)}`;
  if (operator === "in" && b.kind === "external" && b.name === "os.environ") return { ...unknown(name, "environment"), usual: boolean(false) };
  if (a.kind !== "unknown" && b.kind !== "unknown") return unknown(name, follows);
  const usualLeft = usually(a) ?? (a.kind === "unknown" ? undefined : a);
  const usualRight = usually(b) ?? (b.kind === "unknown" ? undefined : b);
  return usualRight === undefined ? unknown(name, follows) : withUsual(unknown(name, follows), usualLeft, (left) => compare(operator, left, usualRight));
}

function identical(a: Value, b: Value): boolean | undefined {
  if (a.kind === "unknown" || b.kind === "unknown" || a.kind === "external" || b.kind === "external") return undefined;
  if (a.kind === "none" || b.kind === "none") return a.kind === b.kind;
  if (a.kind === "boolean" && b.kind === "boolean") return a.value === b.value;
  return order("==", a, b);
}

function order(operator: string, a: Value, b: Value): boolean | undefined {
  const difference = differenceOf(a, b);
  if (difference === undefined) return undefined;
  switch (operator) {
    case "==": return difference === 0;
    case "<": return difference < 0;
    case ">": return difference > 0;
    case "<=": return difference <= 0;
    case ">=": return difference >= 0;
    default: return undefined;
  }
}

/** Below, at or above zero as `a` is smaller, equal or larger; NaN: different, and nothing more. */
function differenceOf(a: Value, b: Value): number | undefined {
  if (a.kind === "version" || b.kind === "version") {
    const left = versionText(a);
    const right = versionText(b);
    return left === undefined || right === undefined || parseVersion(left) === undefined || parseVersion(right) === undefined ? undefined : compareVersions(left, right);
  }
  if (a.kind === "text" && b.kind === "text") return a.known && b.known ? (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) : undefined;
  const isNumber = (value: Value): value is Extract<Value, { kind: "number" | "boolean" }> => value.kind === "number" || value.kind === "boolean";
  if (isNumber(a) && isNumber(b)) return Number(a.value) - Number(b.value);
  if (a.kind === "list" && b.kind === "list") return listDifference(a, b);
  if (isPlain(a) && isPlain(b) && a.kind !== b.kind) return Number.NaN;
  return a.kind === "none" && b.kind === "none" ? 0 : undefined;
}

function isPlain(value: Value): boolean {
  return value.kind === "none" || value.kind === "number" || value.kind === "boolean" || value.kind === "list" || (value.kind === "text" && value.known);
}

function versionText(value: Value): string | undefined {
  if (value.kind === "version") return value.text;
  if (value.kind === "text") return value.known ? value.value : undefined;
  if (value.kind === "list" && value.elements.every((element) => element.value.kind === "number")) return value.elements.map((element) => render(element.value)).join(".");
  return undefined;
}

function listDifference(a: ListValue, b: ListValue): number | undefined {
  for (let index = 0; index < Math.max(a.elements.length, b.elements.length); index++) {
    const left = a.elements[index];
    const right = b.elements[index];
    if (left !== undefined && (left.conditions.length > 0 || isSpread(left.value))) return undefined;
    if (right !== undefined && (right.conditions.length > 0 || isSpread(right.value))) return undefined;
    if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
    const difference = differenceOf(left.value, right.value);
    if (difference !== 0) return difference;
  }
  return 0;
}

function contains(needle: Value, hay: Value): boolean | undefined {
  if (hay.kind === "text" && needle.kind === "text" && needle.known) {
    if (hay.value.includes(needle.value)) return true;
    return hay.known ? false : undefined;
  }
  const members = hay.kind === "list" ? hay.elements : hay.kind === "dict" && !hay.open ? hay.entries.map((entry) => ({ value: entry.key, conditions: entry.conditions })) : undefined;
  if (members === undefined) return undefined;
  let open = false;
  for (const member of members) {
    const same = isSpread(member.value) ? undefined : order("==", needle, member.value);
    if (same === true && member.conditions.length === 0) return true;
    if (same !== false) open = true;
  }
  return open ? undefined : false;
}

function isCertain(element: Element): boolean {
  return element.conditions.length === 0 && !isSpread(element.value);
}

export interface Bounds { readonly lower: Value; readonly upper: Value; readonly stepped: boolean }

/** `object[key]` and `object[lower:upper]`. */
export function subscript(interpreter: Interpreter, object: Value, key: Value | Bounds, place: Place): Value {
  if (!("kind" in key)) return slice(interpreter, object, key, place);
  if (object.kind === "list" && key.kind === "number") {
    const elements = interpreter.elementsOf(object);
    const counted = key.value < 0 ? elements.slice(key.value) : elements.slice(0, key.value + 1);
    const element = counted.every(isCertain) ? elements.at(key.value) : undefined;
    if (element !== undefined) return element.value;
  }
  if (object.kind === "dict" && (key.kind === "text" || key.kind === "number")) {
    const value = interpreter.entry(object, key.value);
    if (value !== undefined) return value;
  }
  if (object.kind === "text" && object.known && key.kind === "number") {
    const char = object.value.at(key.value);
    if (char !== undefined) return text(char, place, { follows: object.follows });
  }
  if (object.kind === "version" && key.kind === "number") {
    const char = object.text.at(key.value);
    if (char !== undefined) return text(char, place, { follows: object.follows });
  }
  if (object.kind === "external" && object.name === "os.environ" && key.kind === "text") {
    return { kind: "unknown", text: `os.environ[${render(key)}]`, follows: "environment" };
  }
  return unknown(`${render(object)}[${render(key)}]`, followed(object));
}

function slice(interpreter: Interpreter, object: Value, bounds: Bounds, place: Place): Value {
  const edge = (value: Value): number | undefined | null => value.kind === "number" ? value.value : value.kind === "none" ? undefined : null;
  const lower = edge(bounds.lower);
  const upper = edge(bounds.upper);
  if (lower === null || upper === null || bounds.stepped) return unknown(`${render(object)}[:]`, followed(object));
  if (object.kind === "text" && object.known) return text(object.value.slice(lower, upper), place, { follows: object.follows });
  if (object.kind === "version") return text(object.text.slice(lower, upper), place, { follows: object.follows });
  if (object.kind === "list") {
    const whole = lower === undefined && upper === undefined;
    const elements = interpreter.elementsOf(object);
    const fromStart = lower !== undefined && lower >= 0 && upper === undefined;
    if (whole || (fromStart ? elements.slice(0, lower) : elements).every(isCertain)) {
      const list = interpreter.newList(object.makes, [], place);
      for (const element of elements.slice(lower, upper)) interpreter.append(list, interpreter.withSteps(element.value, object.steps), element.conditions);
      return list;
    }
  }
  return unknown(`${render(object)}[${lower ?? ""}:${upper ?? ""}]`, followed(object));
}
