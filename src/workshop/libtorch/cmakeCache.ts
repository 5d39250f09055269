import * as fs from "node:fs";
import * as path from "node:path";
import { NodeFiles } from "../../engine/files/index.ts";
import { splitWords } from "./words.ts";

export interface CacheEntry {
  readonly name: string;
  /** "FILEPATH", "STRING", "INTERNAL", "UNINITIALIZED". */
  readonly type: string;
  readonly value: string;
}

/** The entries of a CMakeCache.txt by name; none when it cannot be read. Format: cmake --help-manual cmake, "CMakeCache.txt". */
export function readCacheEntries(file: string): ReadonlyMap<string, CacheEntry> {
  const read = new NodeFiles().readText(file);
  const entries = new Map<string, CacheEntry>();
  for (const line of read.ok ? read.text.split(/\r?\n/) : []) {
    const [, , name, type, value] = /^("?)([^":=#/][^:="]*)\1:([A-Z]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined && value !== undefined) {
      // CMake quotes values with spaces at either end by single quotes.
      entries.set(name, { name, type, value: /^'.*'$/.test(value) ? value.slice(1, -1) : value });
    }
  }
  for (const language of ["C", "CXX", "CUDA"]) {
    const name = `CMAKE_${language}_COMPILER_ARG1`;
    const value = entries.has(name) || !entries.has(`CMAKE_${language}_COMPILER`) ? undefined : firstArgument(path.dirname(file), language);
    if (value !== undefined) {
      entries.set(name, { name, type: "STRING", value });
    }
  }
  return entries;
}

/** The compiler of a language and the arguments that always go with it: of CXX="ccache g++", or of a list in CMAKE_CXX_COMPILER. */
export function compilerOf(entries: ReadonlyMap<string, CacheEntry>, language: string): readonly [string, ...string[]] | undefined {
  const [compiler = "", ...further] = (entries.get(`CMAKE_${language}_COMPILER`)?.value ?? "").split(";");
  return compiler === "" || compiler.endsWith("-NOTFOUND") ? undefined : [compiler, ...further, ...splitWords(entries.get(`CMAKE_${language}_COMPILER_ARG1`)?.value ?? "")];
}

/** Arguments that were given as a list stand only in what CMake wrote down of the compiler. */
function firstArgument(buildFolder: string, language: string): string | undefined {
  const folder = path.join(buildFolder, "CMakeFiles");
  const versions = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => /^\d+\.\d+/.test(name)) : [];
  for (const version of versions) {
    const read = new NodeFiles().readText(path.join(folder, version, `CMake${language}Compiler.cmake`));
    const value = read.ok ? new RegExp(`^set\\(CMAKE_${language}_COMPILER_ARG1 "(.+)"\\)`, "m").exec(read.text)?.[1] : undefined;
    if (value !== undefined) {
      return value.trim();
    }
  }
  return undefined;
}
