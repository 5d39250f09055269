import assert from "node:assert/strict";
import { test } from "node:test";
import { cudaVersion } from "../../../../src/engine/rules/cuda-version.ts";
import { rules } from "../../../../src/engine/rules/index.ts";
import { libstdcxxVersion } from "../../../../src/engine/rules/libstdcxx-version.ts";
import { missingLibrary } from "../../../../src/engine/rules/missing-library.ts";
import { ownSymbol } from "../../../../src/engine/rules/own-symbol.ts";
import { torchSymbols } from "../../../../src/engine/rules/torch-symbols.ts";
import type { FitResult } from "../../../../src/engine/fit/types.ts";
import type { BuiltChanges } from "../../../support/built-file.ts";
import { missing } from "../../../support/built-file.ts";
import { RuleProject } from "../../../support/rule-project.ts";

function built(fit: Partial<FitResult>, changes: BuiltChanges = {}, cuda: string | null = "13.0") {
  return new RuleProject({ "/p/setup.py": "ops\n", "/p/ops.cpp": "int x;" })
    .target("/p/setup.py", ["/p/ops.cpp"], { builder: "setuptools", kind: "extension", madeBy: "CppExtension" })
    .torch("2.13.0", { "libstdcxx-abi": 1, "cuda-version": cuda })
    .build("/p/ops.so", { ...changes, fit });
}

function everything(fit: Partial<FitResult>, changes: BuiltChanges = {}): readonly string[] {
  const made = built(fit, changes);
  return rules.filter((rule) => rule.optIn !== true).flatMap((rule) => made.check(rule).map((one) => `${one.severity} ${one.rule}: ${one.message}`));
}

const v2 = { version: "V2", library: "libv.so.1", foundIn: "/usr/lib/libv.so.1", highest: "V1", neededBy: "/p/ops.so" };
const vf = missing("vf", "vf", "other-library", { version: "V2", versionOf: "libv.so.1", because: "The file takes it from libv.so.1 in version V2." });
const drift = missing("_ZN3c103fooEv", "c10::foo()", "drift");

test("a missing symbol version of any library is one finding, in the loader's words", () => {
  assert.deepEqual(everything({ missingVersions: [v2], missing: [vf] }), [
    "error missing-library: ops.so needs V2 of libv.so.1, and the one that would be loaded is /usr/lib/libv.so.1, which goes up to V1. Importing it stops with \"/usr/lib/libv.so.1: version `V2' not found (required by /p/ops.so)\". The file was linked against another release of that library.",
  ]);
});

test("a missing version of libstdc++ covers the symbols that have it", () => {
  const stdcxx = { version: "GLIBCXX_3.4.32", library: "libstdc++.so.6", foundIn: "/conda/lib/libstdc++.so.6", highest: "GLIBCXX_3.4.30", neededBy: "/p/ops.so" };
  const symbol = missing("_ZSt21ios_base_library_initv", "std::ios_base_library_init()", "other-library", { version: "GLIBCXX_3.4.32", versionOf: "libstdc++.so.6" });
  assert.deepEqual(everything({ missingVersions: [stdcxx], missing: [symbol] }).map((one) => one.split(":", 1)[0]), ["error libstdcxx-version"]);
});

test("a symbol of another version, or of that version of another library, is told beside the missing version", () => {
  for (const other of [{ version: "V1", versionOf: "libv.so.1" }, { version: "V2", versionOf: "libw.so.1" }, {}]) {
    const found = built({ missingVersions: [v2], missing: [missing("vf", "vf", "own", other)] }).check(ownSymbol);
    assert.match(found[0]?.message ?? "", /Importing it stops earlier, at version V2 of libv\.so\.1; after that it would stop with "undefined symbol: vf"\./);
  }
});

test("an installed library that is one of several of its package is not judged by its versions", () => {
  const changes = { profile: { kind: "shared-library" }, file: { origin: "installed" } } as const;
  assert.deepEqual(built({ missingVersions: [v2] }, changes).check(missingLibrary), []);
  assert.deepEqual(built({ missingVersions: [v2] }, { file: { origin: "installed" } }).check(missingLibrary).map((one) => one.severity), ["warning"]);
});

