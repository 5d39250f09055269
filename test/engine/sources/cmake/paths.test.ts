import assert from "node:assert/strict";
import { test } from "node:test";
import { readCMake } from "../../../../src/engine/sources/cmake/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { processorTime } from "../../../support/processorTime.ts";

const targets = (files: Readonly<Record<string, string>>): readonly string[] =>
  readCMake("/p", new MemoryFiles(Object.fromEntries(Object.entries(files).map(([name, text]) => [`/p/${name}`, text]))), { platform: "linux" }).targets.map((target) => target.name);

test("cmake_path gives the parts of a path", () => {
  const text = [
    "project(p CXX)", "foreach(path src/TestOne.cpp src/Two.test.cpp)",
    "cmake_path(GET path STEM stem)", "cmake_path(GET path STEM LAST_ONLY last)", "cmake_path(GET path FILENAME name)", "cmake_path(GET path EXTENSION end)",
    "add_library(${stem}+${last}+${name}+${end} ${path})", "endforeach()",
  ].join("\n");
  assert.deepEqual(targets({ "CMakeLists.txt": text }), ["TestOne+TestOne+TestOne.cpp+.cpp", "Two+Two.test+Two.test.cpp+.test.cpp"]);
});

test("subdirs enters each of its folders", () => {
  assert.deepEqual(targets({ "CMakeLists.txt": "project(p CXX)\nsubdirs(a EXCLUDE_FROM_ALL b)\n", "a/CMakeLists.txt": "add_library(a a.cpp)\n", "b/CMakeLists.txt": "add_library(b b.cpp)\n" }), ["a", "b"]);
});

test("what was asked once is not open any more", () => {
  const text = ["project(p CXX)", "if(NOT KIND)", "  set(KIND ops)", "endif()", "if(KIND)", "  add_library(known a.cpp)", "else()", "  add_library(never a.cpp)", "endif()", "if(OTHER)", "  add_library(open a.cpp)", "endif()"].join("\n");
  const read = readCMake("/p", new MemoryFiles({ "/p/CMakeLists.txt": text }), { platform: "linux" });
  assert.deepEqual(read.targets.map((target) => [target.name, target.conditions.map((one) => one.text)]), [["known", []], ["open", ["OTHER"]]]);
});

test("a default that is set over and over stays one question", () => {
  const round = "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release CACHE STRING \"\" FORCE)\nendif()\n";
  const started = processorTime();
  const read = readCMake("/p", new MemoryFiles({ "/p/CMakeLists.txt": `project(p CXX)\n${round.repeat(200)}add_library(a a.cpp)\n` }), { platform: "linux" });
  assert.equal(read.targets.length, 1);
  assert.ok(processorTime() - started < 2000, "200 rounds took more than 2 s");
});

test("loops nested without end stop soon", () => {
  const started = processorTime();
  readCMake("/p", new MemoryFiles({ "/p/CMakeLists.txt": "while(1)\n".repeat(600) }), { platform: "linux" });
  assert.ok(processorTime() - started < 10_000, "600 nested loops took more than 10 s");
});
