import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { ProblemReader } from "../../../src/workshop/build/problems/reader.ts";
import { folder, linesOf, names, problemsOf, written } from "./recorded.ts";
import { processorTime } from "../../support/processorTime.ts";

describe("what tools complain of", () => {
  for (const name of names) {
    it(`is found in the recording ${name}`, () => {
      assert.equal(written(problemsOf(linesOf(name), name.startsWith("pip-"))), fs.readFileSync(path.join(folder, `${name}.problems.txt`), "utf8").trimEnd());
    });
  }

  it("is the same with terminal sequences", () => {
    assert.notEqual(linesOf("gcc-colours").join("\n"), linesOf("gcc-errors").join("\n"));
    assert.equal(written(problemsOf(linesOf("gcc-colours"))), written(problemsOf(linesOf("gcc-errors"))));
  });

  it("is not found in what only looks like it", () => {
    const lines = [
      "12:30:15: error: this is a time of day", "-- Looking for error: found", "  indented.cpp:3:1: error: quoted in a log",
      "http://host:80: error: an address", "Downloading error: 3", "[1/2] Building CXX object a.cpp.o", "note: nothing", "ld is a linker",
      "-- Configuring incomplete, errors occurred!", "running build_ext", "ptxas info    : Used 8 registers, used 0 barriers",
    ];
    assert.deepEqual(problemsOf(lines), []);
  });

  it("starts relative paths at the folder that make has entered, at the step's folder, at the source", () => {
    const existing = new Set(["/build/deep/a.cpp", "/build/b.cpp", "/source/c.cpp", "/source/CMakeLists.txt", "/build/CMakeLists.txt"]);
    const reader = new ProblemReader({ folder: "/build", source: "/source", exists: (file) => existing.has(file) });
    for (const line of [
      "make[1]: Entering directory '/build/deep'", "a.cpp:1:2: error: one", "b.cpp:1:2: error: two", "make[1]: Leaving directory '/build/deep'",
      "a.cpp:1:2: error: three", "c.cpp:1:2: error: four", "CMake Error at CMakeLists.txt:4 (message):", "  five", "",
    ]) {
      reader.push(line);
    }
    assert.equal(written(reader.end()), [
      "error gcc /build/deep/a.cpp:1:2 one", "error gcc /build/b.cpp:1:2 two", "error gcc - three", "error gcc /source/c.cpp:1:2 four", "error cmake /source/CMakeLists.txt:4:1 [message] five",
    ].join("\n"));
  });

  it("says of a command without a message of its own that it failed, and only of such a one", () => {
    assert.equal(written(problemsOf(["[1/3] Generating a", "FAILED: a.txt ", "/usr/bin/python3 make.py", "something odd", "[2/3] Generating b", "FAILED: b.o", "b.cpp:1:1: error: no", "ninja: build stopped: subcommand failed."])), [
      "error ninja - a.txt: its command failed; its output says more.", "error gcc /project/b.cpp:1:1 no",
    ].join("\n"));
    assert.equal(written(problemsOf(["make[2]: *** [CMakeFiles/a.dir/build.make:76: a.txt] Error 3"])), "error make - a.txt: its command failed (Error 3).");
  });

  it("is bounded: repeated once, thousands not kept, errors kept all the same, and no line is too long", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `a.h:${index + 1}:1: warning: unused [-Wunused]`);
    const problems = problemsOf([...lines, ...lines, "a.cpp:3:1: error: broken", `b.cpp:1:1: error: ${"x".repeat(1_000_000)}`]);
    assert.equal(problems.length, 1002);
    assert.deepEqual(problems.filter((one) => one.severity === "error").map((one) => one.message), ["broken"]);
    assert.equal(problems.at(-1)?.message, "19000 more messages were left out; the log has them.");
    assert.equal(problemsOf(Array.from({ length: 100 }, () => "a.h:1:1: warning: same")).length, 1);
  });

  it("takes hostile lines in time that grows with their length only", () => {
    const started = processorTime();
    problemsOf(["a".repeat(16_000), ":".repeat(16_000), " ".repeat(16_000), "a:1:".repeat(4000), "(".repeat(16_000), "[".repeat(16_000), `x.cpp:1:1: error: ${" [".repeat(8000)}`, "Traceback ".repeat(1600), "CMake Error at ".repeat(1000)]);
    assert.ok(processorTime() - started < 2000);
  });
});
