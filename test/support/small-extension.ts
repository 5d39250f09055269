import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

/** A shared library that throws a c10::Error of the torch that `writeTorch` makes, compiled for one libstdc++ ABI. */
export function writeExtension(file: string, options: { readonly abi: 0 | 1; readonly torchRoot: string; readonly module?: string; readonly code?: string }): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const module = options.module === undefined ? "" : `extern "C" __attribute__((visibility("default"))) void* PyInit_${options.module}() { throw_error(); return nullptr; }`;
  const source = `
#include <string>
namespace c10 { struct SourceLocation { const char* a; const char* b; unsigned c; }; class Error { public: Error(SourceLocation, std::string); }; }
${options.code ?? ""}
void throw_error() { c10::Error error({"a", "b", 1}, "text"); }
${module}`;
  execFileSync("g++", ["-shared", "-fPIC", "-O1", `-D_GLIBCXX_USE_CXX11_ABI=${options.abi}`, "-x", "c++", "-", "-o", file, `-L${path.join(options.torchRoot, "lib")}`, "-lc10", `-Wl,-rpath,${path.join(options.torchRoot, "lib")}`], { input: source });
}
