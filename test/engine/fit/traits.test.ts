import assert from "node:assert/strict";
import { test } from "node:test";
import { fit } from "../../../src/engine/fit/index.ts";
import type { FitOptions, TraitComparison } from "../../../src/engine/fit/index.ts";
import { runsOn } from "../../../src/engine/fit/traits/cuda.ts";
import type { BinaryProfile, CudaArchitecture, Fact } from "../../../src/engine/model/index.ts";
import { built, environment, fact, installed, library, options, system, torchLibraries } from "./fakes.ts";
import type { Sketch } from "./fakes.ts";

const zeros = "_ZN2at4_ops5zeros4callEv";
const torch = torchLibraries({ libtorch_cpu: [zeros, "torch_from_blob", "aoti_torch_abi_version"] });

interface Case {
  readonly profile?: Partial<BinaryProfile>;
  readonly facts?: readonly Fact[];
  readonly installed?: readonly Fact[];
  readonly sketch?: Sketch;
  readonly options?: Partial<FitOptions>;
}

function comparison(trait: TraitComparison["trait"], one: Case): TraitComparison | undefined {
  const body = installed([], { facts: [fact("torch-version", "2.13.0+cpu"), fact("platform", "linux-x86_64"), ...(one.installed ?? [])] });
  const image = library("/project/ops.so", { needed: ["libtorch_cpu.so", "libc.so.6"], imports: [zeros], ...one.sketch });
  return fit(built(one.profile, one.facts), image, environment({ torch, body }), { ...options, ...one.options }).traits.find((each) => each.trait === trait);
}

function answer(trait: TraitComparison["trait"], one: Case): string {
  const found = comparison(trait, one);
  return found === undefined ? "nothing" : `${String(found.agrees)} ${found.agrees === true ? "" : found.weight}`.trim();
}

test("libstdcxx-abi: both known and different, equal, or of no matter to a file that only uses the stable ABI", () => {
  assert.equal(answer("libstdcxx-abi", { facts: [fact("libstdcxx-abi", 0)], installed: [fact("libstdcxx-abi", 1)] }), "false error");
  assert.equal(answer("libstdcxx-abi", { facts: [fact("libstdcxx-abi", 1)], installed: [fact("libstdcxx-abi", 1)] }), "true");
  assert.equal(answer("libstdcxx-abi", { facts: [fact("libstdcxx-abi", 1)] }), "undefined error");
  assert.equal(answer("libstdcxx-abi", { facts: [fact("libstdcxx-abi", 0)], installed: [fact("libstdcxx-abi", 1)], sketch: { imports: ["torch_from_blob"] } }), "nothing");
  assert.equal(answer("libstdcxx-abi", { installed: [fact("libstdcxx-abi", 1)] }), "nothing");
});

test("pybind11-internals: the whole key must be equal", () => {
  const v11 = "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1";
  const v12 = "v12_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1";
  assert.equal(answer("pybind11-internals", { profile: { pybind11Keys: [v11] }, installed: [fact("pybind11-internals", v12)] }), "false warning");
  assert.equal(answer("pybind11-internals", { profile: { pybind11Keys: [v12] }, installed: [fact("pybind11-internals", v12)] }), "true");
  assert.equal(answer("pybind11-internals", { installed: [fact("pybind11-internals", v12)] }), "nothing");
  assert.match(comparison("pybind11-internals", { profile: { pybind11Keys: [v11] }, installed: [fact("pybind11-internals", v12)] })?.because ?? "", /torch\.Tensor is passed in another way/);
});

test("gxx-abi-version is a warning, and information where it was read from a pybind11 key", () => {
  const inKey = { profile: { pybind11Keys: ["v4_gcc_libstdcpp_cxxabi1013"] }, facts: [fact("gxx-abi-version", 1013)] };
  assert.equal(answer("gxx-abi-version", { ...inKey, installed: [fact("gxx-abi-version", 1011)] }), "false info");
  assert.equal(answer("gxx-abi-version", { ...inKey, installed: [fact("gxx-abi-version", 1013)] }), "true");
  assert.equal(answer("gxx-abi-version", { facts: [fact("gxx-abi-version", 1017)], installed: [fact("gxx-abi-version", 1011)] }), "false warning");
  assert.equal(answer("gxx-abi-version", { facts: [fact("gxx-abi-version", 1011)], installed: [fact("gxx-abi-version", 1011)] }), "true");
  assert.equal(answer("gxx-abi-version", { facts: [fact("gxx-abi-version", 1011)] }), "nothing");
});

