import type { SymbolFamily } from "../../model/index.ts";
import { isDigit } from "./cursor.ts";
import { parseSymbol } from "./demangle.ts";
import { nodesOf } from "./tree.ts";

/** Namespaces of libtorch whose ABI nobody promises. */
const torchNamespaces: ReadonlySet<string> = new Set(["c10", "at", "torch", "caffe2", "c10d"]);
/** Namespaces in torch that are headers only: nothing of them is in libtorch. */
const headerNamespaces: ReadonlySet<string> = new Set(["stable", "headeronly"]);

/** C names by how they begin; the first that fits decides. */
const cFamilies: readonly (readonly [RegExp, SymbolFamily])[] = [
  [/^TH[PC][A-Z_]/, "torch"],
  [/^(?:aoti_torch|torch)_/, "torch-stable"],
  [/^_?Py[A-Z_]/, "python"],
  [/^(?:cuda[A-Z]|cu[A-Z]|__cuda|cublas|cudnn|nccl[A-Z]|cufft|curand|cusparse|cusolver|nvrtc[A-Z]|nvJitLink|__nvJitLink|__nvrtc)/, "cuda"],
  [/^(?:__cxa_|__gxx_personality|__dynamic_cast$|__once_proxy$)/, "libstdcxx"],
];

/**
 * Whose a symbol is, by the first component of its name. A template of std belongs to torch where its arguments name a
 * torch type, and to nobody known where they name another's: libstdc++ has neither. What glibc has cannot be told by name.
 */
export function familyOf(symbol: string): SymbolFamily {
  if (!symbol.startsWith("_Z")) return cFamilies.find(([beginning]) => beginning.test(symbol))?.[1] ?? "own-or-other";
  const at = startOfName(symbol);
  const first = symbol.charAt(at);
  if (first === "S") return familyOfStd(symbol);
  const component = identifierAt(symbol, at);
  if (component === undefined) return familyOfGlobal(symbol, at);
  if (component.text === "__cxxabiv1" || component.text === "__gnu_cxx") return "libstdcxx";
  if (!torchNamespaces.has(component.text)) return symbol.charAt(at - 1) === "N" || !/^TH[PC]/.test(component.text) ? "own-or-other" : "torch";
  if (component.text !== "torch") return "torch";
  return headerNamespaces.has(identifierAt(symbol, component.end)?.text ?? "") ? "own-or-other" : "torch";
}

/** Where the first component begins: after the letters of special names, local names, nesting and qualifiers. */
function startOfName(symbol: string): number {
  let at = 2;
  const letter = symbol.charAt(at);
  if (letter === "T") {
    const code = symbol.charAt(at + 1);
    at += 2;
    if (code === "h" || code === "v" || code === "c") at = afterOffsets(symbol, at - (code === "c" ? 0 : 1), code === "c" ? 2 : 1);
  } else if (letter === "G") {
    at += symbol.charAt(at + 1) === "T" ? 3 : 2;
  }
  for (;;) {
    const character = symbol.charAt(at);
    if (character === "Z") {
      at++;
      continue;
    }
    if (character === "N") {
      at++;
      while ("rVKRO".includes(symbol.charAt(at)) && at < symbol.length) at++;
    } else if (character === "P" || character === "R" || character === "O" || character === "K" || character === "V") {
      // Typeinfo of a pointer: whose the pointer is the type's.
      at++;
      continue;
    }
    return symbol.charAt(at) === "L" ? at + 1 : at;
  }
}

function afterOffsets(symbol: string, from: number, count: number): number {
  const offsets = /h(?:n?\d+_)|v(?:n?\d+_){2}/y;
  let at = from;
  for (let index = 0; index < count; index++) {
    offsets.lastIndex = at;
    const offset = offsets.exec(symbol)?.[0];
    if (offset === undefined) return at;
    at += offset.length;
  }
  return at;
}

function identifierAt(symbol: string, at: number): { readonly text: string; readonly end: number } | undefined {
  let length = 0;
  let digits = at;
  for (let code = symbol.charCodeAt(digits); isDigit(code) && length < symbol.length; code = symbol.charCodeAt(++digits)) length = length * 10 + code - 48;
  if (digits === at) return undefined;
  return { text: symbol.slice(digits, digits + length), end: digits + length };
}

/** Global operators (new, delete) are the library's own; `<<` and the like belong to whoever wrote them. */
function familyOfGlobal(symbol: string, at: number): SymbolFamily {
  return /^(?:nw|na|dl|da)/.test(symbol.slice(at, at + 2)) ? "libstdcxx" : "own-or-other";
}

function familyOfStd(symbol: string): SymbolFamily {
  // Only where a name stands in the arguments is there anything to read.
  if (!/[NZ]\D*\d/.test(symbol.slice(4))) return "libstdcxx";
  const parsed = parseSymbol(symbol);
  if (parsed === undefined) return "libstdcxx";
  let foreign = false;
  for (const node of nodesOf(parsed.target)) {
    if (node.kind !== "member" || node.scope.kind !== "identifier") continue;
    if (torchNamespaces.has(node.scope.text)) return "torch";
    foreign ||= node.scope.text !== "__gnu_cxx" && node.scope.text !== "__cxxabiv1";
  }
  return foreign ? "own-or-other" : "libstdcxx";
}
