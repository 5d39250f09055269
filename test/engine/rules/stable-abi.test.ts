import assert from "node:assert/strict";
import { test } from "node:test";
import { stableAbi } from "../../../src/engine/rules/stable-abi.ts";
import { decodeTarget, stableAbiTarget } from "../../../src/engine/rules/stable-abi-target.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const flag = "-DTORCH_TARGET_VERSION=";

function project(source: string, value: string | undefined) {
  const made = new RuleProject({ "/p/ops.cpp": source, "/p/setup.py": `ops ops.cpp\n  "${flag}${value ?? ""}"\ntorch>=2.9\n` });
  return made.target("/p/setup.py", ["/p/ops.cpp"], { builder: "setuptools", madeBy: "CppExtension", arguments: value === undefined ? [] : [made.argument("/p/setup.py", `${flag}${value}`)] });
}

test("an unstable header in a target that claims the stable ABI", () => {
  const found = project("#include <torch/csrc/stable/library.h>\n#include <torch/extension.h>\n#include <ATen/ATen.h>\n", "0x020a000000000000").check(stableAbi);
  assert.deepEqual(lines(found), ["/p/ops.cpp:2 error"]);
  assert.equal(found[0]?.message, "Target ops claims torch's stable ABI (TORCH_TARGET_VERSION at setup.py:2) and includes torch/extension.h, which is not part of it. Use the headers under torch/csrc/stable and torch/headeronly, or drop TORCH_TARGET_VERSION.");
  assert.deepEqual(found[0]?.related.map((one) => one.message), ["TORCH_TARGET_VERSION is set here.", "ATen/ATen.h is not part of the stable ABI either."]);
});

test("the claim may stand in the source", () => {
  assert.deepEqual(lines(project("#define TORCH_STABLE_ONLY\n#include <c10/util/Exception.h>\n", undefined).check(stableAbi)), ["/p/ops.cpp:2 error"]);
});

test("stable headers, guarded headers, no claim and headers before the define stay silent", () => {
  const target = "0x020a000000000000";
  assert.deepEqual(project("#include <torch/csrc/stable/tensor.h>\n#include <torch/headeronly/util/Half.h>\n#include <torch/csrc/inductor/aoti_torch/c/shim.h>\n#include <vector>\n#include <Python.h>", target).check(stableAbi), []);
  assert.deepEqual(project("#ifndef TORCH_STABLE_ONLY\n#include <ATen/ATen.h>\n#endif", target).check(stableAbi), []);
  assert.deepEqual(project("#include <ATen/ATen.h>\n#include <torch/csrc/stable/library.h>", undefined).check(stableAbi), []);
  assert.deepEqual(project("#include <ATen/ATen.h>\n#define TORCH_STABLE_ONLY", undefined).check(stableAbi), []);
});

test("a macro for C++ only does not reach a CUDA source", () => {
  const made = new RuleProject({ "/p/a.cu": "#include <ATen/ATen.h>", "/p/setup.py": flag });
  assert.deepEqual(made.target("/p/setup.py", ["/p/a.cu"], { arguments: [made.argument("/p/setup.py", `${flag}0x020a000000000000`)] }).check(stableAbi), []);
});

test("where the installed headers carry guards, these decide", () => {
  const made = project("#include <torch/new/stable.h>\n#include <torch/old.h>\n", "0x020a000000000000").torch("2.13.0", {}, { torchRoot: "/venv/torch" });
  const guard = "#if !defined(TORCH_STABLE_ONLY) && !defined(TORCH_TARGET_VERSION)\n";
  made.files.write("/venv/torch/include/ATen/ATen.h", guard);
  made.files.write("/venv/torch/include/torch/old.h", guard);
  made.files.write("/venv/torch/include/torch/new/stable.h", "#pragma once\n");
  const found = made.check(stableAbi);
  assert.deepEqual(lines(found), ["/p/ops.cpp:2 error"]);
  assert.match(found[0]?.message ?? "", /includes torch\/old\.h, which torch 2\.13\.0 in \.venv refuses under it \(#error/);
});

test("targets are decoded from bytes, macros and shifts", () => {
  assert.deepEqual(decodeTarget("0x020a000000000000"), { version: "2.10", exact: true });
  assert.deepEqual(decodeTarget("0x020A'0000'0000'0000ULL"), { version: "2.10", exact: true });
  assert.deepEqual(decodeTarget("TORCH_VERSION_2_11_0"), { version: "2.11", exact: true });
  assert.deepEqual(decodeTarget("(((0ULL + 2) << 56) | ((0ULL + 9) << 48))"), { version: "2.9", exact: true });
  assert.equal(decodeTarget("0x020a0000")?.exact, false);
  assert.equal(decodeTarget("MY_TARGET"), undefined);
});

test("decimal digits written into the bytes", () => {
  const found = project("", "0x0210000000000000").check(stableAbiTarget);
  assert.deepEqual(lines(found), ["/p/setup.py:2 error"]);
  assert.match(found[0]?.message ?? "", /^TORCH_TARGET_VERSION is 0x0210000000000000, whose bytes mean torch 2\.16, not 2\.10: each byte is hexadecimal\. .* Write 0x020a000000000000 for torch 2\.10\.$/);
  assert.equal(found[0]?.fixes[0]?.edits[0]?.newText, "0x020a000000000000");
});

test("too few zeros", () => {
  const found = project("", "0x020a0000").check(stableAbiTarget);
  assert.match(found[0]?.message ?? "", /^TORCH_TARGET_VERSION is 0x020a0000, which is not the bytes/);
  assert.equal(found[0]?.fixes[0]?.edits[0]?.newText, "0x020a000000000000");
});

test("newer than the torch checked against, or than the oldest torch admitted", () => {
  assert.deepEqual(lines(project("", "0x020c000000000000").torch("2.10.0+cu128").check(stableAbiTarget)), ["/p/setup.py:2 error"]);
  const found = project("", "0x020a000000000000").require("/p/setup.py", "torch>=2.9").torch("2.13.0").check(stableAbiTarget);
  assert.match(found[0]?.message ?? "", /the requirement torch>=2\.9 at setup\.py:3 admits torch 2\.9\.0, which is older\. Raise the requirement to torch>=2\.10 or lower the target to 0x0209000000000000\.$/);
});

test("a target that fits stays silent, pre-releases and patches included", () => {
  assert.deepEqual(project("", "0x020a000000000000").torch("2.10.1+cu128").check(stableAbiTarget), []);
  assert.deepEqual(project("", "0x020a000000000000").torch("2.10.0a0+git123").check(stableAbiTarget), []);
  assert.deepEqual(project("", "0x0209000000000000").require("/p/setup.py", "torch>=2.9").torch("2.13.0").check(stableAbiTarget), []);
  assert.deepEqual(project("", "0x020a000000000000").require("/p/setup.py", "torch>=2.9", { role: "development" }).check(stableAbiTarget), []);
});
