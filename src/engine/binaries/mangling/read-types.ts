import type { ExceptionSpecification, FunctionType, Node } from "./ast.ts";
import { type Cursor, fail, isDigit } from "./cursor.ts";
import { builtinTypes } from "./grammar.ts";
import { readTemplateArguments } from "./read-arguments.ts";
import { readExpression } from "./read-expressions.ts";
import { readName, readSubstitution, readTemplateParameter } from "./read-names.ts";

const builtinNodes: Readonly<Record<string, Node>> = Object.fromEntries(Object.keys(builtinTypes).map((code) => [code, { kind: "builtin", code }]));

/** <type>; `substitutable` is false where the caller remembers it itself. */
export function readType(cursor: Cursor, substitutable = true): Node {
  const character = cursor.peek();
  const builtin = builtinNodes[character];
  if (builtin !== undefined) {
    cursor.at++;
    return builtin;
  }
  cursor.enter();
  let type: Node;
  if (character === "S" && !isAbbreviated(cursor)) {
    type = readSubstitution(cursor);
    if (cursor.peek() !== "I") {
      // A substitution by itself is no new candidate.
      cursor.leave();
      return type;
    }
    type = { kind: "template", name: type, args: readTemplateArguments(cursor) };
  } else {
    type = readCompound(cursor, character);
  }
  if (substitutable && type.kind !== "builtin" && type.kind !== "abbreviation") cursor.remember(type);
  cursor.leave();
  return type;
}

/** Whether the S here begins St, Ss ... and not S_ or S1_. */
function isAbbreviated(cursor: Cursor): boolean {
  const next = cursor.next();
  return next >= "a" && next <= "z";
}

function readCompound(cursor: Cursor, character: string): Node {
  switch (character) {
    case "r": case "V": case "K": return readQualified(cursor);
    case "P": case "R": case "O": case "C": case "G":
      cursor.at++;
      return { kind: "indirect", code: character, type: readType(cursor) };
    case "F": return readFunctionType(cursor, "", undefined, false);
    case "A": {
      cursor.at++;
      const dimension = readDimension(cursor);
      return { kind: "array", dimension, type: readType(cursor) };
    }
    case "M": {
      cursor.at++;
      const owner = readType(cursor);
      return { kind: "member-pointer", owner, type: readType(cursor) };
    }
    case "T": return readTemplateParameterType(cursor);
    case "U": return readVendorQualified(cursor);
    case "u": {
      cursor.at++;
      const text = cursor.sourceName();
      return { kind: "vendor-type", text, args: cursor.peek() === "I" ? readTemplateArguments(cursor) : undefined };
    }
    case "D": return readDType(cursor);
    default:
      if (character !== "N" && character !== "Z" && character !== "S" && !isDigit(character.charCodeAt(0))) return fail();
      return readName(cursor);
  }
}

function readTemplateParameterType(cursor: Cursor): Node {
  const next = cursor.next();
  if (next === "s" || next === "u" || next === "e") {
    cursor.at += 2;
    return { kind: "elaborated", code: `T${next}`, name: readName(cursor) };
  }
  const parameter = readTemplateParameter(cursor);
  if (cursor.peek() !== "I") return parameter;
  if (!cursor.inConversion) {
    cursor.remember(parameter);
    return { kind: "template", name: parameter, args: readTemplateArguments(cursor) };
  }
  // The arguments may be those of the conversion function: only then nothing else follows that could be them.
  const at = cursor.at;
  const known = cursor.substitutions.length;
  const args = readTemplateArguments(cursor);
  if (cursor.peek() === "I") {
    cursor.substitutions.splice(known, 0, parameter);
    return { kind: "template", name: parameter, args };
  }
  cursor.at = at;
  cursor.substitutions.length = known;
  return parameter;
}

function readQualified(cursor: Cursor): Node {
  const from = cursor.at;
  while (cursor.peek() !== "" && "rVK".includes(cursor.peek())) cursor.at++;
  const qualifiers = cursor.text.slice(from, cursor.at);
  const special = readFunctionQualifiers(cursor);
  if (special !== undefined || cursor.peek() === "F") return readFunctionType(cursor, qualifiers, special?.exceptions, special?.transactionSafe ?? false);
  return { kind: "qualified", qualifiers, type: readType(cursor) };
}

interface FunctionQualifiers {
  readonly exceptions: ExceptionSpecification | undefined;
  readonly transactionSafe: boolean;
}

/** [<exception-spec>] [Dx] */
function readFunctionQualifiers(cursor: Cursor): FunctionQualifiers | undefined {
  let exceptions: ExceptionSpecification | undefined;
  if (cursor.eat("Do")) {
    exceptions = { code: "Do", operands: [] };
  } else if (cursor.eat("DO")) {
    exceptions = { code: "DO", operands: [readExpression(cursor)] };
    cursor.expect("E");
  } else if (cursor.eat("Dw")) {
    const operands: Node[] = [];
    while (!cursor.eat("E")) operands.push(readType(cursor));
    exceptions = { code: "Dw", operands };
  }
  const transactionSafe = cursor.eat("Dx");
  return exceptions === undefined && !transactionSafe ? undefined : { exceptions, transactionSafe };
}

