/** The outline: functions, targets, options and variables of a CMake file; the targets of a Python build. */
import { SymbolKind } from "vscode-languageserver/node";
import type { DocumentSymbol } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import { cmakeIndex, isCMakeFile } from "../cmakeIndexes.ts";
import type { CMakeNameKind } from "../cmakeIndexes.ts";

const kinds: Readonly<Record<CMakeNameKind, SymbolKind>> = {
  variable: SymbolKind.Variable,
  option: SymbolKind.Boolean,
  function: SymbolKind.Function,
  macro: SymbolKind.Function,
  target: SymbolKind.Module,
  project: SymbolKind.Namespace,
  package: SymbolKind.Package,
};

export function documentSymbols(file: string, document: TextDocument, diagnosis: Diagnosis): DocumentSymbol[] {
  return isCMakeFile(file) ? cmakeSymbols(file, document) : targetSymbols(file, document, diagnosis);
}

function cmakeSymbols(file: string, document: TextDocument): DocumentSymbol[] {
  const roots: DocumentSymbol[] = [];
  const functions = new Map<string, DocumentSymbol>();
  for (const definition of cmakeIndex(file, document.getText()).definitions) {
    if (definition.scope !== undefined) {
      continue;
    }
    const symbol: DocumentSymbol = { name: definition.name, detail: definition.kind, kind: kinds[definition.kind], range: definition.range, selectionRange: definition.selection, children: [] };
    const parent = definition.container === undefined ? undefined : functions.get(definition.container);
    (parent?.children ?? roots).push(symbol);
    if (definition.kind === "function" || definition.kind === "macro") {
      functions.set(definition.name, symbol);
    }
  }
  return roots;
}

/** Other extensions outline Python; only what they cannot know is added. */
function targetSymbols(file: string, document: TextDocument, diagnosis: Diagnosis): DocumentSymbol[] {
  const end = document.positionAt(document.getText().length);
  return diagnosis.declared.flatMap(({ target }) => (target.location.path === file && target.location.range.end.line <= end.line
    ? [{ name: target.name, detail: target.madeBy, kind: SymbolKind.Module, range: target.location.range, selectionRange: target.location.range }]
    : []));
}
