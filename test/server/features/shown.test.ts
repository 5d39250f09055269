import assert from "node:assert/strict";
import { test } from "node:test";
import { codeLenses } from "../../../src/server/features/codeLens.ts";
import { diagnosticsByPath, toDiagnostic } from "../../../src/server/features/diagnostics.ts";
import { hover } from "../../../src/server/features/hover.ts";
import { inlayHints } from "../../../src/server/features/inlayHints.ts";
import { abiFinding, cmakeLists, diagnosis, placeOf, root, standardFinding } from "../support/diagnosis.ts";

const options = { relatedInformation: true, codeDescription: false, tags: true, uri: (path: string) => `file://${path}` };
const everything = { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } };

test("a diagnostic points at the other side where an editor can open it", () => {
  const shown = toDiagnostic(abiFinding, options);
  assert.deepEqual([shown.code, shown.severity, shown.source], ["libstdcxx-abi", 1, "abiding"]);
  assert.deepEqual(shown.relatedInformation?.map((one) => [one.location.uri, one.message]), [
    [`file://${cmakeLists}`, "torch is linked here"],
    [`file://${root}/.venv/torch/share/cmake/TorchConfig.cmake`, "no ABI macro"],
  ]);
  assert.deepEqual(toDiagnostic(standardFinding, options).tags, [1]);
});

test("a file that could not be read is told about in that file, with numbers that the protocol allows", () => {
  const gap = { kind: "file", path: `${root}/x.cmake`, message: "x.cmake is binary.", location: { path: `${root}/x.cmake`, range: { start: { line: 0, character: 0 }, end: { line: 0, character: Number.MAX_SAFE_INTEGER } } } } as const;
  const shown = diagnosticsByPath(diagnosis({ findings: [], gaps: [gap, { kind: "evaluation", path: cmakeLists, message: "Not known." }] }), options);
  assert.deepEqual([...shown], [[`${root}/x.cmake`, [{
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 2147483647 } }, severity: 3, source: "abiding", code: "unreadable-file", message: "x.cmake is binary.",
  }]]]);
});

test("hover on a flag says what it amounts to and what the torch has", () => {
  const shown = hover(cmakeLists, placeOf("GLIBCXX_USE").range.start, diagnosis());
  assert.deepEqual(shown, {
    contents: {
      kind: "markdown",
      value: [
        "**libstdc++ ABI (`_GLIBCXX_USE_CXX11_ABI`): 0**", "", "For target ops, C++.", "",
        "- Set by `_GLIBCXX_USE_CXX11_ABI=0` at CMakeLists.txt:4", "",
        "torch 2.8.0+cu128 in .venv:", "",
        "- libstdc++ ABI (`_GLIBCXX_USE_CXX11_ABI`): **1** (.venv/torch/lib/libc10.so (exports __cxx11 symbols))",
      ].join("\n"),
    },
    range: placeOf("_GLIBCXX_USE_CXX11_ABI=0").range,
  });
});

test("hover on the search for Torch says which one is meant", () => {
  const shown = hover(cmakeLists, placeOf("find_package").range.start, diagnosis());
  assert.match(JSON.stringify(shown?.contents), /\*\*Torch\*\*.*torch: \*\*2\.8\.0\+cu128\*\*/);
  const without = hover(cmakeLists, placeOf("find_package").range.start, diagnosis({ installed: [] }));
  assert.match(JSON.stringify(without?.contents), /No torch was found to check against\./);
});

test("hover is silent where nothing is set", () => {
  assert.equal(hover(cmakeLists, placeOf("project(demo").range.start, diagnosis()), null);
  assert.equal(hover("/project/other.txt", placeOf("find_package").range.start, diagnosis()), null);
});

test("inlay hints give a target's ABI and standard, and the torch of a search", () => {
  const hints = inlayHints(cmakeLists, everything, diagnosis(), { targets: true, torch: true });
  assert.deepEqual(hints.map((one) => [one.label, one.position]), [
    ["ABI 0 · C++14", placeOf("ops").range.end],
    ["torch 2.8.0+cu128", placeOf("find_package(Torch REQUIRED)").range.end],
  ]);
  assert.deepEqual(inlayHints(cmakeLists, everything, diagnosis(), { targets: false, torch: false }), []);
  assert.deepEqual(inlayHints(cmakeLists, placeOf("project").range, diagnosis(), { targets: true, torch: true }), []);
});

test("a lens counts the findings of a target; a healthy target has none", () => {
  const lenses = codeLenses(cmakeLists, diagnosis(), ["abiding.showFindings"], options.uri);
  assert.deepEqual(lenses.map((one) => [one.command?.title, one.command?.command]), [["1 error, 1 warning against torch 2.8.0+cu128 in .venv", "abiding.showFindings"]]);
  assert.deepEqual(codeLenses(cmakeLists, diagnosis({ findings: [] }), [], options.uri), []);
});
