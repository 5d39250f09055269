import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompileArgument, Reading } from "../../../../src/engine/model/index.ts";
import { read } from "./reading.ts";

function abi(reading: Reading, name = "t"): CompileArgument[] {
  return (reading.targets.find((one) => one.name === name)?.arguments ?? []).filter((one) => one.text.includes("CXX11_ABI"));
}

function described(argument: CompileArgument): string {
  const when = argument.conditions.map((one) => `${one.branch === 1 ? "!" : ""}${one.text}`).join(" & ");
  const { path, range } = argument.evidence.location;
  return `${argument.text}${argument.known ? "" : " unknown"}${argument.follows === undefined ? "" : ` follows ${argument.follows}`}${when === "" ? "" : ` if ${when}`} at ${path}:${range.start.line + 1}:${range.start.character + 1}-${range.end.character + 1} "${argument.evidence.text}"`;
}

test("a value keeps its place through variables, functions and included files", () => {
  const reading = read({
    "CMakeLists.txt": "project(p CXX)\nset(ABI 0)\ninclude(flags.cmake)\nfunction(add name)\n  add_library(${name} SHARED a.cpp)\n  target_compile_definitions(${name} PRIVATE ${ARGN})\nendfunction()\nadd(t ${DEFS})\n",
    "flags.cmake": "set(DEFS _GLIBCXX_USE_CXX11_ABI=${ABI})\n",
  });
  const [only] = abi(reading);
  assert.ok(only);
  assert.equal(described(only), '-D_GLIBCXX_USE_CXX11_ABI=0 at /p/CMakeLists.txt:2:9-10 "0"');
  assert.deepEqual(only.evidence.via.map((step) => `${step.what} ${step.location.path}:${step.location.range.start.line + 1}`), [
    "variable ABI set /p/CMakeLists.txt:2",
    "variable DEFS set /p/flags.cmake:1",
    "target_compile_definitions /p/CMakeLists.txt:6",
    "function add called /p/CMakeLists.txt:8",
    "used in _GLIBCXX_USE_CXX11_ABI= /p/flags.cmake:1",
  ]);
  assert.deepEqual(reading.files, ["/p/CMakeLists.txt", "/p/flags.cmake"]);
});

test("an included file is called as the file that includes it would call it", () => {
  const reading = read({
    "CMakeLists.txt": "project(p CXX)\nlist(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)\ninclude(Flags)\nadd_subdirectory(lib)\nadd_library(t a.cpp)\n",
    "cmake/Flags.cmake": "add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)\n",
    "lib/CMakeLists.txt": "include(../cmake/Own.cmake)\nadd_library(u a.cpp)\n",
    "cmake/Own.cmake": "add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=1)\n",
  });
  assert.deepEqual(abi(reading)[0]?.evidence.via.map((step) => step.what), ["add_compile_definitions", "cmake/Flags.cmake included"]);
  assert.deepEqual(abi(reading, "u").at(-1)?.evidence.via.map((step) => step.what), ["add_compile_definitions", "Own.cmake included", "subdirectory lib"]);
});

test("both branches of what cannot be decided, each with its condition", () => {
  const reading = read({ "CMakeLists.txt": 'project(p CXX)\noption(OLD "" ON)\nif(OLD)\n  set(V 0)\nelse()\n  set(V 1)\nendif()\nset(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -D_GLIBCXX_USE_CXX11_ABI=${V}")\nadd_library(t a.cpp)\n' });
  assert.deepEqual(abi(reading).map(described), [
    '-D_GLIBCXX_USE_CXX11_ABI=0 if OLD at /p/CMakeLists.txt:4:9-10 "0"',
    '-D_GLIBCXX_USE_CXX11_ABI=1 if !OLD at /p/CMakeLists.txt:6:9-10 "1"',
  ]);
  assert.deepEqual(abi(reading).map((one) => one.conditions[0]?.byDefault), [true, false]);
});

test("the same question gets the same answer, and FATAL_ERROR ends its branch", () => {
  const reading = read({ "CMakeLists.txt": "project(p CXX)\nif(USE_X)\n  set(V 0)\nendif()\nif(WEIRD)\n  set(V 7)\n  message(FATAL_ERROR no)\nendif()\nadd_library(t a.cpp)\nif(USE_X)\n  target_compile_definitions(t PRIVATE _GLIBCXX_USE_CXX11_ABI=${V})\nendif()\n" });
  assert.deepEqual(abi(reading).map(described), ['-D_GLIBCXX_USE_CXX11_ABI=0 if USE_X at /p/CMakeLists.txt:3:9-10 "0"']);
});

