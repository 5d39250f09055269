import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "./reading.ts";

function gaps(line: string): readonly string[] {
  return read({ "CMakeLists.txt": `project(p CXX)\nadd_library(t a.cpp)\n${line}\n` }).gaps.map((gap) => gap.message);
}

test("flags of single sources are named as not compared when they concern the ABI", () => {
  assert.deepEqual(gaps('set_source_files_properties(a.cpp PROPERTIES COMPILE_FLAGS "-O1 -std=c++14")'), ["-O1 -std=c++14 is given to single sources by set_source_files_properties; flags of single sources are not compared."]);
  assert.deepEqual(gaps("set_property(SOURCE a.cpp APPEND PROPERTY COMPILE_DEFINITIONS _GLIBCXX_USE_CXX11_ABI=0)"), ["_GLIBCXX_USE_CXX11_ABI=0 is given to single sources by set_property; flags of single sources are not compared."]);
});

test("other properties of sources say nothing", () => {
  assert.deepEqual(gaps("set_source_files_properties(a.cpp PROPERTIES COMPILE_FLAGS -O1 LANGUAGE CUDA)"), []);
  assert.deepEqual(gaps('set_source_files_properties(a.cpp PROPERTIES OBJECT_DEPENDS "-std=c++14")'), []);
});
