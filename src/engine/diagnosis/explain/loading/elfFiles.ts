/** What Linux's loaders say of files: glibc (elf/dl-load.c, elf/dl-tls.c), musl (ldso/dynlink.c), ldd. */
import { causedBy, exceptionAt, exceptionIndexAt } from "../exceptionAt.ts";
import { baseName } from "../orderMatters.ts";
import { clue, isCode, isPrinted } from "../reading.ts";
import type { Clue, Log, Recogniser } from "../types.ts";
import { explainMissingLibrary, isLoadedByTorch } from "./verdicts/libraries.ts";
import { explainRefusal, explainTlsSlots, refusals } from "./verdicts/refusals.ts";
import { around, pathAtEnd } from "./words.ts";

/** "L: cannot open shared object file: No such file or directory". */
const notOpened: Recogniser = {
  hint: /cannot open shared object file/,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const sides = around(line, ": cannot open shared object file");
    // R's torch prints the file that it loads before the loader's words: "/r/liblantern.so - libcudart.so.12: cannot open ...".
    const library = pathAtEnd(sides?.before ?? "")?.replace(/^.{1,4096}\.so - (?=\S+$)/, "");
    if (sides === undefined || library === undefined || isCode(line) || !/\.so\b|[\\/]/.test(library) || isTriedInTurn(log, at)) return undefined;
    const reason = /^: ([^'"`\\.,;()”’]*)/.exec(sides.after)?.[1]?.trim() ?? "";
    // Prose names the message without the system's reason.
    if (reason === "" && !isPrinted(sides.before.slice(0, sides.before.length - library.length), line)) return undefined;
    const words = `${library}: cannot open shared object file${reason === "" ? "" : `: ${reason}`}`;
    if (/Permission denied|Operation not permitted|Too many open files/.test(reason)) {
      return clue(at, words, { library: baseName(library), file: library }, () => explainRefusal(`cannot open shared object file: ${reason}`, library));
    }
    return atLibrary(log, at, library, words);
  },
};

/** torio tries its libraries for each FFmpeg in turn, and logs each failure before the one that loads. */
function isTriedInTurn(log: Log, at: number): boolean {
  return log.lines.slice(at + 1, at + 120).some(({ text }) => text.includes("Successfully loaded FFmpeg"));
}

/** "Error loading shared library L: No such file or directory (needed by F)" of musl. */
const muslNotOpened: Recogniser = {
  hint: /Error loading shared library /,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const match = /^([^:]{1,4096}): (No such file or directory|Exec format error)(?: \(needed by ([^)]*)\))?/.exec(around(line, "Error loading shared library ")?.after ?? "");
    const [whole = "", library, reason = "", file] = match ?? [];
    if (library === undefined || isCode(line)) return undefined;
    const words = `Error loading shared library ${whole}`;
    return reason.startsWith("Exec") ? clue(at, words, { file: library }, () => explainRefusal("invalid ELF header", library)) : atLibrary(log, at, library, words, file);
  },
};

/** "libfoo.so.1 => not found" of ldd. */
const lddNotFound: Recogniser = {
  hint: / => not found/,
  read(log, at) {
    const library = /^\s*(\S{1,512}\.so\S{0,64}) => not found\s*$/.exec(log.lines[at]?.text ?? "")?.[1];
    return library === undefined ? undefined : atLibrary(log, at, library, `${library} => not found`, headOfLdd(log, at), true);
  },
};