test("return() in an undecided branch leaves the rest under the other one", () => {
  const reading = read({ "CMakeLists.txt": "project(p CXX)\nadd_library(t a.cpp)\nfunction(f)\n  set(V 0 PARENT_SCOPE)\n  if(EARLY)\n    set(V 1 PARENT_SCOPE)\n    return()\n  endif()\n  target_compile_definitions(t PRIVATE LATE)\nendfunction()\nf()\ntarget_compile_definitions(t PRIVATE _GLIBCXX_USE_CXX11_ABI=${V})\n" });
  assert.deepEqual(abi(reading).map((one) => described(one).replace(/ at .*/, "")), ["-D_GLIBCXX_USE_CXX11_ABI=0 if !EARLY", "-D_GLIBCXX_USE_CXX11_ABI=1 if EARLY"]);
  assert.deepEqual(reading.targets[0]?.arguments.filter((one) => one.text === "-DLATE").map((one) => one.conditions.map((condition) => `${condition.branch}${condition.text}`)), [["1EARLY"]]);
});

test("twenty independent switches cost twenty arguments", () => {
  const switches = Array.from({ length: 20 }, (_, index) => `if(S${index})\n  set(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} -DS${index}")\nendif()\n`).join("");
  const reading = read({ "CMakeLists.txt": `project(p CXX)\n${switches}add_library(t a.cpp)\n` });
  assert.equal(reading.targets[0]?.arguments.length, 20);
  assert.deepEqual(reading.targets[0]?.arguments[7]?.conditions.map((one) => one.text), ["S7"]);
});

test("cache variables from outside win over the project's defaults", () => {
  const text = { "CMakeLists.txt": 'project(p CXX)\nset(GLIBCXX_ABI 0 CACHE STRING "")\nadd_library(t a.cpp)\ntarget_compile_definitions(t PRIVATE _GLIBCXX_USE_CXX11_ABI=${GLIBCXX_ABI})\n' };
  assert.equal(abi(read(text))[0]?.text, "-D_GLIBCXX_USE_CXX11_ABI=0");
  assert.equal(abi(read(text, { cacheVariables: new Map([["GLIBCXX_ABI", "1"]]) }))[0]?.text, "-D_GLIBCXX_USE_CXX11_ABI=1");
});

test("what is asked from torch follows torch", () => {
  const ask = 'execute_process(COMMAND python3 -c "import torch; print(int(torch._C._GLIBCXX_USE_CXX11_ABI))" OUTPUT_VARIABLE ABI RESULT_VARIABLE R)\n';
  const direct = read({ "CMakeLists.txt": `project(p CXX)\n${ask}add_library(t a.cpp)\ntarget_compile_definitions(t PRIVATE _GLIBCXX_USE_CXX11_ABI=\${ABI})\n` });
  assert.deepEqual(abi(direct).map((one) => [one.text, one.known, one.follows]), [["-D_GLIBCXX_USE_CXX11_ABI=${ABI}", false, "torch"]]);
  const branched = read({ "CMakeLists.txt": `project(p CXX)\n${ask}add_library(t a.cpp)\nif(ABI)\ntarget_compile_definitions(t PRIVATE _GLIBCXX_USE_CXX11_ABI=1)\nendif()\n` });
  assert.deepEqual(abi(branched).map((one) => [one.text, one.known, one.follows]), [["-D_GLIBCXX_USE_CXX11_ABI=1", true, "torch"]]);
});

test("find_package(Torch) brings the ABI option until 2.7 and nothing from 2.8", () => {
  const text = { "CMakeLists.txt": "project(p CXX)\nfind_package(Torch REQUIRED)\nadd_library(mid a.cpp)\ntarget_link_libraries(mid PUBLIC ${TORCH_LIBRARIES})\nadd_library(t SHARED a.cpp)\ntarget_link_libraries(t PRIVATE mid)\n" };
  const old = read(text, { torchVersion: "2.6.0+cu124", torchLibstdcxxAbi: 0 });
  assert.deepEqual(abi(old).map((one) => [one.text, one.origin, one.follows, one.inheritedFrom]), [["-D_GLIBCXX_USE_CXX11_ABI=0", "builder-default", "torch", "torch"]]);
  assert.equal(old.targets.find((one) => one.name === "t")?.usesTorch, true);
  assert.deepEqual(abi(read(text, { torchVersion: "2.8.0", torchLibstdcxxAbi: 1 })), []);
});

test("the value at the end of the directory counts, and a later change does not reach a subdirectory", () => {
  const reading = read({
    "CMakeLists.txt": 'project(p CXX)\nadd_library(t a.cpp)\nadd_subdirectory(sub)\nset(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -D_GLIBCXX_USE_CXX11_ABI=0")\n',
    "sub/CMakeLists.txt": "add_library(s a.cpp)\n",
  });
  assert.deepEqual([abi(reading).length, abi(reading, "s").length], [1, 0]);
});

