import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvaluationContext } from "../../../../src/engine/model/index.ts";
import { observationsOf } from "../../../../src/engine/model/index.ts";
import { read } from "./reading.ts";

/** Reasons with the line, one-based. */
function ineffective(texts: Readonly<Record<string, string>> | string, context: Partial<EvaluationContext> = {}): string[] {
  const reading = read(typeof texts === "string" ? { "CMakeLists.txt": `project(p CXX)\n${texts}` } : texts, context);
  return observationsOf(reading.observations, "ineffective-setting").map((one) => `${one.reason} ${one.evidence.location.path.slice(3)}:${one.evidence.location.range.start.line + 1}`);
}

test("a variable's name where its value was meant", () => {
  const set = "set(ABI_FLAG _GLIBCXX_USE_CXX11_ABI=0)\nadd_library(t a.cpp)\n";
  assert.deepEqual(ineffective(`${set}target_compile_definitions(t PRIVATE ABI_FLAG)\n`), ["name-instead-of-value CMakeLists.txt:4"]);
  assert.deepEqual(ineffective(`${set}function(f)\n  target_compile_definitions(t PRIVATE \${ARGN})\nendfunction()\nf(ABI_FLAG)\n`), ["name-instead-of-value CMakeLists.txt:7"]);
  assert.deepEqual(ineffective(`${set}target_compile_definitions(t PRIVATE \${ABI_FLAG} -DX)\n`), []);
  assert.deepEqual(ineffective("set(USE_CUDA ON)\nadd_library(t a.cpp)\ntarget_compile_definitions(t PRIVATE USE_CUDA)\n"), []);
});

test("a variable's name among the flags", () => {
  const named = (flags: string) => ineffective(`set(MY_FLAGS "-O3 -D_GLIBCXX_USE_CXX11_ABI=0")\nset(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} ${flags}")\n`);
  assert.deepEqual(named("MY_FLAGS"), ["name-instead-of-value CMakeLists.txt:3"]);
  assert.deepEqual(named("-Wall MY_FLAGS -g"), ["name-instead-of-value CMakeLists.txt:3"]);
  assert.deepEqual(named("${MY_FLAGS}"), []);
  assert.deepEqual(named("-D MY_FLAGS"), []);
  assert.deepEqual(named("-DMY_FLAGS ${X}MY_FLAGS"), []);
  assert.deepEqual(ineffective('set(MY_FLAGS ON)\nset(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} MY_FLAGS")\n'), []);
});

test("an empty set of CMAKE_CXX_STANDARD_REQUIRED", () => {
  const reading = read({ "CMakeLists.txt": "set(CMAKE_CXX_STANDARD_REQUIRED)\n" });
  const [only] = observationsOf(reading.observations, "ineffective-setting");
  assert.equal(only?.reason, "empty-set");
  assert.deepEqual(only?.fix?.edits[0]?.location.range.start, { line: 0, character: 31 });
  assert.deepEqual(ineffective("set(CMAKE_CXX_STANDARD_REQUIRED ON)\n"), []);
});

test("flags set without their earlier value", () => {
  assert.deepEqual(ineffective('set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -march=native")\nset(CMAKE_CXX_FLAGS "-Wall")\n'), ["overwritten CMakeLists.txt:3"]);
  assert.deepEqual(ineffective('find_package(Torch REQUIRED)\nset(CMAKE_CXX_FLAGS "-Wall")\n'), ["overwritten CMakeLists.txt:3"]);
  assert.deepEqual(ineffective('set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -Wall")\nset(OLD "${CMAKE_CXX_FLAGS}")\nset(CMAKE_CXX_FLAGS "${OLD} -O2")\nset(CMAKE_CXX_FLAGS_RELEASE "-O3")\n'), []);
  assert.deepEqual(ineffective('if(NOT CMAKE_CXX_FLAGS)\n  set(CMAKE_CXX_FLAGS "-Wall")\nendif()\nset(CMAKE_CXX_FLAGS "")\n'), []);
});