function runtime(major: number, linked: "shared" | "static" = "shared"): Partial<BinaryProfile> {
  return { cudaRuntime: { linked, major, library: linked === "shared" ? `libcudart.so.${major}` : undefined, evidence: { kind: "file", path: "/project/ops.so", what: "NEEDED" } } };
}

test("cuda-version: another major is an error, a static runtime of one a warning, another minor information", () => {
  assert.equal(answer("cuda-version", { profile: runtime(12), installed: [fact("cuda-version", "13.0")] }), "false error");
  assert.equal(answer("cuda-version", { profile: runtime(12, "static"), installed: [fact("cuda-version", "13.0")] }), "false warning");
  assert.equal(answer("cuda-version", { profile: runtime(12), facts: [fact("cuda-version", "12.6")], installed: [fact("cuda-version", "12.8")] }), "false info");
  assert.equal(answer("cuda-version", { profile: runtime(13), installed: [fact("cuda-version", "13.0")] }), "true");
  assert.equal(answer("cuda-version", { profile: { ...runtime(13), needed: ["libc10_cuda.so"] }, installed: [fact("cuda-version", null)] }), "false error");
  assert.equal(answer("cuda-version", { installed: [fact("cuda-version", "13.0")] }), "nothing");
});

const architecture = (sm: number, rest: Partial<CudaArchitecture> = {}): CudaArchitecture => ({ sm, suffix: "", real: true, ptx: false, ...rest });

test("what runs on a GPU: the same major from the minor on, exactly the number with a, PTX from its level on", () => {
  assert.equal(runsOn([architecture(80)], 86), "native");
  assert.equal(runsOn([architecture(86)], 80), "none");
  assert.equal(runsOn([architecture(80)], 90), "none");
  assert.equal(runsOn([architecture(80, { ptx: true })], 90), "jit");
  assert.equal(runsOn([architecture(90, { suffix: "a" })], 90), "native");
  assert.equal(runsOn([architecture(120, { suffix: "a" })], 121), "none");
  assert.equal(runsOn([architecture(120, { suffix: "f" })], 121), "native");
  assert.equal(runsOn([architecture(90, { suffix: "a", real: false, ptx: true })], 100), "none");
  assert.equal(runsOn([architecture(100, { real: false, ptx: true })], 90), "none");
});

test("cuda-architectures: the worst translation unit counts, and nothing is said without a GPU", () => {
  const content = (architectures: readonly CudaArchitecture[], notEverywhere: readonly CudaArchitecture[] = []): Partial<BinaryProfile> => ({ cuda: { architectures, fatbins: 2, compressed: false, toolkit: "13.0", notEverywhere } });
  const gpu = { gpu: { capability: 90, name: "H100" } };
  assert.equal(answer("cuda-architectures", { profile: content([architecture(90)]), options: gpu }), "true");
  assert.equal(answer("cuda-architectures", { profile: content([architecture(80)]), options: gpu }), "false error");
  assert.equal(answer("cuda-architectures", { profile: content([architecture(80), architecture(90)], [architecture(90)]), options: gpu }), "false warning");
  assert.equal(answer("cuda-architectures", { profile: content([architecture(80)]) }), "nothing");
  assert.equal(comparison("cuda-architectures", { profile: content([architecture(80)]), options: gpu })?.installed, "H100 (compute capability 9.0)");
});

const module = (suffix: string): Partial<BinaryProfile> => ({ path: `/project/ops.${suffix}.so`, modules: [{ name: "ops", entry: "PyInit_ops", suffix }] });
const python = (version: string, suffix: string): readonly Fact[] => [fact("python-version", version), fact("python-suffix", suffix)];

