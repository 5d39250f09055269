import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { CannotDo } from "../workshop.ts";
import type { Workshop } from "../workshop.ts";
import { compilerOf, readCacheEntries } from "./cmakeCache.ts";
import { splitWords } from "./words.ts";

/** What a compiler says of itself with given flags. */
export interface CompilerFacts {
  readonly kind: "gcc" | "clang";
  /** "GCC 12.2.0". */
  readonly name: string;
  /** `__GXX_ABI_VERSION`: GCC manual, Common Predefined Macros. */
  readonly gxxAbiVersion?: number;
  /** The macro of libstdc++; absent with libc++. */
  readonly abi?: 0 | 1;
}

/** Has the compiler preprocess a file that includes a header of the C++ library, and reads the macros. Throws CannotDo. */
export async function askCompiler(compiler: string, flags: readonly string[], workshop: Workshop): Promise<CompilerFacts> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-probe-"));
  try {
    const probe = path.join(folder, "probe.cpp");
    fs.writeFileSync(probe, "#include <cstddef>\n");
    const result = await workshop.run({ file: compiler, arguments: [...flags, "-x", "c++", "-E", "-dM", probe], folder, environment: { ...workshop.environment, LC_ALL: "C" } }, { signal: workshop.activity.signal, timeLimit: 60_000, keep: 1024 * 1024 });
    if (result.ending.kind !== "exited" || result.ending.code !== 0) {
      const why = result.ending.kind === "not-started" ? result.ending.message : result.stderr.text.trim().split("\n")[0] ?? "";
      throw new CannotDo(`The C++ compiler ${compiler} could not be asked for its ABI: ${why}`);
    }
    return factsOf(result.stdout.text);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function factsOf(text: string): CompilerFacts {
  const macros = new Map([...text.matchAll(/^#define (\w+) (.*)$/gm)].map((match) => [match[1] ?? "", match[2] ?? ""]));
  const isClang = macros.has("__clang__");
  const version = isClang ? ["__clang_major__", "__clang_minor__", "__clang_patchlevel__"] : ["__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"];
  const gxx = Number(macros.get("__GXX_ABI_VERSION") ?? Number.NaN);
  const abi = macros.get("_GLIBCXX_USE_CXX11_ABI");
  return {
    kind: isClang ? "clang" : "gcc",
    name: `${isClang ? (macros.has("__apple_build_version__") ? "Apple clang" : "clang") : "GCC"} ${version.map((one) => macros.get(one) ?? "?").join(".")}`,
    ...(Number.isInteger(gxx) ? { gxxAbiVersion: gxx } : {}),
    ...(abi === "0" || abi === "1" ? { abi: abi === "1" ? 1 : 0 } : {}),
  };
}

/** The compiler and flags with which a configured build compiles its C++: of a source of c10 where CMake tells, else of the cache. */
export function compileCommand(buildFolder: string): { readonly compiler: string; readonly flags: readonly string[] } | undefined {
  const cache = readCacheEntries(path.join(buildFolder, "CMakeCache.txt"));
  const [compiler, ...first] = compilerOf(cache, "CXX") ?? [];
  if (compiler === undefined) {
    return undefined;
  }
  const fromDatabase = databaseFlags(path.join(buildFolder, "compile_commands.json"), compiler);
  if (fromDatabase !== undefined) {
    return { compiler, flags: fromDatabase };
  }
  const type = cache.get("CMAKE_BUILD_TYPE")?.value ?? "";
  const flags = ["CMAKE_CXX_FLAGS", `CMAKE_CXX_FLAGS_${type.toUpperCase()}`].flatMap((name) => splitWords(cache.get(name)?.value ?? ""));
  return { compiler, flags: [...first, ...flags] };
}

/** https://clang.llvm.org/docs/JSONCompilationDatabase.html */
function databaseFlags(file: string, compiler: string): readonly string[] | undefined {
  let entries: unknown;
  try {
    entries = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
  const sources = (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => (typeof entry === "object" && entry !== null && "file" in entry && "command" in entry && typeof entry.file === "string" && typeof entry.command === "string" && /\.(?:cpp|cc|cxx)$/i.test(entry.file) ? [{ file: entry.file, command: entry.command }] : []));
  const chosen = sources.find((one) => /[\\/]c10[\\/]/.test(one.file)) ?? sources[0];
  if (chosen === undefined) {
    return undefined;
  }
  const words = splitWords(chosen.command);
  const start = words.indexOf(compiler);
  return start < 0 ? undefined : withoutFiles(words.slice(start + 1), chosen.file);
}

/** What says what is compiled and where the result goes, and the dependency files. */
function withoutFiles(words: readonly string[], source: string): readonly string[] {
  const flags: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (["-o", "-MF", "-MT", "-MQ", "-include", "-Xclang", "-include-pch"].includes(word)) {
      at += 1;
    } else if (!["-c", "-MD", "-MMD", "--"].includes(word) && word !== source) {
      flags.push(word);
    }
  }
  return flags;
}
