import assert from "node:assert/strict";
import { test } from "node:test";
import { missingLibrary } from "../../../../src/engine/rules/missing-library.ts";
import { pythonAbi } from "../../../../src/engine/rules/python-abi.ts";
import { torchSymbols } from "../../../../src/engine/rules/torch-symbols.ts";
import { missing, trait } from "../../../support/built-file.ts";
import { RuleProject } from "../../../support/rule-project.ts";

function project() {
  return new RuleProject({ "/p/ops.cpp": "#include <torch/extension.h>\n" }).torch("2.13.0", { "libstdcxx-abi": 1 });
}

test("of a library that this torch does not have there is nothing to link: the reason is said instead", () => {
  const because = "Official wheels with CUDA export it from libc10_cuda.so; torch 2.13.0+cpu is built without CUDA and has no libc10_cuda.";
  const found = project().build("/p/ops.so", { fit: { missing: [missing("_ZN3c104cuda14current_deviceEv", "c10::cuda::current_device()", "missing-library", { because })] } }).check(missingLibrary);
  assert.equal(found[0]?.message, `ops.so needs \`c10::cuda::current_device()\`. ${because} Importing it stops with "undefined symbol: _ZN3c104cuda14current_deviceEv".`);
});

test("a rebuild is no advice for a name that no recorded release exports", () => {
  const never = missing("_ZN3c105neverEv", "c10::never()", "drift");
  const said = (fit: object) => project().build("/p/ops.so", { fit: { missing: [never], ...fit } }).check(torchSymbols)[0]?.message ?? "";
  assert.match(said({ neverExported: ["_ZN3c105neverEv"] }), /No recorded release of torch exports the first: it belongs to another build of torch \(a nightly, ROCm, one of its own\), or a source that defines it was left out\./);
  assert.doesNotMatch(said({ neverExported: ["_ZN3c105neverEv"] }), /[Rr]ebuild/);
  assert.match(said({}), /Rebuild it against this torch\./);
});

test("a module under another name than its entry's is python-abi, but not in a build folder, from where it is installed under some name", () => {
  const said = (origin: "named" | "build-folder") => project().build("/p/ops.so", { file: { origin }, fit: { traits: [trait("python-module", "PyInit__C", "PyInit_ops, by the name of the file")] } }).check(pythonAbi).map((one) => one.severity);
  assert.deepEqual(said("named"), ["error"]);
  assert.deepEqual(said("build-folder"), []);
});

test("a library that lost its symbol versions is a library problem: the loader ends the process", () => {
  const found = project().build("/p/ops.so", { fit: { verdict: "conflict", traits: [trait("symbol-versions", "vf@V2 of libvv.so", "libvv.so without versions")] } });
  assert.deepEqual(found.check(missingLibrary).map((one) => [one.rule, one.severity]), [["missing-library", "error"]]);
  assert.deepEqual(project().build("/p/ops.so", { fit: { traits: [] } }).check(missingLibrary), []);
});
