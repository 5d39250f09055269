import assert from "node:assert/strict";
import { test } from "node:test";
import { fit } from "../../../src/engine/fit/index.ts";
import type { FitEnvironment, FitOptions, FitResult, SymbolHistory } from "../../../src/engine/fit/index.ts";
import { built, environment, fact, installed, library, machine, options, system, torchLibraries } from "./fakes.ts";
import type { Sketch } from "./fakes.ts";

const checkFail = "_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const checkFailOld = "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs";
const guardBool = "_ZNK3c107SymBool10guard_boolEPKcl";
const setDevice = "_ZN3c104cuda9SetDeviceEab";
const setDeviceOld = "_ZN3c104cuda9SetDeviceEa";
const zeros = "_ZN2at4_ops5zeros4callEv";
const wrap = "_Z16THPVariable_WrapRKN2at10TensorBaseE";

const torch = torchLibraries({ libc10: [checkFail, guardBool], libtorch_cpu: [zeros, "aoti_torch_abi_version"], libtorch_python: [wrap] });

function load(sketch: Sketch, env: FitEnvironment = environment({ torch }), more: Partial<FitOptions> = {}): FitResult {
  return fit(built(), library("/project/ops.so", sketch), env, { ...options, ...more });
}

function kinds(result: FitResult): readonly string[] {
  return result.missing.map((one) => `${one.kind} ${one.symbol}`);
}

test("what torch exports in the file's own closure is found, directly or through a chain", () => {
  const result = load({ needed: ["libtorch_cpu.so", "libstdc++.so.6"], imports: [checkFail, zeros, "_ZSt4cout@GLIBCXX_3.4:libstdc++.so.6", "PyModule_Create2", "malloc@GLIBC_2.2.5:libc.so.6"] });
  assert.deepEqual(kinds(result), []);
  assert.equal(result.verdict, "no-conflict");
});

test("torch being loaded does not help a file that has its library in no chain of dependencies", () => {
  const result = load({ needed: ["libc10.so"], imports: [checkFail, zeros] });
  assert.deepEqual(kinds(result), [`missing-library ${zeros}`]);
  assert.equal(result.missing[0]?.foundIn, "/env/torch/lib/libtorch_cpu.so");
  assert.match(result.missing[0]?.because ?? "", /its libraries are not global\. Link it with -ltorch_cpu\./);
  assert.equal(result.verdict, "conflict");
});

test("a library that torch opened for all needs no link", () => {
  const withGlobal = torchLibraries().map((one) => (one.path.endsWith("libtorch_global_deps.so") ? library(one.path, { needed: ["libcudart.so.13"], runpath: ["$ORIGIN"] }) : one));
  const cudart = library("/env/torch/lib/libcudart.so.13", { exports: ["cudaMalloc"] });
  assert.deepEqual(kinds(load({ imports: ["cudaMalloc"] }, environment({ torch: withGlobal, files: [cudart] }))), []);
});

test("libtorch_python is what TORCH_LIBRARIES leaves out", () => {
  const result = load({ needed: ["libtorch_cpu.so"], imports: [wrap] });
  assert.deepEqual(kinds(result), [`missing-library ${wrap}`]);
  assert.match(result.missing[0]?.because ?? "", /libtorch_python\.so exports it.*TORCH_PYTHON_LIBRARY/);
});

test("abi-twin: the other spelling of std::string is exported, by this name or another variant of the constructor", () => {
  const result = load({ needed: ["libtorch_cpu.so"], imports: [checkFailOld] });
  assert.deepEqual(kinds(result), [`abi-twin ${checkFailOld}`]);
  assert.equal(result.missing[0]?.twin, checkFail);
  assert.match(result.missing[0]?.because ?? "", /compiled with _GLIBCXX_USE_CXX11_ABI=0, the library with 1\./);
  const ctor = "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  const old = environment({ torch: torchLibraries({ libc10: ["_ZN3c105ErrorC1ENS_14SourceLocationESs"] }) });
  const other = load({ needed: ["libc10.so"], imports: [ctor] }, old);
  assert.deepEqual(kinds(other), [`abi-twin ${ctor}`]);
  assert.equal(other.missing[0]?.twin, "_ZN3c105ErrorC1ENS_14SourceLocationESs");
});

test("a name with a string whose twin nobody exports is drift, not an ABI mismatch", () => {
  const gone = "_ZN3c106detail9goneCheckERKSs";
  assert.deepEqual(kinds(load({ needed: ["libtorch_cpu.so"], imports: [gone] })), [`drift ${gone}`]);
});

