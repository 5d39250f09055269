import type { Location, Position } from "../../model/index.ts";
import { rangeContains } from "../../model/index.ts";
import { isExtensionClass } from "./evaluation/extension-classes.ts";
import type { SourceFile } from "./source-file.ts";
import { locationOf, parseSourceFile } from "./source-file.ts";
import type { Expression } from "./syntax.ts";
import { walkModule } from "./walk.ts";

export interface PythonSymbol {
  readonly name: string;
  readonly kind: "function" | "class" | "extension" | "setup";
  readonly location: Location;
  /** The name alone. */
  readonly selection: Location;
}

/** What an editor asks about one Python build file. */
export interface PythonDocument {
  readonly symbols: readonly PythonSymbol[];
  /** The string literal at a position: a flag, a requirement, a source. */
  literalAt(position: Position): { readonly text: string; readonly location: Location } | undefined;
}

/** Indexes a Python build file for an editor, from its text alone. */
export function indexPythonDocument(text: string, path: string): PythonDocument {
  const file = parseSourceFile(path, text);
  const symbols: PythonSymbol[] = [];
  const literals: { readonly text: string; readonly location: Location }[] = [];
  const at = (start: number, end: number): Location => locationOf({ file, start, end });
  walkModule(file.module.body, {
    statement(node) {
      if (node.type !== "function" && node.type !== "class") return;
      symbols.push({ name: node.name, kind: node.type, location: at(node.start, node.end), selection: at(node.nameStart, node.nameStart + node.name.length) });
    },
    expression(node) {
      if (node.type === "string" || node.type === "fstring") literals.push({ text: node.type === "string" ? node.value : file.text.slice(node.start, node.end), location: at(node.start, node.end) });
      if (node.type === "call") addCall(file, node, symbols);
    },
  });
  return { symbols, literalAt: (position) => literals.findLast((one) => rangeContains(one.location.range, position)) };
}

function addCall(file: SourceFile, node: Extract<Expression, { type: "call" }>, symbols: PythonSymbol[]): void {
  const callee = node.callee.type === "name" ? node.callee.id : node.callee.type === "attribute" ? node.callee.name : "";
  const isSetup = callee === "setup";
  if (!isSetup && !isExtensionClass(callee) && callee !== "load_inline") return;
  const given = node.arguments.find((argument) => argument.name === "name")?.value ?? node.arguments[0]?.value;
  const selection = !isSetup && given !== undefined ? given : node.callee;
  const name = isSetup || given === undefined ? callee : given.type === "string" ? given.value : file.text.slice(given.start, given.end);
  symbols.push({
    name, kind: isSetup ? "setup" : "extension",
    location: locationOf({ file, start: node.start, end: node.end }), selection: locationOf({ file, start: selection.start, end: selection.end }),
  });
}
