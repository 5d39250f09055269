import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { operatorUses } from "../../../src/engine/rules/operators/uses.ts";
import { torchOperators } from "../../../src/engine/rules/torch-operators.ts";
import { compile, temporaryFolder } from "../binaries/elf/compile.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

/** A list of the usual size: one that is much shorter is taken for a file of another shape. */
const list = [
  "- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n  autogen: add.odd_out, add_other.out\n",
  "- func: relu(Tensor self) -> Tensor\n",
  ...Array.from({ length: 1000 }, (_, index) => `- func: op${index}(Tensor self) -> Tensor\n`),
  "- func: add(Tensor self) -> Tensor\n",
].join("\n");

const folder = temporaryFolder();
const libtorch = readFileSync(compile(folder, "libtorch_cpu.so", 'const char* schema() { return "aten::format(str self, ...) -> str"; }'));

function project(source: string, files: Readonly<Record<string, string>> = {}) {
  return new RuleProject({
    "/p/setup.py": "ops", "/p/ops.cpp": source, "/venv/torchgen/packaged/ATen/native/native_functions.yaml": list, "/venv/torch/lib/libtorch_cpu.so": libtorch, ...files,
  }).target("/p/setup.py", ["/p/ops.cpp"], { builder: "setuptools" }).torch("2.13.0", {}, { torchRoot: "/venv/torch" });
}

test("a call of an operator that is not there", () => {
  const found = project('auto op = c10::Dispatcher::singleton()\n  .findSchemaOrThrow("aten::no_such", "out");').check(torchOperators);
  assert.deepEqual(lines(found), ["/p/ops.cpp:2 error"]);
  assert.equal(found[0]?.message, 'findSchemaOrThrow asks for the operator aten::no_such.out, which torch 2.13.0 in .venv does not have. The call throws "Could not find schema for aten::no_such.out" when it is reached.');
  assert.deepEqual(found[0]?.location.range, { start: { line: 1, character: 22 }, end: { line: 1, character: 35 } });
});

test("an overload that is not there", () => {
  const found = project('torch_call_dispatcher("aten::add", "Complex", stack, 0);').check(torchOperators);
  assert.match(found[0]?.message ?? "", /It has add as aten::add\.Tensor, aten::add\.odd_out and aten::add\./);
});

test("a kernel for an operator that nobody defines", () => {
  const found = project('TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n  m.impl("relu", f);\n  m.impl("gone.out", TORCH_FN(g));\n}').check(torchOperators);
  assert.deepEqual(lines(found), ["/p/ops.cpp:3 warning"]);
  assert.match(found[0]?.message ?? "", /^A kernel is registered for the operator aten::gone\.out, .* is never called\.$/);
});

test("operators that are there, by any list, and other namespaces", () => {
  assert.deepEqual(project([
    'x.findSchemaOrThrow("aten::add", "Tensor");', 'x.findSchemaOrThrow("aten::add_other", "out");', 'x.findSchemaOrThrow("aten::format", "");', 'x.findSchemaOrThrow("torchvision::nms", "");', "x.findSchemaOrThrow(name, overload);",
    'TORCH_LIBRARY_IMPL(ops, CPU, m) { m.impl("gone", f); }', '// x.findSchemaOrThrow("aten::gone", "");', "#if TORCH_VERSION_MINOR < 5", 'x.findSchemaOrThrow("aten::gone", "");', "#endif",
  ].join("\n")).check(torchOperators), []);
});

test("without a list that can be read nothing is said", () => {
  const call = 'x.findSchemaOrThrow("aten::gone", "");';
  assert.deepEqual(project(call, { "/venv/torchgen/packaged/ATen/native/native_functions.yaml": "- func: add(Tensor self) -> Tensor" }).check(torchOperators), []);
  assert.deepEqual(project(call).torch("2.13.0", {}, {}).check(torchOperators), []);
});

test("an installed file that asks the dispatcher by name", () => {
  const at = (name: string, source: string, path = `/venv/x/${name}`) => {
    const made = project("");
    made.files.write(path, readFileSync(compile(folder, name, source)));
    return made.build(path, { profile: { imports: { torch: 1 } }, file: { origin: "installed" } }, false).check(torchOperators);
  };
  const call = (callee: string) => `extern "C" void ${callee}(const char*, const char*); void f() { ${callee}("aten::add", ""); ${callee}("aten::gone", ""); ${callee}("aten::format", ""); }`;
  assert.match(at("calls.so", call("torch_call_dispatcher"))[0]?.message ?? "", /calls operators by name, and names aten::gone, which torch 2\.13\.0/);
  assert.match(at("older.so", call("aoti_torch_call_dispatcher"))[0]?.message ?? "", /names aten::gone, which/);
  assert.match(at("schema.so", "namespace c10 { struct Dispatcher { void findSchemaOrThrow(const char*); }; } void f(c10::Dispatcher& d) { d.findSchemaOrThrow(\"aten::add\"); d.findSchemaOrThrow(\"aten::gone\"); }")[0]?.message ?? "", /names aten::gone, which/);
  assert.deepEqual(at("other.so", call("not_the_dispatcher")), []);
  assert.deepEqual(at("own.so", `${call("torch_call_dispatcher")} const char* schema() { return "gone(Tensor self) -> Tensor"; }`), []);
  assert.deepEqual(at("libtorch_python.so", call("torch_call_dispatcher"), "/venv/torch/lib/libtorch_python.so"), []);
});

test("places are those of the text", () => {
  assert.deepEqual(operatorUses('/* a\n */ f.findSchemaOrThrow(\n  "aten::x", "y")'), [{ name: "x", overload: "y", how: "findSchemaOrThrow", line: 2, start: 3, length: 7, anchor: 1 }]);
});