/** Reasons for which a file that was found is not loaded. */
const refused: Recogniser = {
  hint: refusals,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const match = refusals.exec(line);
    const phrase = match?.[0];
    const sides = phrase === undefined ? undefined : around(line, phrase);
    if (phrase === undefined || sides === undefined || isCode(line) || !/:\s*$/.test(sides.before)) return undefined;
    // musl names the symbol behind the file: "Error relocating F: S: initial-exec TLS resolves to ...".
    const file = /Error relocating (.{1,4096}?): [^:]*: $/.exec(sides.before)?.[1] ?? pathAtEnd(sides.before);
    // "ld: error: libx.so: file too short" is a linker's word.
    if (file === undefined || !/[\\/]|\.(?:so|node)\b/.test(file) || /(?:^|[\\/\s])(?:ld|ld\.\w+|mold|gold)(?:: (?:fatal )?error)?: [^:]*:\s*$/.test(sides.before)) return undefined;
    const detail = /^: ([^'"`\\.,;()”’]*)/.exec(sides.after)?.[1]?.trim() ?? "";
    return clue(at, `${file}: ${phrase}${detail === "" ? "" : `: ${detail}`}`, { file }, () => explainRefusal(phrase, file));
  },
};

const tlsSlots: Recogniser = {
  hint: /dlopen: cannot load any more object with static TLS/,
  read(log, at) {
    const line = log.lines[at]?.text ?? "";
    const words = "dlopen: cannot load any more object with static TLS";
    const before = line.slice(0, line.indexOf(words)).trim();
    return /^(?:[\w.]*(?:Error|Exception): ?)?$/.test(before) ? clue(at, words, {}, explainTlsSlots) : undefined;
  },
};

export const elfFileRecognisers: readonly Recogniser[] = [notOpened, muslNotOpened, lddNotFound, refused, tlsSlots];

/** Whether a library, as it is named or printed, is one of FFmpeg's. */
export function isOfFfmpeg(text: string): boolean {
  return /\blib(?:av(?:codec|device|filter|format|util)|sw(?:resample|scale)|postproc)\b/.test(text);
}

/** Warnings of Python, and TensorFlow's of libraries that it would like to have (tsl/platform/default/dso_loader.cc). */
const isRemark = /\b(?:User)?Warning: |Could not load dynamic library '/;

/** torch/__init__.py opens libtorch_global_deps by ctypes, whose frame then is the last; tracebacks are quoted without their head. */
function isOfGlobalDeps(log: Log, at: number): boolean {
  const above = log.lines.slice(Math.max(0, at - 6), at).map((line) => line.text);
  return above.some((text) => /[\\/]torch[\\/]__init__\.py", line \d+, in _load_global_deps/.test(text)) && above.some((text) => /[\\/]ctypes[\\/]__init__\.py", line \d+/.test(text));
}

function atLibrary(log: Log, at: number, library: string, words: string, neededBy?: string, byLdd = false): Clue {
  const line = log.lines[at]?.text ?? "";
  const isProgram = /error while loading shared libraries: /.test(line);
  const exception = exceptionAt(log, at);
  const byTorch = /[\\/]torch[\\/](?:__init__|_utils_internal)\.py$/.test(exception?.frames.at(-1)?.file ?? "") || isOfGlobalDeps(log, at);
  const file = neededBy ?? (byTorch ? undefined : loadedFor(log, at));
  const isUsual = byLdd && isLoadedByTorch(baseName(library));
  return clue(at, words, { library: isUsual ? undefined : baseName(library), file: file ?? (/[\\/]/.test(library) ? library : undefined) }, (knowledge) => explainMissingLibrary({ library, file, when: "load", system: "linux", isProgram, byTorch, byLdd }, knowledge), { weight: isRemark.test(line) || isUsual || isTriedByTorchcodec(log, at, library) ? "warning" : "cause" });
}

/** torchcodec tries one FFmpeg after the other, and says itself what it means that none is there (torchcodec/_core/ops.py). */
function isTriedByTorchcodec(log: Log, at: number, library: string): boolean {
  return isOfFfmpeg(library) && log.lines.slice(Math.max(0, at - 400), at).some(({ text }) => text.includes("libtorchcodec"));
}

/** The file for which a library was looked for, where torch says so in the exception that this one caused. */
function loadedFor(log: Log, at: number): string | undefined {
  const index = exceptionIndexAt(log, at);
  const caused = index === undefined ? undefined : causedBy(index, log);
  return /^Could not load this library: (.{1,4096})$/m.exec(caused?.message ?? "")?.[1]?.trim();
}

/** `ldd` of several files heads each list with its name. */
function headOfLdd(log: Log, at: number): string | undefined {
  for (let index = at - 1; index >= Math.max(0, at - 200); index -= 1) {
    const text = log.lines[index]?.text ?? "";
    if (/^\S.*:$/.test(text)) return text.slice(0, -1);
    if (!/^\s/.test(text)) return undefined;
  }
  return undefined;
}
