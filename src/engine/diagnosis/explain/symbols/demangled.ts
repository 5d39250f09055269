import { readWrittenName } from "../../../binaries/history/names.ts";
import { readMangled } from "../../../binaries/mangling/index.ts";

/** The std::string that a demangled name speaks of. GNU's and LLVM's demanglers print the old one as std::string. */
export function stringAbiOfText(text: string): 0 | 1 | undefined {
  return /std::__cxx11::|\[abi:cxx11\]/.test(text) ? 1 : /std::(?:string\b|basic_string<|list<|wstring\b)/.test(text) ? 0 : undefined;
}

/** Scopes and name of "?Method@Class@Namespace@@QEAA...", which Microsoft's mangling writes from the inside out. */
function scopesOfMicrosoft(symbol: string): readonly string[] | undefined {
  const match = /^(?:__imp_)?\?(\?[01])?((?:\w+@)+)@/.exec(symbol);
  const components = match?.[2]?.split("@").filter((one) => one !== "").reverse();
  const last = components?.at(-1);
  return match === null || components === undefined || last === undefined ? undefined : match[1] === undefined ? components : [...components, match[1] === "?1" ? `~${last}` : last];
}

/** As far as a mangled name tells whose end is missing: the whole identifiers of it. */
function scopesOfCut(symbol: string): readonly string[] | undefined {
  const start = /^_Z(?:T[VIS])?N?[rVK]*[RO]?(?=\d)/.exec(symbol)?.[0].length;
  const components: string[] = [];
  for (let at = start ?? symbol.length; at < symbol.length;) {
    const digits = /^\d{1,4}/.exec(symbol.slice(at, at + 4))?.[0];
    const end = digits === undefined ? at : at + digits.length + Number(digits);
    if (digits === undefined || end > symbol.length) {
      const last = components.at(-1);
      if (last !== undefined && /^[CD]\d/.test(symbol.slice(at))) components.push(`${symbol.charAt(at) === "D" ? "~" : ""}${last}`);
      break;
    }
    components.push(symbol.slice(at + digits.length, end));
    at = end;
  }
  return components.length === 0 ? undefined : components;
}

/** Scopes and name of whatever an error names, without parameters and template arguments; undefined where they cannot be told. */
export function scopesOf({ symbol, isDemangled, isCut, system }: { readonly symbol: string; readonly isDemangled: boolean; readonly isCut: boolean; readonly system: "linux" | "macos" | "windows" }): readonly string[] | undefined {
  if (isDemangled) {
    return readWrittenName(symbol.replace(/^typeinfo name for /, "typeinfo for ").replace(/^(?:non-virtual|virtual) thunk to /, ""))?.components;
  }
  return system === "windows" ? scopesOfMicrosoft(symbol) : isCut ? scopesOfCut(symbol) : readMangled(symbol)?.scope;
}
