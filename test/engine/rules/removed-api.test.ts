import assert from "node:assert/strict";
import { test } from "node:test";
import type { RemovedApi } from "../../../src/engine/catalogue/index.ts";
import { removedApi } from "../../../src/engine/rules/removed-api.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const apis: readonly RemovedApi[] = [
  { kind: "header", what: "THC/THC.h", removedIn: "1.11.0", replacement: "ATen/cuda/CUDAContext.h", replacementSince: "1.0.0", source: "test" },
  { kind: "macro", what: "AT_CHECK", removedIn: "1.5.0", replacement: "TORCH_CHECK", replacementSince: "1.2.0", source: "test" },
];

const project = (source: string, header = "") =>
  new RuleProject({ "/p/ops.cu": source, "/p/own.h": header, "/p/setup.py": "ops\nops.cu", "/venv/torch/include/ATen/ATen.h": "" }, { removedApis: apis }).target("/p/setup.py", ["/p/ops.cu"]);

test("a header that the installed torch lost is an error, with its successor as the fix", () => {
  const [found, ...others] = project("#include <vector>\n#include <THC/THC.h>\n").torch("2.8.0").check(removedApi);
  assert.equal(others.length, 0);
  assert.equal(found?.severity, "error");
  assert.equal(found?.message, "The header THC/THC.h is gone since torch 1.11.0, and torch 2.8.0 in .venv is checked against. Use ATen/cuda/CUDAContext.h, which works since torch 1.0.0.");
  assert.deepEqual(found?.fixes[0]?.edits, [{ location: { path: "/p/ops.cu", range: { start: { line: 1, character: 10 }, end: { line: 1, character: 19 } } }, newText: "ATen/cuda/CUDAContext.h" }]);
});

test("every use of one name in a file is one finding, and the fix replaces all", () => {
  const found = project("void f() { AT_CHECK(a); AT_CHECK(b); }").torch("2.8.0").check(removedApi);
  assert.deepEqual(lines(found), ["/p/ops.cu:1 error"]);
  assert.equal(found[0]?.fixes[0]?.edits.length, 2);
  assert.equal(found[0]?.related.length, 1);
});

test("a header of the project counts for the target that includes it", () => {
  assert.deepEqual(lines(project('#include "own.h"\n', "#pragma once\n#define CHECK(x) AT_CHECK(x)\n").torch("2.8.0").check(removedApi)), ["/p/own.h:2 error"]);
});

test("silent: older torch, comment, version guard, own definition, presence test, dead code, no torch in the target", () => {
  const silent = (source: string) => assert.deepEqual(project(source).torch("2.8.0").check(removedApi), []);
  assert.deepEqual(project("#include <THC/THC.h>").torch("1.10.0").check(removedApi), []);
  silent("// #include <THC/THC.h>");
  silent("#if TORCH_VERSION_MAJOR < 2\n#include <THC/THC.h>\n#endif");
  silent("#ifndef AT_CHECK\n#define AT_CHECK TORCH_CHECK\n#endif\nvoid f() { AT_CHECK(a); }");
  silent("#ifndef TORCH_CHECK\n#define TORCH_CHECK AT_CHECK\n#endif");
  silent("#if __has_include(<THC/THC.h>)\n#include <THC/THC.h>\n#endif");
  silent("#if 0\n#include <THC/THC.h>\n#endif");
  silent("#ifdef OLD_TORCH\n#include <THC/THC.h>\n#endif");
  const other = new RuleProject({ "/p/a.cpp": "#include <THC/THC.h>", "/p/setup.py": "" }, { removedApis: apis }).target("/p/setup.py", ["/p/a.cpp"], { usesTorch: false }).torch("2.8.0");
  assert.deepEqual(other.check(removedApi), []);
});

test("a listed header that the torch or the project has after all, or that is no header of torch", () => {
  const has = project("#include <THC/THC.h>").torch("2.8.0", {}, { torchRoot: "/venv/torch" });
  has.files.write("/venv/torch/include/THC/THC.h", "");
  assert.deepEqual(has.check(removedApi), []);
  const vendored = new RuleProject({ "/p/third/include/THC/THC.h": "", "/p/third/include/a.cu": "#include <THC/THC.h>", "/p/src/c10/b.cu": "#include <THC/THC.h>", "/p/setup.py": "" }, { removedApis: apis });
  assert.deepEqual(vendored.target("/p/setup.py", ["/p/third/include/a.cu", "/p/src/c10/b.cu"]).torch("2.8.0").check(removedApi), []);
  const bundled: RemovedApi = { kind: "header", what: "fmt/chrono.h", removedIn: "2.0.0", source: "test" };
  assert.deepEqual(new RuleProject({ "/p/a.cpp": "#include <fmt/chrono.h>", "/p/setup.py": "" }, { removedApis: [bundled] }).target("/p/setup.py", ["/p/a.cpp"]).torch("2.8.0").check(removedApi), []);
});