test("a name in another case than the one that is set", () => {
  assert.deepEqual(ineffective("find_package(Python3 REQUIRED)\nexecute_process(COMMAND ${PYTHON3_EXECUTABLE} -c x OUTPUT_VARIABLE O)\n"), ["wrong-case CMakeLists.txt:3"]);
  assert.deepEqual(ineffective("set(Tensorflow_CXX11_ABI 1)\nif(TensorFlow_CXX11_ABI)\nendif()\n"), ["wrong-case CMakeLists.txt:3"]);
  assert.deepEqual(ineffective("find_package(Python REQUIRED)\nexecute_process(COMMAND ${PYTHON_EXECUTABLE} -c x OUTPUT_VARIABLE O)\n"), []);
  assert.deepEqual(ineffective({ "CMakeLists.txt": "find_package(Python3)\nexecute_process(COMMAND ${PYTHON3_EXECUTABLE} -c x OUTPUT_VARIABLE O)\n", "setup.py": "cmake('-DPYTHON3_EXECUTABLE=' + x)" }), []);
});

test("a guard that another project's name makes dead", () => {
  assert.deepEqual(ineffective('option(FT_WITH_CUDA "" ON)\nif(OT_WITH_CUDA)\n  add_definitions(-DX)\nendif()\n'), ["dead-guard CMakeLists.txt:3"]);
  assert.deepEqual(ineffective('option(FT_WITH_CUDA "" ON)\nif(FT_WITH_CUDA AND USE_SOMETHING)\nendif()\n'), []);
});

test("a choice that is replaced where it is given", () => {
  assert.deepEqual(ineffective("if(NOT DEFINED USE_CXX11_ABI)\n  set(USE_CXX11_ABI 1)\nelse()\n  set(USE_CXX11_ABI 0)\nendif()\n"), ["inverted-choice CMakeLists.txt:5"]);
  assert.deepEqual(ineffective("if(NOT DEFINED USE_CXX11_ABI)\n  set(USE_CXX11_ABI 1)\nelse()\n  message(STATUS given)\nendif()\n"), []);
});

test("a standard in the flags that a lower property follows", () => {
  assert.deepEqual(ineffective('set(CMAKE_CXX_STANDARD 14)\nset(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -std=c++17")\nadd_library(t a.cpp)\n'), ["shadowed CMakeLists.txt:3"]);
  assert.deepEqual(ineffective('set(CMAKE_CXX_STANDARD 17)\nset(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -std=c++17")\nadd_library(t a.cpp)\n'), []);
});

test("an ABI definition for two configurations only", () => {
  const flags = (...names: string[]) => names.map((name) => `set(CMAKE_CXX_FLAGS_${name} "\${CMAKE_CXX_FLAGS_${name}} -D_GLIBCXX_USE_CXX11_ABI=0")\n`).join("");
  assert.deepEqual(ineffective(`${flags("RELEASE", "DEBUG")}add_library(t a.cpp)\n`), ["configuration-only CMakeLists.txt:3"]);
  assert.deepEqual(ineffective(`${flags("RELEASE", "DEBUG", "MINSIZEREL", "RELWITHDEBINFO")}add_library(t a.cpp)\n`), []);
  assert.deepEqual(ineffective(`${flags("RELEASE")}add_definitions(-D_GLIBCXX_USE_CXX11_ABI=0)\nadd_library(t a.cpp)\n`), []);
});

test("a standard set after the last target", () => {
  assert.deepEqual(ineffective("add_library(t a.cpp)\nset(CMAKE_CXX_STANDARD 20)\n"), ["too-late CMakeLists.txt:3"]);
  assert.deepEqual(ineffective("add_library(t a.cpp)\nset(CMAKE_CXX_STANDARD 20)\nadd_library(u a.cpp)\n"), []);
});

test("a question whose failure picks an ABI in silence", () => {
  const ask = (more: string) => `execute_process(COMMAND python -c "import torch; print(int(torch._C._GLIBCXX_USE_CXX11_ABI))" OUTPUT_VARIABLE ABI ${more})\nif(ABI STREQUAL "0")\n  add_definitions(-D_GLIBCXX_USE_CXX11_ABI=0)\nelse()\n  add_definitions(-D_GLIBCXX_USE_CXX11_ABI=1)\nendif()\n`;
  assert.deepEqual(ineffective(ask("")), ["silent-fallback CMakeLists.txt:2"]);
  assert.deepEqual(ineffective(ask("COMMAND_ERROR_IS_FATAL ANY")), []);
});

