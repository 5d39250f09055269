import type { Node, Operation } from "./ast.ts";
import { literalSuffixes, operators } from "./grammar.ts";
import { printEncoding, printName, printTemplateArgument } from "./print-names.ts";
import { findPack, printExpansion, printType } from "./print-types.ts";
import type { Printer } from "./printer.ts";

/** Kinds that stand in an expression without parentheses. */
const simpleKinds: ReadonlySet<Node["kind"]> = new Set(["identifier", "member", "unresolved", "braced", "function-parameter"]);

/** An expression, or the type or name that stands in its place; `nested` puts it into parentheses where it is not simple. */
export function printExpression(printer: Printer, node: Node, nested = false): void {
  printer.enter(node);
  const parentheses = nested && !isSimple(node.kind === "external" ? node.encoding : node);
  if (parentheses) printer.add("(");
  print(printer, node);
  if (parentheses) printer.add(")");
  printer.leave();
}

function isSimple(node: Node): boolean {
  return simpleKinds.has(node.kind) && !(node.kind === "unresolved" && node.name.kind === "template");
}

function print(printer: Printer, node: Node): void {
  switch (node.kind) {
    case "literal": printLiteral(printer, node.type, node.value); break;
    case "external": printEncoding(printer, node.encoding, true); break;
    case "computed": printExpression(printer, node.expression); break;
    case "operation": printOperation(printer, node); break;
    case "braced":
      if (node.type !== undefined) printType(printer, node.type);
      printer.add("{");
      printer.list(node.elements, (element) => printExpression(printer, element));
      printer.add("}");
      break;
    case "new":
      printer.add("new ");
      if (node.placement.length > 0) {
        printer.add("(");
        printer.list(node.placement, (one) => printExpression(printer, one));
        printer.add(") ");
      }
      printType(printer, node.type);
      if (node.initializer !== undefined) {
        printer.add(node.initializerCode === "il" ? "{" : "(");
        printer.list(node.initializer, (one) => printExpression(printer, one));
        printer.add(node.initializerCode === "il" ? "}" : ")");
      }
      break;
    case "unresolved":
      for (const scope of node.scope === undefined ? node.levels : [node.scope]) {
        printType(printer, scope);
        printer.add("::");
      }
      printName(printer, node.name);
      break;
    case "operator-reference": printName(printer, node.name); break;
    case "destructor-reference":
      printer.add("~");
      printType(printer, node.of);
      break;
    case "fold": printFold(printer, node.code, node.operator, node.operands); break;
    case "function-parameter": printer.add(parameterText(node.text)); break;
    case "requires":
      printer.add("requires ");
      if (node.parameters.length > 0) {
        printer.add("(");
        printer.list(node.parameters, (type) => printType(printer, type));
        printer.add(") ");
      }
      printer.add("{");
      for (const requirement of node.requirements) printExpression(printer, requirement);
      printer.add("}");
      break;
    case "requirement":
      printer.add(node.code === "T" ? "typename " : node.code === "Q" ? "requires " : "");
      printer.list(node.operands, (one) => printExpression(printer, one));
      printer.add(node.noexcept ? " noexcept; " : "; ");
      break;
    case "vendor-expression":
      printer.add(`${node.text}(`);
      printer.list(node.args, (one) => printTemplateArgument(printer, one));
      printer.add(")");
      break;
    case "expansion": printExpansion(printer, node.pattern); break;
    case "parameter": case "builtin": case "vendor-type": case "qualified": case "vendor-qualified": case "indirect": case "function": case "array":
    case "vector": case "member-pointer": case "decltype":
      printType(printer, node);
      break;
    default: printName(printer, node);
  }
}

function printLiteral(printer: Printer, type: Node, value: string): void {
  const negative = value.startsWith("n");
  const digits = negative ? value.slice(1) : value;
  const code = type.kind === "builtin" ? type.code : "";
  const suffix = literalSuffixes[code];
  if (suffix !== undefined) {
    printer.add(`${negative ? "-" : ""}${digits}${suffix}`);
  } else if (code === "b" && (value === "0" || value === "1")) {
    printer.add(value === "1" ? "true" : "false");
  } else if (code === "Dn" && value === "") {
    printer.add("decltype(nullptr)");
  } else {
    printer.add("(");
    printType(printer, type);
    printer.add(")");
    const isFloat = code === "f" || code === "d" || code === "e" || code === "g";
    printer.add(`${negative ? "-" : ""}${isFloat ? `[${digits}]` : digits}`);
  }
}

