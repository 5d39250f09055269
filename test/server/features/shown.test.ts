import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnosis } from "../../../src/engine/diagnosis/index.ts";
import type { Language, Requirement } from "../../../src/engine/model/index.ts";
import { declaredBody } from "../../../src/engine/sources/flags/index.ts";
import { codeLenses } from "../../../src/server/features/codeLens.ts";
import { diagnosticsByPath, toDiagnostic } from "../../../src/server/features/diagnostics.ts";
import { hover } from "../../../src/server/features/hover.ts";
import { inlayHints } from "../../../src/server/features/inlayHints.ts";
import { abiFinding, cmakeLists, diagnosis, placeOf, root, standardFinding, torch } from "../support/diagnosis.ts";

const options = { relatedInformation: true, codeDescription: false, tags: true, uri: (path: string) => `file://${path}` };
const everything = { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } };

test("a diagnostic points at the other side where an editor can open it", () => {
  const shown = toDiagnostic(abiFinding, options);
  assert.deepEqual([shown.code, shown.severity, shown.source], ["libstdcxx-abi", 1, "abiding"]);
  assert.deepEqual(shown.relatedInformation?.map((one) => [one.location.uri, one.message]), [
    [`file://${cmakeLists}`, "torch is linked here"],
    [`file://${root}/.venv/torch/share/cmake/TorchConfig.cmake`, "no ABI macro"],
  ]);
  const repeating = { ...abiFinding, against: [], related: [{ message: "variable FLAGS set", location: placeOf("target_compile_definitions(ops") }] };
  assert.equal(toDiagnostic(repeating, options).relatedInformation, undefined);
  assert.deepEqual(toDiagnostic(standardFinding, options).tags, [1]);
  assert.deepEqual((["error", "warning", "info", "hint"] as const).map((severity) => toDiagnostic({ ...abiFinding, severity }, options).severity), [1, 2, 3, 4]);
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
        "- Set by `_GLIBCXX_USE_CXX11_ABI=0` at [CMakeLists.txt:4](file:///project/CMakeLists.txt#L4)", "",
        "torch 2.8.0+cu128 in .venv:", "",
        "- libstdc++ ABI (`_GLIBCXX_USE_CXX11_ABI`): **1** (.venv/torch/lib/libc10.so (exports __cxx11 symbols))",
      ].join("\n"),
    },
    range: placeOf("_GLIBCXX_USE_CXX11_ABI=0").range,
  });
});

test("hover on the search for Torch says which one is meant", () => {
  const shown = hover(cmakeLists, placeOf("find_package").range.start, diagnosis());
  assert.match(JSON.stringify(shown?.contents), /\*\*Torch\*\*.*torch 2\.8\.0\+cu128 in \.venv:.*libstdc\+\+ ABI \(`_GLIBCXX_USE_CXX11_ABI`\): \*\*1\*\*/);
  const without = hover(cmakeLists, placeOf("find_package").range.start, diagnosis({ installed: [] }));
  assert.match(JSON.stringify(without?.contents), /No torch was found to check against\./);
});

test("steps on the line of the setting stand beside it, the others lead to their places; the catalogue is named once", () => {
  const [body] = diagnosis().declared;
  assert.ok(body);
  const [definition, ...others] = body.target.arguments;
  assert.ok(definition);
  const via = [{ location: placeOf("_GLIBCXX_USE_CXX11_ABI=0"), what: "variable FLAGS set" }, { location: placeOf("project(demo LANGUAGES CXX)"), what: "flags.cmake included" }];
  const target = { ...body.target, arguments: [{ ...definition, evidence: { ...definition.evidence, via } }, ...others] };
  const release = { ...torch, source: "catalogue" as const, facts: torch.facts.map((fact) => ({ ...fact, evidence: [{ kind: "catalogue" as const, table: "torch-releases", row: "2.8.0", source: "notes" }] as const })) };
  const shown = hover(cmakeLists, placeOf("GLIBCXX_USE").range.start, diagnosis({ declared: [declaredBody(target)], installed: [release] }));
  assert.deepEqual((shown?.contents as { value: string }).value.split("\n").slice(4), [
    "- Set by `_GLIBCXX_USE_CXX11_ABI=0` at [CMakeLists.txt:4](file:///project/CMakeLists.txt#L4) (variable FLAGS set)",
    "- flags.cmake included at [CMakeLists.txt:1](file:///project/CMakeLists.txt#L1)", "",
    "torch 2.8.0+cu128 (catalogue):", "",
    "- libstdc++ ABI (`_GLIBCXX_USE_CXX11_ABI`): **1**",
  ]);
});

test("hover on a pin says whether the torch satisfies it, and who else asks for it", () => {
  const pin = (specifier: string, change: Partial<Requirement> = {}): Requirement => ({ name: "torch", extras: [], specifier, role: "install", indexUrls: [], nightly: false, known: true, conditions: [], text: `torch${specifier}`, location: placeOf("project(demo"), ...change });
  const text = (...requirements: Requirement[]): string => (hover(cmakeLists, placeOf("project(demo").range.start, diagnosis({ requirements })) as { contents: { value: string } }).contents.value;
  assert.equal(text(pin(">=2.5")), "**torch**: `>=2.5`\n\ntorch 2.8.0+cu128 in .venv satisfies it.");
  assert.equal(text(pin("<2.6")), "**torch**: `<2.6`\n\ntorch 2.8.0+cu128 in .venv does not satisfy it.");
  assert.equal(text(pin("==2.8.0+cpu")), "**torch**: `==2.8.0+cpu`\n\ntorch 2.8.0+cu128 in .venv does not satisfy it.");
  assert.equal(text(pin("", { known: false })), "**torch**: any version\n\nChecked against torch 2.8.0+cu128 in .venv.");
  assert.match(text(pin(""), pin("==2.5.1", { location: placeOf("add_library(ops SHARED") })), /Also asked for:\n\n- `torch==2\.5\.1` at \[CMakeLists\.txt:3\]/);
});

