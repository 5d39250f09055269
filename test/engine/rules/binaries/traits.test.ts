import assert from "node:assert/strict";
import { test } from "node:test";
import { cudaArchitectures } from "../../../../src/engine/rules/cuda-architectures.ts";
import { cudaLibraryConflict } from "../../../../src/engine/rules/cuda-library-conflict.ts";
import { cudaVersion } from "../../../../src/engine/rules/cuda-version.ts";
import { duplicateLibtorch } from "../../../../src/engine/rules/duplicate-libtorch.ts";
import { glibcVersion } from "../../../../src/engine/rules/glibc-version.ts";
import { gxxAbiVersion } from "../../../../src/engine/rules/gxx-abi-version.ts";
import { hardCodedPath } from "../../../../src/engine/rules/hard-coded-path.ts";
import { libstdcxxVersion } from "../../../../src/engine/rules/libstdcxx-version.ts";
import { missingLibrary } from "../../../../src/engine/rules/missing-library.ts";
import { pybind11Internals } from "../../../../src/engine/rules/pybind11-internals.ts";
import { pythonAbi } from "../../../../src/engine/rules/python-abi.ts";
import { stamp } from "../../../../src/engine/rules/stamp.ts";
import { torchRequirement } from "../../../../src/engine/rules/torch-requirement.ts";
import { wheelTag } from "../../../../src/engine/rules/wheel-tag.ts";
import type { WheelDisagreement, WheelProfile } from "../../../../src/engine/model/index.ts";
import type { Rule } from "../../../../src/engine/rules/index.ts";
import type { BuiltChanges } from "../../../support/built-file.ts";
import { missing, trait } from "../../../support/built-file.ts";
import { lines, RuleProject } from "../../../support/rule-project.ts";

function project(cuda: string | null = "13.0") {
  return new RuleProject({ "/p/setup.py": "ops\ntorch>=2.9\n", "/p/ops.cpp": "int x;" })
    .target("/p/setup.py", ["/p/ops.cpp"], { builder: "setuptools", kind: "extension", madeBy: "CppExtension" })
    .torch("2.13.0", { "libstdcxx-abi": 1, "cuda-version": cuda, "python-version": "3.11.2", "python-suffix": "cpython-311-x86_64-linux-gnu" });
}

function said(rule: Rule, changes: BuiltChanges, cuda: string | null = "13.0", path = "/p/ops.so"): readonly string[] {
  return project(cuda).build(path, changes).check(rule).map((one) => `${one.severity} ${one.message}`);
}

test("pybind11: another key", () => {
  const differs = trait("pybind11-internals", "v4_gcc_libstdcpp_cxxabi1018", "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1", { weight: "warning" });
  assert.deepEqual(said(pybind11Internals, { fit: { traits: [differs] } }), [
    "warning ops.so has the pybind11 key v4_gcc_libstdcpp_cxxabi1018, and torch 2.13.0 in .venv has v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1. Modules with different keys do not see each other's types: a type that torch registers with pybind11 (torch::jit::Graph, c10d::ProcessGroup) is refused with \"TypeError: ... incompatible function arguments\" although it looks right. torch.Tensor is passed in another way and is not affected.",
  ]);
  assert.deepEqual(said(pybind11Internals, { fit: { traits: [{ ...differs, agrees: true }, { ...differs, agrees: undefined }] } }), []);
});

test("pybind11: a key that differs in the libstdc++ ABI alone is that rule's matter", () => {
  const differs = trait("pybind11-internals", "v11_x_use_cxx11_abi_0", "v11_x_use_cxx11_abi_1", { weight: "warning" });
  assert.deepEqual(said(pybind11Internals, { fit: { traits: [differs, trait("libstdcxx-abi", "0", "1")] } }), []);
  assert.equal(said(pybind11Internals, { fit: { traits: [differs] } }).length, 1);
});

test("the C++ ABI version is said once: by the key where that has it", () => {
  const abi = trait("gxx-abi-version", "1018", "1011", { weight: "warning" });
  assert.equal(said(gxxAbiVersion, { fit: { traits: [abi] } }).length, 1);
  assert.deepEqual(said(gxxAbiVersion, { fit: { traits: [abi, trait("pybind11-internals", "a", "b")] } }), []);
});