test("python-suffix: the name is looked for or not; abi3 and abi3t have their own rules", () => {
  const cp311 = python("3.11.7", "cpython-311-x86_64-linux-gnu");
  assert.equal(answer("python-suffix", { profile: module("cpython-311-x86_64-linux-gnu"), installed: cp311 }), "true");
  assert.equal(answer("python-suffix", { profile: module("cpython-312-x86_64-linux-gnu"), installed: cp311 }), "false error");
  assert.equal(answer("python-suffix", { profile: module("cpython-312-x86_64-linux-gnu"), installed: [fact("python-version", "3.11")] }), "false error");
  assert.equal(answer("python-suffix", { profile: module("abi3"), installed: cp311 }), "true");
  assert.equal(answer("python-suffix", { profile: module("abi3"), installed: python("3.14.0", "cpython-314t-x86_64-linux-gnu") }), "false error");
  assert.equal(answer("python-suffix", { profile: module("abi3t"), installed: python("3.14.0", "cpython-314t-x86_64-linux-gnu") }), "false error");
  assert.equal(answer("python-suffix", { profile: module("abi3t"), installed: python("3.15.0", "cpython-315t-x86_64-linux-gnu") }), "true");
  assert.equal(answer("python-suffix", { profile: {}, installed: cp311 }), "nothing");
});

test("python-module: the name of the file and that of the entry must be one", () => {
  const named = (file: string, ...entries: readonly string[]): Case => ({ profile: { path: `/project/${file}`, kind: "python-module", modules: entries.map((entry) => ({ name: entry.replace(/^Py(?:InitU?|ModExport)_/, ""), entry, suffix: undefined })) } });
  for (const file of ["ops.so", "ops.cpython-311-x86_64-linux-gnu.so", "ops.abi3.so", "ops.pypy311-pp73-x86_64-linux-gnu.so"]) {
    assert.equal(answer("python-module", named(file, "PyInit__C")), "false error", file);
    assert.equal(answer("python-module", named(file, "PyInit_ops")), "nothing", file);
  }
  assert.match(comparison("python-module", named("ops.so", "PyInit__C"))?.because ?? "", /import ops asks it for PyInit_ops and stops with "dynamic module does not define module export function \(PyInit_ops\)"/);
  // One of several is enough, PEP 793 has another entry, PEP 489 writes other letters otherwise, and nobody imports these under their names.
  assert.equal(answer("python-module", named("ops.so", "PyInit_other", "PyInit_ops")), "nothing");
  assert.equal(answer("python-module", named("ops.so", "PyModExport_ops")), "nothing");
  assert.equal(answer("python-module", named("ops.so", "PyInitU_ps_kpa")), "nothing");
  assert.equal(answer("python-module", named("libops.so", "PyInit__C")), "nothing");
  assert.equal(answer("python-module", named("ops.so.1", "PyInit__C")), "nothing");
  const operators = { ...named("ops.so", "PyInit__C"), sketch: { imports: ["_ZN5torch7LibraryC1ENS0_4KindENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt8optionalIN3c1011DispatchKeyEEPKcj"] } };
  assert.equal(answer("python-module", operators), "false warning");
});

test("a module of another Python, and one under another name, does not load", () => {
  const verdict = (path: string, suffix: string | undefined, entry: string): string => fit(built({ path, kind: "python-module", modules: [{ name: entry.slice(7), entry, suffix }] }), library(path, { imports: [] }), environment({ torch, body: installed(python("3.11.7", "cpython-311-x86_64-linux-gnu")) }), options).verdict;
  assert.equal(verdict("/project/ops.cpython-312-x86_64-linux-gnu.so", "cpython-312-x86_64-linux-gnu", "PyInit_ops"), "conflict");
  assert.equal(verdict("/project/ops.cpython-311-x86_64-linux-gnu.so", "cpython-311-x86_64-linux-gnu", "PyInit_ops"), "no-conflict");
  assert.equal(verdict("/project/ops.so", undefined, "PyInit__C"), "conflict");
});

test("python-stable-abi: the level of the limited API against the interpreter", () => {
  assert.equal(answer("python-stable-abi", { facts: [fact("python-limited-api", "3.12")], installed: [fact("python-version", "3.11.7")] }), "false error");
  assert.equal(answer("python-stable-abi", { facts: [fact("python-limited-api", "3.9")], installed: [fact("python-version", "3.11.7")] }), "true");
  assert.equal(answer("python-stable-abi", { facts: [fact("python-limited-api", "none")], installed: [fact("python-version", "3.11.7")] }), "nothing");
});