test("hover on an architecture list says which CUDA it is for", () => {
  const [search] = diagnosis().observations;
  assert.ok(search);
  const list = { kind: "architecture-list", variable: "TORCH_CUDA_ARCH_LIST", value: "8.0;9.0a", evidence: search.evidence, conditions: [] } as const;
  const cuda = { trait: "cuda-version", value: "12.8", certainty: "observed", conditions: [], evidence: [{ kind: "file", path: `${root}/.venv/torch/version.py`, what: "cuda" }] } as const;
  const shown = hover(cmakeLists, placeOf("find_package").range.start, diagnosis({ observations: [list], installed: [{ ...torch, facts: [...torch.facts, cuda] }] }));
  assert.match((shown?.contents as { value: string }).value, /^\*\*CUDA architectures\*\*: `TORCH_CUDA_ARCH_LIST` = `8\.0;9\.0a`\n\ntorch 2\.8\.0\+cu128 in \.venv:\n\n- CUDA: \*\*12\.8\*\*/);
});

test("hover on a target says what it is built with, and where a configured build knows better", () => {
  const at = placeOf("ops").range.start;
  const own = [
    "**ops**, made by `add_library` for C++", "",
    "- libstdc++ ABI (`_GLIBCXX_USE_CXX11_ABI`): **0**, set at [CMakeLists.txt:4](file:///project/CMakeLists.txt#L4)",
    "- C++ standard: **C++14**, set at [CMakeLists.txt:5](file:///project/CMakeLists.txt#L5)",
  ];
  const other = ["", "torch 2.8.0+cu128 in .venv:", ""];
  const text = (configured: Diagnosis["configured"]): string[] => {
    const lines = (hover(cmakeLists, at, diagnosis({ configured }))?.contents as { value: string }).value.split("\n");
    const end = lines.length - 2;
    assert.deepEqual(lines.slice(end - 3, end), other);
    return lines.slice(0, end - 3);
  };
  const comparison = { target: "ops", outcome: "agrees", differences: [], undecided: 0 } as const;
  const folder = `${root}/build`;
  assert.deepEqual(text([]), own);
  assert.deepEqual(text([{ folder, comparisons: [comparison] }]), [...own, "", "As configured in build/, which agrees with the build files."]);
  const differences = [
    { language: "CXX", setting: "-std", read: ["17"], truth: "20", location: placeOf("CXX_STANDARD 14") },
    { language: "CXX", setting: "_GLIBCXX_USE_CXX11_ABI", read: [], truth: "1", location: placeOf("CXX_STANDARD 14") },
  ] as const;
  assert.deepEqual(text([{ folder, comparisons: [{ ...comparison, outcome: "different", differences }] }]), [
    ...own, "", "As configured in build/, where CMake's own account differs from reading the build files:", "",
    "- `-std` (C++) is `20`, read statically as 17 at [CMakeLists.txt:5](file:///project/CMakeLists.txt#L5)",
    "- `_GLIBCXX_USE_CXX11_ABI` (C++) is `1`, not seen in the build files",
  ]);
  assert.deepEqual(text([{ folder, comparisons: [{ ...comparison, outcome: "missing" }] }]).at(-1), "As configured in build/; reading the build files alone does not show this target.");
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
  const [body] = diagnosis().declared;
  assert.ok(body);
  const label = (languages: readonly Language[]): unknown => inlayHints(cmakeLists, everything, diagnosis({ declared: [declaredBody({ ...body.target, languages: ["CXX", "CUDA"], arguments: body.target.arguments.map((one) => ({ ...one, languages })) })] }), { targets: true, torch: false })[0]?.label;
  assert.equal(label(["CXX", "CUDA"]), "ABI 0 · C++14");
  assert.equal(label(["CXX"]), "ABI 0 for C++ only · C++14");
  assert.equal(label(["CUDA"]), "CUDA ABI 0 · CUDA C++14");
  assert.deepEqual(inlayHints(cmakeLists, everything, diagnosis(), { targets: false, torch: false }), []);
  assert.deepEqual(inlayHints(cmakeLists, placeOf("project").range, diagnosis(), { targets: true, torch: true }), []);
});

test("a lens counts the findings of a target; a healthy target has none", () => {
  const lenses = codeLenses(cmakeLists, diagnosis(), ["abiding.showFindings"], options.uri);
  assert.deepEqual(lenses.map((one) => [one.command?.title, one.command?.command]), [["1 error, 1 warning against torch 2.8.0+cu128 in .venv", "abiding.showFindings"]]);
  assert.deepEqual(codeLenses(cmakeLists, diagnosis({ findings: [] }), [], options.uri), []);
});
