import type { Interpreter } from "./interpreter.ts";
import { known, knownPiece, unknown, unsetValue } from "./value.ts";
import type { Value } from "./value.ts";

/** Variables that CMake itself sets (cmake-variables(7)), as far as the context tells; undefined for all others. */
export function builtinVariable(vm: Interpreter, name: string): Value | undefined {
  switch (name) {
    case "CMAKE_CURRENT_SOURCE_DIR":
      return known(vm.directory.path);
    case "CMAKE_SOURCE_DIR":
    case "CMAKE_HOME_DIRECTORY":
      return known(vm.rootDirectory);
    case "CMAKE_CURRENT_LIST_DIR":
      return known(vm.file.path.slice(0, vm.file.path.lastIndexOf("/")));
    case "CMAKE_CURRENT_LIST_FILE":
    case "CMAKE_PARENT_LIST_FILE":
      return known(vm.file.path);
    case "CMAKE_CURRENT_FUNCTION_LIST_DIR":
      return known(vm.file.path.slice(0, vm.file.path.lastIndexOf("/")));
    case "CMAKE_BINARY_DIR":
    case "CMAKE_CURRENT_BINARY_DIR":
      return unknown(`\${${name}}`);
    case "CMAKE_COMMAND":
      return unknown("cmake");
    case "CMAKE_SIZEOF_VOID_P":
      return known("8");
    case "CMAKE_VERSION":
      return likely(name, "3.31.0");
    case "CMAKE_SCRIPT_MODE_FILE":
      // Set by `cmake -P` alone, and no project is configured by that.
      return unsetValue;
    case "CMAKE_CXX_COMPILER_LOADED":
    case "CMAKE_C_COMPILER_LOADED":
      return known("1");
    default:
      return platformVariable(vm, name);
  }
}

function platformVariable(vm: Interpreter, name: string): Value | undefined {
  const { platform } = vm.context;
  if (platform === undefined) return undefined;
  const table = platforms[platform];
  const certain = table.certain[name];
  if (certain !== undefined) return known(certain);
  const usual = table.usual[name];
  return usual === undefined ? undefined : likely(name, usual);
}

/** The usual value; whoever configures may have another. */
function likely(name: string, text: string): Value {
  return { pieces: [{ ...knownPiece(text), overridable: name }], absent: [] };
}

interface Platform {
  readonly certain: Readonly<Record<string, string>>;
  readonly usual: Readonly<Record<string, string>>;
}

const none = { ANDROID: "", IOS: "", CYGWIN: "", MINGW: "", BORLAND: "", MSVC_VERSION: "", EMSCRIPTEN: "" };

const platforms: Readonly<Record<"linux" | "macos" | "windows", Platform>> = {
  linux: {
    certain: { ...none, UNIX: "1", LINUX: "1", WIN32: "", APPLE: "", MSVC: "", CMAKE_SYSTEM_NAME: "Linux", CMAKE_HOST_SYSTEM_NAME: "Linux", CMAKE_HOST_UNIX: "1", CMAKE_HOST_WIN32: "", CMAKE_HOST_APPLE: "", CMAKE_SHARED_LIBRARY_SUFFIX: ".so", CMAKE_SHARED_LIBRARY_PREFIX: "lib" },
    usual: { CMAKE_SYSTEM_PROCESSOR: "x86_64", CMAKE_HOST_SYSTEM_PROCESSOR: "x86_64", CMAKE_CXX_COMPILER_ID: "GNU", CMAKE_C_COMPILER_ID: "GNU", CMAKE_CUDA_COMPILER_ID: "NVIDIA", CMAKE_COMPILER_IS_GNUCXX: "1", CMAKE_COMPILER_IS_GNUCC: "1" },
  },
  macos: {
    certain: { ...none, UNIX: "1", WIN32: "", APPLE: "1", MSVC: "", LINUX: "", CMAKE_SYSTEM_NAME: "Darwin", CMAKE_HOST_SYSTEM_NAME: "Darwin", CMAKE_HOST_APPLE: "1", CMAKE_HOST_UNIX: "1", CMAKE_HOST_WIN32: "" },
    usual: { CMAKE_SYSTEM_PROCESSOR: "arm64", CMAKE_CXX_COMPILER_ID: "AppleClang", CMAKE_C_COMPILER_ID: "AppleClang" },
  },
  windows: {
    certain: { ANDROID: "", IOS: "", UNIX: "", WIN32: "1", APPLE: "", LINUX: "", CMAKE_SYSTEM_NAME: "Windows", CMAKE_HOST_SYSTEM_NAME: "Windows", CMAKE_HOST_WIN32: "1", CMAKE_HOST_UNIX: "", CMAKE_HOST_APPLE: "" },
    usual: { MSVC: "1", CMAKE_SYSTEM_PROCESSOR: "AMD64", CMAKE_CXX_COMPILER_ID: "MSVC", CMAKE_C_COMPILER_ID: "MSVC" },
  },
};