test("drift names the exported signature whose parameters are nearest", () => {
  const cuda = environment({ torch: torchLibraries({ libc10_cuda: [setDevice, "_ZN3c104cuda9SetDeviceEPKcS2_", "_ZN3c104cuda9GetDeviceEPa"], libtorch_cuda: [] }) });
  const result = load({ needed: ["libc10_cuda.so"], imports: [setDeviceOld] }, cuda);
  assert.deepEqual(kinds(result), [`drift ${setDeviceOld}`]);
  assert.deepEqual(result.missing[0]?.nearest, { symbol: setDevice, demangled: "c10::cuda::SetDevice(signed char, bool)", library: "/env/torch/lib/libc10_cuda.so" });
  assert.match(result.missing[0]?.because ?? "", /exports that name with other parameters: c10::cuda::SetDevice\(signed char, bool\) in libc10_cuda\.so/);
});

test("drift of a name that is nowhere says so, and when the official wheels had it", () => {
  const gone = "_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE";
  const history: SymbolHistory = { releases: ["2.11.0", "2.12.0", "2.13.0"], source: "test", releasesExporting: (name) => (name === gone ? ["2.11.0", "2.12.0"] : undefined) };
  const result = load({ needed: ["libc10.so"], imports: [gone, guardBool] }, undefined, { history });
  assert.deepEqual(kinds(result), [`drift ${gone}`]);
  assert.deepEqual(result.missing[0]?.torch, { since: "2.11.0", until: "2.12.0", source: "test" });
  assert.match(result.missing[0]?.because ?? "", /torch 2\.13\.0\+cpu exports nothing of that name.*from torch 2\.11\.0, the oldest that is recorded, to 2\.12\.0/);
  assert.deepEqual(result.releasesThatWouldDo, ["2.11.0", "2.12.0"]);
  assert.ok(result.notChecked.some((one) => one.includes(`of ${guardBool} no release is recorded`)));
});

test("stable-shim: a function that is newer than the installed torch, and one that only a CUDA torch has", () => {
  const newer = load({ needed: ["libtorch_cpu.so"], imports: ["aoti_torch_abi_version", "torch_from_blob"] }, environment({ torch, body: installed([], { facts: [fact("torch-version", "2.10.0+cpu")] }) }));
  assert.deepEqual(kinds(newer), ["stable-shim torch_from_blob"]);
  assert.match(newer.missing[0]?.because ?? "", /exists since torch 2\.11\.0; torch 2\.10\.0\+cpu is older/);
  assert.deepEqual(newer.traits.find((one) => one.trait === "stable-abi-minimum")?.agrees, false);
  const cuda = load({ needed: ["libtorch_cpu.so"], imports: ["aoti_torch_get_current_cuda_stream"] });
  assert.deepEqual(kinds(cuda), ["stable-shim aoti_torch_get_current_cuda_stream"]);
  assert.match(cuda.missing[0]?.because ?? "", /lives in libtorch_cuda, and torch 2\.13\.0\+cpu has no libtorch_cuda: it is a build without CUDA/);
});

test("own: nobody exports it; a weak one may stay undefined", () => {
  const own = "_Z8nms_cudaRKN2at6TensorES2_f";
  const result = load({ needed: ["libtorch_cpu.so"], imports: [own, "?_ZN7missing4weakEv", "?__gmon_start__"] });
  assert.deepEqual(kinds(result), [`own ${own}`]);
});

test("other-library: names of CPython, CUDA and libstdc++ that are not there", () => {
  const python = load({ imports: ["_PyThreadState_UncheckedGet"] }, environment({ torch, body: installed([fact("python-version", "3.13.0")]) }));
  assert.deepEqual(kinds(python), ["other-library _PyThreadState_UncheckedGet"]);
  assert.match(python.missing[0]?.because ?? "", /Python 3\.13\.0 \(\/env\/bin\/python3\.11\) does not export _PyThreadState_UncheckedGet/);
  const cuda = load({ imports: ["cublasCreate_v2"] });
  assert.deepEqual(kinds(cuda), ["other-library cublasCreate_v2"]);
  assert.match(cuda.missing[0]?.because ?? "", /belongs to libcublas, which the file does not load\. Link it with -lcublas\./);
});

