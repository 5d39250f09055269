/** What macOS's loader says (dyld4, and the dyld before it): symbols, libraries, architectures, signatures. */
import { demangle, familyOf } from "../../../binaries/mangling/index.ts";
import { baseName } from "../orderMatters.ts";
import { clue, isCode, verdict } from "../reading.ts";
import type { Clue, Log, Recogniser } from "../types.ts";
import { explainMissingLibrary } from "./verdicts/libraries.ts";
import { explainMissingSymbol } from "./verdicts/symbols.ts";
import { around, following } from "./words.ts";

/** Lines that belong to a message of dyld. */
const continues = /^\s*(?:Referenced from:|Expected in:|Reason:|Did find:|in |tried: |'?\/)|\((?:no such file|mach-o|not a mach-o|slice is not valid|code signature)/;

interface Message {
  readonly text: string;
  readonly last: number;
  readonly referencedFrom: string | undefined;
  readonly expectedIn: string | undefined;
}

/** The message as one text, with its labelled parts. */
function messageAt(log: Log, at: number): Message {
  const more = following(log, at, 8);
  const end = more.findIndex((one) => !continues.test(one.slice(0, 4096)));
  const lines = [(log.lines[at]?.text ?? "").slice(0, 16_384), ...more.slice(0, end < 0 ? more.length : end).map((one) => one.slice(0, 16_384))];
  const text = lines.join("\n");
  const part = (label: string): string | undefined => new RegExp(`${label}\\s*(?:<[^<>]*> )?\\s*'?(.+?)'?(?=\\s+(?:Referenced from|Expected in|Reason):|\\n|$)`).exec(text)?.[1]?.replace(/ \(built for macOS [^()]*\)$/, "");
  return { text, last: at + lines.length - 1, referencedFrom: part("Referenced from:"), expectedIn: part("Expected in:") };
}

/** "Symbol not found: __ZN…", "symbol not found in flat namespace '__ZN…'". */
const symbol: Recogniser = {
  hint: /[Ss]ymbol not found(?:: [(']?_| in flat namespace)/,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const phrase = /[Ss]ymbol not found(?:: | in flat namespace )/.exec(line)?.[0];
    const sides = phrase === undefined ? undefined : around(line, phrase);
    const printed = /^[('"]?_?(_?[\w.$]+)(…|\.\.\.)?/.exec(sides?.after ?? "");
    const name = printed?.[1];
    if (sides === undefined || name === undefined || isCode(line) || /Error relocating/.test(line)) return undefined;
    const { text, last, referencedFrom, expectedIn } = messageAt(log, at);
    const file = referencedFrom ?? openedFile(sides.before);
    const from = expectedIn === undefined || /flat namespace|dynamic lookup/.test(expectedIn) ? undefined : expectedIn;
    const newer = /\(built for macOS ([\d.]+) which is newer than running OS\)/.exec(text)?.[1];
    const words = `Symbol not found: _${name}${file === undefined ? "" : `, referenced from ${file}`}${from === undefined ? "" : `, expected in ${from}`}`;
    return clue(at, words, { file, symbol: name, library: from === undefined ? undefined : baseName(from) }, (knowledge) => (newer !== undefined || isSystem(from, name)
      ? ofSystem(name, file, newer)
      : explainMissingSymbol({ symbol: name, isDemangled: false, when: "load", system: "macos", isCut: printed?.[2] !== undefined, ...(from === undefined ? {} : { from }), ...(file === undefined ? {} : { file }) }, knowledge)), { last });
  },
};

/** "Library not loaded: @rpath/libc10.dylib", with where it was looked for; a file of another architecture or signature among it. */
const library: Recogniser = {
  hint: /Library not loaded: /,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const name = /^'?([@/.\w][^\s'"`*]*)/.exec(around(line, "Library not loaded: ")?.after ?? "")?.[1];
    if (name === undefined || isCode(line)) return undefined;
    const { text, last, referencedFrom: file } = messageAt(log, at);
    const refused = refusal(text);
    const isProgram = /dyld(?:\[\d+\])?: /.test(line);
    return clue(at, `Library not loaded: ${name}${file === undefined ? "" : `, referenced from ${file}`}`, { library: baseName(name), file }, (knowledge) => refused?.(knowledge) ?? explainMissingLibrary({ library: name, file, when: "load", system: "macos", isProgram }, knowledge), { last });
  },
};

/** A file that dyld found and does not take, or did not find: "dlopen(F, 0x0002): tried: 'F' (no such file)". */
const tried: Recogniser = {
  hint: /dlopen\(|incompatible architecture \(have|mach-o, but wrong architecture/,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    if (isCode(line) || /Library not loaded|[Ss]ymbol not found/.test(line) || log.lines.slice(Math.max(0, at - 4), at).some((one) => one.text.includes("Library not loaded: "))) return undefined;
    const { text, last } = messageAt(log, at);
    const refused = refusal(text);
    const file = openedFile(line);
    if (refused !== undefined) return clue(at, line, { file: file ?? refusedFile(text) }, refused, { last });
    return file === undefined || !/no such file|image not found/.test(text) ? undefined : clue(at, line, { file, library: baseName(file) }, (knowledge) => explainMissingLibrary({ library: file, when: "load", system: "macos" }, knowledge), { last });
  },
};

export const dyldRecognisers: readonly Recogniser[] = [symbol, library, tried];

/** F of "dlopen(F, 0x0002)". */
function openedFile(text: string): string | undefined {
  return /^(.{1,4096}?), (?:0x)?\d+\)/.exec(around(text, "dlopen(")?.after ?? "")?.[1];
}

function refusedFile(text: string): string | undefined {
  return /'([^']+)' \((?:mach-o|not a mach-o|code signature)/.exec(text)?.[1];
}

function refusal(text: string): Clue["explain"] | undefined {
  const architecture = /incompatible architecture \(have '?\(?([^')]+)\)?'?, need '?\(?([^')]+)/.exec(text);
  const file = refusedFile(text) ?? openedFile(text) ?? "";
  if (architecture !== null || /mach-o, but wrong architecture/.test(text)) {
    const [, have = "another processor", need = "this one"] = architecture ?? [];
    return () => verdict("wrong-architecture", "certain", `${baseName(file) || "The library"} is for ${have}, and the process needs ${need}.`, ["Apple silicon runs arm64, and x86_64 under Rosetta: a process is one of the two, and so must be all that it loads.", "torch's version and its ABI have no part in it."], {
      fixes: [`Install Python, torch and the extension all for ${need} in a fresh environment (python -c 'import platform; print(platform.machine())').`, `Where you build it: ARCHFLAGS="-arch ${need}", or CMAKE_OSX_ARCHITECTURES=${need}.`],
    });
  }
  const [, needs, least, which, has] = /Incompatible library version: (\S+) requires version ([\d.]+) or later, but (\S+) provides version ([\d.]+)/.exec(text) ?? [];
  if (needs !== undefined && which !== undefined) {
    return () => verdict("library-too-old", "certain", `${needs} was linked against ${which} ${least ?? ""} or later, and the one that is found is ${has ?? "older"}.`, ["dyld compares the versions that both libraries state, and loads neither where they differ.", "No extension and no ABI of torch has a part in it."], {
      fixes: ["Let both come from one installation: look for another copy in DYLD_LIBRARY_PATH and in the environment, and remove that one.", "If you built them: delete the build folder and build again."],
    });
  }
  if (/code signature|different Team IDs|not valid for use in process/.test(text)) {
    return () => verdict("loading-refused", "certain", `macOS does not load ${baseName(file) || "the library"}: its signature is missing, broken or of another team than the program's.`, ["A program with the hardened runtime takes only libraries that Apple or its own team signed; a file that was changed after signing (install_name_tool, strip) is refused as well."], {
      fixes: [`Sign it again for this machine: codesign --force --sign - ${file || "FILE"}`, "Use a Python without library validation (from python.org, conda or Homebrew) instead of the one inside an application."],
      copy: file === "" ? undefined : `codesign --force --sign - ${file}`,
    });
  }
  return undefined;
}

function isSystem(from: string | undefined, name: string): boolean {
  return from !== undefined && (/^\/(?:usr\/lib|System)\//.test(from) || (/libc\+\+/.test(from) && familyOf(name) !== "torch"));
}

function ofSystem(name: string, file: string | undefined, newer: string | undefined): ReturnType<Clue["explain"]> {
  const who = file === undefined ? "The file" : baseName(file);
  return verdict("library-too-old", newer === undefined ? "likely" : "certain", `${who} was built for a newer macOS${newer === undefined ? "" : ` (${newer})`} than the one that loads it: the system's library has no \`${demangle(name) ?? name}\`.`, ["The symbol is looked for in a library of macOS, and not in torch."], {
    fixes: ["Take a build for this macOS, or build it here.", "Where you build for others, set MACOSX_DEPLOYMENT_TARGET to the oldest macOS that must do."],
    needs: newer === undefined ? ["Which macOS loads it (sw_vers), and for which it was built: `otool -l FILE | grep -A4 LC_BUILD_VERSION`."] : [],
    symbols: [{ symbol: name, demangled: demangle(name) ?? name }],
  });
}