const needs = (name: string) => ({ name, neededBy: "/p/ops.so", searched: [], because: "" });

test("CUDA of another major", () => {
  assert.deepEqual(said(cudaVersion, { fit: { missingDependencies: [needs("libcudart.so.12"), needs("libcublas.so.12")] } }), [
    'error ops.so needs libcudart.so.12 and libcublas.so.12: it was built with CUDA 12, and torch 2.13.0 in .venv is built with CUDA 13.0 and brings no CUDA 12 libraries. Importing it stops with "libcudart.so.12: cannot open shared object file: No such file or directory". Rebuild it with a CUDA 13 toolkit, or install a torch for CUDA 12.',
  ]);
});

test("CUDA where torch has none", () => {
  assert.match(said(cudaVersion, { fit: { missingDependencies: [needs("libc10_cuda.so")] } }, null)[0] ?? "", /^error ops\.so needs libc10_cuda\.so, and torch 2\.13\.0 in \.venv is built without CUDA, so it is not there\./);
});

test("a CUDA part of a package that has another part is a note", () => {
  const made = project(null);
  const distribution = { name: "scatter", version: "2.1", requires: [] };
  made.build("/venv/scatter/_cpu.so", { fit: { verdict: "no-conflict" }, file: { origin: "installed", distribution } }, false);
  made.build("/venv/scatter/_cuda.so", { fit: { missingDependencies: [needs("libcudart.so.12")] }, file: { origin: "installed", distribution } }, false);
  assert.deepEqual(lines(made.check(cudaVersion)), ["/venv/scatter/_cuda.so:1 info"]);
});

test("CUDA of another minor in an environment is silent, and so is what agrees", () => {
  const minor = trait("cuda-version", "13.2", "13.0", { weight: "info" });
  assert.deepEqual(said(cudaVersion, { fit: { traits: [minor] }, file: { origin: "installed" } }), []);
  assert.equal(said(cudaVersion, { fit: { traits: [minor] } }).length, 1);
  assert.deepEqual(said(cudaVersion, { fit: { traits: [{ ...minor, agrees: true }] } }), []);
});

test("no code for the GPU at hand", () => {
  assert.match(said(cudaArchitectures, { fit: { traits: [trait("cuda-architectures", "sm_80", "compute capability 9.0", { because: "The file holds no code that runs on compute capability 9.0." })] } })[0] ?? "", /^warning ops\.so holds no code that runs on compute capability 9\.0\.$/);
});

test("glibc and libstdc++ that are too old", () => {
  const glibc = { version: "GLIBC_2.38", library: "libc.so.6", foundIn: "/lib/libc.so.6", highest: "GLIBC_2.36", neededBy: "/p/ops.so" };
  const stdcxx = { version: "GLIBCXX_3.4.32", library: "libstdc++.so.6", foundIn: "/conda/lib/libstdc++.so.6", highest: "GLIBCXX_3.4.30", neededBy: "/p/ops.so" };
  const fit = { missingVersions: [glibc, stdcxx, { ...stdcxx, version: "CXXABI_1.3.15", highest: "CXXABI_1.3.13" }] };
  assert.deepEqual(said(glibcVersion, { fit }), [
    "error ops.so needs GLIBC_2.38 of libc.so.6, and the one that would be loaded is /lib/libc.so.6, which goes up to GLIBC_2.36. Importing it stops with \"/lib/libc.so.6: version `GLIBC_2.38' not found (required by /p/ops.so)\". Build it on a system as old as the oldest that it is for (a manylinux image), or take an older build. Neither pip nor conda can replace glibc.",
  ]);
  assert.match(said(libstdcxxVersion, { fit })[0] ?? "", /needs GLIBCXX_3\.4\.32 \(and CXXABI_1\.3\.15\) of libstdc\+\+\.so\.6, and the one that would be loaded is \/conda\/lib\/libstdc\+\+\.so\.6/);
  assert.deepEqual(said(libstdcxxVersion, { fit: { missingVersions: [glibc] } }), []);
});

