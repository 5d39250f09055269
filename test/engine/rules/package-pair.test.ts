import assert from "node:assert/strict";
import { test } from "node:test";
import { packagePair } from "../../../src/engine/rules/package-pair.ts";
import { pinnedProject } from "../../support/pinned-project.ts";
import { lines } from "../../support/rule-project.ts";

const check = (files: Readonly<Record<string, string>>, native = false) => pinnedProject(files, native).check(packagePair);

test("a companion of another torch", () => {
  const found = check({ "requirements.txt": "torch==2.6.0+cu124\ntorchvision==0.23.0+cu124\n" });
  assert.deepEqual(lines(found), ["/p/requirements.txt:2 error"]);
  assert.match(found[0]?.message ?? "", /^`torchvision==0\.23\.0\+cu124` \(requirements\.txt:2\) was not released for the torch beside it, `torch==2\.6\.0\+cu124` \(requirements\.txt:1\), which goes with torchvision 0\.21\.0\. Torchvision of this version belongs to torch 2\.8\.0\./);
  assert.equal(found[0]?.fixes[0]?.edits[0]?.newText, "==0.21.0+cu124");
});

test("another patch release is a warning", () => {
  assert.deepEqual(lines(check({ "requirements.txt": "torch==2.1.0\ntorchvision==0.16.1\n" })), ["/p/requirements.txt:2 warning"]);
  assert.deepEqual(check({ "requirements.txt": "torch==1.10.0\ntorchvision==0.11.0\n" }), []);
});

test("a companion of another minor version is found where the right one is not known", () => {
  const found = check({ "requirements.txt": "torch==2.14.1\ntorchvision==0.25.0\n" });
  assert.deepEqual(lines(found), ["/p/requirements.txt:2 error"]);
  assert.match(found[0]?.message ?? "", /`torch==2\.14\.1` \(requirements\.txt:1\)(?:, which goes with torchvision [\d.]+)?\. Torchvision of this version belongs to torch 2\.10\.0\./);
  assert.deepEqual(check({ "requirements.txt": "torch==2.14.1\ntorchvision==0.29.0\n" }).filter((one) => one.severity === "error"), []);
  assert.deepEqual(check({ "requirements.txt": "torch==2.14.1\ntorchvision==0.29.1\n" }), []);
});

test("triton against the torch of the package", () => {
  const pyproject = '[project]\ndependencies = ["torch>=2.7.0,<2.7.1"]\n';
  assert.deepEqual(lines(check({ "pyproject.toml": pyproject, "requirements.txt": "triton==2.1.0\n" })), ["/p/requirements.txt:1 error"]);
  assert.deepEqual(check({ "pyproject.toml": pyproject, "requirements.txt": "triton==3.3.0\n" }), []);
  assert.deepEqual(check({ "requirements.txt": "--index-url https://download.pytorch.org/whl/cpu\ntorch==2.7.0\ntriton==2.1.0\n" }), []);
});

test("an exact companion in an extra decides which torch a native package meets", () => {
  const pyproject = '[project]\ndependencies = ["torch>=2.0"]\noptional-dependencies.fast = ["triton==2.0.0"]\n';
  assert.deepEqual(lines(check({ "pyproject.toml": pyproject }, true)), ["/p/pyproject.toml:3 warning"]);
  assert.deepEqual(check({ "pyproject.toml": pyproject }, false), []);
});

test("silent about pairs as released, ranges, other files and stages, and exclusive markers", () => {
  assert.deepEqual(check({ "requirements.txt": "torch==2.8.0\ntorchvision==0.23.0\ntorchaudio==2.8.0\n" }), []);
  assert.deepEqual(check({ "requirements.txt": "torch>=2.6\ntorchvision>=0.21\n" }), []);
  assert.deepEqual(check({ "requirements.txt": "torch==2.13.0\ntorchaudio>=2.5\n" }), []);
  assert.deepEqual(check({ "requirements.txt": "torch==2.8.0\n", "docs/requirements.txt": "torchvision==0.15.1\n" }), []);
  assert.deepEqual(check({ "requirements.txt": "torch==2.8.0; sys_platform == 'linux'\ntorch==2.2.2; sys_platform == 'darwin'\ntorchvision==0.17.2; sys_platform == 'darwin'\n" }), []);
  assert.deepEqual(check({ "Dockerfile": "FROM a AS one\nRUN pip install torch==2.8.0\nFROM a AS two\nRUN pip install torch==2.2.2 torchvision==0.17.2\n" }), []);
  assert.deepEqual(check({ "environment.yml": "dependencies:\n  - pytorch=2.0.1\n  - torchvision=0.15.2\n" }), []);
});

test("nightlies a day apart are published so; further apart they are not", () => {
  const nightly = (day: string) => lines(check({ "requirements.txt": `--pre\n--index-url https://download.pytorch.org/whl/nightly/cpu\ntorch==2.14.0.dev20260719\ntorchvision==0.29.0.dev${day}\n` }));
  assert.deepEqual(nightly("20260720"), []);
  assert.deepEqual(nightly("20260719"), []);
  assert.deepEqual(nightly("20260801"), ["/p/requirements.txt:4 error"]);
});

test("builds for different CUDA major versions", () => {
  assert.deepEqual(lines(check({ "requirements.txt": "torch==2.9.0+cu130\ntorchvision==0.24.0+cu128\n" })), ["/p/requirements.txt:2 error"]);
  assert.deepEqual(check({ "requirements.txt": "torch==2.9.0+cu128\ntorchvision==0.24.0+cu126\n" }), []);
});

test("what is installed beside torch", () => {
  const beside = (version: string, requires: readonly string[], torch = "2.6.0+cu124") =>
    pinnedProject({ "requirements.txt": "torchvision\n" }, false).torch(torch, {}, { distributions: [{ name: "torchvision", version, requires, evidence: { kind: "file", path: "/venv/torchvision/METADATA", what: "Version" } }] }).check(packagePair);
  const found = beside("0.23.0", ["numpy", "torch==2.8.0"]);
  assert.deepEqual(lines(found), ["/p/requirements.txt:1 error"]);
  assert.match(found[0]?.message ?? "", /^torchvision 0\.23\.0 is installed in \.venv beside torch 2\.6\.0\+cu124, and its metadata requires torch==2\.8\.0\. Torchvision 0\.21\.0 belongs to torch 2\.6\.0\./);
  assert.deepEqual(beside("0.21.0", ["torch==2.6.0"]), []);
  assert.deepEqual(lines(beside("0.23.0", ["torch"])), ["/p/requirements.txt:1 error"]);
  assert.deepEqual(beside("0.23.0a0", ["torch==2.8.0a0"], "2.8.0a0+git.nv25.06"), []);
});
