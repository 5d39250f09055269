import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeclaredTarget } from "../../../src/engine/model/index.ts";
import { duplicateLibtorch } from "../../../src/engine/rules/duplicate-libtorch.ts";
import { missingLibrary } from "../../../src/engine/rules/missing-library.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const cmake = "pybind11_add_module(ops ops.cpp)\ntarget_link_libraries(ops PRIVATE torch helper torch_python ${REST})\n/opt/libtorch/lib/libtorch_cpu.a\nFetchContent_Declare(libtorch)\n";
const binding = "#include <torch/extension.h>\ntorch::Tensor f(torch::Tensor x);\nPYBIND11_MODULE(ops, m) { m.def(\"f\", f); }\n";

function project(source: string, links: readonly string[], changes: Partial<DeclaredTarget> = {}) {
  const made = new RuleProject({ "/p/CMakeLists.txt": cmake, "/p/ops.cpp": source });
  return made.target("/p/CMakeLists.txt", ["/p/ops.cpp"], { madeBy: "pybind11_add_module", links: links.map((name) => made.link("/p/CMakeLists.txt", name)), ...changes });
}

test("a module that converts tensors and links torch without torch_python", () => {
  const found = project(binding, ["torch"]).check(missingLibrary);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 error"]);
  assert.match(found[0]?.message ?? "", /^Target ops converts tensors to and from Python \(torch\/extension\.h at ops\.cpp:1\) and links torch without torch_python: .* This is no ABI mismatch\.$/);
  assert.deepEqual(lines(project("#include <torch/all.h>\nvoid f() { THPVariable_Wrap(t); }", ["torch"]).check(missingLibrary)), ["/p/CMakeLists.txt:2 error"]);
});

test("torch_python linked, directly, by path or through a target of the project", () => {
  for (const name of ["torch_python", "${TORCH_PYTHON_LIBRARY}", "/venv/torch/lib/libtorch_python.so"]) assert.deepEqual(project(binding, ["torch", name]).check(missingLibrary), [], name);
  const made = project(binding, ["torch", "helper"]);
  made.target("/p/CMakeLists.txt", [], { name: "helper", kind: "interface", links: [made.link("/p/CMakeLists.txt", "torch_python")] });
  assert.deepEqual(made.check(missingLibrary), []);
});

test("an unknown link, no conversion, no torch, or torch's own extension class is silent", () => {
  assert.deepEqual(project(binding, ["torch", "${REST}"]).check(missingLibrary), []);
  assert.deepEqual(project("#include <torch/extension.h>\nTORCH_LIBRARY(ops, m) {}", ["torch"]).check(missingLibrary), []);
  assert.deepEqual(project('#include <torch/extension.h>\nPYBIND11_MODULE(ops, m) { m.attr("version") = 1; }', ["torch"]).check(missingLibrary), []);
  assert.deepEqual(project("#include <torch/torch.h>\nPYBIND11_MODULE(ops, m) {}", ["torch"]).check(missingLibrary), []);
  assert.deepEqual(project(binding, []).check(missingLibrary), []);
  assert.deepEqual(project(binding, ["torch"], { kind: "static" }).check(missingLibrary), []);
  assert.deepEqual(project(binding, ["torch"], { builder: "setuptools", kind: "extension", madeBy: "CppExtension" }).check(missingLibrary), []);
});

test("a plain setuptools Extension is on its own", () => {
  assert.equal(project(binding, ["torch"], { builder: "setuptools", kind: "extension", madeBy: "Pybind11Extension" }).check(missingLibrary).length, 1);
});

test("a static libtorch in a Python module", () => {
  assert.deepEqual(lines(project(binding, ["/opt/libtorch/lib/libtorch_cpu.a"]).check(duplicateLibtorch)), ["/p/CMakeLists.txt:3 warning"]);
  assert.deepEqual(project(binding, ["torch", "/opt/lib/libprotobuf.a"]).check(duplicateLibtorch), []);
  assert.deepEqual(project("int main() {}", ["/opt/libtorch/lib/libtorch_cpu.a"], { kind: "executable", madeBy: "add_executable" }).check(duplicateLibtorch), []);
});

test("a libtorch fetched for a Python module, but not for a program", () => {
  const fetching = (source: string, changes: Partial<DeclaredTarget> = {}) => {
    const made = project(source, ["torch"], changes);
    made.observations.push({ kind: "package-search", name: "libtorch", how: "fetch", conditions: [], evidence: made.evidence("/p/CMakeLists.txt", "FetchContent_Declare(libtorch)") });
    return lines(made.check(duplicateLibtorch));
  };
  assert.deepEqual(fetching(binding), ["/p/CMakeLists.txt:4 warning"]);
  assert.deepEqual(fetching("int main() {}", { kind: "executable", madeBy: "add_executable" }), []);
});
