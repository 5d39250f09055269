import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

/** Text files of a torch package, as small as they can be. */
export interface FakeTorch {
  readonly version: string;
  readonly cuda?: string | null;
  readonly abi?: 0 | 1;
  readonly pybind11Key?: string;
  readonly architectures?: string;
  readonly floor?: number;
  readonly defaultStandard?: number;
  readonly configuredAbi?: 0 | 1;
}

const years: Readonly<Record<number, string>> = { 14: "201402", 17: "201703", 20: "202002" };

/** Writes files below a folder and makes the folders that they need. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

/** A torch package with real, tiny ELF libraries. */
export function writeTorch(torchRoot: string, torch: FakeTorch): void {
  const year = years[torch.floor ?? 17] ?? "201703";
  const cuda = torch.cuda === undefined || torch.cuda === null ? "None" : `'${torch.cuda}'`;
  writeFiles(torchRoot, {
    "__init__.py": "",
    "version.py": `from typing import Optional\n__version__ = '${torch.version}'\ndebug = False\ncuda: Optional[str] = ${cuda}\ngit_version = '0123456789abcdef0123456789abcdef01234567'\nhip: Optional[str] = None\n`,
    "include/ATen/ATen.h": `#if !defined(TORCH_STABLE_ONLY) && !defined(TORCH_TARGET_VERSION)\n#pragma once\n#if !defined(_MSC_VER) && __cplusplus < ${year}L\n#error C++ too old\n#endif\n#else\n#error not stable\n#endif\n`,
    "include/torch/headeronly/version.h": "#pragma once\n#define TORCH_VERSION_MAJOR 2\n",
    "include/torch/csrc/api/include/torch/torch.h": "#pragma once\n",
    "include/pybind11/detail/common.h": "#define PYBIND11_VERSION_MAJOR 3\n#define PYBIND11_VERSION_MINOR 0\n#define PYBIND11_VERSION_PATCH 4\n",
    "utils/cpp_extension.py": `    common_cflags += ['-std=c++${torch.defaultStandard ?? 17}', '-fPIC']\n`,
    ...(torch.configuredAbi === undefined ? {} : { "share/cmake/Torch/TorchConfig.cmake": `set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=${torch.configuredAbi}")\n` }),
  });
  fs.mkdirSync(path.join(torchRoot, "lib"), { recursive: true });
  if (torch.abi !== undefined) {
    compile(path.join(torchRoot, "lib", "libc10.so"), [`-D_GLIBCXX_USE_CXX11_ABI=${torch.abi}`], `
#include <string>
namespace c10 { struct SourceLocation { const char* a; const char* b; unsigned c; };
class Error { public: Error(SourceLocation, std::string); }; Error::Error(SourceLocation, std::string) {} }`);
  }
  if (torch.pybind11Key !== undefined) {
    compile(path.join(torchRoot, "lib", "libtorch_python.so"), [], `
extern "C" const char* key() { return "__pybind11_internals_${torch.pybind11Key}__"; }
extern "C" const char* other() { return "__pybind11_module_local_${torch.pybind11Key}__"; }
extern "C" const char* flags() { return "${torch.architectures ?? ""}"; }`);
  }
}

function compile(output: string, flags: readonly string[], source: string): void {
  execFileSync("g++", ["-shared", "-fPIC", "-O1", ...flags, "-x", "c++", "-", "-o", output], { input: source });
}

/** A venv around nothing but files; answers its site-packages. */
export function writeVenv(prefix: string, version: string, settings = ""): string {
  const minor = version.split(".").slice(0, 2).join(".");
  writeFiles(prefix, { "pyvenv.cfg": `home = /nowhere/bin\ninclude-system-site-packages = false\nversion = ${version}\n${settings}`, "bin/python": "#!/bin/sh\n" });
  const site = path.join(prefix, "lib", `python${minor}`, "site-packages");
  fs.mkdirSync(site, { recursive: true });
  return site;
}
