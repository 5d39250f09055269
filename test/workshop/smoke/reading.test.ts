/** What is read from outputs: CMake's expressions, places of failures, stacks, words of the loader. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { framesOfCoredumpctl, framesOfGdb } from "../../../src/workshop/smoke/crash.ts";
import { cmakeExpression, isAnchored, OutputWatch } from "../../../src/workshop/smoke/ctest/regularExpression.ts";
import { definedAs } from "../../../src/workshop/smoke/gtest/console.ts";
import { readReport } from "../../../src/workshop/smoke/gtest/report.ts";
import { BothEnds } from "../../../src/workshop/smoke/limits.ts";
import { messagesIn } from "../../../src/workshop/smoke/messages.ts";
import { fitsMarkers } from "../../../src/workshop/smoke/pytest/marker.ts";
import { Project } from "./support.ts";

describe("CMake's regular expressions", () => {
  it("match what CMake's own match", () => {
    using project = new Project();
    const expressions = ["a.c", "^ab", "bc$", "[a-c]+d", "[^a-c]", "a|b", "(ab)+", "a{2}", "\\[ SKIPPED \\]", "[]x]", "[\\]", "a\\.b", "x*", "\\d", "[.]", "\\++", "é", "[/]x", "^$", "a\\+b"];
    const texts = ["abc", "a\nc", "xab", "abcd", "aa", "a{2}", "[ SKIPPED ]", "]", "\\", "a.b", "d", "5", "", "xéx", "/x", "a+b", "ababab"];
    // Bracket arguments of CMake take every character as it is.
    const script = expressions.flatMap((expression, row) => texts.map((text, column) =>
      `set(e [==[${expression}]==])\nset(t [==[${text.startsWith("\n") ? "\n" : ""}${text}]==])\nif(t MATCHES "\${e}")\nmessage(STATUS "${row} ${column}")\nendif()`));
    const file = project.file("match.cmake", script.join("\n"));
    const said = execFileSync("cmake", ["-P", file], { encoding: "utf8" });
    const cmake = new Set([...said.matchAll(/^-- (\d+ \d+)$/gm)].map(([, pair]) => pair));
    for (const [row, expression] of expressions.entries()) {
      for (const [column, text] of texts.entries()) {
        assert.equal(cmakeExpression(expression)?.test(text), cmake.has(`${row} ${column}`), `${expression} in ${JSON.stringify(text)}`);
      }
    }
  });

  it("are refused where CMake refuses them", () => {
    assert.deepEqual(["(", "[a", "\\", "*", "a+?"].map((one) => cmakeExpression(one)), [undefined, undefined, undefined, undefined, undefined]);
  });

  it("are found across the pieces in which an output comes, and at its ends", () => {
    const watch = new OutputWatch(["needle", "^first", "last$", "never"]);
    for (const piece of ["first ne", "ed", "le", "x".repeat(100_000), " last"]) watch.add(piece);
    assert.deepEqual(watch.found(["needle", "^first", "last$", "never"], "first ... last"), ["needle", "^first", "last$"]);
    assert.deepEqual(["a[^b]", "\\^a", "a$", "(^a)"].map(isAnchored), [false, false, true, true]);
  });
});

describe("an output of any length", () => {
  it("is kept at both ends, whatever the pieces that it comes in", () => {
    const whole = Array.from({ length: 1000 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
    for (const size of [1, 7, 49, 50, 99, 101, 400, 1000]) {
      const output = new BothEnds(100);
      for (let at = 0; at < whole.length; at += size) output.add(whole.slice(at, at + size));
      assert.equal(output.text, `${whole.slice(0, 50)}\n[... 900 characters are left out here ...]\n${whole.slice(-50)}`, `in pieces of ${size}`);
    }
    const short = new BothEnds(100);
    short.add(whole.slice(0, 60));
    short.add(whole.slice(60, 100));
    assert.equal(short.text, whole.slice(0, 100));
  });
});

describe("places in an output", () => {
  const read = (text: string) => messagesIn(text, "/work").map(({ message, location, expected, actual }) => [message, location?.path, location === undefined ? undefined : location.range.start.line + 1, expected, actual]);

  it("of Catch2", () => {
    assert.deepEqual(read("-------------------------------\nsums\n-------------------------------\ntests.cpp:4\n...............................\n\ntests.cpp:6: FAILED:\n  CHECK( sum(1, 1) == 3 )\nwith expansion:\n  2 == 3\n\n===============================\n"), [
      ["CHECK( sum(1, 1) == 3 )\nwith expansion:\n  2 == 3", "/work/tests.cpp", 6, "3", "2"],
    ]);
  });

  it("of doctest", () => {
    assert.deepEqual(read("[doctest] doctest version is \"2.4.11\"\n===============================\n/src/t.cpp:9:\nTEST CASE:  sums\n\n/src/t.cpp:10: ERROR: CHECK( sum(1, 1) == 3 ) is NOT correct!\n  values: CHECK( 2 == 3 )\n"), [
      ["CHECK( sum(1, 1) == 3 ) is NOT correct!\nvalues: CHECK( 2 == 3 )", "/src/t.cpp", 10, "3", "2"],
    ]);
  });

  it("of GoogleTest: an exception has none, and is told all the same", () => {
    assert.deepEqual(read("unknown file: Failure\nC++ exception with description \"boom\nat c10\" thrown in the test body.\n/s/a.cpp:3: Failure\nFailed\nunknown file: Failure\nUnknown C++ exception thrown in TearDown().\n\n[  FAILED  ] A.B (0 ms)\n"), [
      ["C++ exception with description \"boom\nat c10\" thrown in the test body.", undefined, undefined, undefined, undefined],
      ["Failed", "/s/a.cpp", 3, undefined, undefined],
      ["Unknown C++ exception thrown in TearDown().", undefined, undefined, undefined, undefined],
    ]);
  });

  it("of GoogleTest, in every form of a comparison", () => {
    assert.deepEqual(read("/s/a.cpp:3: Failure\nExpected equality of these values:\n  4\n  sum\n    Which is: 5\n/s/a.cpp:4: Failure\nValue of: ok()\n  Actual: false\nExpected: true\n/s/a.cpp:5: Failure\nExpected: (x) < (2), actual: 7 vs 2\nFailed words\n[  FAILED  ] A.B (0 ms)\n"), [
      ["Expected equality of these values:\n  4\n  sum\n    Which is: 5", "/s/a.cpp", 3, "4", "5"],
      ["Value of: ok()\n  Actual: false\nExpected: true", "/s/a.cpp", 4, "true", "false"],
      ["Expected: (x) < (2), actual: 7 vs 2\nFailed words", "/s/a.cpp", 5, "(x) < (2)", "7 vs 2"],
    ]);
  });

  it("of assert(), a sanitizer, Python and its fault handler, coloured or not", () => {
    assert.deepEqual(read("prog: src/a.c:12: main: Assertion `x == 1' failed.\n"), [["Assertion failed: x == 1", "/work/src/a.c", 12, undefined, undefined]]);
    assert.deepEqual(read("Assertion failed: (x == 1), function main, file a.c, line 12.\n"), [["Assertion failed: x == 1", "/work/a.c", 12, undefined, undefined]]);
    assert.deepEqual(read("SUMMARY: AddressSanitizer: heap-buffer-overflow /src/a.c:9:3 in f\n"), [["AddressSanitizer: heap-buffer-overflow", "/src/a.c", 9, undefined, undefined]]);
    assert.deepEqual(read("Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nAssertionError\n"), [["AssertionError", undefined, undefined, undefined, undefined]]);
    assert.deepEqual(read("Traceback (most recent call last):\n  File \"t.py\", line 3, in <module>\n    f()\n  File \"/usr/lib/python3.11/json/x.py\", line 9, in f\n    raise\nValueError: \u001b[31mbad\u001b[0m\n"), [["ValueError: bad", "/work/t.py", 3, undefined, undefined]]);
    assert.deepEqual(read("Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n  File \"/usr/lib/python3.11/ctypes/__init__.py\", line 519 in string_at\n  File \"/work/t.py\", line 7 in test\n"), [["Fatal Python error: Segmentation fault", "/work/t.py", 7, undefined, undefined]]);
  });

  it("none in what only looks like one, and never too many", () => {
    assert.deepEqual(read("12:30: Failure is not an option\nhttp://host:80: nothing\nError: 5\n"), []);
    assert.equal(read("/a.c:1: Failure\nx\n".repeat(1000)).length, 50);
  });
});

describe("stacks", () => {
  it("of gdb, without the way from a failure to its signal", () => {
    assert.deepEqual(framesOfGdb("Program received signal SIGABRT, Aborted.\n#0  __pthread_kill_implementation (threadid=..., no_tid=...) at ./nptl/pthread_kill.c:44\n#1  0x00007ffff7c8a472 in __GI_raise (sig=...) at ../sysdeps/posix/raise.c:26\n#2  0x00007 in __GI_abort () at ./stdlib/abort.c:79\n#3  0x00005 in (anonymous namespace)::check<int> (value=...) at /src/a.cpp:7\n#4  0x00006 in at::native::add (self=..., other=...) from /lib/libtorch_cpu.so\n#5  main () at /src/a.cpp:9\n"), [
      { function: "(anonymous namespace)::check<int>", location: { path: "/src/a.cpp", range: { start: { line: 6, character: 0 }, end: { line: 6, character: 0 } } } },
      { function: "at::native::add", module: "/lib/libtorch_cpu.so" },
      { function: "main", location: { path: "/src/a.cpp", range: { start: { line: 8, character: 0 }, end: { line: 8, character: 0 } } } },
    ]);
  });

  it("of systemd's core dumps", () => {
    assert.deepEqual(framesOfCoredumpctl("       Message: Process 12 (prog) of user 0 dumped core.\n                Stack trace of thread 12:\n                #0  0x00007f3a raise (libc.so.6 + 0x38d22)\n                #1  0x00007f3b abort (libc.so.6 + 0x22862)\n                #2  0x0000561a broken (prog + 0x1139)\n                #3  0x0000561b n/a (prog + 0x1150)\n                Stack trace of thread 13:\n                #0  0x00007f3a poll (libc.so.6 + 0x1)\n"), [
      { function: "broken", module: "prog" }, { function: "??", module: "prog" },
    ]);
  });
});

it("markers fit an expression as pytest's", () => {
  const fits = (expression: string): boolean => fitsMarkers(expression, ["smoke", "gpu"]);
  assert.deepEqual(["smoke", "not gpu", "smoke and not slow", "slow or gpu", "not (smoke or slow)", "slow", "(slow or smoke) and gpu"].map(fits), [true, false, true, true, false, false, true]);
  assert.equal(fits("smoke(level=1)"), true, "what is not understood is pytest's to decide");
});

it("a GoogleTest report is read as far as it is one", () => {
  using project = new Project();
  const read = (text: string): unknown => readReport(project.file("report.json", text));
  assert.deepEqual(read('{"testsuites": [null, {"name": "A"}, {"name": "A", "testsuite": [null, 1, {"name": "c", "time": "soon"}, {"name": "b", "status": "RUN", "time": "0.25s", "file": "/a.cpp", "line": 3, "failures": [null, {"failure": "no"}]}]}]}'), [
    { name: "A.c", status: "passed", milliseconds: 0, failures: [] },
    { name: "A.b", status: "failed", milliseconds: 250, location: { path: "/a.cpp", range: { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } } }, failures: ["no"] },
  ]);
  for (const other of ["", "null", "[]", '{"testsuites": {}}', '{"testsuites": [']) assert.deepEqual(read(other), []);
  assert.deepEqual(readReport(project.root), []);
});

it("an instance of a GoogleTest belongs to its definition", () => {
  assert.deepEqual(["A.B", "I/P.D/0", "Typed/0.Works", "I/Typed/1.Works", "I/P.D/name"].map(definedAs), ["A.B", "P.D", "Typed.Works", "Typed.Works", "P.D"]);
});
