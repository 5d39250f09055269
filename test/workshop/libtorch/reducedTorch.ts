/** A project with the shape and the switches of PyTorch's build, small enough for a test: c10, torch_cpu and torch, installed with TorchConfig.cmake. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

const files: Readonly<Record<string, string>> = {
  "version.txt": "2.13.0\n",
  "CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(Torch CXX)
file(STRINGS version.txt TORCH_VERSION)
option(BUILD_SHARED_LIBS "" ON)
option(BUILD_PYTHON "" ON)
option(USE_FBGEMM "" ON)
# As some projects do: a flag behind those that were given.
if(LATE_FLAG)
  add_compile_options(\${LATE_FLAG})
endif()
if(BUILD_PYTHON)
  message(FATAL_ERROR "libtorch without Python was expected")
endif()
if(WRITES_INTO_SOURCE)
  file(WRITE "\${PROJECT_SOURCE_DIR}/torch/version.py" "__version__ = '2.13.0'\\n")
endif()
add_library(c10 c10/core.cpp)
add_library(torch_cpu torch/cpu.cpp)
add_library(torch torch/torch.cpp)
target_link_libraries(torch_cpu PUBLIC c10)
target_link_libraries(torch PUBLIC torch_cpu)
foreach(one c10 torch_cpu torch)
  target_include_directories(\${one} PUBLIC $<BUILD_INTERFACE:\${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  set_target_properties(\${one} PROPERTIES INSTALL_RPATH "$ORIGIN" POSITION_INDEPENDENT_CODE ON)
endforeach()
install(TARGETS c10 torch_cpu torch EXPORT Caffe2Targets DESTINATION lib)
install(EXPORT Caffe2Targets DESTINATION share/cmake/Caffe2)
install(DIRECTORY c10 torch DESTINATION include FILES_MATCHING PATTERN "*.h")
configure_file(cmake/TorchConfig.cmake.in TorchConfig.cmake @ONLY)
file(WRITE "\${PROJECT_BINARY_DIR}/TorchConfigVersion.cmake" "set(PACKAGE_VERSION \\"\${TORCH_VERSION}\\")\\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\\n")
file(WRITE "\${PROJECT_BINARY_DIR}/Caffe2Config.cmake" "include(\\"\\\${CMAKE_CURRENT_LIST_DIR}/Caffe2Targets.cmake\\")\\n")
install(FILES "\${PROJECT_BINARY_DIR}/TorchConfig.cmake" "\${PROJECT_BINARY_DIR}/TorchConfigVersion.cmake" DESTINATION share/cmake/Torch)
install(FILES "\${PROJECT_BINARY_DIR}/Caffe2Config.cmake" DESTINATION share/cmake/Caffe2)
`,
  "cmake/TorchConfig.cmake.in": `include(FindPackageHandleStandardArgs)
get_filename_component(TORCH_INSTALL_PREFIX "\${CMAKE_CURRENT_LIST_DIR}/../../../" ABSOLUTE)
set(TORCH_INCLUDE_DIRS "\${TORCH_INSTALL_PREFIX}/include")
if(ON)
  find_package(Caffe2 REQUIRED PATHS \${CMAKE_CURRENT_LIST_DIR}/../Caffe2)
endif()
set(TORCH_LIBRARIES torch)
find_library(TORCH_LIBRARY torch PATHS "\${TORCH_INSTALL_PREFIX}/lib")
find_package_handle_standard_args(Torch DEFAULT_MSG TORCH_LIBRARY TORCH_INCLUDE_DIRS)
`,
  "c10/macros/Macros.h": "#pragma once\n",
  "c10/Error.h": `#pragma once
#include <string>
namespace c10 {
struct SourceLocation { const char* function; const char* file; unsigned line; };
class Error { public: Error(SourceLocation, std::string); std::string text; };
}
`,
  "c10/core.cpp": `#include <c10/Error.h>
namespace c10 { Error::Error(SourceLocation, std::string message) : text(message) {} }
`,
  "torch/headeronly/version.h": "#pragma once\n#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 13\n#define TORCH_VERSION_PATCH 0\n#define TORCH_VERSION \"2.13.0\"\n",
  "torch/torch.h": "#pragma once\n#include <c10/Error.h>\nnamespace torch { std::string say(); }\n",
  "torch/cpu.cpp": "#include <torch/torch.h>\nnamespace at { std::string cpu() { return c10::Error({\"f\", \"g\", 1}, \"reduced torch\").text; } }\n",
  "torch/torch.cpp": "#include <torch/torch.h>\nnamespace at { std::string cpu(); }\nnamespace torch { std::string say() { return at::cpu(); } }\n",
  "third_party/fbgemm/CMakeLists.txt": "",
  "third_party/sleef/CMakeLists.txt": "",
  ".gitmodules": "[submodule \"third_party/fbgemm\"]\n\tpath = third_party/fbgemm\n\turl = ../fbgemm\n[submodule \"third_party/sleef\"]\n\tpath = third_party/sleef\n\turl = ../sleef\n[submodule \"android/libs/fbjni\"]\n    ignore = dirty\n    path = android/libs/fbjni\n    url = ../fbjni\n",
};

/** Writes the sources, as a git checkout where that is asked. */
export function writeReducedTorch(folder: string, isCheckout = false): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  if (isCheckout) {
    for (const args of [["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "reduced"]]) {
      execFileSync("git", ["-C", folder, ...args]);
    }
  }
}

/** A libtorch without CMake: what an install of the reduced project looks like, compiled by hand. */
export function writeLibtorch(folder: string, options: { readonly abi?: 0 | 1; readonly version?: string } = {}): void {
  const { abi = 1, version = "2.13.0" } = options;
  const write = (name: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  const [major, minor, patch] = version.split(".");
  write("build-version", `${version}+cpu\n`);
  write("build-hash", "0123456789abcdef0123456789abcdef01234567\n");
  write("include/c10/macros/Macros.h", "#pragma once\n");
  write("include/c10/Error.h", files["c10/Error.h"] ?? "");
  write("include/torch/torch.h", files["torch/torch.h"] ?? "");
  write("include/torch/headeronly/version.h", `#pragma once\n#define TORCH_VERSION_MAJOR ${major}\n#define TORCH_VERSION_MINOR ${minor}\n#define TORCH_VERSION_PATCH ${patch}\n`);
  write("share/cmake/Torch/TorchConfig.cmake", files["cmake/TorchConfig.cmake.in"] ?? "");
  write("share/cmake/Torch/TorchConfigVersion.cmake", `set(PACKAGE_VERSION "${version}")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n`);
  write("share/cmake/Caffe2/Caffe2Config.cmake", "include(\"${CMAKE_CURRENT_LIST_DIR}/Caffe2Targets.cmake\")\n");
  write("share/cmake/Caffe2/Caffe2Targets.cmake", `get_filename_component(_IMPORT_PREFIX "\${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
add_library(torch SHARED IMPORTED)
set_target_properties(torch PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "\${_IMPORT_PREFIX}/include" INTERFACE_COMPILE_DEFINITIONS "_GLIBCXX_USE_CXX11_ABI=${abi}" IMPORTED_NO_SONAME TRUE)
include("\${CMAKE_CURRENT_LIST_DIR}/Caffe2Targets-release.cmake")
`);
  write("share/cmake/Caffe2/Caffe2Targets-release.cmake", `set_target_properties(torch PROPERTIES IMPORTED_LOCATION "\${_IMPORT_PREFIX}/lib/libtorch.so" INTERFACE_LINK_LIBRARIES "\${_IMPORT_PREFIX}/lib/libc10.so")\n`);
  write("bin/torch_shm_manager", "#!/bin/sh\nexit 0\n");
  fs.chmodSync(path.join(folder, "bin/torch_shm_manager"), 0o755);
  fs.mkdirSync(path.join(folder, "lib"), { recursive: true });
  compile(path.join(folder, "lib", "libc10.so"), `${files["c10/Error.h"]?.replace("#pragma once", "") ?? ""}namespace c10 { Error::Error(SourceLocation, std::string message) : text(message) {} }`, abi);
  compile(path.join(folder, "lib", "libtorch.so"), `#include <string>\nnamespace torch { std::string say() { return "a fetched torch"; } }`, abi);
}

function compile(output: string, source: string, abi: 0 | 1): void {
  execFileSync("g++", ["-shared", "-fPIC", "-O0", `-D_GLIBCXX_USE_CXX11_ABI=${abi}`, `-Wl,-soname,${path.basename(output)}`, "-x", "c++", "-", "-o", output], { input: source });
}

/** A project that is built against a libtorch, and prints what it says. */
export function writeConsumer(folder: string, before = ""): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "CMakeLists.txt"), `cmake_minimum_required(VERSION 3.18)
project(consumer CXX)
${before}
find_package(Torch REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE torch)
`);
  fs.writeFileSync(path.join(folder, "main.cpp"), "#include <torch/torch.h>\n#include <iostream>\nint main() { std::cout << torch::say() << std::endl; }\n");
}