test("a missing dependency is told, and what may lie in it is not told a second time", () => {
  const result = load({ needed: ["libmine.so.1", "libtorch_cpu.so"], imports: ["mine_function", zeros] });
  assert.deepEqual(kinds(result), []);
  assert.deepEqual(result.missingDependencies.map((one) => [one.name, one.neededBy]), [["libmine.so.1", "/project/ops.so"]]);
  assert.ok(result.notChecked.some((one) => one.startsWith("1 symbol that nothing else provides may lie in libmine.so.1")));
  assert.equal(result.verdict, "conflict");
});

test("a CUDA library of another major than torch's is told with its distribution", () => {
  const body = installed([], { facts: [fact("torch-version", "2.14.1+cu130"), fact("cuda-version", "13.0")] });
  const result = load({ needed: ["libcudart.so.12"], imports: ["cudaMalloc"] }, environment({ torch, body }));
  assert.deepEqual(result.missingDependencies.map((one) => [one.name, one.providedBy]), [["libcudart.so.12", "nvidia-cuda-runtime-cu12"]]);
  assert.match(result.missingDependencies[0]?.because ?? "", /libcudart\.so\.12, the library of CUDA 12, and torch 2\.14\.1\+cu130 is built with CUDA 13\.0/);
  assert.deepEqual(kinds(result), []);
});

test("torch's CUDA library on a torch without CUDA, and a name of another torch", () => {
  const result = load({ needed: ["libc10_cuda.so", "libc10.so.1.13"] });
  assert.match(result.missingDependencies[0]?.because ?? "", /torch 2\.13\.0\+cpu has no libc10_cuda: it is a build without CUDA/);
  assert.match(result.missingDependencies[1]?.because ?? "", /the libc10 of torch 2\.13\.0\+cpu is libc10\.so: the file was linked against another torch/);
});

test("without import torch its libraries are not there unless the file says where they are", () => {
  const sketch = { needed: ["libc10.so"], imports: [checkFail] };
  const result = load(sketch, undefined, { importTorchFirst: false });
  assert.deepEqual(result.missingDependencies.map((one) => one.name), ["libc10.so"]);
  assert.match(result.missingDependencies[0]?.because ?? "", /import torch first/);
  assert.deepEqual(kinds(result), []);
  assert.equal(load({ ...sketch, runpath: ["/env/torch/lib"] }, undefined, { importTorchFirst: false }).verdict, "no-conflict");
});

test("a second libtorch is found by whose libraries would be loaded", () => {
  const foreign = [library("/usr/lib/libc10.so.1.13", { exports: [guardBool] }), library("/usr/lib/libtorch_cpu.so.1.13", { needed: ["libc10.so.1.13"] })];
  const result = load({ needed: ["libtorch_cpu.so.1.13"], imports: [guardBool] }, environment({ torch, files: foreign }));
  const trait = result.traits.find((one) => one.trait === "two-libtorch");
  assert.equal(trait?.built, "/usr/lib/libtorch_cpu.so.1.13, /usr/lib/libc10.so.1.13");
  assert.equal(result.verdict, "conflict");
  assert.match(trait?.because ?? "", /SIGABRT/);
  const grafted = library("/project/x.libs/libc10-9b4183be.so");
  assert.equal(load({ needed: ["libc10-9b4183be.so"], runpath: ["$ORIGIN/x.libs"] }, environment({ torch, files: [grafted] })).verdict, "conflict");
  assert.equal(load({ needed: ["libc10.so"] }).traits.some((one) => one.trait === "two-libtorch"), false);
});

test("an extension that finds a system libtorch before torch is imported binds to it", () => {
  const foreign = library("/usr/lib/libc10.so", { exports: [] });
  const result = load({ needed: ["libc10.so"], imports: [guardBool] }, environment({ torch, files: [foreign] }), { importTorchFirst: false });
  assert.ok(result.traits.some((one) => one.trait === "two-libtorch"));
  assert.deepEqual(kinds(result), [`missing-library ${guardBool}`]);
});

test("symbol versions are compared with the file that would be loaded", () => {
  const needs = [{ library: "libstdc++.so.6", versions: ["GLIBCXX_3.4", "GLIBCXX_3.4.32"] }];
  const result = load({ needed: ["libstdc++.so.6"], needs });
  assert.deepEqual(result.missingVersions, [{ version: "GLIBCXX_3.4.32", library: "libstdc++.so.6", foundIn: "/usr/lib/libstdc++.so.6", highest: "GLIBCXX_3.4.30", neededBy: "/project/ops.so" }]);
  assert.equal(result.verdict, "conflict");
});

