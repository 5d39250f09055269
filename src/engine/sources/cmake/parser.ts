import { lex } from "./lexer.ts";
import { SourceFile } from "./syntax.ts";
import type { Command, Node, SyntaxProblem } from "./syntax.ts";

interface OpenBlock {
  readonly kind: "if" | "foreach" | "while" | "function" | "macro" | "block";
  readonly command: Command;
  readonly parent: Node[];
  branches: { head: Command; body: Node[] }[];
  body: Node[];
}

const openers: ReadonlySet<string> = new Set(["if", "foreach", "while", "function", "macro", "block"]);
const closers: ReadonlyMap<string, OpenBlock["kind"]> = new Map([
  ["endif", "if"], ["endforeach", "foreach"], ["endwhile", "while"], ["endfunction", "function"], ["endmacro", "macro"], ["endblock", "block"],
]);

/** Parses a CMake file. Never throws; the result depends on the text alone. */
export function parseCMake(path: string, text: string): SourceFile {
  const { commands, comments, problems: lexical } = lex(text);
  const problems: SyntaxProblem[] = [...lexical];
  const top: Node[] = [];
  const stack: OpenBlock[] = [];
  let into = top;

  for (const command of commands) {
    const { name } = command;
    if (openers.has(name)) {
      const block: OpenBlock = { kind: name as OpenBlock["kind"], command, parent: into, branches: [], body: [] };
      block.branches.push({ head: command, body: block.body });
      stack.push(block);
      into = block.body;
      continue;
    }
    if (name === "elseif" || name === "else") {
      const block = stack.at(-1);
      if (block?.kind !== "if") {
        problems.push({ message: `${name}() without if().`, start: command.start, end: command.end });
        continue;
      }
      block.body = [];
      block.branches.push({ head: command, body: block.body });
      into = block.body;
      continue;
    }
    const kind = closers.get(name);
    if (kind === undefined) {
      into.push({ kind: "command", command });
      continue;
    }
    if (!stack.some((block) => block.kind === kind)) {
      problems.push({ message: `${name}() without ${kind}().`, start: command.start, end: command.end });
      continue;
    }
    for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
      into = close(block, command.end);
      if (block.kind === kind) break;
      problems.push(unclosed(block));
    }
  }
  for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
    problems.push(unclosed(block));
    into = close(block, text.length);
  }
  return new SourceFile(path, text, { commands, comments, nodes: top, problems });
}

function close(block: OpenBlock, end: number): Node[] {
  const { kind, command, branches, body, parent } = block;
  if (kind === "if") parent.push({ kind, command, branches, end });
  else parent.push({ kind, command, body, end });
  return parent;
}

function unclosed(block: OpenBlock): SyntaxProblem {
  return { message: `${block.kind}() is not closed.`, start: block.command.start, end: block.command.end };
}
