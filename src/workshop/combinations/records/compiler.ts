import * as fs from "node:fs";
import * as path from "node:path";
import { examine } from "../../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import { valueOf } from "../../../engine/model/index.ts";

/** CMake's names of compilers (cmake-variables(7), CMAKE_<LANG>_COMPILER_ID) as people call them. */
const names: Readonly<Record<string, string>> = { GNU: "gcc", Clang: "clang", AppleClang: "apple clang", MSVC: "msvc", IntelLLVM: "icx", Intel: "icc", NVHPC: "nvc++" };

/** The C++ compiler that a CMake build folder is configured with, by what CMake wrote down of it: "gcc 12.2.0". */
export function compilerOfBuild(folder: string): string | undefined {
  const written = path.join(folder, "CMakeFiles");
  const files = new NodeFiles();
  for (const version of fs.existsSync(written) ? fs.readdirSync(written).filter((name) => /^\d+\.\d+/.test(name)) : []) {
    const read = files.readText(path.join(written, version, "CMakeCXXCompiler.cmake"));
    const value = (name: string): string | undefined => (read.ok ? new RegExp(`^set\\(CMAKE_CXX_COMPILER_${name} "([^"]+)"\\)`, "m").exec(read.text)?.[1] : undefined);
    const [id, number] = [value("ID"), value("VERSION")];
    if (id !== undefined && number !== undefined) return `${names[id] ?? id} ${number}`;
  }
  return undefined;
}

/** The compiler of a shared library, by its section .comment; undefined also where several made it. */
export async function compilerOfFile(file: string): Promise<string | undefined> {
  const answer = await examine(file, { files: new NodeFiles(), root: path.dirname(file) });
  if (!answer.ok) return undefined;
  try {
    const found = new Set(answer.examined.binaries.flatMap(({ body }) => valueOf(body.facts, "compiler") ?? []));
    return found.size === 1 ? [...found][0] : undefined;
  } finally {
    answer.examined.dispose();
  }
}
