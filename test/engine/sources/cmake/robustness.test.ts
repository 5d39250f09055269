import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "./reading.ts";
import { processorTime } from "../../../support/processorTime.ts";

test("cycles, self-inclusion and endless loops end, and the rest is read", () => {
  const reading = read({
    "CMakeLists.txt": "project(p CXX)\ninclude(a.cmake)\nadd_subdirectory(.)\nwhile(TRUE)\n  set(X 1)\nendwhile()\nfunction(f)\n  f()\n  f()\nendfunction()\nf()\nmacro(m)\n  m()\nendmacro()\nm()\nadd_library(t a.cpp)\n",
    "a.cmake": "include(b.cmake)\ninclude(b.cmake)\n",
    "b.cmake": "include(a.cmake)\ninclude(a.cmake)\n",
  });
  assert.deepEqual(reading.targets.map((one) => one.name), ["t"]);
  for (const expected of [/includes itself/, /adds itself as a subdirectory/, /while loop was left/, /calls itself more than/]) {
    assert.ok(reading.gaps.some((gap) => expected.test(gap.message)), String(expected));
  }
});

test("missing, binary and huge files cost only themselves", () => {
  const reading = read({ "CMakeLists.txt": "project(p CXX)\ninclude(binary.cmake)\nadd_subdirectory(none)\nadd_subdirectory(huge)\nadd_library(t a.cpp)\n", "binary.cmake": "\u0000\u0001\u0002", "huge/CMakeLists.txt": " ".repeat(9 * 1024 * 1024) });
  assert.deepEqual(reading.targets.map((one) => one.name), ["t"]);
  assert.equal(reading.gaps.length, 3);
  assert.deepEqual(read({}).targets, []);
  assert.equal(read({}).gaps.length, 1);
});

test("deep nesting and bombs end within their bounds", () => {
  const deep = read({ "CMakeLists.txt": `project(p CXX)\nadd_library(t a.cpp)\n${"if(A)\n".repeat(5000)}set(X 1)\n${"endif()\n".repeat(5000)}` });
  assert.deepEqual(deep.targets.map((one) => one.name), ["t"]);
  const doubling = read({ "CMakeLists.txt": `project(p CXX)\nset(A x;y)\n${'set(A "${A};${A}")\n'.repeat(40)}foreach(i \${A})\nforeach(j \${A})\nforeach(k \${A})\nset(Z \${i})\nendforeach()\nendforeach()\nendforeach()\nadd_library(t a.cpp)\n` });
  assert.ok(doubling.gaps.length > 0);
  const genex = read({ "CMakeLists.txt": `project(p CXX)\nadd_library(t a.cpp)\ntarget_compile_options(t PRIVATE ${"$<1:".repeat(500)}-DX${">".repeat(500)} $<$<BOOL:$<$<)\n` });
  assert.equal(genex.targets.length, 1);
});

test("mutated texts neither throw nor hang", () => {
  const seed = 'project(p CXX)\nset(A "x ${B$ENV{C}}" CACHE STRING "d")\nif(NOT (A STREQUAL "b" OR DEFINED C) AND A MATCHES "(x+)+$")\nadd_library(t a.cpp)\ntarget_compile_options(t PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-D${A};b> [[c]])\nelse()\nforeach(i RANGE 3)\nlist(APPEND L ${i})\nendforeach()\nendif()\n';
  let state = 12345;
  const next = (below: number) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  for (let round = 0; round < 400; round++) {
    let text = seed;
    for (let edit = 0; edit < 1 + next(6); edit++) {
      const at = next(text.length);
      const inserted = ['"', "(", ")", "${", "}", "$<", ">", "[[", "]]", "\\", "\n", "#", ";", "endif()"][next(14)] as string;
      text = next(2) === 0 ? text.slice(0, at) + inserted + text.slice(at) : text.slice(0, at) + text.slice(at + 1 + next(4));
    }
    assert.ok(Array.isArray(read({ "CMakeLists.txt": text }).targets));
  }
});

test("texts made to explode end in time", () => {
  const started = processorTime();
  read({ "CMakeLists.txt": `project(p CXX)\nset(X ${"${".repeat(200_000)})\n` });
  read({ "CMakeLists.txt": `project(p CXX)\nif(${"NOT ".repeat(50_000)}A)\nendif()\nif(${"(".repeat(50_000)}A)\nendif()\n` });
  read({ "CMakeLists.txt": `project(p CXX)\nset(A x)\n${'string(REPLACE "x" "xxxxxxxxxxxxxxxx" A "${A}")\n'.repeat(12)}` });
  read({ "CMakeLists.txt": `project(p CXX)\nif("${"a".repeat(60)}" MATCHES "^((a+)+|b)*$" OR "${"a".repeat(60)}!" MATCHES "^(a|a)+$")\nendif()\n` });
  read({ "CMakeLists.txt": `project(p CXX)\nset(A a)\n${'set(A "${A}${A}")\n'.repeat(60)}add_library(t a.cpp)\ntarget_compile_options(t PRIVATE \${A} $<JOIN:\${A},x>)\n` });
  assert.ok(processorTime() - started < 15_000);
});

test("a truncated file is named where it breaks off, included ones too, and the rest is read", () => {
  const reading = read({ "CMakeLists.txt": "project(p CXX)\ninclude(cut.cmake)\nadd_library(t a.cpp)\nif(A)\n", "cut.cmake": 'set(A 1)\nset(B "open\n' });
  assert.deepEqual(reading.gaps.map((one) => [one.kind, one.path, one.location?.range.start.line, one.message]), [
    ["file", "/p/CMakeLists.txt", 3, "if() is not closed. The rest of the file was read."],
    ["file", "/p/cut.cmake", 1, "The command set is not closed. The rest of the file was read."],
  ]);
  assert.deepEqual(reading.targets.map((one) => one.name), ["t"]);
});

test("what a small file may cost ends soon, what a large one needs is given", () => {
  const stopped = (text: string) => read({ "CMakeLists.txt": text }).gaps.some((gap) => gap.message === "Evaluation stopped here: the project takes more steps to evaluate than are allowed.");
  const endless = "set(i 0)\nwhile(i LESS 3)\n  foreach(x RANGE 300)\n    set(LAST ${x})\n  endforeach()\nendwhile()\n";
  assert.equal(stopped(endless), true);
  assert.equal(stopped(`${endless}#${" ".repeat(100_000)}\n`), false);
});

test("a chain of targets that is too long to follow leaves open what comes from its end", () => {
  const chain = (length: number) => {
    const links = Array.from({ length }, (_, index) => `add_library(t${index} SHARED a.cpp)\ntarget_link_libraries(t${index} PUBLIC ${index === 0 ? "${TORCH_LIBRARIES}" : `t${index - 1}`})\n`);
    const reading = read({ "CMakeLists.txt": `find_package(Torch REQUIRED)\n${links.join("")}target_compile_definitions(t0 PUBLIC _GLIBCXX_USE_CXX11_ABI=0)\n` });
    const last = reading.targets.at(-1);
    return [last?.usesTorch, last?.arguments.map((one) => `${one.known ? "" : "unknown "}${one.text}`), reading.gaps.map((gap) => gap.message)];
  };
  assert.deepEqual(chain(300), [true, ["-D_GLIBCXX_USE_CXX11_ABI=0"], []]);
  assert.deepEqual(chain(900), [undefined, ["unknown ${OPTIONS_OF_FARTHER_TARGETS}"], ["269 targets, t631 among them, link more targets through each other than were followed; what the farther ones hand on is not known."]]);
});
