import type { FunctionType, Indirect, Node } from "./ast.ts";
import { builtinTypes } from "./grammar.ts";
import { printExpression } from "./print-expressions.ts";
import { printName, printTemplateArguments } from "./print-names.ts";
import type { Printer, Scope } from "./printer.ts";
import { childrenOf } from "./tree.ts";

/*
 * A C++ declaration is written around its name, so a type has a left part and a right part: of `int (*) [3]` the left is
 * `int (*` and the right `) [3]`.
 */

export function printType(printer: Printer, type: Node): void {
  printLeft(printer, type);
  printRight(printer, type);
}

/** The parameter types of a function; `void` alone is none. */
export function printParameters(printer: Printer, parameters: readonly Node[]): void {
  const [first] = parameters;
  printer.add("(");
  if (!(parameters.length === 1 && first?.kind === "builtin" && first.code === "v")) printer.list(parameters, (type) => printType(printer, type));
  printer.add(")");
}

/** r, V and K as they follow a type: the last of the name is printed first. */
export function printQualifiers(printer: Printer, qualifiers: string): void {
  for (let index = qualifiers.length - 1; index >= 0; index--) {
    printer.add(qualifiers[index] === "K" ? " const" : qualifiers[index] === "V" ? " volatile" : " restrict");
  }
}

export function printLeft(printer: Printer, type: Node): void {
  printer.enter(type);
  left(printer, type);
  printer.leave();
}

export function printRight(printer: Printer, type: Node): void {
  printer.enter(type);
  right(printer, type, false);
  printer.leave();
}

function left(printer: Printer, type: Node): void {
  switch (type.kind) {
    case "builtin": printer.add(builtinName(type.code)); break;
    case "vendor-type":
      printer.add(type.text);
      if (type.args !== undefined) printTemplateArguments(printer, type.args);
      break;
    case "indirect": {
      const scope = printer.scope;
      const { code, inner } = collapsed(printer, type);
      leftOfModifier(printer, inner, code === "P" || code === "R" || code === "O");
      printer.add(code === "P" ? "*" : code === "R" ? "&" : code === "O" ? "&&" : code === "C" ? " _Complex" : " _Imaginary");
      printer.scope = scope;
      break;
    }
    case "qualified": leftQualified(printer, type.type, type.qualifiers); break;
    case "vendor-qualified":
      leftOfModifier(printer, type.type, false);
      printer.add(` ${type.text}`);
      if (type.args !== undefined) printTemplateArguments(printer, type.args);
      break;
    case "member-pointer":
      leftOfModifier(printer, type.type, false);
      if (printer.last !== "(") printer.add(" ");
      printType(printer, type.owner);
      printer.add("::*");
      break;
    case "function":
      printLeft(printer, type.returns);
      if (!hasRight(printer, type.returns)) printer.add(" ");
      break;
    case "array": printLeft(printer, type.type); break;
    case "vector":
      printLeft(printer, type.type);
      printer.add(" __vector(");
      printDimension(printer, type.dimension);
      printer.add(")");
      break;
    case "expansion": printExpansion(printer, type.pattern); break;
    case "parameter": {
      if (printer.inLambda > 0) {
        printer.add(`auto:${type.number === "" ? 1 : Number(type.number) + 2}`);
        break;
      }
      const argument = printer.argument(type);
      printer.within(printer.scope?.outer, () => printLeft(printer, argument));
      break;
    }
    case "decltype":
      printer.add("decltype (");
      printExpression(printer, type.expression);
      printer.add(")");
      break;
    default: printName(printer, type);
  }
}

function right(printer: Printer, type: Node, afterArray: boolean): void {
  switch (type.kind) {
    case "indirect": {
      const scope = printer.scope;
      const { inner } = collapsed(printer, type);
      rightOfModifier(printer, inner);
      printer.scope = scope;
      break;
    }
    case "qualified": {
      const scope = printer.scope;
      const inner = resolve(printer, type.type);
      if (inner.kind === "function") printer.add(")");
      printer.step();
      right(printer, inner, afterArray);
      printer.scope = scope;
      break;
    }
    case "vendor-qualified": case "member-pointer": rightOfModifier(printer, type.type); break;
    case "function":
      printParameters(printer, type.parameters);
      printFunctionQualifiers(printer, type);
      printRight(printer, type.returns);
      break;
    case "array":
      if (!afterArray) printer.add(" ");
      printer.add("[");
      printDimension(printer, type.dimension);
      printer.add("]");
      printer.enter(type.type);
      right(printer, type.type, headOf(printer, type.type) === "array");
      printer.leave();
      break;
    case "vector": printRight(printer, type.type); break;
    case "parameter":
      if (printer.inLambda === 0) {
        const argument = printer.argument(type);
        printer.within(printer.scope?.outer, () => {
          printer.enter(argument);
          right(printer, argument, afterArray);
          printer.leave();
        });
      }
      break;
    default:
  }
}

function leftOfModifier(printer: Printer, inner: Node, isPointer: boolean): void {
  printLeft(printer, inner);
  const head = headOf(printer, inner);
  if (head === "function") {
    // Of a pointer to a function that returns one, `(*(*)`, the inner parenthesis follows without a blank.
    if (printer.last !== " " && !(isPointer && (printer.last === "(" || printer.last === "*"))) printer.add(" ");
    printer.add("(");
  } else if (head === "array") {
    printer.add(" (");
  }
}

function rightOfModifier(printer: Printer, inner: Node): void {
  if (headOf(printer, inner) !== "plain") printer.add(")");
  printRight(printer, inner);
}

