import type { Node } from "./ast.ts";
import { type Cursor, fail, isDigit } from "./cursor.ts";
import { operators } from "./grammar.ts";
import { readConstraint, readTemplateArgument, readTemplateArguments } from "./read-arguments.ts";
import { readEncoding, readOperatorName, readTemplateParameter, readUnqualifiedName } from "./read-names.ts";
import { readType } from "./read-types.ts";

/** <expression> */
export function readExpression(cursor: Cursor): Node {
  cursor.enter();
  const before = cursor.inExpression;
  cursor.inExpression = true;
  const expression = read(cursor);
  cursor.inExpression = before;
  cursor.leave();
  return expression;
}

/** Expressions up to the E that ends the list. */
function readList(cursor: Cursor): readonly Node[] {
  const list: Node[] = [];
  while (!cursor.eat("E")) list.push(readExpression(cursor));
  return list;
}

function read(cursor: Cursor): Node {
  const character = cursor.peek();
  if (character === "L") return readPrimary(cursor);
  if (character === "T") return readTemplateParameter(cursor);
  if (isDigit(character.charCodeAt(0))) return readSimpleName(cursor);
  if (character === "u") {
    cursor.at++;
    const text = cursor.sourceName();
    const args: Node[] = [];
    // Newer compilers write arguments up to an E, older ones those of a template.
    if (cursor.peek() === "I") args.push({ kind: "pack", letter: "I", args: readTemplateArguments(cursor) });
    while (!cursor.eat("E")) args.push(readTemplateArgument(cursor));
    return { kind: "vendor-expression", text, args };
  }
  const code = character + cursor.next();
  if (code === "fL" && isDigit(cursor.text.charCodeAt(cursor.at + 2))) return readFunctionParameter(cursor);
  switch (code) {
    case "sr": {
      cursor.at += 2;
      const levels = readLevels(cursor);
      const scope = levels === undefined ? readType(cursor) : undefined;
      return { kind: "unresolved", scope, levels: levels ?? [], name: readSimpleName(cursor) };
    }
    case "sp":
      cursor.at += 2;
      return { kind: "expansion", code, pattern: readExpression(cursor) };
    case "fp": return readFunctionParameter(cursor);
    case "on": case "dn": return readSimpleName(cursor);
    case "il": case "tl": {
      cursor.at += 2;
      const type = code === "tl" ? readType(cursor) : undefined;
      return { kind: "braced", type, elements: readList(cursor) };
    }
    case "fl": case "fr": case "fL": case "fR": {
      cursor.at += 2;
      const operator = cursor.take() + cursor.take();
      if (operators[operator] === undefined) return fail();
      const first = readExpression(cursor);
      return { kind: "fold", code, operator, operands: code === "fL" || code === "fR" ? [first, readExpression(cursor)] : [first] };
    }
    case "nw": case "na": return readNew(cursor, code);
    case "rq": case "rQ": return readRequires(cursor, code);
    case "cp": {
      cursor.at += 2;
      return { kind: "operation", code, form: "", operands: readList(cursor) };
    }
    default: return readOperation(cursor);
  }
}

/** Names up to an E, as clang writes a scope that is no type; undefined where a type stands here, as g++ writes it. */
function readLevels(cursor: Cursor): readonly Node[] | undefined {
  if (!isDigit(cursor.peek().charCodeAt(0))) return undefined;
  cursor.sawScope = true;
  if (!cursor.scopesEnd) return undefined;
  const levels: Node[] = [];
  while (!cursor.eat("E")) levels.push(readSimpleName(cursor));
  return levels;
}

/** <operator-name> and as many operands as it takes. */
function readOperation(cursor: Cursor): Node {
  const name = readOperatorName(cursor);
  if (name.kind === "conversion") {
    if (cursor.eat("_")) return { kind: "operation", code: "cv", form: "_", operands: [name.type, ...readList(cursor)] };
    return { kind: "operation", code: "cv", form: "", operands: [name.type, readExpression(cursor)] };
  }
  if (name.kind !== "operator") return fail();
  const code = name.code;
  switch (code) {
    case "st": case "at": case "ti": return { kind: "operation", code, form: "", operands: [readType(cursor)] };
    case "pp": case "mm": {
      const form = cursor.eat("_") ? "_" : "";
      return { kind: "operation", code, form, operands: [readExpression(cursor)] };
    }
    case "sP": {
      const args: Node[] = [];
      while (!cursor.eat("E")) args.push(readTemplateArgument(cursor));
      return { kind: "operation", code, form: "", operands: args };
    }
    case "dc": case "sc": case "cc": case "rc": {
      const type = readType(cursor);
      return { kind: "operation", code, form: "", operands: [type, readExpression(cursor)] };
    }
    case "di": {
      const field = readSimpleName(cursor);
      return { kind: "operation", code, form: "", operands: [field, readExpression(cursor)] };
    }
    case "cl": {
      const callee = readExpression(cursor);
      return { kind: "operation", code, form: "", operands: [callee, ...readList(cursor)] };
    }
    case "dt": case "pt": {
      const object = readExpression(cursor);
      const form = cursor.eat("gs") ? "gs" : "";
      const member = cursor.text.startsWith("sr", cursor.at) ? readExpression(cursor) : readSimpleName(cursor);
      return { kind: "operation", code, form, operands: [object, member] };
    }
    default: {
      const operands: Node[] = [];
      for (let left = operators[code]?.[1] ?? 0; left > 0; left--) operands.push(readExpression(cursor));
      return { kind: "operation", code, form: "", operands };
    }
  }
}

