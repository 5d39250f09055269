import assert from "node:assert/strict";
import { test } from "node:test";
import { cmakeIndex } from "../../src/server/cmakeIndexes.ts";

const text = [
  "set(FLAGS -O2)",
  "function(add_ext name)",
  "  add_library(${name} SHARED ${ARGN})",
  "  target_compile_options(${name} PRIVATE ${FLAGS})",
  "endfunction()",
  "add_ext(ops ops.cpp)",
  "add_library(core STATIC core.cpp)",
  "if(USE_CUDA)",
  "  list(APPEND SRCS a.cu)",
  "endif()",
  "include(cmake/Torch.cmake)",
  "add_subdirectory(src)",
  "execute_process(COMMAND python OUTPUT_VARIABLE TORCH_DIR)",
  "target_link_libraries(ops core \"${SRCS}\")",
  "",
].join("\n");

function at(needle: string, shift = 0, occurrence = 0): { line: number; character: number } {
  let offset = -1;
  for (let i = 0; i <= occurrence; i += 1) {
    offset = text.indexOf(needle, offset + 1);
  }
  const before = text.slice(0, offset + shift).split("\n");
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}

test("definitions are listed in order, with parameters known only in their function", () => {
  const { definitions } = cmakeIndex("/p/CMakeLists.txt", text);
  assert.deepEqual(definitions.map((one) => [one.kind, one.name, one.container, one.scope !== undefined]), [
    ["variable", "FLAGS", undefined, false],
    ["function", "add_ext", undefined, false],
    ["variable", "name", "add_ext", true],
    ["target", "core", undefined, false],
    ["variable", "SRCS", undefined, false],
    ["variable", "TORCH_DIR", undefined, false],
  ]);
  assert.deepEqual(definitions[3]?.selection, { start: at("core STATIC"), end: at("core STATIC", 4) });
});

test("files that are named", () => {
  assert.deepEqual(cmakeIndex("/p/CMakeLists.txt", text).files.map((one) => [one.kind, one.text]), [["include", "cmake/Torch.cmake"], ["subdirectory", "src"]]);
});

test("what stands at a position", () => {
  const index = cmakeIndex("/p/CMakeLists.txt", text);
  assert.deepEqual(index.at(at("${FLAGS}", 3)), { kind: "variable", name: "FLAGS", range: { start: at("${FLAGS}", 2), end: at("${FLAGS}", 7) } });
  assert.deepEqual(index.at(at("${SRCS}", 1))?.kind, "variable");
  assert.deepEqual([index.at(at("add_ext(ops"))?.kind, index.at(at("add_ext(ops"))?.name], ["command", "add_ext"]);
  assert.deepEqual([index.at(at("core \""))?.kind, index.at(at("core \""))?.name], ["word", "core"]);
  assert.equal(index.at(at("src)"))?.kind, "subdirectory");
  assert.equal(index.at({ line: 500, character: 0 }), undefined);
});

test("broken and deeply nested text gives what can be read", () => {
  assert.deepEqual(cmakeIndex("/p/a.cmake", "set(A 1)\nset(B \"").definitions.map((one) => one.name)[0], "A");
  assert.equal(cmakeIndex("/p/b.cmake", "if(X)\n".repeat(20_000) + "set(DEEP 1)").definitions.length >= 0, true);
});