test("a second copy of NCCL", () => {
  assert.deepEqual(said(cudaLibraryConflict, { fit: { traits: [trait("cuda-library", "/opt/nccl/libnccl.so.2", "nvidia/nccl/lib/libnccl.so.2", { weight: "warning" })] } }), [
    "warning ops.so: Because.",
  ]);
});

test("the stamp", () => {
  assert.deepEqual(said(stamp, { fit: { traits: [trait("stamp", "torch 2.12.0", "torch 2.13.0")] } }), ["error ops.so carries a stamp of its build that does not hold for torch 2.13.0 in .venv. Because."]);
  assert.deepEqual(said(stamp, { fit: { traits: [trait("stamp", "torch 2.12.0", "torch 2.13.0")], missing: [missing("_ZN3c103fooEv", "c10::foo()", "drift")] } }), []);
});

test("a module for another Python", () => {
  const differs = trait("python-suffix", "cpython-39-x86_64-linux-gnu", "cpython-311-x86_64-linux-gnu");
  const file = "/p/ops.cpython-39-x86_64-linux-gnu.so";
  assert.match(said(pythonAbi, { fit: { traits: [differs] } }, null, file)[0] ?? "", /^warning ops\.cpython-39-x86_64-linux-gnu\.so is for cpython-39-x86_64-linux-gnu, and the Python beside the torch to check against, 3\.11\.2, takes cpython-311/);
  assert.deepEqual(said(pythonAbi, { fit: { traits: [differs] }, file: { origin: "build-folder" } }, null, file), []);
});

test("functions of CPython that this Python does not have", () => {
  assert.match(said(pythonAbi, { fit: { missing: [missing("_PyThreadState_UncheckedGet", "_PyThreadState_UncheckedGet", "other-library")] } })[0] ?? "", /^error ops\.so needs `_PyThreadState_UncheckedGet` of CPython, which Python 3\.11\.2 does not export/);
  assert.deepEqual(said(pythonAbi, { fit: { missing: [missing("PyFoo", "PyFoo", "other-library", { neededBy: "/p/lib.so" }), missing("cublasCreate_v2", "cublasCreate_v2", "other-library")] } }), []);
});

test("a libtorch inside, or another one loaded", () => {
  const evidence = { kind: "file", path: "/p/ops.so", what: "defines c10::Dispatcher" } as const;
  assert.equal(said(duplicateLibtorch, { profile: { signs: [{ what: "static-libtorch", evidence }] } }).length, 1);
  assert.deepEqual(said(duplicateLibtorch, { profile: { kind: "executable", signs: [{ what: "static-libtorch", evidence }] } }), []);
  assert.match(said(duplicateLibtorch, { fit: { traits: [trait("two-libtorch", "/usr/lib/libc10.so.1.13", "/venv/torch/lib/libc10.so")] } })[0] ?? "", /^error ops\.so: Because\.$/);
});

test("a search path of the build machine matters in a wheel alone", () => {
  const changes = { runpath: ["/home/me/env/lib"], signs: [{ what: "leaked-path", evidence: { kind: "file", path: "/p/ops.so", what: "RUNPATH" } }] } as const;
  assert.match(said(hardCodedPath, { profile: changes, file: { origin: "wheel" } })[0] ?? "", /^info ops\.so tells the loader to search \/home\/me\/env\/lib/);
  assert.deepEqual(said(hardCodedPath, { profile: changes }), []);
});

test("the stable ABI that the file needs against the requirement", () => {
  const minimum = trait("stable-abi-minimum", "2.10", "2.13.0", { agrees: true });
  const made = project().require("/p/setup.py", "torch>=2.9");
  made.build("/p/ops.so", { profile: { imports: { "torch-stable": 4 } }, fit: { traits: [minimum] } });
  const found = made.check(torchRequirement);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /^torch>=2\.9 \(setup\.py:2\) admits torch 2\.9\.0, and ops\.so uses functions of torch's stable ABI that came with torch 2\.10: /);
  const enough = project().require("/p/setup.py", "torch>=2.9");
  enough.build("/p/ops.so", { profile: { imports: { "torch-stable": 4 } }, fit: { traits: [{ ...minimum, built: "2.9" }] } });
  assert.deepEqual(enough.check(torchRequirement), []);
});

