import { abiTwin, abiTwinCandidates, demangle, entityKey, readMangled } from "../../../binaries/mangling/index.ts";
import type { RecordedSymbols } from "../../../catalogue/index.ts";

/** What can be read from the demangled name of a function, a variable or a vtable. */
export interface NameParts {
  /** As `entityKey` has it: "vtable for ", "". */
  readonly kind: string;
  /** Components without template arguments: ["c10", "Error", "Error"]. */
  readonly components: readonly string[];
}

const special = /^(?:vtable|VTT|typeinfo(?: name)?|guard variable) for |^(?:non-virtual|virtual) thunk to /;
/** More characters than any declaration has that a linker prints. */
const longest = 20_000;

/**
 * Reads `c10::Error::Error(c10::SourceLocation, std::string)` as linkers print it, with what comes before the name: access
 * and calling convention of MSVC, and the return type of a template. Undefined where no name can be told.
 */
export function readDemangled(text: string): NameParts | undefined {
  if (text.length > longest) {
    return undefined;
  }
  const kind = special.exec(text)?.[0] ?? "";
  const bare = withoutArguments(text.slice(kind.length).replaceAll("(anonymous namespace)", "{anonymous}").replaceAll("[abi:cxx11]", ""));
  const operator = /\boperator\s*(?:\(\)|[^\w\s(][^\s(]*|[\w\s:*&]+)/.exec(bare)?.[0];
  const named = operator === undefined ? bare : bare.replace(operator, "operator#");
  const head = named.split("(", 1)[0]?.trimEnd() ?? "";
  const qualified = head.slice(head.lastIndexOf(" ") + 1).replace(/^[*&]+/, "");
  const components = qualified.split("::").map((one) => (one === "operator#" ? (operator ?? one) : one));
  return /^[\w~{}:#$]+$/.test(qualified) && components.every((one) => one !== "") ? { kind, components } : undefined;
}

/** Without what stands in angle brackets, those of operators aside. */
function withoutArguments(text: string): string {
  let depth = 0;
  let out = "";
  const operator = /operator(?:<=>|<<=?|>>=?|->\*?|<=|>=|<|>)/y;
  for (let at = 0; at < text.length; at += 1) {
    operator.lastIndex = at;
    const sign = depth === 0 && text.startsWith("operator", at) ? operator.exec(text)?.[0] : undefined;
    if (sign !== undefined) {
      out += sign;
      at += sign.length - 1;
      continue;
    }
    const char = text.charAt(at);
    if (char === "<") depth += 1;
    if (depth === 0) out += char;
    if (char === ">" && depth > 0) depth -= 1;
  }
  return out;
}

/** How names of an entity begin in the table, by the kinds of member functions. */
function beginnings({ kind, components }: NameParts): readonly string[] {
  const code = kind === "" ? "" : kind.startsWith("vtable") ? "TV" : kind.startsWith("typeinfo name") ? "TS" : kind.startsWith("typeinfo") ? "TI" : undefined;
  const last = components.at(-1) ?? "";
  const isSpecialMember = kind === "" && (last.startsWith("~") || last.startsWith("operator") || last === components.at(-2));
  const plain = (isSpecialMember ? components.slice(0, -1) : components).map((one) => `${one.length}${one}`).join("");
  if (code === undefined || plain === "") {
    return [];
  }
  return components.length === 1 ? [`_Z${code}${plain}`] : code === "" ? ["", "K", "R", "KR", "O"].map((one) => `_ZN${one}${plain}`) : [`_Z${code}N${plain}`];
}

/** Every recorded name of an entity, whatever its parameters, with the releases that export it. */
export function recordedOverloads(parts: NameParts, history: RecordedSymbols): ReadonlyMap<string, readonly string[]> {
  const key = parts.kind + parts.components.map((one) => one.replace(/^operator\s+(?=\W)/, "operator")).join("::");
  const found = new Map<string, string[]>();
  const keys = new Map<string, boolean>();
  for (const release of history.releases) {
    for (const name of beginnings(parts).flatMap((one) => history.namesStartingWith(one, release))) {
      const isOne = keys.get(name) ?? entityKey(name) === key;
      keys.set(name, isOne);
      if (isOne) {
        found.set(name, [...(found.get(name) ?? []), release]);
      }
    }
  }
  return found;
}

/** The std::string that a demangled name speaks of. GNU's and LLVM's demanglers print the old one as std::string. */
export function stringAbiOfText(text: string): 0 | 1 | undefined {
  return /std::__cxx11::|\[abi:cxx11\]/.test(text) ? 1 : /std::(?:string\b|basic_string<|list<|wstring\b)/.test(text) ? 0 : undefined;
}

/** The mangled name of a demangled one that some release exports with these parameters, in the std::string that the text speaks of. */
export function mangledFor(text: string, overloads: Iterable<string>): string | undefined {
  const wanted = alike(text);
  const asked = stringAbiOfText(text);
  const same = [...overloads].filter((name) => alike(demangle(name) ?? "") === wanted).map((name) => ({ name, abi: readMangled(name)?.stringAbi }));
  const spelled = same.find(({ abi }) => abi === asked) ?? same.find(({ abi }) => abi === "both");
  const [other] = same;
  return spelled !== undefined || other === undefined ? spelled?.name : (other.abi === 1 ? abiTwin(other.name) : asked === 1 ? abiTwinCandidates(other.name)[0] : undefined) ?? other.name;
}

/** The same text for both spellings of std::string and for the blanks of every demangler. */
function alike(text: string): string {
  return text.replaceAll("[abi:cxx11]", "").replaceAll("std::__cxx11::", "std::").replace(/\s+/g, "")
    .replace(/std::basic_string<char,std::char_traits<char>,std::allocator<char>>/g, "std::string");
}
