import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCatalogue, loadSymbolHistory } from "../../../src/engine/catalogue/index.ts";
import { isRecordedSymbol } from "../../../src/engine/catalogue/recordedSymbols.ts";

const history = loadSymbolHistory();

/** "2.3.0..2.7.1": the first and the last release that export a symbol, if all between do. */
function range(symbol: string): string | undefined {
  const releases = history.releasesExporting(symbol);
  if (releases === undefined || releases.length === 0) return releases === undefined ? undefined : "none";
  const first = history.releases.indexOf(releases[0] ?? "");
  assert.deepEqual(releases, history.releases.slice(first, first + releases.length));
  return `${releases[0]}..${releases.at(-1)}`;
}

describe("the table of torch's exports", () => {
  it("has every release of torch since 2.0, and its wheel's string ABI", () => {
    const released = loadCatalogue().torchReleases.filter((one) => Number(one.version.split(".")[0]) >= 2);
    assert.deepEqual(released.map((one) => one.version).filter((one) => !history.releases.includes(one)), []);
    const differing = released.filter((one) => one.variants.find((variant) => variant.isDefault && variant.platform === "linux-x86_64")?.libstdcxxAbi !== history.libstdcxxAbiOf(one.version));
    assert.deepEqual(differing.map((one) => one.version), []);
  });

  it("tells a symbol's releases from first to last", () => {
    const newest = history.releases.at(-1);
    assert.equal(range("_ZN3c104cuda9SetDeviceEa"), "2.3.0..2.7.1");
    assert.equal(range("_ZN3c104cuda9SetDeviceEab"), `2.8.0..${newest}`);
    assert.equal(range("_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb"), "2.10.0..2.13.0");
    assert.equal(range("_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE")?.split("..")[1], "2.12.1");
  });

  it("says none for a torch name that no release exports, and nothing for names it does not record", () => {
    assert.deepEqual(history.releasesExporting("_ZN3c1010NeverThereEv"), []);
    assert.equal(history.releasesExporting("cudaMalloc"), undefined);
    assert.equal(history.releasesExporting("_ZN5vision3opsEv"), undefined);
  });

  it("knows in which library of a release a symbol is", () => {
    assert.deepEqual(history.librariesOf("_ZN3c104cuda9SetDeviceEab", "2.8.0"), ["libc10_cuda.so"]);
    assert.deepEqual(history.librariesOf("_ZN3c104cuda9SetDeviceEab", "2.7.1"), []);
    assert.equal(history.librariesOf("_ZN3c104cuda9SetDeviceEab", "0.1.0"), undefined);
  });

  it("finds what a release has in place of another signature", () => {
    assert.deepEqual(history.namesStartingWith("_ZN3c104cuda9SetDeviceE", "2.7.1"), ["_ZN3c104cuda9SetDeviceEa"]);
    assert.deepEqual(history.namesStartingWith("_ZN3c104cuda9SetDeviceE", "2.8.0+cu128"), ["_ZN3c104cuda9SetDeviceEab"]);
    assert.deepEqual(history.namesStartingWith("_ZN3c104cuda9SetDeviceE", "2.8.0.dev20250319"), []);
  });

  it("gives a release's libraries with what they load, without those of CUDA for a build without", () => {
    const library = (release: string, name: string) => history.librariesOfRelease(release).find((one) => one.name === name);
    assert.ok(library("2.8.0+cu128", "libtorch.so")?.needed.includes("libtorch_cuda.so"));
    assert.equal(library("2.8.0+cu128", "libc10_cuda.so")?.exports("_ZN3c104cuda9SetDeviceEab"), true);
    assert.equal(library("2.8.0+cu128", "libc10.so")?.exports("_ZN3c104cuda9SetDeviceEab"), false);
    assert.equal(library("2.8.0+cu128", "libc10.so")?.exports("malloc"), undefined);
    assert.equal(library("2.8.0+cu128", "libtorch_global_deps.so")?.exports("_ZN3c104cuda9SetDeviceEab"), false);
    assert.equal(library("2.8.0+cpu", "libc10_cuda.so"), undefined);
    assert.deepEqual(library("2.8.0+cpu", "libtorch.so")?.needed.filter((one) => /cuda/.test(one)), []);
    const names = [...library("2.8.0", "libc10.so")?.exportedNames() ?? []];
    assert.ok(names.length > 700);
    assert.deepEqual(names, [...names].sort());
  });
});

describe("which symbols the table records", () => {
  it("takes torch's namespaces, their tables and type information, and torch's C names", () => {
    const recorded = ["_ZN3c105ErrorC1ENS_14SourceLocationESs", "_ZNK2at6Tensor3addEv", "_ZTVN5torch8autograd4NodeE", "_ZTIN3c105ErrorE", "_ZN3c10lsERSoNS_6DeviceE", "THPVariableClass", "_Z16THPVariable_WrapRKN2at10TensorBaseE", "aoti_torch_zero_", "torch_library_impl", "_ZN4c10d12ProcessGroupD2Ev"];
    assert.deepEqual(recorded.filter((one) => !isRecordedSymbol(one)), []);
  });

  it("leaves out other projects' names, names that begin alike, kernels and what no name outside its file reaches", () => {
    const others = ["_ZN5vision3nmsERKN2at6TensorE", "_ZN3c1110somethingEv", "_ZN7c10_extEv", "_ZNSt6vectorIN2at6TensorESaIS1_EED1Ev", "_ZN2at6native12_GLOBAL__N_14kernEv", "_ZN2at6native6kernelIfEEvv", "_ZTSN3c105ErrorE", "_ZZN3c104testEvE1a",
      // Of libraries that are loaded when they are needed.
      "_ZN2at4cuda28getCurrentCUDASolverDnHandleEv", "_ZN2at4cuda6solver5getrfIfEEvP17cusolverDnContextiiPT_iS5_PiS6_", "_ZN2at6native12svd_cusolverERKNS_6TensorEbbRKSt8optionalISt17basic_string_viewIcSt11char_traitsIcEEES3_S3_S3_S3_", "_ZN4c10d18nvshmem_extension11nvshmem_putERN2at6TensorEl"];
    assert.deepEqual(others.filter(isRecordedSymbol), []);
    assert.equal(isRecordedSymbol("_ZN2at6native11bitwise_xorERKNS_6TensorERKN3c106ScalarE"), true);
  });
});