function wheel(...disagreements: readonly WheelDisagreement[]): WheelProfile {
  return {
    path: "/p/dist/ops-1.0-py3-none-any.whl", fileName: "ops-1.0-py3-none-any.whl", size: 1, name: "ops", version: "1.0", tags: { pythons: ["py3"], abis: ["none"], platforms: ["any"] }, wheelTags: [], generator: undefined,
    isPurelib: true, requiresPython: undefined, requires: [], libraries: [], platformTag: undefined, platformTagBesideTorch: undefined, abi3Floor: undefined, disagreements, notKnown: [],
  };
}

test("what a wheel's reader found is reported by the rule that it belongs to", () => {
  const made = project();
  made.wheels.push(wheel(
    { kind: "pure", message: "It holds ops.so.", weight: "error", evidence: [] }, { kind: "pure", message: "It holds b.so.", weight: "error", evidence: [] },
    { kind: "requires-torch", message: "torch is not named.", weight: "warning", evidence: [] }, { kind: "grafted", message: "libnccl.so.2 is inside.", weight: "warning", member: "ops.libs/libnccl.so.2", evidence: [] },
    { kind: "grafted", message: "libc10.so is inside.", weight: "warning", member: "ops/lib/libc10.so", evidence: [] },
    { kind: "grafted", message: "libshm.so is inside.", weight: "info", member: "ops/lib/libshm.so", evidence: [] },
    { kind: "grafted", message: "libtorchaudio.so needs a renamed libcudart.", weight: "error", member: "libtorch/libtorchaudio.so", evidence: [] },
  ));
  const of = (rule: Rule) => made.check(rule).map((one) => `${one.severity} ${one.message}`);
  assert.deepEqual(of(wheelTag), ["error ops-1.0-py3-none-any.whl: It holds ops.so. The same holds in 1 more place of the wheel."]);
  assert.deepEqual(of(torchRequirement), ["warning ops-1.0-py3-none-any.whl: torch is not named."]);
  assert.deepEqual(of(cudaLibraryConflict), ["warning ops-1.0-py3-none-any.whl: libnccl.so.2 is inside.", "error ops-1.0-py3-none-any.whl: libtorchaudio.so needs a renamed libcudart."]);
  assert.deepEqual(of(duplicateLibtorch), ["warning ops-1.0-py3-none-any.whl: libc10.so is inside.", "info ops-1.0-py3-none-any.whl: libshm.so is inside."]);
});

test("names of other libraries go to the rule of whose they are", () => {
  const fit = { missing: [missing("cublasFoo", "cublasFoo", "other-library", { because: "It belongs to libcublas." }), missing("_ZSt21ios_base_library_initv", "std::ios_base_library_init()", "other-library")] };
  assert.match(said(missingLibrary, { fit })[0] ?? "", /^error ops\.so needs `cublasFoo`\. It belongs to libcublas\. Importing it stops with/);
  assert.match(said(libstdcxxVersion, { fit })[0] ?? "", /^error ops\.so needs `std::ios_base_library_init\(\)` of libstdc\+\+, which the one that would be loaded does not have\./);
  assert.deepEqual([...said(glibcVersion, { fit }), ...said(pythonAbi, { fit })], []);
});

test("another machine matters for what is asked about, not for what lies in a project", () => {
  const traits = [trait("platform", "linux-aarch64", "linux-x86_64", { because: "The file is for linux-aarch64, the installed torch for linux-x86_64." })];
  assert.deepEqual(said(pythonAbi, { fit: { traits }, file: { origin: "named" } }), ["error ops.so is for linux-aarch64, torch 2.13.0 in .venv for linux-x86_64."]);
  assert.deepEqual(said(pythonAbi, { fit: { traits } }), []);
});

test("a CUDA runtime that is found is a warning beside a torch without CUDA", () => {
  const traits = [trait("cuda-version", "13.0", "none")];
  assert.deepEqual(said(cudaVersion, { fit: { traits, verdict: "no-conflict" } }, null), ["warning ops.so: Because."]);
  assert.deepEqual(said(cudaVersion, { fit: { traits } }, null), ["error ops.so: Because."]);
});
