import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeclaredTarget } from "../../../../src/engine/model/index.ts";
import { reachableSources, scanSource } from "../../../../src/engine/sources/cpp/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function reached(contents: Readonly<Record<string, string>>, sources: readonly string[], includeDirectories: readonly string[] = []): readonly string[] {
  const files = new MemoryFiles(contents);
  const target: DeclaredTarget = {
    name: "ops", builder: "cmake", kind: "module", location: { path: "/p/CMakeLists.txt", range }, languages: ["CXX"], arguments: [], links: [], usesTorch: true, madeBy: "add_library", conditions: [],
    sources: sources.map((path) => ({ path, language: "CXX", conditions: [], location: { path, range } })), includeDirectories,
  };
  return reachableSources(target, "/p", files, (path) => {
    const read = files.readText(path);
    return read.ok ? scanSource(path, read.text, []) : undefined;
  }).map((one) => one.scan.path);
}

test("headers are found beside their includer and in include directories, each once", () => {
  const contents = { "/p/src/a.cpp": '#include "b.h"\n#include <lib/c.h>\n#include <vector>', "/p/src/b.h": '#include "../src/b.h"\n#include "a.cpp"', "/p/include/lib/c.h": "" };
  assert.deepEqual(reached(contents, ["/p/src/a.cpp"], ["/p/include"]), ["/p/src/a.cpp", "/p/src/b.h", "/p/include/lib/c.h"]);
});

test("nothing outside the project, no unresolved source, no absolute include", () => {
  assert.deepEqual(reached({ "/p/a.cpp": '#include "../out/x.h"\n#include </out/x.h>\n#include <y.h>', "/out/x.h": "", "/out/y.h": "" }, ["/p/a.cpp", "${SOURCES}", "/p/missing.cpp"], ["/out"]), ["/p/a.cpp"]);
});

test("a chain of headers without end is followed so far only", () => {
  const contents = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`/p/h${at}.h`, `#include "h${at + 1}.h"`]));
  assert.equal(reached(contents, ["/p/h0.h"]).length, 13);
});