test("only the first failure of a file is what its loading stops with", () => {
  const dependency = { name: "libavcodec.so.61", neededBy: "/p/ops.so", searched: [], because: "" };
  const runtime = { ...dependency, name: "libcudart.so.12" };
  const stdcxx = { version: "GLIBCXX_3.4.32", library: "libstdc++.so.6", foundIn: "/conda/lib/libstdc++.so.6", highest: "GLIBCXX_3.4.30", neededBy: "/p/ops.so" };
  const own = missing("mine", "mine", "own");
  const made = built({ missingDependencies: [dependency, runtime], missingVersions: [stdcxx], missing: [drift, own] });
  const said = [missingLibrary, cudaVersion, libstdcxxVersion, torchSymbols, ownSymbol].map((rule) => /Importing it stops.*?"[^"]*"/.exec(made.check(rule)[0]?.message ?? "")?.[0]);
  assert.deepEqual(said, [
    'Importing it stops with "libavcodec.so.61: cannot open shared object file: No such file or directory"',
    'Importing it stops earlier, at libavcodec.so.61; after that it would stop with "libcudart.so.12: cannot open shared object file: No such file or directory"',
    "Importing it stops earlier, at libavcodec.so.61; after that it would stop with \"/conda/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /p/ops.so)\"",
    'Importing it stops earlier, at libavcodec.so.61; after that it would stop with "undefined symbol: _ZN3c103fooEv"',
    'Importing it stops earlier, at libavcodec.so.61; after that it would stop with "undefined symbol: mine"',
  ]);
  const symbols = built({ missing: [own, drift] });
  assert.match(symbols.check(ownSymbol)[0]?.message ?? "", /Importing it stops with "undefined symbol: mine"/);
  assert.match(symbols.check(torchSymbols)[0]?.message ?? "", /Importing it stops earlier, at the undefined symbol mine; after that it would stop with "undefined symbol: _ZN3c103fooEv"/);
});

test("what may be there all the same is no first failure", () => {
  const driver = { name: "libcuda.so.1", neededBy: "/p/ops.so", searched: [], because: "" };
  const host = missing("host", "host", "own");
  const weak = { ...missing("w", "w", "drift"), binding: "weak" } as const;
  const changes = { profile: { kind: "shared-library" }, file: { origin: "installed" } } as const;
  assert.match(built({ missingDependencies: [driver], missing: [weak, drift] }).check(torchSymbols)[0]?.message ?? "", /Importing it stops with "undefined symbol: _ZN3c103fooEv"/);
  assert.match(new RuleProject({}).torch("2.13.0", {}).build("/venv/x/libx.so", { ...changes, fit: { missingDependencies: [{ ...driver, name: "libother.so.1" }], missing: [host, drift] } }, false).check(torchSymbols)[0]?.message ?? "", /Loading it stops with "undefined symbol: _ZN3c103fooEv"/);
});

test("a file of the right name that the loader refuses is there, and is no library", () => {
  const refused = { name: "libv.so.1", neededBy: "/p/ops.so", searched: ["/p/lib"], because: "ops.so loads libv.so.1, and what the loader finds is no library. /p/lib/libv.so.1 is empty.", refused: "/p/lib/libv.so.1: file too short" };
  assert.deepEqual(everything({ missingDependencies: [refused] }), [
    'error missing-library: ops.so loads libv.so.1, and what the loader finds is no library. /p/lib/libv.so.1 is empty. Importing it stops with "/p/lib/libv.so.1: file too short".',
  ]);
  const elsewhere = { ...refused, neededBy: "/p/lib/libw.so", because: refused.because.replace("ops.so", "libw.so") };
  assert.match(everything({ missingDependencies: [elsewhere] })[0] ?? "", /: lib\/libw\.so, which ops\.so loads, loads libv\.so\.1, and what the loader finds is no library\./);
  const runtime = { ...refused, name: "libcudart.so.12", refused: "/p/lib/libcudart.so.12: invalid ELF header" };
  assert.deepEqual(everything({ missingDependencies: [runtime] }).map((one) => one.split(":", 1)[0]), ["error missing-library"]);
});

test("CUDA of torch's own major that is not found is a warning: its wheels may be elsewhere", () => {
  const found = built({ missingDependencies: [{ name: "libcudart.so.13", neededBy: "/p/ops.so", searched: [], providedBy: "nvidia-cuda-runtime", because: "" }] }).check(cudaVersion);
  assert.deepEqual(found.map((one) => `${one.severity} ${one.message}`), [
    'warning ops.so needs libcudart.so.13, which is not found. Importing it stops with "libcudart.so.13: cannot open shared object file: No such file or directory". nvidia-cuda-runtime brings it.',
  ]);
});

test("the CUDA major comes from sonames that tell one", () => {
  const said = (name: string, cuda: string | null) => built({ missingDependencies: [{ name, neededBy: "/p/ops.so", searched: [], because: "" }] }, {}, cuda).check(cudaVersion).map((one) => one.severity);
  assert.deepEqual(said("libcudart.so.11.0", "13.0"), ["error"]);
  assert.deepEqual(said("libcufft.so.11", "13.0"), ["error"]);
  // CUDA 12 and 13 both have it.
  assert.deepEqual(said("libcusparse.so.12", "13.0"), ["warning"]);
  assert.deepEqual(said("libcudnn_ops.so.9", "13.0"), ["warning"]);
  assert.deepEqual(said("libOpenCL.so.1", "13.0"), []);
});
