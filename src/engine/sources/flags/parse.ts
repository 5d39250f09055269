/** Compiler command lines of g++, clang, nvcc and cl, argument by argument. */
import type { CompileArgument, Language } from "../../model/index.ts";

export interface Flag {
  /**
   * `define`/`undefine`: a macro; `standard`: -std; `gpu-code`: -gencode, -arch; `machine`: -march, -mcpu, -mtune;
   * `host-compiler`: -ccbin; `option`: any other; `opaque`: could not be evaluated so far as to tell.
   */
  readonly kind: "define" | "undefine" | "standard" | "gpu-code" | "machine" | "host-compiler" | "option" | "opaque";
  /** The macro, or the option with its dash and without its value: "-fabi-version", "-march". */
  readonly name: string;
  /** Without quotes; absent when none is given. */
  readonly value?: string;
  /** False when the value (not the name) still holds something unknown. */
  readonly known: boolean;
  /** What the compilers make of it after -Xcompiler: g++ does not know that option, nvcc hands it to its host compiler. */
  readonly languages: readonly Language[];
  readonly viaXcompiler: boolean;
  /** Where it was written; for a value in an argument of its own, that argument. */
  readonly argument: CompileArgument;
}

const takesNext = new Set(["-Xcompiler", "--compiler-options", "-D", "/D", "-U", "/U", "-gencode", "--generate-code", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-std", "--std", "-ccbin", "--compiler-bindir"]);

/** Options whose value is another tool's argument or a file, and must not be read as a flag. */
const skipsNext = new Set(["-Xptxas", "-Xlinker", "-Xcudafe", "-Xarchive", "-Xnvlink", "-Xclang", "-Xpreprocessor", "-Xassembler", "-include", "-isystem", "-I", "-L", "-l", "-o", "-x", "--ptxas-options", "--linker-options"]);

/** Longer than any command line that Linux takes for one argument. */
const longestArgument = 128 * 1024;

const parsed = new WeakMap<readonly CompileArgument[], readonly Flag[]>();

/** Reads the flags of one target in command line order; the same list, which is not changed any more, is read once. */
export function parseFlags(args: readonly CompileArgument[]): readonly Flag[] {
  let flags = parsed.get(args);
  if (flags === undefined) parsed.set(args, (flags = readAll(args)));
  return flags;
}

/** Flags of arguments that need no other: hundreds of targets share them. */
const ofArgument = new WeakMap<CompileArgument, readonly Flag[]>();

function readAll(args: readonly CompileArgument[]): readonly Flag[] {
  const words: Word[] = [];
  for (const argument of args) {
    if (argument.text.length > longestArgument) continue;
    for (const text of splitArgument(argument.text)) words.push({ text, argument });
  }
  const flags: Flag[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (skipsNext.has(word.text)) {
      at += 1;
      continue;
    }
    const next = takesNext.has(word.text) ? followingWord(words, at) : undefined;
    if (next !== undefined) {
      at = next.index;
      readWord(word, next.word, word.argument.languages, false, flags);
    } else if (word.text === word.argument.text) {
      let own = ofArgument.get(word.argument);
      if (own === undefined) {
        const read: Flag[] = [];
        readWord(word, undefined, word.argument.languages, false, read);
        ofArgument.set(word.argument, (own = read));
      }
      flags.push(...own);
    } else readWord(word, undefined, word.argument.languages, false, flags);
  }
  return flags;
}

interface Word {
  readonly text: string;
  readonly argument: CompileArgument;
}

/** The value belongs to the option only when one compiler receives both. */
function followingWord(words: readonly Word[], at: number): { readonly word: Word; readonly index: number } | undefined {
  const option = words[at];
  if (option === undefined) return undefined;
  for (let index = at + 1; index < words.length && index < at + 4; index += 1) {
    const word = words[index];
    if (word !== undefined && word.argument.languages.some((one) => option.argument.languages.includes(one))) return index === at + 1 ? { word, index } : undefined;
  }
  return undefined;
}

/** CMake's `SHELL:` groups and definitions with several flags in one string count as several words. */
function splitArgument(text: string): string[] {
  const body = text.startsWith("SHELL:") ? text.slice(6) : text;
  if (!/\s/.test(body)) return body === "" ? [] : [body];
  const words: string[] = [];
  for (const match of body.matchAll(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g)) words.push(match[0]);
  return words;
}

function readWord(word: Word, next: Word | undefined, languages: readonly Language[], viaXcompiler: boolean, into: Flag[]): void {
  const { text } = word;
  const add = (kind: Flag["kind"], name: string, value: string | undefined, argument: CompileArgument = word.argument): void => {
    const known = argument.known || (value !== undefined && !looksUnknown(value));
    into.push({ kind, name, ...(value === undefined ? {} : { value: unquote(value) }), known, languages, viaXcompiler, argument });
  };
  // Once is enough: what is handed to the host compiler is not handed on.
  const xcompiler = viaXcompiler ? null : /^(?:-Xcompiler|--compiler-options)(?:=(.*))?$/s.exec(text);
  if (xcompiler !== null) {
    const inner = xcompiler[1] ?? next?.text;
    if (inner === undefined) return;
    const host = languages.filter((language) => language === "CUDA" || language === "HIP");
    const source = xcompiler[1] === undefined && next !== undefined ? next.argument : word.argument;
    for (const one of unquote(inner).split(",")) {
      for (const part of splitArgument(one)) readWord({ text: part, argument: source }, undefined, host, true, into);
    }
    return;
  }
  const define = /^[-/]([DU])(.*)$/s.exec(text);
  if (define !== null && !/^-(?:Djava|Dlto)/.test(text)) {
    const body = unquoteWhole(define[2] === "" ? (next?.text ?? "") : (define[2] ?? ""));
    const source = define[2] === "" && next !== undefined ? next.argument : word.argument;
    const parts = /^([A-Za-z_]\w*)(?:\([^)]*\))?(?:=(.*))?$/s.exec(body);
    if (parts?.[1] !== undefined) return add(define[1] === "D" ? "define" : "undefine", parts[1], parts[2], source);
    if (text.startsWith("-")) return add("opaque", text, undefined, source);
  }
  const standard = /^(?:--?std[=:]|\/std:)(.*)$/s.exec(text);
  if (standard !== null) return add("standard", "-std", standard[1]);
  if ((text === "-std" || text === "--std") && next !== undefined) return add("standard", "-std", next.text, next.argument);
  const gpu = /^(-gencode|--generate-code|-arch|--gpu-architecture|-code|--gpu-code|--offload-arch|--cuda-gpu-arch)(?:=(.*))?$/s.exec(text);
  if (gpu?.[1] !== undefined) return add("gpu-code", gpu[1], gpu[2] ?? next?.text, gpu[2] === undefined && next !== undefined ? next.argument : word.argument);
  const bindir = /^(?:-ccbin|--compiler-bindir)(?:=(.*))?$/s.exec(text);
  if (bindir !== null) return add("host-compiler", "-ccbin", bindir[1] ?? next?.text, bindir[1] === undefined && next !== undefined ? next.argument : word.argument);
  const machine = /^(-m(?:arch|cpu|tune))=(.*)$/s.exec(text);
  if (machine?.[1] !== undefined) return add("machine", machine[1], machine[2]);
  if (!text.startsWith("-") && !text.startsWith("/")) {
    if (!word.argument.known) add("opaque", text, undefined);
    return;
  }
  const equals = text.indexOf("=");
  add("option", equals === -1 ? text : text.slice(0, equals), equals === -1 ? undefined : text.slice(equals + 1));
}

/** Text that a CMake or Python reader left because it could not evaluate it. */
function looksUnknown(text: string): boolean {
  return /\$\{|\$<|\$ENV|\{[^}]*\}|%[sd(]/.test(text);
}

function unquoteWhole(text: string): string {
  return /^(["']).*\1$/s.test(text) && text.length >= 2 ? text.slice(1, -1) : text;
}

function unquote(text: string): string {
  return unquoteWhole(text.replace(/\\"/g, '"'));
}