/** F [Y] <return type> <parameter types> [<ref-qualifier>] E */
function readFunctionType(cursor: Cursor, qualifiers: string, exceptions: ExceptionSpecification | undefined, transactionSafe: boolean): FunctionType {
  cursor.expect("F");
  const externC = cursor.eat("Y");
  const returns = readType(cursor);
  const parameters = readParameters(cursor);
  const reference = cursor.peek() === "R" || cursor.peek() === "O" ? cursor.take() : "";
  cursor.expect("E");
  return { kind: "function", qualifiers, exceptions, transactionSafe, externC, returns, parameters, reference };
}

/** Types up to where a signature ends; `v` alone means none. */
export function readParameters(cursor: Cursor): readonly Node[] {
  const parameters: Node[] = [];
  for (;;) {
    const character = cursor.peek();
    if (character === "" || character === "E" || character === "." || character === "Q") break;
    if ((character === "R" || character === "O") && cursor.next() === "E") break;
    parameters.push(readType(cursor));
  }
  return parameters.length === 0 ? fail() : parameters;
}

/** A number and an underscore, or an expression and an underscore, or only the underscore. */
function readDimension(cursor: Cursor): string | Node {
  if (cursor.eat("_")) return "";
  if (isDigit(cursor.peek().charCodeAt(0))) {
    const digits = cursor.digits();
    cursor.expect("_");
    return digits;
  }
  const expression = readExpression(cursor);
  cursor.expect("_");
  return expression;
}

/** U <source-name> [<template-args>] <type>; Ul and Ut begin the name of a type that has none. */
function readVendorQualified(cursor: Cursor): Node {
  if (cursor.next() === "l" || cursor.next() === "t") return readName(cursor);
  cursor.at++;
  const text = cursor.sourceName();
  const args = cursor.peek() === "I" ? readTemplateArguments(cursor) : undefined;
  return { kind: "vendor-qualified", text, args, type: readType(cursor) };
}

/** The types that begin with D. */
function readDType(cursor: Cursor): Node {
  const code = cursor.text.slice(cursor.at, cursor.at + 2);
  switch (code) {
    case "Do": case "DO": case "Dw": case "Dx": {
      const special = readFunctionQualifiers(cursor);
      return readFunctionType(cursor, "", special?.exceptions, special?.transactionSafe ?? false);
    }
    case "Dt": case "DT": {
      cursor.at += 2;
      const expression = readExpression(cursor);
      cursor.expect("E");
      return { kind: "decltype", code, expression };
    }
    case "Dp":
      cursor.at += 2;
      return { kind: "expansion", code, pattern: readType(cursor) };
    case "Dv": {
      cursor.at += 2;
      // An expression stands between two underscores.
      const dimension = cursor.eat("_") ? readExpression(cursor) : cursor.digits();
      cursor.expect("_");
      return { kind: "vector", dimension, type: readType(cursor) };
    }
    case "DF": case "DB": case "DU": {
      const from = cursor.at;
      cursor.at += 2;
      if (cursor.digits() === "") return fail();
      if (code !== "DF" || !(cursor.eat("x") || cursor.eat("b"))) cursor.expect("_");
      return { kind: "builtin", code: cursor.text.slice(from, cursor.at) };
    }
    case "DC": return readName(cursor);
    default: {
      const builtin = builtinNodes[code] ?? fail();
      cursor.at += 2;
      return builtin;
    }
  }
}

/** The declarations of a lambda's explicit template parameters: Ty, Tn <type>, Tt <declarations> E, Tp <declaration>. */
export function readParameterDeclarations(cursor: Cursor): readonly Node[] {
  const declarations: Node[] = [];
  while (cursor.peek() === "T" && cursor.next() !== "" && "yntpk".includes(cursor.next())) declarations.push(readParameterDeclaration(cursor));
  return declarations;
}

export function readParameterDeclaration(cursor: Cursor): Node {
  cursor.enter();
  const code = cursor.take() + cursor.take();
  let operands: readonly Node[] = [];
  if (code === "Tn") {
    operands = [readType(cursor)];
  } else if (code === "Tk") {
    operands = [readName(cursor)];
  } else if (code === "Tp") {
    operands = [readParameterDeclaration(cursor)];
  } else if (code === "Tt") {
    operands = readParameterDeclarations(cursor);
    cursor.expect("E");
  } else if (code !== "Ty") {
    fail();
  }
  cursor.leave();
  return { kind: "declaration", code, operands };
}
