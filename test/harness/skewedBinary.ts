import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { copySample, type ScratchWorkspace } from "./workspace.ts";

/** Enough of c10 for names: an error whose text is a std::string of either ABI, and a warning as no torch ever took it. */
const source = `
#include <string>
namespace c10 {
struct SourceLocation { const char* function; const char* file; unsigned line; };
struct Error { Error(SourceLocation, std::string); };
void warn(int);
}
extern "C" void* PyInit__C() { c10::warn(1); c10::Error error({"f", "ops.cpp", 1}, "rows differ"); return nullptr; }
`;

export const binaryName = "_C.so";

/** Compiles what the flags of the sample would make: the old std::string, and a function that is in no torch of today. */
export function compileBinary(folder: string, abi: 0 | 1): void {
  const compile = (input: string, output: string, ...flags: readonly string[]): void => void execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", join(folder, output), ...flags], { input });
  compile("", "libc10.so", "-Wl,-soname,libc10.so");
  compile(abi === 0 ? source : source.replace("c10::warn(1);", ""), binaryName, `-D_GLIBCXX_USE_CXX11_ABI=${abi}`, "-Wl,--no-as-needed", `-L${folder}`, "-lc10");
  rmSync(join(folder, "libc10.so"));
}

/** The sample with its extension built, and wrongly. */
export function skewedBinary(): ScratchWorkspace {
  const sample = copySample("skewed-extension");
  compileBinary(join(sample.path, "rowwise"), 0);
  return sample;
}