test("letters swapped in what a package configuration exports", () => {
  assert.deepEqual(ineffective({ "CMakeLists.txt": "configure_file(cmake/pConfig.cmake.in x @ONLY)\n", "cmake/pConfig.cmake.in": "set(P_LIBRARIES p)\nset(P_CXX_FALGS -D_GLIBCXX_USE_CXX11_ABI=@X@)\n" }), ["misspelt cmake/pConfig.cmake.in:2"]);
});

test("what is asked from torch, and how", () => {
  const reading = read({ "CMakeLists.txt": 'find_package(Torch 1.8 REQUIRED)\nset(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} ${TORCH_CXX_FLAGS}")\nstring(REGEX MATCH "ABI=([01])" M "${TORCH_CXX_FLAGS}")\nmessage(STATUS "${TORCH_CXX_FLAGS}")\nfunction(nobody)\n  execute_process(COMMAND bash -c "grep -o _GLIBCXX_USE_CXX11_ABI=. TorchConfig.cmake" OUTPUT_VARIABLE O)\nendfunction()\nexecute_process(COMMAND python -c "import torch; print(getattr(torch._C, \'_PYBIND11_BUILD_ABI\', \'-1\'))" OUTPUT_VARIABLE B)\n' });
  assert.deepEqual(observationsOf(reading.observations, "torch-lookup").map((one) => [one.what, one.use, one.guarded, one.evidence.location.range.start.line + 1]), [
    ["torch._C._PYBIND11_BUILD_ABI", "read", true, 8],
    ["TorchConfig.cmake text", "parsed", false, 6],
    ["TORCH_CXX_FLAGS", "forwarded", false, 2],
    ["TORCH_CXX_FLAGS", "parsed", false, 3],
  ]);
  assert.deepEqual(observationsOf(reading.observations, "package-search").map((one) => [one.name, one.version, one.how]), [["Torch", "1.8", "find_package"]]);
});

test("torch's flags compared by name in a condition", () => {
  const lookups = (text: string) => observationsOf(read({ "CMakeLists.txt": `find_package(Torch REQUIRED)\n${text}` }).observations, "torch-lookup").map((one) => [one.use, one.guarded, one.evidence.text]);
  assert.deepEqual(lookups('if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=1")\n  add_definitions(-DX)\nendif()\n'), [["parsed", false, "TORCH_CXX_FLAGS"]]);
  assert.deepEqual(lookups('if("-D_GLIBCXX_USE_CXX11_ABI=1" STREQUAL TORCH_CXX_FLAGS)\nendif()\n'), [["parsed", false, "TORCH_CXX_FLAGS"]]);
  assert.deepEqual(lookups('if(TORCH_CXX_FLAGS)\nendif()\nif(DEFINED TORCH_CXX_FLAGS)\nendif()\nif(NOT TORCH_CXX_FLAGS STREQUAL "")\nendif()\nif("TORCH_CXX_FLAGS" MATCHES x)\nendif()\n'), []);
});

test("defaults of the ABI, architectures, toolkit, host compiler and inner builds", () => {
  const { observations } = read({ "CMakeLists.txt": 'set(_GLIBCXX_USE_CXX11_ABI 0 CACHE STRING "")\noption(USE_CXX11_ABI "" ON)\nset(TORCH_CUDA_ARCH_LIST "8.0;9.0a")\nfind_package(CUDAToolkit 12.4)\nset(CUDA_TOOLKIT_ROOT_DIR /usr/local/cuda-11.8)\nset(CMAKE_CUDA_HOST_COMPILER g++-12)\nExternalProject_Add(x SOURCE_DIR /p/x CMAKE_ARGS -DCMAKE_CXX_STANDARD=14 -DA:BOOL=${B})\n' });
  assert.deepEqual(observationsOf(observations, "abi-setting").map((one) => [one.variable, one.value, one.how, one.evidence.text]), [["_GLIBCXX_USE_CXX11_ABI", 0, "cache default", "0"], ["USE_CXX11_ABI", 1, "cache default", "ON"]]);
  assert.deepEqual(observationsOf(observations, "architecture-list").map((one) => [one.variable, one.value]), [["TORCH_CUDA_ARCH_LIST", "8.0;9.0a"]]);
  assert.deepEqual(observationsOf(observations, "cuda-toolkit").map((one) => [one.version, one.minimum, one.path]), [["12.4", true, undefined], ["11.8", false, "/usr/local/cuda-11.8"]]);
  assert.deepEqual(observationsOf(observations, "host-compiler").map((one) => [one.compiler, one.language]), [["g++-12", "CUDA"]]);
  assert.deepEqual(observationsOf(observations, "cmake-arguments").map((one) => [one.sourceDirectory, one.definitions.map((each) => [each.name, each.value])]), [["/p/x", [["CMAKE_CXX_STANDARD", "14"], ["A", undefined]]]]);
});

