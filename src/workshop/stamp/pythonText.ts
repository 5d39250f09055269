import { parseSourceFile } from "../../engine/sources/python/source-file.ts";
import type { Expression, Statement } from "../../engine/sources/python/syntax.ts";
import { walkModule } from "../../engine/sources/python/walk.ts";

/** A Python file with what finding a place in it needs. */
export interface PythonText {
  readonly lines: readonly string[];
  readonly body: readonly Statement[];
  readonly text: string;
  lineOf(offset: number): number;
}

export function parsePythonText(path: string, text: string): PythonText {
  const file = parseSourceFile(path, text);
  return {
    text,
    lines: text.split(/\r\n|\r|\n/),
    body: file.module.body,
    lineOf: (offset) => Math.max(0, file.lineStarts.findLastIndex((start) => start <= offset)),
  };
}

/** Blocks inside a statement; of a function and a class their body. */
function blocksOf(node: Statement): readonly (readonly Statement[])[] {
  switch (node.type) {
    case "if": case "for": case "while": return [node.body, node.otherwise];
    case "try": return [node.body, ...node.handlers.map((handler) => handler.body), node.otherwise, node.finally];
    case "with": case "function": case "class": return [node.body];
    case "match": return node.cases.map((one) => one.body);
    default: return [];
  }
}

/** The statements around an offset, outermost first. */
export function statementsAround(body: readonly Statement[], offset: number): readonly Statement[] {
  const statement = body.find((one) => one.start <= offset && offset < one.end);
  if (statement === undefined) return [];
  const inner = blocksOf(statement).map((block) => statementsAround(block, offset)).find((found) => found.length > 0);
  return [statement, ...(inner ?? [])];
}

/** A line of its own for what goes before a statement, above the comments that belong to it; undefined where others share its line. */
export function lineBefore(file: PythonText, statement: Statement): { readonly line: number; readonly indentation: string } | undefined {
  let line = file.lineOf(startOf(statement));
  const text = file.lines[line] ?? "";
  const indentation = /^[ \t\f]*/.exec(text)?.[0] ?? "";
  const before = file.text.slice(0, startOf(statement));
  if (!/(?:^|[\r\n])[ \t\f]*$/.test(before) || /\\[ \t]*(?:\r\n|\r|\n)[ \t\f]*$/.test(before)) {
    return undefined;
  }
  while (line > 0 && (file.lines[line - 1] ?? "").startsWith(`${indentation}#`) && !(line === 1 && file.lines[0]?.startsWith("#!") === true) && !/coding[:=]/.test(file.lines[line - 1] ?? "")) {
    line -= 1;
  }
  return { line, indentation };
}

/** A decorated definition begins with its decorators. */
function startOf(statement: Statement): number {
  const decorators = statement.type === "function" || statement.type === "class" ? statement.decorators : [];
  // The `@` stands before the expression.
  return decorators[0] === undefined ? statement.start : Math.min(statement.start, decorators[0].start - 1);
}

/** "a.b.c" of a chain of attributes. */
export function dottedName(node: Expression): string | undefined {
  if (node.type === "name") return node.id;
  if (node.type !== "attribute") return undefined;
  const object = dottedName(node.object);
  return object === undefined ? undefined : `${object}.${node.name}`;
}

export interface FoundCall {
  readonly callee: string;
  readonly node: Extract<Expression, { type: "call" }>;
}

export function callsIn(file: PythonText): readonly FoundCall[] {
  const calls: FoundCall[] = [];
  walkModule(file.body, {
    expression(node) {
      const callee = node.type === "call" ? dottedName(node.callee) : undefined;
      if (node.type === "call" && callee !== undefined) calls.push({ callee, node });
    },
  });
  return calls;
}

/** Names bound by imports: "setup" -> "setuptools.setup". */
export function importedNames(file: PythonText): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  // Of two imports in a try statement the first is the one that is wanted.
  const bind = (name: string, full: string): void => { if (!names.has(name)) names.set(name, full); };
  walkModule(file.body, {
    statement(node) {
      if (node.type === "import") {
        for (const one of node.names) {
          const [top = ""] = one.name.split(".");
          bind(one.as ?? top, one.as === undefined ? top : one.name);
        }
      }
      if (node.type === "import-from" && node.level === 0) for (const one of node.names) bind(one.as ?? one.name, `${node.module}.${one.name}`);
    },
  });
  return names;
}