test("conda's libstdc++ counts before the system's, by the RPATH of its python", () => {
  const python = library("/env/bin/python3.11", { needed: ["libc.so.6"], rpath: ["$ORIGIN/../lib"] });
  const conda = library("/env/lib/libstdc++.so.6", { needed: ["libc.so.6"], versions: ["GLIBCXX_3.4", "GLIBCXX_3.4.32", "GLIBCXX_3.4.33"] });
  const files = [...torchLibraries().map((one) => library(one.path, { needed: one.needed ?? [], rpath: ["$ORIGIN"] })), python, conda, system.libc, system.libstdcxx];
  const env: FitEnvironment = { body: installed(), torchLibraries: files.slice(0, 6), python, machine: machine(files), notKnown: [] };
  const result = load({ needed: ["libstdc++.so.6"], needs: [{ library: "libstdc++.so.6", versions: ["GLIBCXX_3.4.32"] }] }, env);
  assert.deepEqual(result.missingVersions, []);
  assert.equal(result.loaded.find((one) => one.name === "libstdc++.so.6")?.path, "/env/lib/libstdc++.so.6");
});

test("libraries that the file brings are checked too, and named before the file's own symbols", () => {
  const helper = library("/project/libhelper.so", { imports: ["helper_needs_this"] });
  const result = load({ needed: ["libhelper.so"], runpath: ["$ORIGIN"], imports: ["_Z3ownv"] }, environment({ torch, files: [helper] }));
  assert.deepEqual(result.missing.map((one) => [one.symbol, one.kind, one.neededBy]), [["helper_needs_this", "other-library", "/project/libhelper.so"], ["_Z3ownv", "own", undefined]]);
});

test("missing symbols stand in the loader's order", () => {
  assert.deepEqual(load({ imports: ["_Z1av", "_Z1bv", "_Z1cv"], order: ["_Z1cv", "_Z1av"] }).missing.map((one) => one.symbol), ["_Z1cv", "_Z1av", "_Z1bv"]);
});

test("a file for another machine is that, and its symbols are not looked at", () => {
  const result = fit(built({ machine: "aarch64" }), library("/project/ops.so", { machine: 183, needed: ["libc10.so"], imports: ["_Z3ownv"] }), environment({ torch }), options);
  assert.deepEqual([result.verdict, result.missing.length, result.missingDependencies.length], ["conflict", 0, 0]);
  assert.match(result.traits[0]?.because ?? "", /for linux-aarch64, the installed torch for linux-x86_64/);
});

test("a library of torch that torch itself cannot find is taken for present and said", () => {
  const needy = torchLibraries().map((one) => (one.path.endsWith("libtorch_cpu.so") ? library(one.path, { needed: ["libc10.so", "libcudnn.so.9"], runpath: ["$ORIGIN"], exports: [zeros] }) : one));
  const result = load({ needed: ["libtorch_cpu.so", "libcudnn.so.9"], imports: [zeros, "cudnnCreate"] }, environment({ torch: needy }));
  assert.deepEqual([result.verdict, kinds(result), result.missingDependencies], ["no-conflict", [], []]);
  assert.ok(result.notChecked.some((one) => one.startsWith("torch itself loads libcudnn.so.9, which is not where the loader looks")));
  assert.ok(result.notChecked.some((one) => one.startsWith("1 symbol of libcudnn.so.9 was not checked")));
});

test("unknown: symbols of the file or of torch that could not be read", () => {
  assert.equal(load({ unread: true }).verdict, "unknown");
  const nothing = load({ needed: ["libc10.so", "libc.so.6"], imports: [zeros, "PyModule_Create2"] }, { body: installed(), torchLibraries: [], notKnown: ["Only the release is known."] });
  assert.deepEqual([nothing.verdict, kinds(nothing), nothing.missingDependencies], ["unknown", [], []]);
  assert.ok(nothing.notChecked.includes("What the libraries of /env export is not known, so no symbol of torch was checked."));
  assert.ok(nothing.notChecked.includes("Only the release is known."));
});