/** The qualifiers of an array are those of its elements; one that is there already is not repeated. */
function leftQualified(printer: Printer, type: Node, qualifiers: string): void {
  printer.enter(type);
  const scope = printer.scope;
  const inner = resolve(printer, type);
  if (inner.kind === "array") {
    leftQualified(printer, inner.type, qualifiers);
  } else if (inner.kind === "qualified") {
    leftQualified(printer, inner.type, qualifiers + [...inner.qualifiers].filter((one) => !qualifiers.includes(one)).join(""));
  } else {
    leftOfModifier(printer, inner, false);
    printQualifiers(printer, qualifiers);
  }
  printer.scope = scope;
  printer.leave();
}

/** What template parameters stand for; leaves the scope of the result in the printer, which the caller restores. */
function resolve(printer: Printer, type: Node): Node {
  let resolved = type;
  while (resolved.kind === "parameter" && printer.inLambda === 0) {
    printer.step();
    resolved = printer.argument(resolved);
    printer.scope = printer.scope?.outer;
  }
  return resolved;
}

/** & and && to a reference: & wins. Leaves the scope of `inner` in the printer, which the caller restores. */
function collapsed(printer: Printer, type: Indirect): { readonly code: string; readonly inner: Node } {
  if (type.code !== "R" && type.code !== "O") return { code: type.code, inner: type.type };
  let reference = type;
  let { code } = type;
  for (;;) {
    printer.step();
    if (reference.type.kind === "parameter" && printer.inLambda === 0) printer.scope = printer.scopeOfReference(reference, reference.type);
    const scope = printer.scope;
    const inner = resolve(printer, reference.type);
    if (inner.kind !== "indirect" || (inner.code !== "R" && inner.code !== "O")) {
      printer.scope = scope;
      return { code, inner: reference.type };
    }
    if (inner.code === "R") code = "R";
    reference = inner;
  }
}

/** What stands directly under a modifier and decides whether it needs parentheses. */
function headOf(printer: Printer, type: Node): "function" | "array" | "plain" {
  const scope = printer.scope;
  let head = resolve(printer, type);
  let qualified = false;
  while (head.kind === "qualified") {
    printer.step();
    qualified = true;
    head = resolve(printer, head.type);
  }
  printer.scope = scope;
  return head.kind === "array" ? "array" : head.kind === "function" && !qualified ? "function" : "plain";
}

/** Whether anything of the type follows the name that is declared with it. */
export function hasRight(printer: Printer, type: Node): boolean {
  const scope: Scope | undefined = printer.scope;
  printer.enter(type);
  const resolved = resolve(printer, type);
  let answer: boolean;
  switch (resolved.kind) {
    case "function": case "array": answer = true; break;
    case "indirect": answer = hasRight(printer, collapsed(printer, resolved).inner); break;
    case "qualified": case "vendor-qualified": case "member-pointer": case "vector": answer = hasRight(printer, resolved.type); break;
    default: answer = false;
  }
  printer.leave();
  printer.scope = scope;
  return answer;
}

function printFunctionQualifiers(printer: Printer, type: FunctionType): void {
  if (type.transactionSafe) printer.add(" transaction_safe");
  if (type.exceptions !== undefined) {
    printer.add(type.exceptions.code === "Dw" ? " throw" : " noexcept");
    if (type.exceptions.code !== "Do") {
      printer.add("(");
      printer.list(type.exceptions.operands, (operand) => type.exceptions?.code === "Dw" ? printType(printer, operand) : printExpression(printer, operand));
      printer.add(")");
    }
  }
  printQualifiers(printer, type.qualifiers);
  printReference(printer, type.reference);
}

export function printReference(printer: Printer, reference: string): void {
  if (reference !== "") printer.add(reference === "R" ? " &" : " &&");
}

function printDimension(printer: Printer, dimension: string | Node): void {
  if (typeof dimension === "string") printer.add(dimension);
  else printExpression(printer, dimension);
}

/** Once for each element of the first pack in the pattern; `...` where none is known. */
export function printExpansion(printer: Printer, pattern: Node): void {
  const pack = printer.inLambda > 0 ? undefined : findPack(printer, pattern);
  if (pack === undefined) {
    printExpression(printer, pattern, true);
    printer.add("...");
    return;
  }
  for (let index = 0; index < pack.length; index++) {
    printer.packIndex = index;
    if (index > 0) printer.add(", ");
    printExpression(printer, pattern);
  }
}

/** The arguments of the first template parameter in the pattern that is a pack. */
export function findPack(printer: Printer, pattern: Node): readonly Node[] | undefined {
  const seen = new Set<Node>();
  const ahead = [pattern];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    printer.step();
    if (seen.has(node) || node.kind === "expansion" || node.kind === "lambda") continue;
    seen.add(node);
    const argument = node.kind === "parameter" ? printer.wholeArgument(node) : undefined;
    if (argument?.kind === "pack") return argument.args;
    ahead.push(...childrenOf(node).toReversed());
  }
  return undefined;
}

function builtinName(code: string): string {
  const known = builtinTypes[code];
  if (known !== undefined) return known;
  const width = code.slice(2).replace(/\D/g, "");
  if (code.startsWith("DF")) return code.endsWith("b") ? "std::bfloat16_t" : `_Float${width}${code.endsWith("x") ? "x" : ""}`;
  return `${code.startsWith("DU") ? "unsigned " : ""}_BitInt(${width})`;
}
