/** What Linux's loaders say of symbols: glibc (elf/dl-lookup.c, elf/dl-version.c, elf/dl-reloc.c), musl (ldso/dynlink.c), ldd. */
import { baseName } from "../orderMatters.ts";
import { clue, isCode, textAt, verdict } from "../reading.ts";
import type { Clue, Log, Recogniser } from "../types.ts";
import { otherLibc } from "./verdicts/libraries.ts";
import { explainMissingSymbol } from "./verdicts/symbols.ts";
import { explainVersion } from "./verdicts/versions.ts";
import { around, pathAtEnd, quote } from "./words.ts";
import type { Around } from "./words.ts";

const name = "[A-Za-z_.$?@][\\w.$?@]*";
const symbolAfter = new RegExp(`^\\s*${quote}?(${name})(…|\\.\\.\\.)?(?:${quote}(?=\\s*(?:,|$)))?(?:,\\s+version\\s+([\\w.+-]+))?`);

/** "F: undefined symbol: S[, version V]": dlopen, a program at its start, `ldd -r`; also what wraps such a text. */
const undefinedSymbol: Recogniser = {
  hint: /undefined symbol(?::| _Z)/,
  read(log, at) {
    const line = textAt(log, at);
    // Titles of issues leave the colon out.
    const phrase = line.includes("undefined symbol:") ? "undefined symbol:" : "undefined symbol";
    const sides = around(line, phrase);
    // Linkers say it in the same words: those have their own readers.
    if (sides === undefined || /(?:^|[\\/\s])(?:ld(?:\.lld|64\.lld)?|lld(?:-link)?|wasm-ld|mold|ld\.mold)(?:\.exe)?: (?:error|warning): $/.test(sides.before)) return undefined;
    const match = symbolAfter.exec(sides.after);
    // A sentence ends behind it, or dots stand for the rest of it.
    const symbol = match?.[1]?.replace(/\.+$/, "");
    if (symbol === undefined || isCode(line) || /["'`]\s*$/.test(sides.before)) return undefined;
    const rest = sides.after.slice(match?.[0].length ?? 0);
    const file = /:\s*$/.test(sides.before) ? pathAtEnd(sides.before) : /^\s*\(([^()]+)\)/.exec(rest)?.[1];
    const named = file !== undefined && looksLikeFile(file) ? file : undefined;
    if (named === undefined && !isBareName(symbol, sides.before)) return undefined;
    const isCut = match?.[2] !== undefined || match?.[1]?.endsWith("..") === true || log.lines[at]?.isCut === true;
    return atSymbol(log, at, { symbol, version: match?.[3], file: named, isCut, words: wordsOf(sides, phrase, match?.[0] ?? "") });
  },
};

/** Names of glibc that musl leaves out (musl's wiki, "Functional differences from glibc": no fortified functions, no backtrace). */
const onlyGlibc = /^(?:__\w+_chk|gnu_get_libc_\w+|__libc_start_main|__isoc(?:99|23)_\w+|backtrace(?:_symbols)?|mallinfo2?|__res_init)$/;

/** "Error relocating F: S: symbol not found" of musl. */
const muslSymbol: Recogniser = {
  hint: /Error relocating /,
  read(log, at) {
    const line = textAt(log, at);
    const match = /^(.{1,4096}?): ([\w.$@]+): symbol not found/.exec(around(line, "Error relocating ")?.after ?? "");
    const [, file, symbol] = match ?? [];
    if (symbol === undefined || isCode(line)) return undefined;
    const words = `Error relocating ${match?.[0] ?? ""}`;
    return onlyGlibc.test(symbol) ? clue(at, words, { file, symbol }, () => otherLibc(symbol, file)) : atSymbol(log, at, { symbol, file, isCut: false, words });
  },
};

/** "symbol S, version V not defined in file L with link time reference". */
const relocation: Recogniser = {
  hint: /not defined in file /,
  read(log, at) {
    const line = textAt(log, at);
    const sides = around(line, " not defined in file ");
    const match = new RegExp(`(?:^|: )symbol (${name})(?:,? version (\\S+))?$`).exec(sides?.before ?? "");
    const library = /^(\S+) with link time reference/.exec(sides?.after ?? "")?.[1];
    if (match?.[1] === undefined || library === undefined || isCode(line)) return undefined;
    const file = pathAtEnd((sides?.before ?? "").slice(0, match.index));
    return atSymbol(log, at, { symbol: match[1], version: match[2] ?? library, from: library, file, isCut: false, words: `${match[0].replace(/^: /, "")} not defined in file ${library}` });
  },
};

/** "L: version `V' not found (required by F)"; who quotes it leaves the end out. */
const version: Recogniser = {
  hint: /not found \(required by|(?:GLIBC(?:XX)?|CXXABI)_[\d.]+\S{0,3} not found/,
  read(log, at) {
    const line = textAt(log, at);
    const isWhole = line.includes(" not found (required by");
    const sides = around(line, isWhole ? " not found (required by" : " not found");
    const match = new RegExp(`version ${quote}?([\\w.+-]+)${quote}?$`).exec(sides?.before ?? "");
    const wanted = match?.[1];
    if (sides === undefined || match === null || wanted === undefined || !/[_\d]/.test(wanted) || isCode(line)) return undefined;
    if (!isWhole) return ofQuoted(at, wanted, sides, match);
    // The path is long, and a terminal breaks the line before it.
    const isBroken = sides.after.trim() === "" && /^\s*\S+\)/.test(textAt(log, at + 1).slice(0, 4096));
    const file = /^\s*([^)]*)/.exec(isBroken ? textAt(log, at + 1).slice(0, 4096) : sides.after)?.[1];
    const library = pathAtEnd(sides.before.slice(0, match.index));
    const words = `${library === undefined ? "" : `${library}: `}${match[0]} not found (required by ${file ?? ""})`;
    return clue(at, words, { file, library: library === undefined ? undefined : baseName(library), symbol: wanted }, (knowledge) => explainVersion({ version: wanted, library, file, when: "load" }, knowledge), { last: isBroken ? at + 1 : at });
  },
};

function ofQuoted(at: number, wanted: string, { before, after }: Around, match: RegExpExecArray): Clue | undefined {
  const library = pathAtEnd(before.slice(0, match.index));
  if (library === undefined || !/\blib(?:stdc\+\+|c|m)\.so/.test(library) || !/:\s*$/.test(before.slice(0, match.index))) return undefined;
  const file = /^ ?\(([^()]*\.so\b[^()]*)\)/.exec(after)?.[1]?.trim();
  return clue(at, `${library}: ${match[0]} not found`, { file, library: baseName(library), symbol: wanted }, (knowledge) => explainVersion({ version: wanted, library, file, when: "load" }, knowledge));
}

/** "L: no version information available (required by F)": the loader goes on. */
const noVersions: Recogniser = {
  hint: /no version information available \(required by /,
  read(log, at) {
    const sides = around(textAt(log, at), ": no version information available (required by ");
    const library = pathAtEnd(sides?.before ?? "");
    const file = /^([^)]*)/.exec(sides?.after ?? "")?.[1];
    if (sides === undefined || library === undefined) return undefined;
    return clue(at, `${library}: no version information available (required by ${file ?? ""})`, { file, library: baseName(library) }, () => verdict("harmless", "certain", `${baseName(library)} is another build than the one that ${baseName(file ?? "the program")} was linked with: it has no versions of symbols.`, ["The loader says so and goes on: by itself this is harmless, and it tells that a copy from another place (conda, LD_LIBRARY_PATH) is found first."], {
      fixes: ["Where something fails afterwards, take the folder of that copy out of LD_LIBRARY_PATH."],
    }), { weight: "warning" });
  },
};

/** glibc ends the process where a version is asked of a library that has none (check_match in elf/dl-lookup.c). */
const checkMatch: Recogniser = {
  hint: /Inconsistency detected by ld\.so: /,
  read(log, at) {
    const match = /Inconsistency detected by ld\.so: dl-lookup\.c: \d+: check_match: Assertion/.exec(textAt(log, at));
    return match === null ? undefined : clue(at, match[0], {}, () => verdict("library-too-old", "likely", "A library is found that is another build than the one that a file was linked with: it has no versions of symbols, and the loader gives up.", ["The loader's check fails where a file asks for a version of a symbol, and the library of that name that is loaded has no versions at all.", "The process ends without an exception."], {
      fixes: ["Take the folder with the other copy off LD_LIBRARY_PATH, or use the library that the file was built against."],
      needs: ["Which file and which library: `LD_DEBUG=bindings,libs COMMAND`, or `abiding fits FILE --against ENV`."],
    }));
  },
};

export const elfSymbolRecognisers: readonly Recogniser[] = [undefinedSymbol, muslSymbol, relocation, version, noVersions, checkMatch];

interface Missing {
  readonly symbol: string;
  readonly version?: string | undefined;
  readonly from?: string;
  readonly file?: string | undefined;
  readonly isCut: boolean;
  readonly words: string;
}

function atSymbol(log: Log, at: number, { symbol: printed, version: printedVersion, from, file, isCut, words }: Missing): Clue {
  // GNU's tools write the version behind the name.
  const [symbol = printed, behind] = printed.split(/@@?/);
  const asked = printedVersion ?? behind;
  const library = from ?? (asked !== undefined && /^lib.*\.so/.test(asked) ? asked : undefined);
  const isWarning = /\b(?:User)?Warning: /.test(textAt(log, at));
  return clue(at, words, { file, symbol, library }, (knowledge) => explainMissingSymbol({
    symbol, isDemangled: false, when: "load", system: "linux", isCut,
    ...(library === undefined ? {} : { from: library }),
    ...(asked === undefined ? {} : { version: asked }),
    ...(file === undefined ? {} : { file }),
  }, knowledge), { weight: isWarning ? "warning" : "cause" });
}

function wordsOf({ before }: { readonly before: string }, phrase: string, match: string): string {
  const file = pathAtEnd(before);
  return `${file === undefined ? "" : `${file}: `}${phrase}${match}`;
}

function looksLikeFile(text: string): boolean {
  return !/^\w+(?:Error|Exception)$/.test(text) && (/[\\/]|\.(?:so|pyd|dll|dylib|node|oct|mex\w*)\b/.test(text) || /^[\w.+-]+$/.test(text));
}

/** A name that stands without a file: at the beginning of a line or of an exception, and no word of a sentence. */
function isBareName(symbol: string, before: string): boolean {
  return symbol.startsWith("_Z") || (/^\s*$|(?:^|\s)\w+(?:Error|Exception): $/.test(before) && /[_A-Z\d]/.test(symbol));
}