test("a name of CMake's own that is misspelt or in another case, and that nothing reads", () => {
  assert.deepEqual(ineffective("set(cmake_cxx_standard 14)\n"), ["wrong-case CMakeLists.txt:2"]);
  assert.deepEqual(ineffective("set(CMAKE_CXX_STANDRAD 20)\n"), ["misspelt CMakeLists.txt:2"]);
  assert.deepEqual(ineffective('set(CMAKE_CXX_FLAG "${CMAKE_CXX_FLAG} -O3")\n'), ["misspelt CMakeLists.txt:2"]);
  assert.deepEqual(ineffective("if(NOT CMAKE_CUDA_ARCHITECTURE)\n  set(CMAKE_CUDA_ARCHITECTURE 80)\nendif()\nmessage(STATUS ${CMAKE_CUDA_ARCHITECTURE})\n"), ["misspelt CMakeLists.txt:3"]);
  assert.deepEqual(ineffective("list(APPEND CUDA_NVCC_FLAG -O3)\n"), ["misspelt CMakeLists.txt:2"]);
  assert.deepEqual(ineffective("add_library(t a.cpp)\nset_target_properties(t PROPERTIES OUTPUT_NAME u CXX_STANDRAD 20)\n"), ["misspelt CMakeLists.txt:3"]);
  assert.deepEqual(ineffective("add_library(t a.cpp)\nset_property(TARGET t PROPERTY cxx_standard 20)\n"), ["wrong-case CMakeLists.txt:3"]);
  assert.deepEqual(ineffective("add_library(t a.cpp)\nset_target_properties(t PROPERTIES COMPILER_FLAGS -O3)\n"), ["misspelt CMakeLists.txt:3"]);
  assert.deepEqual(ineffective("set(_GLIBCXX_USE_CXX11_ABI 0)\n"), ["unknown-key CMakeLists.txt:2"]);
});

test("a name like one of CMake's that something reads, or that is another name", () => {
  assert.deepEqual(ineffective("set(cmake_cxx_standard 14)\nset(CMAKE_CXX_STANDARD ${cmake_cxx_standard})\n"), []);
  assert.deepEqual(ineffective("set(CMAKE_CXX_FLAG -O3)\nif(CMAKE_CXX_FLAG)\n  add_library(t a.cpp)\nendif()\n"), []);
  assert.deepEqual(ineffective('set(CMAKE_CXX_FLAG -O3)\nforeach(L CXX)\n  string(APPEND CMAKE_${L}_FLAGS " ${CMAKE_${L}_FLAG}")\nendforeach()\n'), []);
  assert.deepEqual(ineffective("set(MYPROJ_CXX_STANDRAD 20)\nset(CMAKE_MUSA_FLAGS -O3)\nset(CMAKE_RC_FLAGS /n)\nset(CMAKE_CXX_FLAGS_DEBUG2 -g)\nset(CMAKE_HIP_ARCHITECTURES gfx90a)\nset(CMAKE_CUDA_ARCHS 80)\n"), []);
  assert.deepEqual(ineffective("add_library(t a.cpp)\nset_target_properties(t PROPERTIES cxx_standard 17 LINK_FLAGS -s C_STANDARD 11)\nget_target_property(X t cxx_standard)\n"), []);
  assert.deepEqual(ineffective("set(_GLIBCXX_USE_CXX11_ABI 0)\nadd_definitions(-D_GLIBCXX_USE_CXX11_ABI=${_GLIBCXX_USE_CXX11_ABI})\n"), []);
  assert.deepEqual(ineffective({ "CMakeLists.txt": "set(_GLIBCXX_USE_CXX11_ABI 0)\nconfigure_file(config.h.in config.h)\n", "config.h.in": "#cmakedefine _GLIBCXX_USE_CXX11_ABI @_GLIBCXX_USE_CXX11_ABI@\n" }), []);
});