test("glibc and libstdc++ by numbers, against the libraries that would be loaded", () => {
  const needs = (library: string, version: string): Case => ({ profile: { versionNeeds: [{ library, versions: [version] }] }, sketch: { needed: ["libstdc++.so.6", "libc.so.6"], imports: [] } });
  assert.equal(answer("glibc", needs("libc.so.6", "GLIBC_2.4")), "true");
  assert.equal(answer("glibc", needs("libc.so.6", "GLIBC_2.38")), "false error");
  assert.equal(answer("libstdcxx-version", needs("libstdc++.so.6", "GLIBCXX_3.4.32")), "false error");
  assert.equal(answer("libstdcxx-version", needs("libstdc++.so.6", "GLIBCXX_3.4.9")), "true");
  assert.equal(comparison("glibc", needs("libc.so.6", "GLIBC_2.38"))?.installed, "2.36");
  assert.match(comparison("libstdcxx-version", needs("libstdc++.so.6", "GLIBCXX_3.4.32"))?.because ?? "", new RegExp(system.libstdcxx.path.replaceAll("+", "\\+")));
});

test("stable-abi-minimum is the newest function that is needed", () => {
  const sketch = { imports: ["torch_from_blob", "aoti_torch_abi_version"] };
  assert.equal(comparison("stable-abi-minimum", { sketch })?.built, "2.11.0");
  assert.equal(answer("stable-abi-minimum", { sketch }), "true");
  assert.equal(answer("stable-abi-minimum", { sketch: { imports: ["aoti_torch_abi_version"] } }), "nothing");
});

test("stamp: another torch is an error for the classic ABI, a newer target for the stable one", () => {
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.12.0+cpu", "torch.abi": "classic" } } }), "false error");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.13.0+cpu", "torch.abi": "classic" } } }), "true");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.13.0+cpu", "torch.git": "aaaaaaaaaaaa" } }, installed: [fact("torch-git-version", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")] }), "false error");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.12.0+cpu", "torch.abi": "stable" } } }), "nothing");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.abi": "stable", "torch.target": "0x020e000000000000" } } }), "false error");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.abi": "stable", "torch.target": "0x020a000000000000" } } }), "true");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.cxx11_abi": "0" } }, installed: [fact("libstdcxx-abi", 1)] }), "false error");
  // All that torch's headers say.
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.13.0" } } }), "true");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.13.1" } } }), "false error");
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.13.0+cu130" } } }), "false error");
  // libstdc++'s ABI matters to torch where torch's headers were compiled with it.
  assert.equal(answer("stamp", { profile: { stamp: { "torch.version": "2.13.0", "cxx.cxx11_abi": "0" } }, installed: [fact("libstdcxx-abi", 1)] }), "false error");
  assert.equal(answer("stamp", { profile: { stamp: { "cxx.cxx11_abi": "0" } }, installed: [fact("libstdcxx-abi", 1)] }), "nothing");
  assert.equal(answer("stamp", {}), "nothing");
});

test("layout: only where the torch of the build is known and C++ of torch is used", () => {
  const builtWith = (version: string): Partial<FitOptions> => ({ builtWith: { version, source: { kind: "file", path: "/METADATA", what: `Requires-Dist: torch==${version}` } } });
  assert.equal(answer("layout", { options: builtWith("2.14.1") }), "false warning");
  assert.match(comparison("layout", { options: builtWith("2.14.1") })?.because ?? "", /compiled with torch 2\.14\.1, and torch 2\.13\.0\+cpu has other sizes of .*c10::SymbolicShapeMeta \(392 and 272 bytes\)/);
  assert.equal(answer("layout", { options: builtWith("2.13.0+cu130") }), "true");
  assert.equal(answer("layout", { profile: { stamp: { "torch.version": "2.14.1+cpu" } } }), "false warning");
  assert.equal(answer("layout", { options: builtWith("0.4.1") }), "nothing");
  assert.equal(answer("layout", { options: builtWith("2.14.1"), sketch: { imports: ["torch_from_blob"] } }), "nothing");
  assert.equal(answer("layout", {}), "nothing");
});
