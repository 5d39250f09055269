import assert from "node:assert/strict";
import { test } from "node:test";
import { duplicateLibtorch } from "../../../src/engine/rules/duplicate-libtorch.ts";
import { pinnedProject } from "../../support/pinned-project.ts";
import { lines } from "../../support/rule-project.ts";

const packing = (pattern: string, rest = "", native = true) => pinnedProject({ "pyproject.toml": `[tool.setuptools.package-data]\nops = ["py.typed", "${pattern}"]\n${rest}` }, native);

test("a libtorch that is packed into the wheel", () => {
  for (const pattern of ["lib/libtorch*.so", "lib/libtorch_cpu.so", "libc10.so*", "bin/torch_cpu.dll", "*torch*.dylib"]) assert.deepEqual(lines(packing(pattern).check(duplicateLibtorch)), ["/p/pyproject.toml:2 warning"], pattern);
  const found = packing("lib/libtorch*.so").check(duplicateLibtorch);
  assert.match(found[0]?.message ?? "", /^The wheel packs lib\/libtorch\*\.so, a libtorch of its own, /);
  assert.deepEqual(found[0]?.location.range, { start: { line: 1, character: 19 }, end: { line: 1, character: 37 } });
  const several = packing('libtorch.so", "libc10.so').check(duplicateLibtorch);
  assert.match(several[0]?.message ?? "", /^The wheel packs libtorch\.so and libc10\.so, /);
  assert.deepEqual(several[0]?.related.length, 1);
  assert.deepEqual(lines(pinnedProject({ "setup.cfg": "[options.package_data]\nops =\n  py.typed, lib/libtorch.so\n" }).check(duplicateLibtorch)), ["/p/setup.cfg:3 warning"]);
});

test("files of its own, files whose pattern names no torch, and packages without torch are silent", () => {
  for (const pattern of ["lib/*.so", "lib/*", "libtorchvision.so", "libtorch_npu*.so", "libops.so", "libtorch.so.md"]) assert.deepEqual(packing(pattern).check(duplicateLibtorch), [], pattern);
  const own = packing("lib/libtorch*.so").target("/p/setup.py", [], { name: "ops.libtorchops", builder: "setuptools", kind: "extension", madeBy: "CppExtension" });
  assert.deepEqual(own.check(duplicateLibtorch), []);
  assert.deepEqual(packing("lib/libtorch*.so", "", false).check(duplicateLibtorch), []);
  assert.deepEqual(lines(packing("lib/libtorch*.so", '[project]\ndependencies = ["torch"]\n', false).check(duplicateLibtorch)), ["/p/pyproject.toml:2 warning"]);
});
