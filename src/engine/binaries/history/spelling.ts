import { demangle, shortNames } from "../mangling/index.ts";
import type { WrittenName } from "./names.ts";
import type { SymbolLife } from "./types.ts";

/** Types that symbols name otherwise than sources do, on 64-bit Linux. Source: System V ABI, AMD64 supplement, and glibc's stdint.h. */
const typedefs: Readonly<Record<string, string>> = {
  int8_t: "signed char", uint8_t: "unsigned char", int16_t: "short", uint16_t: "unsigned short", int32_t: "int", uint32_t: "unsigned int", int64_t: "long", uint64_t: "unsigned long", size_t: "unsigned long",
};

/** Overloads and instantiations with the parameters and template arguments that were written; all when none were. */
export function asWritten({ instantiation, parameters }: WrittenName, lives: readonly SymbolLife[]): readonly SymbolLife[] {
  const instantiated = instantiation === undefined ? lives : thoseWith(lives, (text) => `${text}(`.includes(`${plain(instantiation)}(`));
  if (parameters === undefined) {
    // Arguments may be written with the names that a project gave to types: then it is not known which are meant.
    return instantiated.length > 0 ? instantiated : lives;
  }
  return thoseWith(instantiated, (text) => text.endsWith(plain(parameters)));
}

function thoseWith(lives: readonly SymbolLife[], isMeant: (text: string) => boolean): readonly SymbolLife[] {
  return lives.filter((one) => one.spellings.some((spelling) => isMeant(plain(demangle(spelling.symbol) ?? ""))));
}

/** Types alike in all people's words: demanglers write default arguments out, and const behind; people do neither. */
function plain(text: string): string {
  const named = shortNames(text).replaceAll("std::__cxx11::", "std::").replaceAll(/(?<![\w:])(?:std::)?(u?int(?:8|16|32|64)_t|size_t)\b/g, (_, name: string) => typedefs[name] ?? name);
  return constBehind(named.replaceAll(/\b(long|short) (?:unsigned )?int\b/g, (words) => words.replace(/ int$/, "")).replaceAll(/\b(long|short) unsigned\b/g, "unsigned $1")).replaceAll(/\s+/g, "");
}

/** "char const*" of "const char*". */
function constBehind(text: string): string {
  const type = /(^|[(,<]\s*)const\s+((?:(?:unsigned|signed)\s+)?[\w:]+)/;
  let rest = text;
  let done = "";
  for (let found = type.exec(rest); found !== null; found = type.exec(rest)) {
    const [whole, before = "", name = ""] = found;
    const after = found.index + whole.length;
    const end = rest.charAt(after) === "<" ? closingBracket(rest, after + 1) : after;
    done += rest.slice(0, found.index) + before;
    rest = `${name}${rest.slice(after, end)} const${rest.slice(end)}`;
    // What was put there does not begin with const: the search goes on, also in its template arguments.
    done += rest.slice(0, name.length);
    rest = rest.slice(name.length);
  }
  return done + rest;
}

function closingBracket(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++) depth += text.charAt(at) === "<" ? 1 : text.charAt(at) === ">" ? -1 : 0;
  return at;
}