function printOperation(printer: Printer, node: Operation): void {
  const [first, second, third] = node.operands;
  const { code } = node;
  const text = operators[code]?.[0] ?? "";
  if (code === "cv") {
    printer.add("(");
    if (first !== undefined) printType(printer, first);
    printer.add(")");
    printArguments(printer, node.operands.slice(1), node.form === "_");
    return;
  }
  if (code === "cl" || code === "cp") {
    if (first !== undefined) printCallee(printer, first);
    printArguments(printer, node.operands.slice(1), true);
    return;
  }
  if (code === "sP") {
    printer.add(String(countElements(printer, node.operands)));
    return;
  }
  if (first === undefined) {
    printer.add(text);
  } else if (second === undefined) {
    printUnary(printer, node, first, text);
  } else if (third === undefined) {
    printBinary(printer, node, first, second, text);
  } else {
    printExpression(printer, first, true);
    printer.add(code === "qu" ? "?" : text);
    printExpression(printer, second, true);
    printer.add(" : ");
    printExpression(printer, third, true);
  }
}

function printUnary(printer: Printer, node: Operation, operand: Node, text: string): void {
  const { code } = node;
  if (code === "sZ") {
    printer.add(String(findPack(printer, operand)?.length ?? 0));
  } else if ((code === "pp" || code === "mm") && node.form === "") {
    printExpression(printer, operand, true);
    printer.add(text);
  } else if (code === "gs") {
    printer.add("::");
    printExpression(printer, operand);
  } else if (code === "st" || code === "nx") {
    printer.add(`${text}(`);
    printExpression(printer, operand);
    printer.add(")");
  } else {
    printer.add(text);
    // The address of a function is printed without its parameters.
    const function_ = operand.kind === "external" && operand.encoding.kind === "encoding" ? operand.encoding : undefined;
    if (code === "ad" && function_?.name.kind === "member") printName(printer, function_.name);
    else printExpression(printer, operand, true);
  }
}

function printBinary(printer: Printer, node: Operation, first: Node, second: Node, text: string): void {
  const { code } = node;
  if (code === "dc" || code === "sc" || code === "cc" || code === "rc") {
    printer.add(`${text}<`);
    printType(printer, first);
    printer.add(">(");
    printExpression(printer, second);
    printer.add(")");
    return;
  }
  if (code === "di" || code === "dx") {
    printer.add(code === "di" ? "." : "[");
    printExpression(printer, first);
    printer.add(code === "di" ? "=" : "]=");
    printExpression(printer, second);
    return;
  }
  // In a template argument > would end the list.
  if (code === "gt") printer.add("(");
  printExpression(printer, first, true);
  if (code === "ix") {
    printer.add("[");
    printExpression(printer, second);
    printer.add("]");
  } else {
    printer.add(text);
    if (node.form === "gs") printer.add("::");
    printExpression(printer, second, true);
  }
  if (code === "gt") printer.add(")");
}

function printCallee(printer: Printer, callee: Node): void {
  const function_ = callee.kind === "external" && callee.encoding.kind === "encoding" ? callee.encoding : undefined;
  printExpression(printer, function_?.name ?? callee, true);
}

function printArguments(printer: Printer, args: readonly Node[], listed: boolean): void {
  const [only] = args;
  if (!listed && only !== undefined) {
    printExpression(printer, only, true);
    return;
  }
  printer.add("(");
  printer.list(args, (argument) => printExpression(printer, argument));
  printer.add(")");
}

function printFold(printer: Printer, code: string, operator: string, operands: readonly Node[]): void {
  const text = operators[operator]?.[0] ?? "";
  const [first, second] = operands;
  printer.add("(");
  if (code === "fl") printer.add(`...${text}`);
  if (first !== undefined) printExpression(printer, first, true);
  if (code === "fr") printer.add(`${text}...`);
  if (second !== undefined) {
    printer.add(`${text}...${text}`);
    printExpression(printer, second, true);
  }
  printer.add(")");
}

/** fp_ is {parm#1}, fp0_ {parm#2}; fpT is this. */
function parameterText(text: string): string {
  if (text === "fpT") return "this";
  const number = /(\d*)_$/.exec(text)?.[1] ?? "";
  return `{parm#${number === "" ? 1 : Number(number) + 2}}`;
}

function countElements(printer: Printer, args: readonly Node[]): number {
  let count = 0;
  for (const argument of args) {
    if (argument.kind === "expansion") count += findPack(printer, argument.pattern)?.length ?? 0;
    else count++;
  }
  return count;
}
