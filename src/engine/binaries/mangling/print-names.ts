import type { FunctionEncoding, Node, MangledSymbol } from "./ast.ts";
import { fail } from "./cursor.ts";
import { abbreviations, operators, specialNames } from "./grammar.ts";
import { printExpression } from "./print-expressions.ts";
import { hasRight, printLeft, printParameters, printQualifiers, printReference, printRight, printType } from "./print-types.ts";
import { maximumOutput, Printer } from "./printer.ts";

/** A whole symbol as `c++filt` prints it. */
export function printSymbol(symbol: MangledSymbol): string {
  const printer = new Printer();
  printEncoding(printer, symbol.target, true);
  // Each word with the numbers after it is one step of cloning.
  for (const [clone] of symbol.suffix.matchAll(/\.[a-z_][a-z0-9_]*(?:\.\d+)*|(?:\.\d+)+/g)) printer.add(` [clone ${clone}]`);
  return printer.text;
}

/** A name by itself: without return type, parameters and qualifiers. */
export function textOfName(name: Node): string {
  const printer = new Printer();
  printType(printer, name);
  return printer.text;
}

/** The parameter types of a function, each by itself; none for `void`. */
export function textsOfParameters(node: FunctionEncoding): readonly string[] {
  const [first] = node.parameters;
  if (node.parameters.length === 1 && first?.kind === "builtin" && first.code === "v") return [];
  const template = templateOf(node.name);
  const texts: string[] = [];
  let length = 0;
  for (const parameter of node.parameters) {
    const printer = new Printer();
    if (template !== undefined) printer.scope = { args: template, outer: undefined };
    printType(printer, parameter);
    length += printer.length;
    if (length > maximumOutput) fail();
    // A pack that is empty is no parameter.
    if (printer.text !== "") texts.push(printer.text);
  }
  return texts;
}

/** A function, data, or a special name; `withReturn` is false where the function is only the scope of another name. */
export function printEncoding(printer: Printer, node: Node, withReturn: boolean): void {
  printer.enter(node);
  if (node.kind === "encoding") printFunction(printer, node, withReturn);
  else if (node.kind === "special") printSpecial(printer, node);
  else if (node.kind === "this-qualified") printQualifiedData(printer, node);
  else printName(printer, node);
  printer.leave();
}

function printQualifiedData(printer: Printer, node: Node & { kind: "this-qualified" }): void {
  printName(printer, node.name);
  printQualifiers(printer, node.qualifiers);
  printReference(printer, node.reference);
}

function printFunction(printer: Printer, node: FunctionEncoding, withReturn: boolean): void {
  const outer = printer.scope;
  const template = templateOf(node.name);
  const inner = template === undefined ? outer : { args: template, outer };
  const { returns } = node;
  if (returns !== undefined && withReturn) {
    printer.scope = inner;
    printLeft(printer, returns);
    if (!hasRight(printer, returns)) printer.add(" ");
    printer.scope = outer;
  }
  const qualified = withoutQualifiers(node.name);
  printName(printer, qualified.name);
  printer.scope = inner;
  printParameters(printer, node.parameters);
  printQualifiers(printer, qualified.qualifiers);
  printReference(printer, qualified.reference);
  if (returns !== undefined && withReturn) printRight(printer, returns);
  printer.scope = outer;
  if (node.constraint !== undefined) {
    printer.add(" requires ");
    printer.within(inner, () => printExpression(printer, node.constraint ?? node.name));
  }
}

/** The arguments that the parameters of a function's type refer to: those of the function template itself. */
function templateOf(name: Node): readonly Node[] | undefined {
  let node: Node | undefined = name;
  while (node?.kind === "this-qualified" || node?.kind === "local") node = node.kind === "local" ? node.entity : node.name;
  return node?.kind === "template" ? node.args : undefined;
}

/** Parts a function's name from the qualifiers that are printed after its parameters. */
function withoutQualifiers(name: Node): { readonly name: Node; readonly qualifiers: string; readonly reference: string } {
  if (name.kind === "this-qualified") return name;
  if (name.kind === "local" && name.entity?.kind === "this-qualified") {
    return { name: { ...name, entity: name.entity.name }, qualifiers: name.entity.qualifiers, reference: name.entity.reference };
  }
  return { name, qualifiers: "", reference: "" };
}