test("a misspelt name is mended wherever it stands", () => {
  const reading = read({ "CMakeLists.txt": 'set(CMAKE_CXX_FLAG "${CMAKE_CXX_FLAG} -D_GLIBCXX_USE_CXX11_ABI=0")\nmessage("${CMAKE_CXX_FLAG}")\n' });
  const [only] = observationsOf(reading.observations, "ineffective-setting");
  assert.equal(only?.message, "CMAKE_CXX_FLAG is probably misspelt: nothing reads it, what CMake reads is CMAKE_CXX_FLAGS. So `-D_GLIBCXX_USE_CXX11_ABI=0` is never applied.");
  assert.equal(only?.fix?.title, "Rename to CMAKE_CXX_FLAGS");
  assert.deepEqual(only?.fix?.edits.map((edit) => [edit.location.range.start.line, edit.location.range.start.character, edit.newText]), [[0, 4, "CMAKE_CXX_FLAGS"], [0, 22, "CMAKE_CXX_FLAGS"], [1, 11, "CMAKE_CXX_FLAGS"]]);
});

test("a variable's name among the options", () => {
  const set = "set(ABI_FLAG -D_GLIBCXX_USE_CXX11_ABI=0)\nadd_library(t a.cpp)\n";
  assert.deepEqual(ineffective(`${set}target_compile_options(t PRIVATE -O2 ABI_FLAG)\n`), ["name-instead-of-value CMakeLists.txt:4"]);
  assert.deepEqual(ineffective(`${set}add_compile_options(ABI_FLAG)\n`), ["name-instead-of-value CMakeLists.txt:4"]);
  assert.deepEqual(ineffective(`${set}target_compile_options(t PRIVATE \${ABI_FLAG} -include ABI_FLAG -D ABI_FLAG)\n`), []);
  assert.deepEqual(ineffective("set(ABI_FLAG ON)\nadd_library(t a.cpp)\ntarget_compile_options(t PRIVATE ABI_FLAG OTHER)\n"), []);
});

test("a standard set after the subdirectory that it should reach", () => {
  const late = (subdirectory: string, more = "") => ineffective({ "CMakeLists.txt": `project(p CXX)\nfind_package(Torch REQUIRED)\nadd_subdirectory(s)\nset(CMAKE_CXX_STANDARD 20)\nadd_library(x a.cpp)\n${more}`, "s/CMakeLists.txt": subdirectory });
  const uses = "add_library(y b.cpp)\ntarget_link_libraries(y ${TORCH_LIBRARIES})\n";
  assert.deepEqual(late(uses), ["too-late CMakeLists.txt:4"]);
  assert.deepEqual(late("add_library(y b.cpp)\n"), []);
  assert.deepEqual(late(`set(CMAKE_CXX_STANDARD 17)\n${uses}`), []);
  assert.deepEqual(late(`${uses}target_compile_features(y PRIVATE cxx_std_17)\n`), []);
  assert.deepEqual(late(uses, "set_target_properties(y PROPERTIES CXX_STANDARD 20)\n"), []);
});

test("architectures set after the last target that has any", () => {
  assert.deepEqual(ineffective({ "CMakeLists.txt": "project(p CXX CUDA)\nadd_library(x k.cu)\nset(CMAKE_CUDA_ARCHITECTURES 80)\n" }), ["too-late CMakeLists.txt:3"]);
  assert.deepEqual(ineffective({ "CMakeLists.txt": "project(p CXX CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 80)\nadd_library(x k.cu)\n" }), []);
  assert.deepEqual(ineffective({ "CMakeLists.txt": "project(p CXX)\nadd_library(x a.cpp)\nset(CMAKE_CUDA_ARCHITECTURES 80)\n" }), []);
});
