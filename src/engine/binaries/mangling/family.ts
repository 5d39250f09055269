import type { SymbolFamily } from "../../model/index.ts";
import type { Node } from "./ast.ts";
import { isDigit } from "./cursor.ts";
import { parseSymbol } from "./demangle.ts";
import { builtinTypes } from "./grammar.ts";
import { childrenOf, nameOf } from "./tree.ts";

/** Namespaces of libtorch whose ABI nobody promises. */
const torchNamespaces: ReadonlySet<string> = new Set(["c10", "at", "torch", "caffe2", "c10d"]);
/** Namespaces in torch that are headers only: nothing of them is in libtorch. */
const headerNamespaces: ReadonlySet<string> = new Set(["stable", "headeronly"]);

/** Names outside of std in what libstdc++ exports: its other namespaces, and the types of the C library. */
const runTimeNames: ReadonlySet<string> = new Set(["__gnu_cxx", "__gnu_internal", "__gnu_debug", "__gnu_parallel", "__cxxabiv1", "__mbstate_t", "_IO_FILE", "__va_list_tag", "__locale_struct"]);

/** C names by how they begin; the first that fits decides. */
const cFamilies: readonly (readonly [RegExp, SymbolFamily])[] = [
  [/^TH[PC][A-Z_]/, "torch"],
  [/^(?:aoti_torch|torch)_/, "torch-stable"],
  [/^_?Py[A-Z_]/, "python"],
  [/^(?:cuda[A-Z]|cu[A-Z]|__cuda|cublas|cudnn|cupti|nccl[A-Z]|cufft|curand|cusparse|cusolver|cuvid|nvrtc[A-Z]|__nvrtc|(?:__)?nvJitLink|nvjpeg[A-Z]|nvml[A-Z]|nvshmem)/, "cuda"],
  // The parts of the C++ run time that the C library provides.
  [/^__cxa_(?:finalize|atexit|thread_atexit_impl|at_quick_exit)$/, "glibc"],
  [/^(?:__cxa_|__gxx_personality|__dynamic_cast$|__once_proxy$)/, "libstdcxx"],
];

/**
 * Whose a symbol is, by the first component of its name. A template of std belongs to torch where its arguments name a
 * torch type, and to nobody known where they name another's: libstdc++ has neither. What glibc has cannot be told by name.
 */
export function familyOf(symbol: string): SymbolFamily {
  if (!symbol.startsWith("_Z")) return cFamilies.find(([beginning]) => beginning.test(symbol))?.[1] ?? "own-or-other";
  const start = startOfName(symbol);
  if (symbol.charAt(start.at) === "S") return familyOfStd(symbol);
  const first = identifierAt(symbol, start.at);
  if (first === undefined) return isRunTime(symbol, start.at) ? "libstdcxx" : "own-or-other";
  // A C name of torch that has C++ parameters: THPVariable_Wrap(at::TensorBase).
  if (!start.nested) return /^TH[PC][A-Z_]/.test(first.text) ? "torch" : "own-or-other";
  if (runTimeNames.has(first.text)) return familyOfStd(symbol);
  if (!torchNamespaces.has(first.text)) return "own-or-other";
  return first.text === "torch" && headerNamespaces.has(identifierAt(symbol, first.end)?.text ?? "") ? "own-or-other" : "torch";
}

interface Start {
  readonly at: number;
  /** The component is a scope, not the name itself. */
  readonly nested: boolean;
}

const callOffsets = /h(?:n?\d+_)|v(?:n?\d+_){2}/y;

/** Where the first component begins: after the letters of special names, local names, nesting and qualifiers. */
function startOfName(symbol: string): Start {
  let at = 2;
  const letter = symbol.charAt(at);
  if (letter === "T" || letter === "G") {
    const code = symbol.charAt(at + 1);
    at += letter === "G" && code === "T" ? 3 : 2;
    if (letter === "T" && (code === "h" || code === "v")) at = afterCallOffset(symbol, at - 1);
    if (letter === "T" && code === "c") at = afterCallOffset(symbol, afterCallOffset(symbol, at));
  }
  // Z opens the function that a local name is in; P and the like are before the type of a typeinfo.
  while (at < symbol.length && "ZPROKV".includes(symbol.charAt(at))) at++;
  const nested = symbol.charAt(at) === "N";
  if (nested) at++;
  while (nested && at < symbol.length && "rVKRO".includes(symbol.charAt(at))) at++;
  return { at: symbol.charAt(at) === "L" ? at + 1 : at, nested };
}

function afterCallOffset(symbol: string, at: number): number {
  callOffsets.lastIndex = at;
  return at + (callOffsets.exec(symbol)?.[0].length ?? 0);
}

function identifierAt(symbol: string, at: number): { readonly text: string; readonly end: number } | undefined {
  let length = 0;
  let from = at;
  for (let code = symbol.charCodeAt(from); isDigit(code) && length < symbol.length; code = symbol.charCodeAt(++from)) length = length * 10 + code - 48;
  return from === at ? undefined : { text: symbol.slice(from, from + length), end: from + length };
}

/** Global operators new and delete, and the typeinfo of builtin types and of pointers to them. */
function isRunTime(symbol: string, at: number): boolean {
  const code = symbol.slice(at);
  return /^_ZT[IS]/.test(symbol) ? builtinTypes[code] !== undefined : /^(?:nw|na|dl|da)/.test(code);
}

function familyOfStd(symbol: string): SymbolFamily {
  const parsed = parseSymbol(symbol);
  return parsed === undefined ? "own-or-other" : familyOfNames(nameOf(parsed.target));
}

/** By the outermost scope of every name that a name of std is made of: parameters say nothing, std::time_put takes a tm. */
function familyOfNames(name: Node): SymbolFamily {
  let family: SymbolFamily = "libstdcxx";
  const seen = new Set<Node>([name]);
  for (const node of seen) {
    if (node.kind === "identifier" && !runTimeNames.has(node.text)) {
      if (torchNamespaces.has(node.text)) return "torch";
      family = "own-or-other";
    } else if (node.kind === "member") {
      // Only the scope of a member says whose it is, but for what its own name is made of: a lambda, a conversion.
      if (isHeaderOnly(node)) family = "own-or-other";
      else seen.add(node.scope);
      if (node.scope.kind === "std" && node.name.kind === "identifier" && node.name.text === "__1") family = "own-or-other";
      if (node.name.kind !== "identifier" && node.name.kind !== "tagged") seen.add(node.name);
      continue;
    }
    for (const child of childrenOf(node)) seen.add(child);
  }
  return family;
}

function isHeaderOnly(node: Node & { kind: "member" }): boolean {
  return node.scope.kind === "identifier" && node.scope.text === "torch" && node.name.kind === "identifier" && headerNamespaces.has(node.name.text);
}
