/** Wheels of a tiny torch that changes on known days: real ELF libraries, installable by pip and uv, importable, and fit to be built against. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { zip } from "./zip.ts";

/** What a nightly has already gone through. */
export interface Changes {
  /** `c10::impl::cow::materialize_cow_storage(c10::StorageImpl&)` is gone, from the library and from the headers: old binaries do not load, old sources do not compile. */
  readonly removed?: boolean;
  /** `c10::DeviceTypeName(c10::DeviceType, bool)` has lost its second argument, which had a default: old binaries do not load, old sources compile. */
  readonly changed?: boolean;
  /** `at::native::round_half_to_even(double)` rounds up instead: everything builds and loads, a test fails. */
  readonly behaves?: boolean;
  /** `at::native::accumulate(long)` takes about fifty times as long. */
  readonly slower?: boolean;
}

/** Mangled names of what changes. */
export const plantedSymbols = {
  removed: "_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE",
  changed: "_ZN3c1014DeviceTypeNameB5cxx11ENS_10DeviceTypeEb",
  changedTo: "_ZN3c1014DeviceTypeNameB5cxx11ENS_10DeviceTypeE",
} as const;

/** The pybind11 key that libtorch_python holds. */
const pybind11Key = "__pybind11_internals_v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1__";

function headers(changes: Changes): Readonly<Record<string, string>> {
  return {
    "torch/include/c10/util/Exception.h": "#pragma once\n#include <cstdint>\n#include <string>\nnamespace c10 { struct SourceLocation { const char* function; const char* file; std::uint32_t line; };\nclass Error { public: Error(SourceLocation, std::string); std::string text; }; }\n",
    "torch/include/c10/core/DeviceType.h": `#pragma once\n#include <cstdint>\n#include <string>\nnamespace c10 { enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1 };\nstd::string DeviceTypeName(DeviceType device${changes.changed === true ? "" : ", bool lower_case = false"}); }\n`,
    "torch/include/c10/core/StorageImpl.h": "#pragma once\nnamespace c10 { struct StorageImpl { long materialized = 0; }; }\n",
    "torch/include/c10/core/impl/COW.h": `#pragma once\n#include <c10/core/StorageImpl.h>\n${changes.removed === true ? "" : "namespace c10::impl::cow { void materialize_cow_storage(StorageImpl& storage); }\n"}`,
    "torch/include/ATen/native/Rounding.h": "#pragma once\nnamespace at::native { double round_half_to_even(double value); long accumulate(long rounds); }\n",
    "torch/include/torch/extension.h": "#pragma once\n#include <ATen/native/Rounding.h>\n#include <c10/core/DeviceType.h>\n#include <c10/core/impl/COW.h>\n#include <c10/util/Exception.h>\n",
  };
}

function sources(changes: Changes): Readonly<Record<string, { readonly text: string; readonly needs: readonly string[] }>> {
  return {
    "libc10.so": {
      needs: [],
      text: `#include <c10/core/DeviceType.h>
#include <c10/core/impl/COW.h>
#include <c10/util/Exception.h>
namespace c10 {
Error::Error(SourceLocation, std::string message) : text(message) {}
std::string DeviceTypeName(DeviceType device${changes.changed === true ? "" : ", bool lower_case"}) { return device == DeviceType::CPU ? ${changes.changed === true ? '"CPU" : "CUDA"' : '(lower_case ? "cpu" : "CPU") : (lower_case ? "cuda" : "CUDA")'}; }
${changes.removed === true ? "" : "void impl::cow::materialize_cow_storage(StorageImpl& storage) { storage.materialized += 1; }"}
}`,
    },
    "libtorch_cpu.so": {
      needs: ["libc10.so"],
      text: `#include <ATen/native/Rounding.h>
#include <cmath>
namespace at::native {
double round_half_to_even(double value) { return ${changes.behaves === true ? "std::floor(value + 0.5)" : "std::nearbyint(value)"}; }
long accumulate(long rounds) { volatile long sum = 0; for (long at = 0; at < rounds * ${changes.slower === true ? 50 : 1}; ++at) sum = sum + at; return sum; }
}`,
    },
    "libtorch.so": { needs: ["libtorch_cpu.so"], text: "" },
    "libtorch_python.so": { needs: ["libtorch.so", "libtorch_cpu.so", "libc10.so"], text: `extern "C" const char* torch_python_key() { return "${pybind11Key}"; }` },
  };
}