test("a module found through CMAKE_MODULE_PATH is followed; an unknown path is a gap", () => {
  const reading = read({
    "CMakeLists.txt": "project(p CXX)\nlist(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)\ninclude(Own)\ninclude(${CMAKE_BINARY_DIR}/x.cmake)\nown(t)\n",
    "cmake/Own.cmake": "macro(own n)\n  add_library(${n} SHARED a.cpp)\nendmacro()\n",
  });
  assert.deepEqual(reading.targets.map((one) => one.name), ["t"]);
  assert.deepEqual(reading.gaps.map((one) => one.message), ["${CMAKE_BINARY_DIR}/x.cmake was not included: its path could not be evaluated."]);
});

test("the stable ABI level of Python_add_library", () => {
  const reading = read({ "CMakeLists.txt": "project(p CXX)\nPython_add_library(t MODULE USE_SABI 3.11 a.cpp)\n" });
  assert.deepEqual(reading.targets[0]?.arguments.map((one) => one.text), ["-DPy_LIMITED_API=0x030B0000"]);
  assert.equal(reading.targets[0]?.pyLimitedApi?.value, true);
});

test("a return inside two undecided ifs keeps what its way had set, and not what others set later", () => {
  const reading = read({ "CMakeLists.txt": "project(p CXX)\nadd_library(t a.cpp)\nfunction(f)\n  if(A)\n    set(V 1 PARENT_SCOPE)\n    if(B)\n      return()\n    endif()\n    set(V 2 PARENT_SCOPE)\n  endif()\n  set(W 3 PARENT_SCOPE)\nendfunction()\nset(V 0)\nset(W 0)\nf()\ntarget_compile_definitions(t PRIVATE V=${V} W=${W})\n" });
  const shown = (reading.targets[0]?.arguments ?? []).map((one) => `${one.text} if ${one.conditions.map((condition) => `${condition.branch === 1 ? "!" : ""}${condition.text}`).join(" & ")}`);
  assert.ok(shown.includes("-DV=1 if A & B"), shown.join("\n"));
  assert.ok(shown.includes("-DW=0 if A & B"), shown.join("\n"));
  assert.ok(shown.some((one) => /^-DV=2 if .*A & !B/.test(one)), shown.join("\n"));
  assert.ok(!shown.some((one) => /^-DW=3 if A & B/.test(one)), shown.join("\n"));
});

test("a text that begins otherwise is not equal, whatever its unknown rest is", () => {
  const reading = read({ "CMakeLists.txt": 'project(p CXX)\nadd_library(t a.cpp)\nif("x-I${A}" STREQUAL "xOPTIONS")\n  target_compile_definitions(t PRIVATE WRONG)\nendif()\nif("xOPT${A}" STREQUAL "xOPTIONS")\n  target_compile_definitions(t PRIVATE MAYBE)\nendif()\nif("OPTIONS${A}" STREQUAL "OPT")\n  target_compile_definitions(t PRIVATE LONGER)\nendif()\n' });
  assert.deepEqual(reading.targets[0]?.arguments.map((one) => `${one.text} ${one.conditions.length}`), ["-DMAYBE 1"]);
});

test("list elements under one condition are gone through together and break ends what follows them", () => {
  const reading = read({ "CMakeLists.txt": 'project(p CXX)\nset(L a)\nif(X)\n  list(APPEND L b c)\nendif()\nforeach(i ${L} d)\n  list(APPEND OUT ${i})\n  if(i STREQUAL c)\n    break()\n  endif()\nendforeach()\nadd_library(t a.cpp)\ntarget_compile_definitions(t PRIVATE ${OUT})\n' });
  assert.deepEqual(reading.targets[0]?.arguments.map((one) => `${one.text} ${one.conditions.map((condition) => `${condition.branch === 1 ? "not " : ""}${condition.text}`).join()}`), ["-Da ", "-Db X", "-Dc X", "-Dd not X"]);
});

test("a list of sources that begins empty is no source of unknown language", () => {
  const languages = (text: string) => read({ "CMakeLists.txt": `project(p CXX CUDA)\n${text}` }).targets.map((one) => [one.sources.length, one.languages]);
  assert.deepEqual(languages("list(APPEND SOURCES a.cpp)\nadd_library(t ${SOURCES})\n"), [[1, ["CXX"]]]);
  assert.deepEqual(languages("add_library(t a.cpp ${GIVEN})\n"), [[2, ["CXX", "CUDA"]]]);
});

test("what is for the top-level project alone is read there, and which languages are enabled decides nothing", () => {
  const files = {
    "CMakeLists.txt": "project(p C CXX)\noption(TESTS \"\" ${PROJECT_IS_TOP_LEVEL})\nif(TESTS)\n  add_library(t a.cpp)\nendif()\nadd_subdirectory(sub)\nget_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)\nif(NOT \"CUDA\" IN_LIST languages)\n  message(FATAL_ERROR no)\nendif()\nadd_library(v a.cu)\n",
    "sub/CMakeLists.txt": "project(s CXX)\nif(PROJECT_IS_TOP_LEVEL)\n  add_library(u a.cpp)\nendif()\n",
  };
  assert.deepEqual(read(files).targets.map(({ name }) => name), ["t", "v"]);
});
