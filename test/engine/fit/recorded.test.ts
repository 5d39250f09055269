import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedSymbols } from "../../../src/engine/catalogue/index.ts";
import { fit } from "../../../src/engine/fit/index.ts";
import type { FitEnvironment, FitResult } from "../../../src/engine/fit/index.ts";
import { environmentOfRelease } from "../../../src/engine/fit/recorded.ts";
import { built, fact, installed, library, options } from "./fakes.ts";

const zeros = "_ZN2at4_ops5zeros4callEv";
const recorded: RecordedSymbols = {
  releases: ["2.9.0"],
  source: "test",
  isRecorded: (symbol) => symbol === zeros,
  releasesExporting: (symbol) => (symbol === zeros ? ["2.9.0"] : undefined),
  librariesOf: (symbol) => (symbol === zeros ? ["libtorch_cpu.so"] : undefined),
  libstdcxxAbiOf: () => 1,
  namesStartingWith: () => [],
  namesFrom: () => [],
  missing: [],
  previews: [],
  librariesOfRelease: () => [
    { name: "libtorch_cpu.so", needed: ["libc10.so"], exports: (symbol) => (symbol === zeros ? true : symbol.startsWith("_ZN2at4_ops") ? false : undefined), exportedNames: () => [zeros] },
    { name: "libc10.so", needed: [], exports: (symbol) => (symbol.startsWith("_ZN2at4_ops") ? false : undefined), exportedNames: () => [] },
  ],
};
const env = environmentOfRelease(installed([], { facts: [fact("torch-version", "2.9.0+cpu"), fact("cuda-version", null), fact("libstdcxx-abi", 1), fact("platform", "linux-x86_64")] }), recorded);

function load(imports: readonly string[], needed: readonly string[] = ["libtorch_cpu.so"], more: Partial<FitEnvironment> = {}): FitResult {
  return fit(built(), library("/project/ops.so", { needed, imports }), { ...env, ...more }, options);
}

function missing(imports: readonly string[], ...rest: readonly [(readonly string[])?, Partial<FitEnvironment>?]): readonly string[] {
  return load(imports, ...rest).missing.map((one) => `${one.kind} ${one.symbol}`);
}

test("names of the projects in torch's libraries are taken for exported by a release of which only torch's own are recorded", () => {
  assert.deepEqual(missing([zeros, "cpuinfo_isa", "FLAGS_caffe2_log_level", "FLAGS_torch_lazy_reuse_ir", "_Z36FLAGS_torch_lazy_metrics_percentilesB5cxx11", "ParameterClass", "_Z16getPyInterpreterv", "zgemm_", "_ZN6fbgemm15fbgemmHasAvx512Ev", "_ZN8pybind116detail11type_casterIN2at6TensorEvE4loadENS_6handleEb"]), []);
});

test("other names are left open where a library of torch is loaded that may hold them, and said to be", () => {
  const others = ["_ZN8pybind116detail11type_casterIN3ops5StateEvE4loadENS_6handleEb", "_ZN9fbgemm_ex3runEv", "_Z20register_conv_paramsILi2EEiv", "cpuinfos", "gemm_", "sgemm_fast"];
  const result = load([zeros, ...others]);
  assert.deepEqual([result.verdict, result.missing], ["unknown", []]);
  assert.ok(result.notChecked.includes(`6 symbols (${others[0]}, ...) that nothing else provides may lie in a library of /env, of which names of their kind were not recorded, or belong to a source that was not compiled or linked.`), result.notChecked.join("\n"));
  assert.ok(result.notChecked.some((one) => one.endsWith("names of kinds that no extension binds to were not recorded: those in the namespaces of torch and of projects that are built into it are taken for exported, of others it is left open.")));
  assert.equal(load([zeros]).verdict, "no-conflict");
});

test("names of the project itself are missing where no library of torch is loaded that may hold them", () => {
  const own = ["_ZN9fbgemm_ex3runEv", "_Z3nmsRKN2at6TensorE"];
  assert.deepEqual(missing(own, ["libc10.so"]), own.map((one) => `own ${one}`));
  assert.deepEqual(missing(own, []), own.map((one) => `own ${one}`));
  // What lies beside it in the wheel is the likelier home, and a name with a version has one.
  const companions = [library("/project/libother.so", { exports: ["_Z3nmsRKN2at6TensorE"] })];
  assert.deepEqual(missing(["_Z3nmsRKN2at6TensorE"], ["libtorch_cpu.so"], { companions }), ["missing-library _Z3nmsRKN2at6TensorE"]);
  // Names of torch are recorded.
  assert.deepEqual(missing(["_ZN2at4_ops4ones4callEv"]), ["drift _ZN2at4_ops4ones4callEv"]);
});