/** Libraries that were compiled are kept between the processes of a test run: node_modules is nobody's work. */
const compiled = path.join(import.meta.dirname, "..", "..", "node_modules", ".cache", "abiding-nightly-torch");

/** The folder with the libraries and headers of a torch that has gone through `changes`; for `-I` and `-L`. */
export function builtTorch(changes: Changes): { readonly include: string; readonly lib: string; readonly libraries: readonly string[] } {
  const texts = { headers: headers(changes), sources: sources(changes) };
  const folder = path.join(compiled, createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16));
  const answer = { include: path.join(folder, "torch", "include"), lib: path.join(folder, "torch", "lib"), libraries: Object.keys(texts.sources) };
  if (fs.existsSync(folder)) {
    return answer;
  }
  fs.mkdirSync(compiled, { recursive: true });
  const making = fs.mkdtempSync(path.join(compiled, "making-"));
  for (const [name, text] of Object.entries(texts.headers)) {
    fs.mkdirSync(path.dirname(path.join(making, name)), { recursive: true });
    fs.writeFileSync(path.join(making, name), text);
  }
  const lib = path.join(making, "torch", "lib");
  fs.mkdirSync(lib, { recursive: true });
  for (const [name, { text, needs }] of Object.entries(texts.sources)) {
    execFileSync("g++", ["-std=c++17", "-shared", "-fPIC", "-O1", "-s", `-I${path.join(making, "torch", "include")}`, "-x", "c++", "-", "-x", "none", "-o", path.join(lib, name), `-Wl,-soname,${name},--no-as-needed,-rpath,$ORIGIN`, `-L${lib}`, ...needs.map((one) => `-l:${one}`)], { input: text });
  }
  try {
    fs.renameSync(making, folder);
  } catch {
    // Another test was faster.
    fs.rmSync(making, { recursive: true, force: true });
  }
  return answer;
}

const initText = `import ctypes, os
from .version import __version__
from . import version, cuda
_folder = os.path.join(os.path.dirname(__file__), "lib")
for _name in ("libc10.so", "libtorch_cpu.so", "libtorch.so", "libtorch_python.so"):
    ctypes.CDLL(os.path.join(_folder, _name), mode=ctypes.RTLD_GLOBAL)
`;

const cppExtensionText = `import os
from setuptools import Extension
from setuptools.command.build_ext import build_ext as _build_ext
_root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CUDA_HOME = None
def include_paths(*arguments, **named):
    return [os.path.join(_root, "include")]
def library_paths(*arguments, **named):
    return [os.path.join(_root, "lib")]
def CppExtension(name, sources, **named):
    named["include_dirs"] = named.get("include_dirs", []) + include_paths()
    named["library_dirs"] = named.get("library_dirs", []) + library_paths()
    named["libraries"] = named.get("libraries", []) + ["c10", "torch_cpu", "torch", "torch_python"]
    named["extra_compile_args"] = ["-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=1"] + list(named.get("extra_compile_args", []))
    named["language"] = "c++"
    return Extension(name, sources, **named)
class BuildExtension(_build_ext):
    @classmethod
    def with_options(cls, **options):
        return cls
`;

const cmakeText = `set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")
get_filename_component(_torch "\${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(TORCH_INCLUDE_DIRS "\${_torch}/include")
add_library(torch INTERFACE)
target_include_directories(torch INTERFACE "\${_torch}/include")
target_link_libraries(torch INTERFACE "\${_torch}/lib/libtorch.so" "\${_torch}/lib/libtorch_cpu.so" "\${_torch}/lib/libc10.so")
set(TORCH_LIBRARIES torch)
set(Torch_FOUND TRUE)
`;

