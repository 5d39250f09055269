/** What linkers say of symbols that nobody defines: GNU ld and gold, lld and mold, Apple's ld, MSVC's LINK, nvlink. */
import type { SymbolError } from "../symbols/index.ts";
import { baseName } from "../orderMatters.ts";
import { clue, isCode } from "../reading.ts";
import type { Clue, Log, Recogniser } from "../types.ts";
import { explainDeviceSymbol, explainLinkedLate } from "./verdicts/links.ts";
import { explainMissingSymbol } from "./verdicts/symbols.ts";
import { around, following, isProbe, quote } from "./words.ts";

/** "a.o" and "libx.a(a.o)", as linkers print what they link. */
const object = /((?:[A-Za-z]:)?[^:'"`()]*\.(?:o|obj|lo|a|lib|so|dylib|bc)(?:\.\d+)*(?:\([^()]*\))?)(?=:|$|\s)/;
const linker = /^(?:\S*[\\/])?(?:[\w-]*ld(?:\.\w+)?|ld64\.lld|lld-link|mold|collect2)(?:\.exe)?: ?(?:(?:fatal )?error: ?)?/;

/** "undefined reference to `S'" and "more undefined references to `S' follow" of GNU ld; gold and lld use the same words. */
const gnu: Recogniser = {
  hint: /undefined references? to /,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const sides = around(line, line.includes("undefined references to ") ? "undefined references to " : "undefined reference to ");
    if (sides === undefined || isCode(line) || /["(]\s*$/.test(sides.before) || isProbe(log, at)) return undefined;
    const isOfLibrary = sides.after.startsWith("symbol ");
    const read = quoted(sides.after.replace(/^symbol /, ""));
    if (read === undefined || !(/:\s*(?:error: |more )?$/.test(sides.before) || sides.before.trim() === "")) return undefined;
    const file = objectOf(log, at, sides.before);
    const words = `undefined reference to '${read.name}'`;
    if (isOfLibrary) {
      const holder = /^(?:\S*ld[.\w]*: )?(.{1,4096}): error adding symbols: DSO missing from command line/.exec(following(log, at, 1)[0] ?? "")?.[1];
      const { name, version } = versioned(read.name);
      return clue(at, words, { file, symbol: name, library: holder === undefined ? undefined : baseName(holder) }, () => explainLinkedLate(name, version, holder, file), { last: holder === undefined ? at : at + 1 });
    }
    return atSymbol(at, read, words, file, "linux", log.lines[at]?.isCut === true);
  },
};

/** "ld.lld: error: undefined symbol: S" with lines ">>> referenced by"; mold prints the same. */
const lld: Recogniser = {
  hint: /error: undefined (?:\w+ )?(?:symbol|reference)[^:]*: /,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const match = /(?:^|[\\/\s])(ld(?:64)?\.lld|lld-link|lld|mold|wasm-ld|ld\.mold)(?:\.exe)?: error: undefined (?:\w+ )?(?:symbol|reference)[^:]{0,60}: (.{1,8192})$/.exec(line.slice(0, 12_000));
    const printed = match?.[2]?.replace(/ \[--no-allow-shlib-undefined\]$/, "").trim();
    if (printed === undefined || printed === "" || isCode(line) || isProbe(log, at)) return undefined;
    const lines = references(log, at);
    const file = lines.flatMap((one) => /^\s*(?:referenced by )?(.{1,1024}?\.(?:o|obj|a|so|dylib)(?:\.\d+)*(?:\([^()]*\))?)(?::\(|$|\s)/.exec(one)?.[1] ?? []).at(0);
    const system = match?.[1] === "lld-link" ? "windows" : match?.[1] === "ld64.lld" ? "macos" : "linux";
    const name = system === "windows" ? undecorated(printed) : printed;
    return atSymbol(at, { name, isCut: false }, `undefined symbol: ${printed}`, file, system, log.lines[at]?.isCut === true, at + lines.length);
  },
};

/** `"S", referenced from:` below "Undefined symbols for architecture" of Apple's ld. */
const apple: Recogniser = {
  hint: /", referenced from:/,
  read(log, at) {
    const printed = /^\s*"(.{1,8192})", referenced from:\s*$/.exec(log.lines[at]?.text ?? "")?.[1];
    if (printed === undefined) return undefined;
    const next = following(log, at, 1)[0] ?? "";
    const file = / in (\S.*?)\s*$/.exec(next)?.[1];
    return atSymbol(at, { name: printed.replace(/^_(?=_Z|[A-Za-z_]\w*$)/, ""), isCut: false }, `"${printed}", referenced from: ${next.trim()}`, file, "macos", false, file === undefined ? at : at + 1);
  },
};

/**
 * "a.obj : error LNK2019: unresolved external symbol "S" (?mangled) referenced in function F", in any language, and the same as
 * Visual Studio's list of errors is copied: "Error LNK2019 ... PROJECT FILE LINE" between tabulators.
 */
const msvc: Recogniser = {
  hint: /[Ee]rror\s+LNK20(?:01|19)\b/,
  read(log, at) {
    const text = log.lines[at]?.text ?? "";
    const phrase = /[Ee]rror\s+LNK20(?=01|19)/.exec(text)?.[0];
    const sides = phrase === undefined ? undefined : around(text, phrase);
    if (sides === undefined || isCode(sides.before)) return undefined;
    const named = /"([^"]{1,8000})"\s*\((?:__imp_)?\?[^\s]+\)/.exec(sides.after);
    const plain = /\s(?:__imp_)?([A-Za-z_]\w*)\s+(?=\S+\s+in\b|referenced)|(?:[Ss]ymbole?|símbolo|符号|シンボル)\s*"?(?:__imp_)?([A-Za-z_]\w*)/.exec(sides.after);
    const name = named?.[1] === undefined ? plain?.[2] ?? plain?.[1] : undecorated(named[1]);
    if (name === undefined) return undefined;
    const own = /([^\s:][^:]*?\.(?:obj|lib|o)(?:\([^()]*\))?)\s*: *$/.exec(sides.before)?.[1];
    const file = own ?? /\t([^\t]{1,1024}\.(?:obj|lib|o))\t/.exec(sides.after)?.[1];
    return atSymbol(at, { name: name.replace(/^__imp_/, ""), isCut: false }, `LNK20${sides.after.slice(0, 2)}: unresolved external symbol ${named?.[1] ?? name}`, file, "windows", false);
  },
};

/** "nvlink error : Undefined reference to 'S' in 'F'", and ptxas where nothing is linked for the device at all. */
const device: Recogniser = {
  hint: /nvlink error\s*:|ptxas (?:fatal|error)\s*:\s*Unresolved extern function/,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const match = /(nvlink error\s*: Undefined reference to|ptxas (?:fatal|error)\s*:\s*Unresolved extern function) '([^']{1,8192})'(?: in '([^']*)')?/.exec(line.slice(0, 20_000));
    const [words, how = "", symbol, file] = match ?? [];
    return words === undefined || symbol === undefined ? undefined : clue(at, words, { symbol, file }, () => explainDeviceSymbol(symbol, how.startsWith("ptxas")));
  },
};

