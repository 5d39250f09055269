import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedSymbols } from "../../../src/engine/catalogue/index.ts";
import { fit } from "../../../src/engine/fit/index.ts";
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
  librariesOfRelease: () => [{ name: "libtorch_cpu.so", needed: [], exports: (symbol) => (symbol === zeros ? true : undefined), exportedNames: () => [zeros] }],
};
const env = environmentOfRelease(installed([], { facts: [fact("torch-version", "2.9.0+cpu"), fact("cuda-version", null), fact("libstdcxx-abi", 1), fact("platform", "linux-x86_64")] }), recorded);

function missing(imports: readonly string[]): readonly string[] {
  return fit(built(), library("/project/ops.so", { needed: ["libtorch_cpu.so"], imports }), env, options).missing.map((one) => `${one.kind} ${one.symbol}`);
}

test("names of the projects in torch's libraries are taken for exported by a release of which only torch's own are recorded", () => {
  assert.deepEqual(missing([zeros, "cpuinfo_isa", "FLAGS_caffe2_log_level", "FLAGS_torch_lazy_reuse_ir", "_Z36FLAGS_torch_lazy_metrics_percentilesB5cxx11", "ParameterClass", "_Z16getPyInterpreterv", "zgemm_", "_ZN6fbgemm15fbgemmHasAvx512Ev", "_ZN8pybind116detail11type_casterIN2at6TensorEvE4loadENS_6handleEb"]), []);
});

test("names of the project itself are not, whatever they take or begin with", () => {
  const own = ["_ZN8pybind116detail11type_casterIN3ops5StateEvE4loadENS_6handleEb", "_ZN9fbgemm_ex3runEv", "_Z3nmsRKN2at6TensorE", "cpuinfos", "gemm_", "sgemm_fast"];
  assert.deepEqual(missing(own), own.map((one) => `own ${one}`));
});