function printSpecial(printer: Printer, node: Node & { kind: "special" }): void {
  printer.add(specialNames[node.code] ?? "");
  if (node.code === "GR") printer.add(`${node.tail.replace("_", "") || 0} for `);
  if (node.code === "TV" || node.code === "TT" || node.code === "TC" || node.code === "TI" || node.code === "TS" || node.code === "TF") printType(printer, node.target);
  else if (node.code === "TA") printExpression(printer, node.target);
  else printEncoding(printer, node.target, true);
  if (node.base !== undefined) {
    // A construction vtable is named derived type first, printed base first.
    const derived = printer.text.slice((specialNames[node.code] ?? "").length);
    printer.cut((specialNames[node.code] ?? "").length);
    printType(printer, node.base);
    printer.add(`-in-${derived}`);
  }
}

export function printTemplateArguments(printer: Printer, args: readonly Node[]): void {
  if (printer.last === "<") printer.add(" ");
  printer.add("<");
  printer.list(args, (argument) => printTemplateArgument(printer, argument));
  if (printer.last === ">") printer.add(" ");
  printer.add(">");
}

export function printTemplateArgument(printer: Printer, argument: Node): void {
  printer.enter(argument);
  if (argument.kind === "pack") printer.list(argument.args, (one) => printTemplateArgument(printer, one));
  else if (argument.kind === "declaration") printTemplateArgument(printer, argument.operands[1] ?? argument);
  else printExpression(printer, argument);
  printer.leave();
}

/** A name, without the type of what it names. */
export function printName(printer: Printer, name: Node): void {
  printer.enter(name);
  print(printer, name);
  printer.leave();
}

function print(printer: Printer, name: Node): void {
  switch (name.kind) {
    case "identifier": printer.add(/^_GLOBAL_[._$]N/.test(name.text) ? "(anonymous namespace)" : name.text); break;
    case "std": printer.add("std"); break;
    case "abbreviation": printer.add(abbreviations[name.letter]?.[0] ?? ""); break;
    case "member":
      printName(printer, name.scope);
      printer.add("::");
      printName(printer, name.name);
      break;
    case "initializer": printName(printer, name.of); break;
    case "template": {
      const before = printer.template;
      printer.template = name.args;
      printName(printer, name.name);
      printer.template = before;
      printTemplateArguments(printer, name.args);
      break;
    }
    case "tagged":
      printName(printer, name.name);
      printer.add(`[abi:${name.tag}]`);
      break;
    case "constructor": printer.add(name.of); break;
    case "destructor": printer.add(`~${name.of}`); break;
    case "operator": {
      const text = (operators[name.code]?.[0] ?? "").trimEnd();
      printer.add(/^[a-z]/.test(text) ? `operator ${text}` : `operator${text}`);
      break;
    }
    case "literal-operator": printer.add(`operator"" ${name.text}`); break;
    case "vendor-operator": printer.add(`operator ${name.text}`); break;
    case "conversion": printConversion(printer, name.type); break;
    case "lambda":
      printer.add("{lambda");
      printer.inLambda++;
      printParameters(printer, name.parameters);
      printer.inLambda--;
      printer.add(`#${name.number === "" ? 1 : Number(name.number) + 2}}`);
      break;
    case "unnamed": printer.add(`{unnamed type#${name.number === "" ? 1 : Number(name.number) + 2}}`); break;
    case "bindings":
      printer.add("[");
      printer.list(name.names, (one) => printName(printer, one));
      printer.add("]");
      break;
    case "local":
      printEncoding(printer, name.within, false);
      printer.add("::");
      if (name.defaultArgument !== undefined) printer.add(`{default arg#${name.defaultArgument === "" ? 1 : Number(name.defaultArgument) + 2}}::`);
      if (name.entity === undefined) printer.add("string literal");
      else printName(printer, name.entity);
      break;
    case "this-qualified": printQualifiedData(printer, name); break;
    case "encoding": case "special": printEncoding(printer, name, true); break;
    case "elaborated": printName(printer, name.name); break;
    case "pack": case "declaration": printTemplateArgument(printer, name); break;
    default: printExpression(printer, name);
  }
}

function printConversion(printer: Printer, type: Node): void {
  printer.add("operator ");
  const { template } = printer;
  const scope = printer.scope;
  if (template !== undefined) printer.scope = { args: template, outer: scope };
  printType(printer, type);
  printer.scope = scope;
}