test("without a torch the project's own range decides", () => {
  assert.deepEqual(lines(project("#include <THC/THC.h>").check(removedApi)), ["/p/ops.cu:1 warning"]);
  assert.deepEqual(lines(project("#include <THC/THC.h>").require("/p/setup.py", "torch>=1.7").check(removedApi)), ["/p/ops.cu:1 warning"]);
  assert.deepEqual(project("#include <THC/THC.h>").require("/p/setup.py", "torch==1.7.0").check(removedApi), []);
});

test("a header that is in no include folder of the installed torch", () => {
  const at = { torchRoot: "/venv/torch" };
  assert.deepEqual(lines(project("#include <ATen/Gone.h>\n#include <ATen/ATen.h>").torch("2.8.0", {}, at).check(removedApi)), ["/p/ops.cu:1 error"]);
  assert.deepEqual(project("#include <ATen/hip/Gone.h>").torch("2.8.0", {}, at).check(removedApi), []);
  assert.deepEqual(project("#include <THC/THCAtomics.cuh>").torch("2.8.0", { "cuda-version": null }, at).check(removedApi), []);
  assert.deepEqual(lines(project("#include <THC/Gone.cuh>").torch("2.8.0", { "cuda-version": "12.8" }, at).check(removedApi)), ["/p/ops.cu:1 error"]);
  assert.deepEqual(project("#ifdef NEW_API\n#include <ATen/Gone.h>\n#endif").torch("2.8.0", {}, at).check(removedApi), []);
  assert.deepEqual(project("#include <torch/mine.h>").torch("2.8.0", {}, at).check(removedApi), []);
});

test("a dispatch macro that switches on Tensor::type(), and those that switch on a ScalarType", () => {
  const dispatch: RemovedApi = { kind: "argument", what: "Tensor::type() as the type of an AT_DISPATCH macro", removedIn: "2.6.0", replacement: "scalar_type", source: "test" };
  const check = (source: string, version = "2.8.0", header = "") =>
    new RuleProject({ "/p/ops.cu": source, "/p/own.h": header, "/p/setup.py": "" }, { removedApis: [dispatch] }).target("/p/setup.py", ["/p/ops.cu"]).torch(version).check(removedApi);
  const [found, ...others] = check('void f(at::Tensor x) {\n  AT_DISPATCH_FLOATING_TYPES_AND_HALF(\n      x.type(), "f", ([&] { g<scalar_t>(x); }));\n  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, y[0]->grad().type(), "g", [&] {});\n}');
  assert.equal(others.length, 0);
  assert.equal(found?.message, "Tensor::type() as the type of an AT_DISPATCH macro is refused since torch 2.6.0, and torch 2.8.0 in .venv is checked against. Use scalar_type.");
  assert.deepEqual(found.fixes[0]?.edits.map((edit) => [edit.location.range.start, edit.location.range.end.character, edit.newText]), [
    [{ line: 2, character: 8 }, 12, "scalar_type"], [{ line: 3, character: 68 }, 72, "scalar_type"],
  ]);
  assert.deepEqual(check('AT_DISPATCH_FLOATING_TYPES(x.type(), "f", [&] {});', "2.5.1"), []);
  const silent = (source: string, header = "") => assert.deepEqual(check(source, "2.8.0", header), []);
  silent('AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", [&] { h(x.type(), 1); });');
  silent('AT_DISPATCH_FLOATING_TYPES(x.type().scalarType(), "f", [&] {});');
  silent('AT_DISPATCH_ALL_TYPES(to(x.type(), 1), "f", [&] {});');
  silent('void f(const at::Scalar& s) { AT_DISPATCH_ALL_TYPES(s.type(), "f", [&] {}); }');
  silent('AT_DISPATCH_MY_TYPES(x.type(), "f", [&] {});');
  silent('// AT_DISPATCH_ALL_TYPES(x.type(), "f", [&] {});');
  silent('#if TORCH_VERSION_MAJOR < 2\nAT_DISPATCH_ALL_TYPES(x.type(), "f", [&] {});\n#endif');
  silent('#include "own.h"\nAT_DISPATCH_ALL_TYPES(x.type(), "f", [&] {});', "#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) other(TYPE)");
});
