/** Operators of aten that a C++ text calls by name or registers a kernel for. */

export interface OperatorUse {
  /** "add". */
  readonly name: string;
  /** "Tensor"; empty for the overload without a name. */
  readonly overload: string;
  /** How it is used: "findSchemaOrThrow" or "m.impl". */
  readonly how: string;
  readonly line: number;
  readonly start: number;
  readonly length: number;
  /** Line of the macro or function by which a scan of the same text knows it. */
  readonly anchor: number;
}

const call = /\b(findSchemaOrThrow|(?:aoti_)?torch_call_dispatcher)\s*\(\s*"(aten::(\w+))"\s*,\s*"(\w*)"/g;
const block = /\bTORCH_LIBRARY_IMPL\s*\(\s*aten\s*,\s*\w+\s*,\s*(\w+)\s*\)\s*\{/g;
/** Generated files name thousands. */
const most = 2000;

/** Reads calls through the dispatcher and `TORCH_LIBRARY_IMPL(aten, ...)`. Names that are not plain literals are left out. */
export function operatorUses(text: string): readonly OperatorUse[] {
  if (!text.includes("aten")) return [];
  const code = withoutComments(text);
  const starts = lineStarts(code);
  const uses: OperatorUse[] = [];
  const add = (offset: number, written: string, name: string, overload: string, how: string, anchor: number): void => {
    const line = lineOf(starts, offset);
    if (uses.length < most) uses.push({ name, overload, how, line, start: offset - (starts[line] ?? 0), length: written.length, anchor: lineOf(starts, anchor) });
  };
  for (const match of code.matchAll(call)) {
    const [whole, how = "", written = "", name = "", overload = ""] = match;
    add(match.index + whole.indexOf(`"${written}"`) + 1, written, name, overload, how, match.index);
  }
  for (const match of code.matchAll(block)) {
    const from = match.index + match[0].length;
    const body = code.slice(from, endOfBlock(code, from));
    const impl = new RegExp(`\\b${match[1] ?? "m"}\\s*\\.\\s*impl\\s*\\(\\s*(?:TORCH_SELECTIVE_NAME\\s*\\(\\s*)?"((?:aten::)?(\\w+)(?:\\.(\\w+))?)"`, "g");
    for (const one of body.matchAll(impl)) {
      const [whole, written = "", name = "", overload = ""] = one;
      add(from + one.index + whole.indexOf(`"${written}"`) + 1, written, name, overload, "m.impl", match.index);
    }
  }
  return uses;
}

/** Offset of the brace that closes a block; braces in literals count as in code, which ends a block early at worst. */
function endOfBlock(code: string, from: number): number {
  let depth = 1;
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === "{") depth += 1;
    else if (code[at] === "}" && (depth -= 1) === 0) return at;
  }
  return code.length;
}

/** Comments become spaces; literals and line ends stay. */
function withoutComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (part) => (part.startsWith("/") ? part.replace(/[^\n]/g, " ") : part));
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
