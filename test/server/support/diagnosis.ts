/** A hand-made project for tests of single features: an extension `ops` with ABI 0 and a torch with ABI 1. */
import type { Diagnosis } from "../../../src/engine/diagnosis/index.ts";
import type { CompileArgument, DeclaredTarget, Finding, InstalledBody, Location, SourceEvidence } from "../../../src/engine/model/index.ts";
import { declaredBody } from "../../../src/engine/sources/flags/index.ts";

export const root = "/project";
export const cmakeLists = `${root}/CMakeLists.txt`;

export const cmakeText = [
  "project(demo LANGUAGES CXX)",
  "find_package(Torch REQUIRED)",
  "add_library(ops SHARED ops.cpp)",
  "target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=0)",
  "set_target_properties(ops PROPERTIES CXX_STANDARD 14)",
  "target_link_libraries(ops ${TORCH_LIBRARIES})",
  "",
].join("\n");

/** The place of a text in `cmakeText`. */
export function placeOf(text: string): Location {
  const offset = cmakeText.indexOf(text);
  const before = cmakeText.slice(0, offset).split("\n");
  const start = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  return { path: cmakeLists, range: { start, end: { line: start.line, character: start.character + text.length } } };
}

function evidence(text: string): SourceEvidence {
  return { kind: "source", location: placeOf(text), text, via: [] };
}

function argument(text: string, written: string, origin: CompileArgument["origin"]): CompileArgument {
  return { text, known: true, languages: ["CXX"], origin, conditions: [], evidence: evidence(written) };
}

const target: DeclaredTarget = {
  name: "ops", builder: "cmake", kind: "shared", location: placeOf("ops"), languages: ["CXX"],
  sources: [{ path: `${root}/ops.cpp`, language: "CXX", conditions: [], location: placeOf("ops.cpp") }],
  arguments: [argument("-D_GLIBCXX_USE_CXX11_ABI=0", "_GLIBCXX_USE_CXX11_ABI=0", "definition"), argument("-std=gnu++14", "CXX_STANDARD 14", "standard")],
  links: [], includeDirectories: [], usesTorch: true, madeBy: "add_library", conditions: [],
};

export const torch: InstalledBody = {
  role: "installed", name: ".venv", source: "environment", torchRoot: `${root}/.venv/torch`, distributions: [], shadowed: [], notKnown: [],
  facts: [
    { trait: "torch-version", value: "2.8.0+cu128", certainty: "observed", conditions: [], evidence: [{ kind: "file", path: `${root}/.venv/torch/version.py`, what: "__version__" }] },
    { trait: "libstdcxx-abi", value: 1, certainty: "observed", conditions: [], evidence: [{ kind: "file", path: `${root}/.venv/torch/lib/libc10.so`, what: "exports __cxx11 symbols" }] },
    { trait: "cxx-standard-floor", value: 17, certainty: "observed", conditions: [], evidence: [{ kind: "file", path: `${root}/.venv/torch/include/c10/macros/Macros.h`, what: "#error below C++17" }] },
  ],
};

export const abiFinding: Finding = {
  rule: "libstdcxx-abi", severity: "error", message: "ops is compiled with ABI 0, torch 2.8.0+cu128 has ABI 1.", target: "ops",
  location: placeOf("_GLIBCXX_USE_CXX11_ABI=0"),
  related: [{ message: "torch is linked here", location: placeOf("${TORCH_LIBRARIES}") }],
  against: [
    { kind: "file", path: `${root}/.venv/torch/lib/libc10.so`, what: "exports __cxx11 symbols" },
    { kind: "file", path: `${root}/.venv/torch/share/cmake/TorchConfig.cmake`, what: "no ABI macro" },
  ],
  fixes: [
    { title: "Delete the definition", preferred: true, edits: [{ location: placeOf("target_compile_definitions(ops PRIVATE _GLIBCXX_USE_CXX11_ABI=0)"), newText: "" }] },
    { title: "Define 1", preferred: false, edits: [{ location: placeOf("_GLIBCXX_USE_CXX11_ABI=0"), newText: "_GLIBCXX_USE_CXX11_ABI=1" }] },
  ],
};

export const standardFinding: Finding = {
  rule: "cxx-standard", severity: "warning", message: "ops asks for C++14; torch needs C++17.", target: "ops", location: placeOf("CXX_STANDARD 14"), related: [], against: [], tag: "unnecessary",
  fixes: [{ title: "Raise to 17", preferred: true, edits: [{ location: placeOf("CXX_STANDARD 14"), newText: "CXX_STANDARD 17" }] }],
};

export function diagnosis(change: Partial<Diagnosis> = {}): Diagnosis {
  return {
    root, declared: [declaredBody(target)], installed: [torch], toolchains: [], built: [], scanned: false, findings: [abiFinding, standardFinding],
    observations: [{ kind: "package-search", name: "Torch", how: "find_package", evidence: evidence("find_package(Torch REQUIRED)"), conditions: [] }],
    requirements: [], configured: [], suppressed: 0, gaps: [], notChecked: [], files: [cmakeLists],
    ...change,
  };
}