export interface WheelOptions {
  readonly version: string;
  /** "cp311". */
  readonly python: string;
  readonly requires?: readonly string[];
  readonly requiresPython?: string;
}

export interface TorchWheelOptions extends WheelOptions {
  readonly gitVersion: string;
  readonly changes: Changes;
  /** Bytes of a member that does not get smaller by packing: what a wheel costs that is fetched whole. */
  readonly padding?: number;
}

export const wheelPlatform = "manylinux_2_28_x86_64";

export function wheelName(distribution: string, version: string, python: string): string {
  return `${distribution}-${version}-${python}-${python}-${wheelPlatform}.whl`;
}

export function metadataText(name: string, options: WheelOptions): string {
  return ["Metadata-Version: 2.1", `Name: ${name}`, `Version: ${options.version}`, `Requires-Python: ${options.requiresPython ?? ">=3.10"}`, ...(options.requires ?? []).map((one) => `Requires-Dist: ${one}`), "", ""].join("\n");
}

/** A wheel with METADATA, WHEEL and RECORD as installers want them. */
export function makeWheel(name: string, options: WheelOptions, files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const info = `${name}-${options.version}.dist-info`;
  const all: Record<string, string | Uint8Array> = {
    ...files,
    [`${info}/METADATA`]: metadataText(name, options),
    [`${info}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: abiding-test\nRoot-Is-Purelib: false\nTag: ${options.python}-${options.python}-${wheelPlatform}\n`,
  };
  const lines = Object.entries(all).map(([file, content]) => `${file},sha256=${createHash("sha256").update(content).digest("base64url")},${Buffer.byteLength(content)}`);
  return zip({ ...all, [`${info}/RECORD`]: `${[...lines, `${info}/RECORD,,`].join("\n")}\n` });
}

export function torchWheel(options: TorchWheelOptions): Uint8Array {
  const torch = builtTorch(options.changes);
  const cuda = /\+cu(\d+)(\d)$/.exec(options.version);
  return makeWheel("torch", options, {
    "torch/__init__.py": initText,
    "torch/version.py": `from typing import Optional\n__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']\n__version__ = '${options.version}'\ndebug = False\ncuda: Optional[str] = ${cuda === null ? "None" : `'${cuda[1]}.${cuda[2]}'`}\ngit_version = '${options.gitVersion}'\nhip: Optional[str] = None\n`,
    "torch/cuda/__init__.py": "def is_available():\n    return False\ndef device_count():\n    return 0\n",
    "torch/utils/__init__.py": 'import os\ncmake_prefix_path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "share", "cmake")\n',
    "torch/utils/cpp_extension.py": cppExtensionText,
    "torch/share/cmake/Torch/TorchConfig.cmake": cmakeText,
    ...headers(options.changes),
    ...Object.fromEntries(torch.libraries.map((name) => [`torch/lib/${name}`, fs.readFileSync(path.join(torch.lib, name))])),
    ...(options.padding === undefined ? {} : { "torch/test/padding.bin": incompressible(options.padding) }),
  });
}

/** The same bytes each time. */
function incompressible(length: number): Uint8Array {
  const pieces: Buffer[] = [];
  for (let at = 0; at * 64 < length; at += 1) pieces.push(createHash("sha512").update(String(at)).digest());
  return Buffer.concat(pieces).subarray(0, length);
}

/** What of torch's changing functions a project uses. */
export type Use = keyof Changes;

function opsSource(uses: readonly Use[]): string {
  const has = (use: Use): boolean => uses.includes(use);
  return `#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <torch/extension.h>

${has("removed") ? "static PyObject* materialize(PyObject*, PyObject*) { c10::StorageImpl storage; c10::impl::cow::materialize_cow_storage(storage); return PyLong_FromLong(storage.materialized); }" : ""}
${has("changed") ? "static PyObject* device_name(PyObject*, PyObject*) { return PyUnicode_FromString(c10::DeviceTypeName(c10::DeviceType::CUDA).c_str()); }" : ""}
${has("behaves") ? "static PyObject* round_half(PyObject*, PyObject* value) { return PyFloat_FromDouble(at::native::round_half_to_even(PyFloat_AsDouble(value))); }" : ""}
${has("slower") ? "static PyObject* accumulate(PyObject*, PyObject* rounds) { return PyLong_FromLong(at::native::accumulate(PyLong_AsLong(rounds))); }" : ""}

static PyMethodDef methods[] = {
${has("removed") ? '  {"materialize", materialize, METH_NOARGS, nullptr},' : ""}
${has("changed") ? '  {"device_name", device_name, METH_NOARGS, nullptr},' : ""}
${has("behaves") ? '  {"round_half", round_half, METH_O, nullptr},' : ""}
${has("slower") ? '  {"accumulate", accumulate, METH_O, nullptr},' : ""}
  {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, methods};
PyMODINIT_FUNC PyInit__C() { return PyModule_Create(&module); }
`;
}

/** A setuptools project "nightly_ops" with an extension and pytest tests, as people write them. `uses` names what of torch's changing functions it calls. */
export function writeNightlyProject(folder: string, uses: readonly Use[] = ["removed"], requirements = "torch\n"): void {
  const tests: Readonly<Record<Use, string>> = {
    removed: "def test_materialize():\n    assert nightly_ops.materialize() == 1\n",
    changed: "def test_device_name():\n    assert nightly_ops.device_name() == 'CUDA'\n",
    behaves: "def test_round_half():\n    assert nightly_ops.round_half(2.5) == 2.0\n",
    slower: "def test_accumulate():\n    assert nightly_ops.accumulate(10) >= 45\n",
  };
  const files: Readonly<Record<string, string>> = {
    "setup.py": `from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="nightly_ops",
    version="0.1.0",
    packages=["nightly_ops"],
    ext_modules=[CppExtension("nightly_ops._C", ["csrc/ops.cpp"])],
    cmdclass={"build_ext": BuildExtension},
)
`,
    "pyproject.toml": '[build-system]\nrequires = ["setuptools", "torch"]\nbuild-backend = "setuptools.build_meta"\n',
    "requirements.txt": requirements,
    "nightly_ops/__init__.py": "import torch\nfrom ._C import *\n",
    "csrc/ops.cpp": opsSource(uses),
    "tests/test_ops.py": `import nightly_ops\n\n${uses.map((use) => tests[use]).join("\n\n")}`,
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
}

/** The extension of such a project, compiled with plain g++ against the torch before any change: what `fits` and `predict` are asked about. Needs no Python. */
export function writeNightlyExtension(file: string, uses: readonly Use[] = ["removed"], changes: Changes = {}): void {
  const torch = builtTorch(changes);
  const calls: Readonly<Record<Use, string>> = {
    removed: "c10::StorageImpl storage; c10::impl::cow::materialize_cow_storage(storage);",
    changed: "c10::DeviceTypeName(c10::DeviceType::CUDA);",
    behaves: "at::native::round_half_to_even(2.5);",
    slower: "at::native::accumulate(10);",
  };
  const text = `#include <torch/extension.h>\nextern "C" __attribute__((visibility("default"))) void* PyInit__C() { ${uses.map((use) => `{ ${calls[use]} }`).join(" ")} throw c10::Error({"a", "b", 1}, "text"); }\n`;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  execFileSync("g++", ["-std=c++17", "-shared", "-fPIC", "-O1", `-I${torch.include}`, "-x", "c++", "-", "-x", "none", "-o", file, `-L${torch.lib}`, "-l:libc10.so", "-l:libtorch_cpu.so", "-l:libtorch.so", "-l:libtorch_python.so"], { input: text });
}

/** A folder of a test, for what it writes. */
export function scratchFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), "abiding-nightlies-"));
}