/** <base-unresolved-name>: a name, on <operator-name> or dn <destructor-name>, each with its template arguments. */
function readSimpleName(cursor: Cursor): Node {
  let name: Node;
  if (cursor.eat("on")) {
    name = { kind: "operator-reference", name: readUnqualifiedName(cursor) };
  } else if (cursor.eat("dn")) {
    return { kind: "destructor-reference", of: isDigit(cursor.peek().charCodeAt(0)) ? readSimpleName(cursor) : readType(cursor) };
  } else {
    name = readUnqualifiedName(cursor);
  }
  return cursor.peek() === "I" ? { kind: "template", name, args: readTemplateArguments(cursor) } : name;
}

/** fp [<CV-qualifiers>] <number> _, fL <level> p [<CV-qualifiers>] <number> _, fpT: this */
function readFunctionParameter(cursor: Cursor): Node {
  const from = cursor.at;
  cursor.at += 2;
  if (cursor.text.charAt(from + 1) === "p" && cursor.eat("T")) return { kind: "function-parameter", text: "fpT" };
  if (cursor.text.charAt(from + 1) === "L") {
    cursor.digits();
    cursor.expect("p");
  }
  while (cursor.peek() !== "" && "rVK".includes(cursor.peek())) cursor.at++;
  cursor.compactNumber();
  return { kind: "function-parameter", text: cursor.text.slice(from, cursor.at) };
}

/** nw <expression>* _ <type> (E | pi <expression>* E | il <expression>* E) */
function readNew(cursor: Cursor, code: string): Node {
  cursor.at += 2;
  const placement: Node[] = [];
  while (!cursor.eat("_")) placement.push(readExpression(cursor));
  const type = readType(cursor);
  if (cursor.eat("E")) return { kind: "new", code, placement, type, initializer: undefined, initializerCode: "" };
  const initializerCode = cursor.take() + cursor.take();
  if (initializerCode !== "pi" && initializerCode !== "il") return fail();
  return { kind: "new", code, placement, type, initializer: readList(cursor), initializerCode };
}

/** rq <requirement>+ E, rQ <bare-function-type> _ <requirement>+ E */
function readRequires(cursor: Cursor, code: string): Node {
  cursor.at += 2;
  let parameters: readonly Node[] = [];
  if (code === "rQ") {
    const types: Node[] = [];
    while (!cursor.eat("_")) types.push(readType(cursor));
    parameters = types;
  }
  const requirements: Node[] = [];
  while (!cursor.eat("E")) requirements.push(readRequirement(cursor));
  return { kind: "requires", code, parameters, requirements };
}

function readRequirement(cursor: Cursor): Node {
  const code = cursor.peek();
  if (code === "Q") return { kind: "requirement", code, operands: [readConstraint(cursor)], noexcept: false };
  cursor.at++;
  if (code === "T") return { kind: "requirement", code, operands: [readType(cursor)], noexcept: false };
  if (code !== "X") return fail();
  const operands = [readExpression(cursor)];
  const noexcept = cursor.eat("N");
  if (cursor.eat("R")) operands.push(readExpression(cursor));
  return { kind: "requirement", code, operands, noexcept };
}

/** L <type> <value> E, L <mangled-name> E */
export function readPrimary(cursor: Cursor): Node {
  cursor.expect("L");
  if (cursor.peek() === "_" || cursor.peek() === "Z") {
    const prefix = cursor.eat("_Z") ? "_Z" : "Z";
    if (prefix === "Z") cursor.expect("Z");
    const encoding = readEncoding(cursor);
    cursor.expect("E");
    return { kind: "external", prefix, encoding };
  }
  const type = readType(cursor);
  const end = cursor.text.indexOf("E", cursor.at);
  if (end < 0) return fail();
  const value = cursor.text.slice(cursor.at, end);
  cursor.at = end + 1;
  return { kind: "literal", type, value };
}
