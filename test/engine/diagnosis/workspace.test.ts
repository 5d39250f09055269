import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { Workspace } from "../../../src/engine/diagnosis/index.ts";
import type { WorkspaceOptions } from "../../../src/engine/diagnosis/index.ts";
import type { Diagnosis } from "../../../src/engine/diagnosis/index.ts";
import { MemoryFiles } from "../../support/memory-files.ts";

const catalogue = loadCatalogue();

function workspace(files: MemoryFiles, options: Partial<WorkspaceOptions> = {}): Workspace {
  return new Workspace("/p", files, { catalogue, environment: {}, ...options });
}

/** Rule, severity, file and one-based line of every finding. */
function said(diagnosis: Diagnosis): readonly string[] {
  return diagnosis.findings.map((one) => `${one.severity} ${one.rule} ${one.location.path}:${one.location.range.start.line + 1}`);
}

const cmake = (standard: number): string => `cmake_minimum_required(VERSION 3.18)
project(ops LANGUAGES CXX)
set(CMAKE_CXX_STANDARD ${standard})
find_package(Torch REQUIRED)
add_library(ops SHARED ops.cpp)
target_link_libraries(ops PRIVATE "\${TORCH_LIBRARIES}")
`;
const source = "#include <torch/library.h>\n";

describe("a workspace", () => {
  it("compares with the named torch", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": cmake(17), "/p/ops.cpp": source });
    assert.deepEqual(said(workspace(files, { against: ["torch==2.14.1+cu130"] }).diagnose()), ["error cxx-standard /p/CMakeLists.txt:3"]);
    assert.deepEqual(said(workspace(files, { against: ["torch==2.8.0+cu128"] }).diagnose()), []);
  });

  it("knows that the target of torch 2.15 raises the standard of what links it, and only of that", () => {
    const against = ["torch==2.15.0+cpu"];
    const linked = new MemoryFiles({ "/p/CMakeLists.txt": cmake(17), "/p/ops.cpp": source });
    const diagnosis = workspace(linked, { against }).diagnose();
    assert.deepEqual(said(diagnosis), []);
    assert.deepEqual(diagnosis.declared[0]?.target.arguments.map((one) => one.text), ["-std=gnu++20"]);

    const pinned = (pin: string) => workspace(new MemoryFiles({ "/p/CMakeLists.txt": cmake(17), "/p/ops.cpp": source, "/p/pyproject.toml": `[build-system]\nrequires = ["torch${pin}"]\n` })).diagnose().findings.filter((one) => one.rule === "cxx-standard");
    assert.deepEqual(pinned("==2.15.0"), []);
    const [older] = pinned(">=2.14");
    assert.match(older?.message ?? "", /those of torch 2\.14\.0 to 2\.14\.\d+ stop with an #error below C\+\+20 /);

    const headers = cmake(17).replace('target_link_libraries(ops PRIVATE "${TORCH_LIBRARIES}")', 'target_include_directories(ops PRIVATE "${TORCH_INCLUDE_DIRS}")');
    assert.deepEqual(said(workspace(new MemoryFiles({ "/p/CMakeLists.txt": headers, "/p/ops.cpp": source }), { against }).diagnose()), ["error cxx-standard /p/CMakeLists.txt:3"]);
  });

  it("takes a CMakeLists.txt without project() for a project where no other leads to it", () => {
    const against = ["torch==2.14.1+cu130"];
    const bare = cmake(17).split("\n").slice(2).join("\n");
    const only = workspace(new MemoryFiles({ "/p/csrc/CMakeLists.txt": bare, "/p/csrc/ops.cpp": source }), { against }).diagnose();
    assert.deepEqual(said(only), ["error cxx-standard /p/csrc/CMakeLists.txt:1"]);
    const below = workspace(new MemoryFiles({ "/p/CMakeLists.txt": cmake(20), "/p/ops.cpp": source, "/p/csrc/CMakeLists.txt": bare, "/p/csrc/ops.cpp": source }), { against }).diagnose();
    assert.deepEqual(said(below), []);
    assert.match(below.notChecked.join(" "), /No project leads to this CMake file, which was not read: csrc\/CMakeLists\.txt/);
    const reached = workspace(new MemoryFiles({ "/p/a/CMakeLists.txt": `${cmake(20)}add_subdirectory(../b b)\n`, "/p/a/ops.cpp": source, "/p/b/CMakeLists.txt": "add_library(b SHARED ops.cpp)\ntarget_link_libraries(b ${TORCH_LIBRARIES})\n", "/p/b/ops.cpp": source }), { against }).diagnose();
    assert.deepEqual(reached.declared.map((one) => one.name), ["ops", "b"]);
  });

  it("reads what is below a CMakeLists.txt that cannot be read", () => {
    const broken = workspace(new MemoryFiles({ "/p/CMakeLists.txt": "\0\0\0", "/p/csrc/CMakeLists.txt": cmake(17).split("\n").slice(2).join("\n"), "/p/csrc/ops.cpp": source }), { against: ["torch==2.14.1+cu130"] }).diagnose();
    assert.deepEqual(said(broken), ["error cxx-standard /p/csrc/CMakeLists.txt:1"]);
    assert.deepEqual(broken.gaps.map((one) => one.path), ["/p/CMakeLists.txt"]);
  });

  it("places a standard that setup.py hands to CMake in setup.py", () => {
    const script = "import subprocess\nfrom setuptools import setup\nsubprocess.check_call(['cmake', '-DCMAKE_CXX_STANDARD=17', '.'])\nsetup()\n";
    const files = new MemoryFiles({ "/p/CMakeLists.txt": cmake(17).replace("set(CMAKE_CXX_STANDARD 17)\n", ""), "/p/ops.cpp": source, "/p/setup.py": script });
    assert.deepEqual(said(workspace(files, { against: ["torch==2.14.1+cu130"] }).diagnose()), ["error cxx-standard /p/setup.py:3"]);
  });

  it("says one thing once when several torches disagree with it", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": cmake(14), "/p/ops.cpp": source });
    const diagnosis = workspace(files, { against: ["torch==2.14.1+cu130", "torch==2.8.0+cu128"] }).diagnose();
    assert.deepEqual(said(diagnosis), ["error cxx-standard /p/CMakeLists.txt:3"]);
    assert.equal(diagnosis.installed.length, 2);
  });

  it("follows edits, and files that appear and go", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": cmake(17), "/p/ops.cpp": source });
    const project = workspace(files, { against: ["torch==2.14.1+cu130"] });
    assert.equal(project.diagnose().findings.length, 1);

    files.write("/p/CMakeLists.txt", cmake(20));
    project.invalidate("/p/CMakeLists.txt");
    assert.deepEqual(said(project.diagnose()), []);

    files.write("/p/sub/CMakeLists.txt", cmake(14).replaceAll("ops", "sub"));
    files.write("/p/sub/sub.cpp", source);
    project.invalidate("/p/sub/CMakeLists.txt");
    assert.deepEqual(said(project.diagnose()), ["error cxx-standard /p/sub/CMakeLists.txt:3"]);

    files.delete("/p/sub/CMakeLists.txt");
    project.invalidate("/p/sub/CMakeLists.txt");
    assert.deepEqual(said(project.diagnose()), []);
  });

  it("answers from memory when nothing changed", () => {
    const project = workspace(new MemoryFiles({ "/p/CMakeLists.txt": cmake(17), "/p/ops.cpp": source }), { against: ["torch==2.14.1+cu130"] });
    assert.equal(project.diagnose(), project.diagnose());
  });

  it("takes torches, severities and exclusions from abiding.json, and lets the caller's choice win", () => {
    const files = new MemoryFiles({
      "/p/CMakeLists.txt": cmake(17),
      "/p/ops.cpp": source,
      "/p/old/CMakeLists.txt": cmake(14),
      "/p/abiding.json": '{ "against": "torch==2.14.1+cu130", "rules": { "cxx-standard": "warning" }, "exclude": ["old"] }',
    });
    assert.deepEqual(said(workspace(files).diagnose()), ["warning cxx-standard /p/CMakeLists.txt:3"]);
    assert.deepEqual(said(workspace(files, { rules: new Map([["cxx-standard", "info"]]) }).diagnose()), ["info cxx-standard /p/CMakeLists.txt:3"]);
    assert.deepEqual(said(workspace(files, { against: ["torch==2.8.0+cu128"] }).diagnose()), []);
  });

  it("leaves out what abiding.json ignores and counts it", () => {
    const files = new MemoryFiles({
      "/p/examples/CMakeLists.txt": cmake(14),
      "/p/examples/ops.cpp": source,
      "/p/abiding.json": '{ "against": "torch==2.14.1+cu130", "ignore": [{ "rule": "cxx-standard", "path": "examples/**" }] }',
    });
    const diagnosis = workspace(files).diagnose();
    assert.deepEqual(said(diagnosis), []);
    assert.equal(diagnosis.suppressed, 1);
  });

  it("runs a rule that is off by default only when it is asked for", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": cmake(20), "/p/ops.cpp": `${source}#include <ATen/ATen.h>\nat::Tensor f(at::Tensor x) { return x; }\n` });
    const rulesOf = (options: Partial<WorkspaceOptions>): readonly string[] => workspace(files, { against: ["torch==2.14.1+cu130"], ...options }).diagnose().findings.map((one) => one.rule);
    assert.deepEqual(rulesOf({}), []);
    assert.deepEqual(rulesOf({ only: ["c10-boundary"] }), ["c10-boundary"]);
    assert.deepEqual(rulesOf({ rules: new Map([["c10-boundary", "info"]]) }), ["c10-boundary"]);
  });

  it("finds a flag where it is handed over", () => {
    const files = new MemoryFiles({
      "/p/CMakeLists.txt": cmake(17).replace("set(CMAKE_CXX_STANDARD 17)", ""),
      "/p/ops.cpp": source,
      "/p/CMakePresets.json": '{ "version": 3, "configurePresets": [{ "name": "old", "binaryDir": "build", "cacheVariables": { "CMAKE_CXX_FLAGS": "-O2 -D_GLIBCXX_USE_CXX11_ABI=0" } }] }',
    });
    const { findings } = new Workspace("/p", files, { catalogue: loadCatalogue(), environment: {}, against: ["torch==2.9.1+cpu"], only: ["libstdcxx-abi"] }).diagnose();
    assert.deepEqual(findings.map((one) => [one.rule, one.location.path, one.location.range.start.line]), [["libstdcxx-abi", "/p/CMakePresets.json", 0]]);
    assert.equal(findings[0]?.fixes.length, 2);
  });

  it("configures a CMake project as setup.py and presets do, beside plainly", () => {
    const files = new MemoryFiles({
      "/p/CMakeLists.txt": cmake(17).replace("set(CMAKE_CXX_STANDARD 17)", 'if(NOT DEFINED CMAKE_CXX_STANDARD)\n  set(CMAKE_CXX_STANDARD 20)\nendif()'),
      "/p/ops.cpp": source,
      "/p/CMakePresets.json": '{ "version": 3, "configurePresets": [{ "name": "old", "binaryDir": "build", "cacheVariables": { "CMAKE_CXX_STANDARD": "14" } }] }',
    });
    const findings = workspace(files, { against: ["torch==2.14.1+cu130"] }).diagnose().findings.filter((one) => one.rule === "cxx-standard");
    assert.deepEqual(findings.map((one) => one.location.path), ["/p/CMakePresets.json"]);
    assert.match(findings[0]?.message ?? "", /C\+\+14/);
  });

  it("says what was not checked: no torch, and CMake files that no project leads to", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": "project(x)\n", "/p/lost/CMakeLists.txt": "add_library(a a.cpp)\n" });
    const { notChecked } = workspace(files, { environment: { PATH: "" } }).diagnose();
    assert.ok(notChecked.some((sentence) => sentence.startsWith("No torch was found or named")), notChecked.join("\n"));
    assert.ok(notChecked.some((sentence) => sentence.includes("lost/CMakeLists.txt")), notChecked.join("\n"));
  });

  it("names a build file that is not UTF-8 and reads the rest of it", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": new Uint8Array([...new TextEncoder().encode("# caf"), 0xe9, 10, ...new TextEncoder().encode(cmake(17))]), "/p/ops.cpp": source });
    const diagnosis = workspace(files, { against: ["torch==2.14.1+cu130"] }).diagnose();
    assert.deepEqual(said(diagnosis), ["error cxx-standard /p/CMakeLists.txt:4"]);
    assert.deepEqual(diagnosis.gaps.filter((gap) => gap.kind === "file").map((gap) => [gap.path, gap.message.slice(0, 21)]), [["/p/CMakeLists.txt", "The file is not UTF-8"]]);
  });

  it("reports a torch that cannot be resolved, and still checks the project itself", () => {
    const files = new MemoryFiles({ "/p/CMakeLists.txt": cmake(17), "/p/abiding.json": '{ "against": ["nowhere/venv"] }' });
    const diagnosis = workspace(files).diagnose();
    assert.equal(diagnosis.installed.length, 0);
    assert.ok(diagnosis.gaps.some((gap) => gap.kind === "file" && gap.message.includes("nowhere/venv")));
    assert.equal(diagnosis.declared.length, 1);
  });
});
