/** Other reasons for which linkers give up: libraries, formats, relocations, definitions; and what only follows from them. */
import { baseName } from "../orderMatters.ts";
import { clue, isCode } from "../reading.ts";
import type { Clue, Recogniser } from "../types.ts";
import { explainMissingLibrary } from "./verdicts/libraries.ts";
import { explainCorruptObject, explainDuplicate, explainHidden, explainKilledLinker, explainLinkFailed, explainNotFoundVariable, explainNotPic, explainTargetName, explainTooFar, explainWrongFormat } from "./verdicts/links.ts";
import { around, following, isProbe, lastWord, pathAtEnd, quote } from "./words.ts";

const linkerName = /^(?:\S*[\\/])?(?:[\w-]*ld(?:\.\w+)?|ld64\.lld|lld-link|mold|collect2)(?:\.exe)?: ?(?:warning: |(?:fatal )?error: ?|fatal: ?)?/;

interface Phrase {
  readonly pattern: RegExp;
  readonly system: "linux" | "macos" | "windows";
}

/** A library that was asked for by name, in the words of each linker. */
const notFoundPhrases: readonly Phrase[] = [
  { pattern: /\bcannot find -l(\S+?)(?=:?\s|:?$)/, system: "linux" },
  { pattern: /\bunable to find library -l(\S+)/, system: "linux" },
  { pattern: /\bmold: fatal: library not found: (\S+)/, system: "linux" },
  { pattern: /\blibrary not found for -l(\S+)/, system: "macos" },
  { pattern: /\bld: library '([^']+)' not found/, system: "macos" },
  { pattern: /\bfatal error LNK1(?:181|104)\b[^'"]{0,200}['"]([^'"]+\.lib)['"]/, system: "windows" },
  { pattern: /\b(?:ld|ld\.\w+): cannot find (\S*[\w+-]+\.(?:so|a)\S*?)(?=: No such file|$)/, system: "linux" },
  { pattern: /'([^']+\.(?:so|a|dylib|lib)(?:\.\d+)*)', needed by '[^']*', missing and no known rule to make it/, system: "linux" },
  { pattern: /No rule to make target '([^']+\.(?:so|a|dylib|lib)(?:\.\d+)*)', needed by/, system: "linux" },
];

const notFound: Recogniser = {
  hint: /cannot find (?:-l|\S*\.(?:so|a))|unable to find library -l|library not found|\bld: library '|LNK1(?:181|104)\b|no known rule to make it|No rule to make target/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 8192);
    if (isCode(line) || isProbe(log, at)) return undefined;
    for (const { pattern, system } of notFoundPhrases) {
      const match = pattern.exec(line);
      const name = match?.[1];
      if (match === null || name === undefined) continue;
      if (/^\w+::\w/.test(name)) return clue(at, match[0], { library: name }, () => explainTargetName(name));
      if (/-NOTFOUND$/.test(name)) return clue(at, match[0], { library: name }, () => explainNotFoundVariable(name));
      // What could have been it was of another kind: that is the cause.
      if (log.lines.slice(Math.max(0, at - 6), at + 3).some(({ text }) => text.includes("skipping incompatible") && text.includes(baseName(name)))) return undefined;
      const library = /[\\/.]/.test(name) ? name : `-l${name}`;
      return clue(at, match[0], { library }, (knowledge) => explainMissingLibrary({ library: library.startsWith("-l") ? `lib${name}.so` : library, when: "link", system: library.startsWith("-l") && system !== "windows" ? "linux" : system }, knowledge));
    }
    return undefined;
  },
};

/** "libx.so.1, needed by liby.so, not found (try using -rpath or -rpath-link)": undefined references follow. */
const neededBy: Recogniser = {
  hint: /, needed by /,
  read(log, at) {
    const sides = around(log.lines[at]?.text ?? "", ", needed by ");
    const library = lastWord(sides?.before ?? "");
    const end = sides?.after.indexOf(", not found") ?? -1;
    if (sides === undefined || end < 0 || !/\.so\b/.test(library)) return undefined;
    const file = sides.after.slice(0, end);
    const fails = log.lines.slice(at + 1, at + 200).some(({ text }) => text.includes("undefined reference") || text.includes("ld returned 1"));
    return clue(at, `${library}, needed by ${file}, not found`, { library, file }, (knowledge) => explainMissingLibrary({ library, file, when: "link", system: "linux" }, knowledge), { weight: fails ? "cause" : "warning" });
  },
};

/** What stands behind the name of a file of another machine or format, and before it. */
const behindForeign = [": skipping incompatible file", ": error adding symbols: file in wrong format", " is incompatible with elf", " is incompatible with i386", " is incompatible with aarch64", " is incompatible with x86_64", ": incompatible target", ": incompatible file type: ", ": unsupported ELF machine number"];
const beforeForeign = /skipping incompatible (\S{1,4096}) when searching for|ignoring file '?([^,':]{1,4096})|\bin '?([^,':]{1,4096})'?, (?:building for |file was built for )|^(.{0,4096}?) ?: .{0,40}LNK1112\b/;