test("a program finds torch only where it says, and has no interpreter", () => {
  const run = (sketch: Sketch): FitResult => fit(built({ path: "/project/app", kind: "executable" }), library("/project/app", sketch), environment({ torch }), options);
  const lost = run({ needed: ["libc10.so"], imports: [checkFail] });
  assert.match(lost.missingDependencies[0]?.because ?? "", /link with -Wl,-rpath,\/env\/torch\/lib/);
  assert.equal(run({ needed: ["libc10.so"], imports: [checkFail], runpath: ["/env/torch/lib"] }).verdict, "no-conflict");
});

test("a libtorch folder is linked into a program: its libraries are global for what the program loads", () => {
  const body = installed([], { source: "libtorch", torchRoot: "/env/torch" });
  assert.equal(load({ imports: [zeros] }, environment({ torch, body, rest: { python: system.libc } })).verdict, "no-conflict");
});

test("thousands of missing symbols end the search", () => {
  const result = load({ imports: Array.from({ length: 5000 }, (_, index) => `_ZN3c105gone${index}Ev`) });
  assert.equal(result.missing.length, 2000);
  assert.ok(result.notChecked.includes("The search for missing symbols ended after 2000."));
});

test("a library of the same wheel that the loader does not find is taken for opened before, and said", () => {
  const core = library("/w.whl/ops/libops.so", { needed: ["libtorch_cpu.so"], imports: [guardBool], exports: ["_ZN3ops5startEv", "_ZN5torch8executor9get_numelEv"] });
  const grafted = library("/w.whl/ops.libs/libz-0a1b2c3d.so.1", { exports: ["inflate"] });
  const history: SymbolHistory = { releases: ["2.12.0", "2.13.0"], source: "test", releasesExporting: (name) => (name === zeros ? ["2.13.0"] : []) };
  const run = (sketch: Sketch): FitResult => fit(built({ path: "/w.whl/ops/_ops.so" }), library("/w.whl/ops/_ops.so", sketch), { ...environment({ torch }), companions: [core, grafted] }, { ...options, history });
  const result = run({ needed: ["libops.so", "libtorch_cpu.so"], imports: ["_ZN3ops5startEv", "_ZN5torch8executor9get_numelEv", zeros] });
  assert.deepEqual([result.verdict, kinds(result), result.missingDependencies], ["no-conflict", [], []]);
  // torch::executor is the library's: no release of torch exports it, and none has to.
  assert.deepEqual(result.releasesThatWouldDo, ["2.13.0"]);
  assert.ok(result.notChecked.includes("_ops.so needs libops.so, which lies beside it where the loader does not look: it loads only after its package has opened it, and that was taken for done."));
  // Nobody opens by hand what a repair tool renamed.
  assert.deepEqual(run({ needed: ["libz-0a1b2c3d.so.1"], imports: ["inflate"] }).missingDependencies.map((one) => one.name), ["libz-0a1b2c3d.so.1"]);
  // Nor does a copy for another module stand in for CUDA's library, though it kept its soname.
  const copy = library("/w.whl/ops.libs/libcudart.9f4d4772.so.12", { soname: "libcudart.so.12" });
  const cuda = fit(built(), library("/w.whl/ops/_C.so", { needed: ["libcudart.so.12"] }), { ...environment({ torch }), companions: [copy] }, options);
  assert.deepEqual(cuda.missingDependencies.map((one) => one.name), ["libcudart.so.12"]);
});

test("an installed package may open the library beside its module itself; a build folder has nobody who does", () => {
  const run = (folder: string): FitResult => {
    const module = library(`${folder}/_ops.so`, { needed: ["libops.so"], imports: ["_ZN3ops5startEv"] });
    return fit(built({ path: module.path }), module, environment({ torch, files: [library(`${folder}/libops.so`, { exports: ["_ZN3ops5startEv"] })] }), options);
  };
  assert.deepEqual(run("/env/lib/python3.11/site-packages/ops").missingDependencies, []);
  assert.ok(run("/env/lib/python3.11/site-packages/ops").notChecked.some((one) => one.startsWith("_ops.so needs libops.so, which lies beside it where the loader does not look")));
  assert.deepEqual(run("/project/build").missingDependencies.map((one) => one.name), ["libops.so"]);
});

test("a file that needs more symbols than any real one is not answered for", () => {
  const result = fit(built({ imports: { "own-or-other": 250_000, torch: 50_001 } }), library("/project/ops.so", { imports: [guardBool] }), environment({ torch }), options);
  assert.equal(result.verdict, "unknown");
  assert.deepEqual(result.notChecked, ["ops.so needs 300001 symbols; up to 300000 are looked for, so none of them was."]);
});
