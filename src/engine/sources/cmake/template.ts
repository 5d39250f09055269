import type { Argument, Segment, SourceFile, Template } from "./syntax.ts";

const maximumNesting = 20;
const maximumName = 1000;

/** Takes an argument apart at `${...}`, `$ENV{...}` and `$CACHE{...}`, and resolves its escapes. */
export function templateOf(file: SourceFile, arg: Argument): Template {
  return (arg.template ??= arg.kind === "bracket" || arg.kind === "paren" ? literal(file.text, arg.valueStart, arg.valueEnd) : parse(file.text, arg.valueStart, arg.valueEnd, 0));
}

function literal(text: string, start: number, end: number): Template {
  return start === end ? [] : [{ kind: "text", text: text.slice(start, end), start, end, exact: true }];
}

function parse(text: string, from: number, to: number, nesting: number): Template {
  const segments: Segment[] = [];
  let start = from;
  const flush = (end: number) => {
    if (end > start) segments.push({ kind: "text", text: text.slice(start, end), start, end, exact: true });
  };
  let at = from;
  while (at < to) {
    const char = text[at];
    if (char === "\\") {
      flush(at);
      const length = text[at + 1] === "\r" && text[at + 2] === "\n" ? 3 : 2;
      const resolved = escaped(text.slice(at + 1, at + length));
      if (resolved !== "") segments.push({ kind: "text", text: resolved, start: at, end: Math.min(at + length, to), exact: false });
      at = start = at + length;
      continue;
    }
    if (char === "$") {
      const opened = /^\$(ENV|CACHE)?\{/.exec(text.slice(at, at + 8));
      if (opened !== null && nesting < maximumNesting) {
        const nameStart = at + opened[0].length;
        const nameEnd = closingBrace(text, nameStart, to);
        if (nameEnd !== undefined) {
          flush(at);
          const name = parse(text, nameStart, nameEnd, nesting + 1);
          const [only] = name;
          const plainName = name.length === 1 && only?.kind === "text" ? only.text : undefined;
          segments.push({ kind: opened[1] === "ENV" ? "environment" : opened[1] === "CACHE" ? "cache" : "variable", name, plainName, start: at, end: nameEnd + 1 });
          at = start = nameEnd + 1;
          continue;
        }
      }
    }
    at++;
  }
  flush(Math.min(at, to));
  return segments;
}

function closingBrace(text: string, from: number, to: number): number | undefined {
  let depth = 0;
  for (let at = from; at < to && at - from < maximumName; at++) {
    const char = text[at];
    if (char === "{") depth++;
    else if (char === "}" && depth-- === 0) return at;
    else if (char === "\n" || char === '"') return undefined;
  }
  return undefined;
}

function escaped(char: string): string {
  if (char === "n") return "\n";
  if (char === "t") return "\t";
  if (char === "r") return "\r";
  if (char === ";") return "\\;";
  if (char === "\n" || char === "\r\n") return "";
  return char;
}