/** A file of another machine or format. */
const wrongFormat: Recogniser = {
  hint: /skipping incompatible |file in wrong format|is incompatible with (?:elf|i386|aarch64|x86_64)|: incompatible target|incompatible file type: |unsupported ELF machine number|attempting to link with file built for|but linking in \w+ file built for|required architecture '|LNK1112\b/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 8192);
    if (isCode(line)) return undefined;
    const phrase = behindForeign.find((one) => line.includes(one));
    const file = phrase === undefined ? beforeForeign.exec(line)?.slice(1).find((one) => one !== undefined) : pathAtEnd(line.slice(0, line.indexOf(phrase)));
    if (file === undefined || !/[./]/.test(file)) return undefined;
    // A linker that skips one copy and finds another goes on; Apple's goes on without, and lacks its symbols then.
    const goesOn = line.includes("skipping incompatible") && !log.lines.slice(Math.max(0, at - 3), at + 5).some(({ text }) => /cannot find|library not found|unable to find/.test(text));
    const lacksLater = line.includes("ignoring file") && log.lines.slice(at + 1, at + 200).some(({ text }) => text.includes("Undefined symbols for architecture"));
    return clue(at, line, { file }, () => explainWrongFormat(file), { weight: !lacksLater && (goesOn || /\bwarning\b/.test(line)) ? "warning" : "cause" });
  },
};

/** A file that is none at all. */
const corrupt: Recogniser = {
  hint: /file not recognized|file format not recognized|not an object or archive|: file too short|: file is empty|in ELF header|section header table goes past|unknown file type|e_sh\w+ corrupted/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 8192);
    const isLinker = /^(?:\S*[\\/])?(?:[\w-]*ld(?:\.\w+)?|mold)(?:\.exe)?: ?(?:(?:fatal )?error: |fatal: )?/.test(line) || /: file (?:format )?not recognized/.test(line);
    const file = isLinker ? line.replace(linkerName, "").split(":").find((one) => /\.(?:so|a|o|lib|obj|dylib)\b/.test(one))?.trim() : undefined;
    return file === undefined || /\s/.test(file) || isCode(line) ? undefined : clue(at, line, { file }, () => explainCorruptObject(file));
  },
};

/** Code that was compiled for a program and is linked into a library. */
const notPic: Recogniser = {
  hint: /recompile with -f(?:PIC|PIE|pic|pie)/,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const sides = around(line, "recompile with -f");
    if (sides === undefined || isCode(line) || !/reloc/i.test(sides.before)) return undefined;
    const symbol = new RegExp(`(?:against|symbol|function) (?:undefined )?(?:(?:hidden|protected|local) )?(?:symbol )?${quote}([^\\s'’»"]+)`).exec(sides.before)?.[1];
    const own = /^(.*?\.(?:o|a|obj|lo)(?:\([^()]*\))?):/.exec(sides.before.replace(linkerName, ""))?.[1];
    const file = own ?? following(log, at, 1).flatMap((one) => /^>>> defined in (.+)$/.exec(one)?.[1] ?? [])[0];
    return clue(at, `${sides.before.replace(linkerName, "").trim()} recompile with -fPIC`, { file, symbol }, () => explainNotPic(file, symbol));
  },
};

const tooFar: Recogniser = {
  hint: /relocation truncated to fit: | out of range: /,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 8192);
    const words = /relocation truncated to fit: \S+|relocation \S+ out of range: \S+/.exec(line)?.[0];
    return words === undefined || isCode(line) ? undefined : clue(at, words, {}, () => explainTooFar());
  },
};

/** One name with two definitions. */
const duplicate: Recogniser = {
  hint: /multiple definition of |duplicate symbol|LNK2005\b/,
  read(log, at) {
    const line = (log.lines[at]?.text ?? "").slice(0, 12_000);
    if (isCode(line)) return undefined;
    const gnu = new RegExp(`multiple definition of ${quote}(.+?)${quote}(?:;|,|$|\\s)(?:\\s*(.+?):.*first defined here)?`).exec(line);
    const others = /(?:error: )?duplicate symbol:? (?:'([^']+)'|(?:\S+: \S+: )?(.+))$/.exec(line) ?? /(?:(?:error|fatal error) )LNK2005\s*: (?:"([^"]+)"|(\S+))/.exec(line);
    const symbol = gnu?.[1] ?? others?.[1] ?? others?.[2];
    if (symbol === undefined) return undefined;
    const file = /([^\s:'"]+\.(?:o|obj|a|lib)(?:\([^()]*\))?)/.exec(line.replace(linkerName, ""))?.[1];
    return clue(at, `multiple definition of '${symbol}'`, { symbol, file }, () => explainDuplicate(symbol));
  },
};

const hidden: Recogniser = {
  hint: /hidden symbol /,
  read(log, at) {
    const match = new RegExp(`hidden symbol ${quote}(.+?)${quote}(?: in (.+?))? (?:is referenced by DSO|isn't defined)`).exec((log.lines[at]?.text ?? "").slice(0, 8192));
    const symbol = match?.[1];
    return match === null || symbol === undefined ? undefined : clue(at, match[0], { symbol, file: match[2] }, () => explainHidden(symbol, match[2]));
  },
};

const killed: Recogniser = {
  hint: /ld terminated with signal 9|final link failed: No space left on device/,
  read(log, at) {
    const words = /ld terminated with signal 9(?: \[Killed\])?|final link failed: No space left on device/.exec(log.lines[at]?.text ?? "")?.[0];
    return words === undefined ? undefined : clue(at, words, {}, () => explainKilledLinker(words));
  },
};

/** What a compiler driver says when its linker has failed. */
const follows: Recogniser = {
  hint: /ld returned \d+ exit status|linker command failed with exit code|symbol\(s\) not found for architecture|error LNK1(?:120|169|319)\b|final link failed: (?:bad value|nonrepresentable section)/,
  read(log, at): Clue | undefined {
    const line = (log.lines[at]?.text ?? "").slice(0, 2048);
    return isCode(line) || isProbe(log, at) ? undefined : clue(at, line, {}, () => explainLinkFailed(), { weight: "consequence" });
  },
};

export const failedLinkRecognisers: readonly Recogniser[] = [notFound, neededBy, wrongFormat, corrupt, notPic, tooFar, duplicate, hidden, killed, follows];
