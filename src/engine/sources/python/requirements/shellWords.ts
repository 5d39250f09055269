import type { Condition } from "../../../model/index.ts";
import type { SourceText } from "./collector.ts";

/** A word of a shell command, variables filled in. */
export interface ShellWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** False when a variable in it could not be filled in. */
  readonly known: boolean;
}

export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly conditions: readonly Condition[];
}

/** Fills in `$X`, `${X}` and `${X:-default}`; unknown ones stay as written. Suffix and prefix operators are not evaluated. */
export function substitute(text: string, variables: ReadonlyMap<string, string>): { readonly text: string; readonly known: boolean } {
  let known = true;
  const filled = text.replace(/\$(?:\{(\w+)(?:(:?[-+])([^{}]*))?\}|(\w+))/g, (whole, braced: string | undefined, operator: string | undefined, alternative: string | undefined, plain: string | undefined) => {
    const value = variables.get(braced ?? plain ?? "");
    if (operator?.endsWith("+")) return value === undefined || value === "" ? "" : (alternative ?? "");
    if (value !== undefined && (value !== "" || operator === undefined)) return value;
    if (operator?.endsWith("-")) return alternative ?? "";
    known = false;
    return whole;
  });
  return { text: filled, known: known && !/\$[({]/.test(filled) };
}

/** Splits shell text into simple commands. Branches of `if` and `case` become conditions that exclude each other. */
export function shellCommands(source: SourceText, text: string, offsets: readonly number[], variables: ReadonlyMap<string, string>): readonly ShellCommand[] {
  const result: ShellCommand[] = [];
  const choices: { id: string; branch: number; text: string; start: number; isCase: boolean }[] = [];
  let words: ShellWord[] = [];

  const finish = () => {
    if (words.length > 0) {
      const conditions = choices.map((one): Condition => ({ text: one.text, id: one.id, branch: one.branch, location: source.location(one.start, one.start) }));
      result.push({ words, conditions });
    }
    words = [];
  };
  const choose = (start: number, isCase: boolean) => {
    if (choices.length < 20) choices.push({ id: `${source.path}:${start}`, branch: 0, text: source.text.slice(start, start + 80).split("\n")[0] ?? "", start, isCase });
  };
  const next = () => {
    const top = choices.at(-1);
    if (top) choices[choices.length - 1] = { ...top, branch: top.branch + 1 };
  };

  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? "";
    if (/[ \t\r]/.test(character)) {
      at += 1;
      continue;
    }
    if (/[\n;&|(){}]/.test(character) && !(character === "{" && text[at - 1] === "$")) {
      const branchEnd = text.startsWith(";;", at) && (choices.at(-1)?.isCase ?? false);
      finish();
      if (branchEnd) next();
      at += branchEnd ? 2 : 1;
      continue;
    }
    if (character === "#" && words.length === 0) {
      const newline = text.indexOf("\n", at);
      at = newline < 0 ? text.length : newline;
      continue;
    }
    const begin = at;
    const word = readWord(text, at);
    at = word.end;
    const start = offsets[begin] ?? 0;
    const end = (offsets[at - 1] ?? start) + 1;
    if (words.length === 0) {
      const keyword = word.text;
      if (keyword === "if" || keyword === "case") choose(start, keyword === "case");
      else if (keyword === "elif" || keyword === "else") next();
      else if (keyword === "fi" || keyword === "esac") choices.pop();
      if (/^(if|elif|else|fi|esac|then|do|done|while|until|time|sudo|exec|!)$/.test(keyword)) continue;
    }
    const filled = word.literal ? { text: word.text, known: true } : substitute(word.text, variables);
    words.push({ text: filled.text, start, end, known: filled.known });
  }
  finish();
  return result;
}

/** One word from `at`: quotes removed, escapes undone. `literal` when single quotes kept variables from being filled in. */
function readWord(text: string, at: number): { readonly text: string; readonly end: number; readonly literal: boolean } {
  let value = "";
  let i = at;
  let literal = false;
  while (i < text.length) {
    const character = text[i] ?? "";
    if (/[\s;&|()]/.test(character)) break;
    if (character === "'" || character === '"') {
      const end = text.indexOf(character, i + 1);
      const stop = end < 0 ? text.length : end;
      value += text.slice(i + 1, stop);
      literal ||= character === "'";
      i = stop + 1;
    } else if (character === "\\") {
      value += text[i + 1] ?? "";
      i += 2;
    } else if (text.startsWith("$(", i) || text.startsWith("${", i)) {
      const end = matching(text, i + 1);
      value += text.slice(i, end);
      i = end;
    } else {
      value += character;
      i += 1;
    }
  }
  return { text: value, end: Math.max(i, at + 1), literal };
}

function matching(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i += 1) {
    if (text[i] === "(" || text[i] === "{") depth += 1;
    else if (text[i] === ")" || text[i] === "}") depth -= 1;
    if (depth === 0) return i + 1;
  }
  return text.length;
}
