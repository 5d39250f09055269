import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fix } from "../../../src/engine/model/index.ts";
import { LineIndex } from "../../../src/engine/model/index.ts";
import { deleteArgumentFix, insertElementFix, replaceFix } from "../../../src/engine/rules/edits.ts";
import { MemoryFiles } from "../../support/memory-files.ts";
import { placeOf } from "../../support/rule-project.ts";

const flag = "-DX=0";

/** The text after a fix. */
function applied(text: string, fix: Fix | undefined): string | undefined {
  const edit = fix?.edits[0];
  if (edit === undefined) return undefined;
  const lines = new LineIndex(text);
  const start = lines.offsetAt(edit.location.range.start) ?? 0;
  const end = lines.offsetAt(edit.location.range.end) ?? 0;
  return text.slice(0, start) + edit.newText + text.slice(end);
}

function deleting(path: string, text: string, argument = flag): string | undefined {
  const files = new MemoryFiles({ [path]: text });
  return applied(text, deleteArgumentFix(files, placeOf(files, path, argument), argument, "Delete"));
}

test("an element of a Python list goes with its quotes and comma", () => {
  const setup = (text: string) => deleting("/p/setup.py", text);
  assert.equal(setup('x = ["-O3", "-DX=0"]'), 'x = ["-O3"]');
  assert.equal(setup('x = ["-DX=0", "-O3"]'), 'x = ["-O3"]');
  assert.equal(setup("x = ['-DX=0']"), "x = []");
  assert.equal(setup('x = [\n    "-O3",\n    "-DX=0",  # old\n    "-g",\n]\n'), 'x = [\n    "-O3",\n    "-g",\n]\n');
  assert.equal(setup('x = [\n    "-O3",\n    "-DX=0"\n]\n'), 'x = [\n    "-O3"\n]\n');
  assert.equal(setup('x = "-O3 -DX=0 -g".split()'), 'x = "-O3 -g".split()');
});

test("an expression that the flag is part of is left alone", () => {
  assert.equal(deleting("/p/setup.py", 'x = ["-DX=0" + y]'), undefined);
  assert.equal(deleting("/p/setup.py", 'x = ["-DX=01"]'), undefined);
});

test("an argument of a CMake command goes with its white space, alone with its command", () => {
  const cmake = (text: string) => deleting("/p/CMakeLists.txt", text);
  assert.equal(cmake("a()\nadd_definitions(-DX=0)\nb()\n"), "a()\nb()\n");
  assert.equal(cmake('add_definitions( "-DX=0" )\nb()\n'), "b()\n");
  assert.equal(cmake("add_definitions(-DX=0 -DY)\n"), "add_definitions(-DY)\n");
  assert.equal(cmake("target_compile_options(t PRIVATE -O3 -DX=0)\n"), "target_compile_options(t PRIVATE -O3)\n");
  assert.equal(cmake("target_compile_options(t PRIVATE\n  -DX=0\n  -O3)\n"), "target_compile_options(t PRIVATE\n  -O3)\n");
  assert.equal(cmake('set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -DX=0")\n'), 'set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS}")\n');
  assert.equal(cmake('set(CMAKE_CXX_FLAGS "-DX=0 ${CMAKE_CXX_FLAGS}")\n'), 'set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS}")\n');
});

test("the value of a variable becomes empty, and is not taken from its command", () => {
  assert.equal(deleting("/p/CMakeLists.txt", 'set(X "-DX=0" CACHE STRING "flags")\n'), 'set(X "" CACHE STRING "flags")\n');
  assert.equal(deleting("/p/CMakeLists.txt", "set(X -DX=0)\n"), undefined);
});

test("the value of a key in JSON and TOML becomes empty", () => {
  assert.equal(deleting("/p/CMakePresets.json", '{"CMAKE_CXX_FLAGS": "-DX=0"}'), '{"CMAKE_CXX_FLAGS": ""}');
  assert.equal(deleting("/p/pyproject.toml", 'CMAKE_CXX_FLAGS = "-DX=0"\n'), 'CMAKE_CXX_FLAGS = ""\n');
  assert.equal(deleting("/p/pyproject.toml", 'CMAKE_CXX_FLAGS = "-O2 -DX=0"\n'), 'CMAKE_CXX_FLAGS = "-O2"\n');
});

test("CRLF texts keep their other lines", () => {
  assert.equal(deleting("/p/CMakeLists.txt", "a()\r\nadd_definitions(-DX=0)\r\nb()\r\n"), "a()\r\nb()\r\n");
});

test("a string is added after an element, quoted as it is", () => {
  const text = "x = ['-O3', '-g']";
  const files = new MemoryFiles({ "/p/setup.py": text });
  assert.equal(applied(text, insertElementFix(files, placeOf(files, "/p/setup.py", "-g"), flag, "Add")), "x = ['-O3', '-g', '-DX=0']");
  assert.equal(applied(text, insertElementFix(files, placeOf(files, "/p/setup.py", "'-O3'"), flag, "Add")), "x = ['-O3', '-DX=0', '-g']");
});

test("a replacement needs the text that it replaces", () => {
  const files = new MemoryFiles({ "/p/a": "-DX=0" });
  const place = placeOf(files, "/p/a", "-DX=0");
  assert.equal(applied("-DX=0", replaceFix(files, place, "=0", "=1", "Change")), "-DX=1");
  assert.equal(replaceFix(files, place, "=2", "=1", "Change"), undefined);
  assert.equal(replaceFix(files, { ...place, path: "/p/none" }, "=0", "=1", "Change"), undefined);
});