export const undefinedReferenceRecognisers: readonly Recogniser[] = [gnu, lld, apple, msvc, device];

/** The lines ">>> referenced by ..." below. */
function references(log: Log, at: number): readonly string[] {
  const lines: string[] = [];
  for (const text of following(log, at, 12)) {
    const plain = /^>>>(\s*(?:referenced |defined (?:in|at) |(?:did you mean|the vtable symbol)|\s{4,}\S).*)$/.exec(text)?.[1];
    if (plain === undefined) break;
    lines.push(plain);
  }
  return lines;
}

interface Read {
  readonly name: string;
  readonly isCut: boolean;
}

/** A name in quotes; cut where the closing one is missing. Names of C++ hold no such quotes. */
function quoted(text: string): Read | undefined {
  const match = new RegExp(`^${quote}\\s?(.+?)\\s?${quote}(?=[\\s;,.]|$)`).exec(text);
  if (match?.[1] !== undefined) return { name: match[1], isCut: false };
  const open = new RegExp(`^${quote}\\s?(\\S.*)$`).exec(text)?.[1];
  return open === undefined ? undefined : { name: open.replace(/(?:…|\.\.\.)$/, ""), isCut: true };
}

function atSymbol(at: number, read: Read, words: string, file: string | undefined, system: SymbolError["system"], isLineCut: boolean, last = at): Clue {
  const { name, version } = versioned(read.name);
  const error: SymbolError = {
    symbol: name, isDemangled: !name.startsWith("_Z") && /[\s(]|::/.test(name), when: "link", system, isCut: read.isCut || isLineCut,
    ...(file === undefined ? {} : { file }), ...(version === undefined ? {} : { version, ...(/^lib.*\.so/.test(version) ? { from: version } : {}) }),
  };
  return clue(at, words, { symbol: name, file }, (knowledge) => explainMissingSymbol(error, knowledge), { last });
}

/** "f()@GLIBCXX_3.4.29" and "f@@V". */
function versioned(printed: string): { readonly name: string; readonly version?: string } {
  const match = /^(.*?[^@])@@?([A-Za-z][\w.]*)$/.exec(printed);
  return match?.[1] === undefined || match[2] === undefined || printed.startsWith("?") ? { name: printed } : { name: match[1], version: match[2] };
}

/** The object or library that wants the symbol: in the line, or in the line "a.o: in function `f':" before. */
function objectOf(log: Log, at: number, before: string): string | undefined {
  const own = object.exec(before.replace(linker, ""))?.[1];
  if (own !== undefined) return own.trim();
  for (let index = at - 1; index >= Math.max(0, at - 40); index -= 1) {
    const text = (log.lines[index]?.text ?? "").slice(0, 4096);
    if (/: in function /i.test(text)) return object.exec(text.replace(linker, ""))?.[1]?.trim();
    if (!text.includes("undefined reference")) return undefined;
  }
  return undefined;
}

/** MSVC's undecorated name as others print it: without access, calling convention, and return type or type. */
function undecorated(name: string): string {
  const after = name.split(/\b__(?:cdecl|thiscall|stdcall|fastcall|vectorcall) /);
  const rest = after.length > 1 ? after.slice(1).join("") : name.replace(/^[^(]* (?=[^\s(]+$)/, "");
  return rest.replaceAll(/\b(?:class|struct|enum|union) |\b__ptr64\b|__declspec\(dllimport\) /g, "").trim();
}
