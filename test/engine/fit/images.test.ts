import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentOfImages, fit } from "../../../src/engine/fit/index.ts";
import { built, fact, installed, library, options } from "./fakes.ts";
import type { Sketch } from "./fakes.ts";

const zeros = "_ZN2at4_ops5zeros4callEv";
const body = installed([], { name: "torch-2.14.1.whl", source: "wheel", facts: [fact("torch-version", "2.14.1+cu130"), fact("cuda-version", "13.0"), fact("platform", "linux-x86_64")] });

function head(name: string, exports: readonly string[] = []): ReturnType<typeof library> {
  return library(`torch-2.14.1.whl/torch/lib/${name}.so`, { unread: true, exports });
}

const env = environmentOfImages(body, [head("libtorch_python"), head("libtorch"), head("libtorch_cpu", [zeros]), head("libtorch_cuda"), head("libc10_cuda", ["_ZN3c104cuda9SetDeviceEab"]), head("libc10")]);

function load(sketch: Sketch): ReturnType<typeof fit> {
  return fit(built(), library("/project/ops.so", sketch), env, options);
}

test("torch's usual graph is assumed for libraries of which only the exports were read, and said", () => {
  const result = load({ needed: ["libtorch.so", "libstdc++.so.6", "libc.so.6"], imports: [zeros, "_ZN3c104cuda9SetDeviceEab", "_ZSt4cout@GLIBCXX_3.4:libstdc++.so.6", "PyModule_Create2"] });
  assert.deepEqual([result.verdict, result.missing, result.missingDependencies], ["no-conflict", [], []]);
  assert.ok(result.notChecked.some((one) => one.startsWith("What libtorch_python.so, libtorch.so, libtorch_cpu.so, libtorch_cuda.so, libc10_cuda.so, libc10.so load was not read")));
  assert.ok(result.notChecked.some((one) => one.startsWith("The machine on which torch-2.14.1.whl would run is not known")));
});

test("the closure counts there too", () => {
  assert.deepEqual(load({ needed: ["libc10.so"], imports: [zeros] }).missing.map((one) => one.kind), ["missing-library"]);
});

test("a CUDA library of torch's major is taken for installed, one of another is not there", () => {
  assert.deepEqual(load({ needed: ["libcudart.so.13", "libcublas.so.13"] }).missingDependencies, []);
  assert.deepEqual(load({ needed: ["libcudart.so.12"] }).missingDependencies.map((one) => one.name), ["libcudart.so.12"]);
});

test("whether an unknown library is on that machine leaves the answer open", () => {
  const result = load({ needed: ["libopencv_core.so.406"], imports: ["_ZN2cv3Mat6createEiPKii"] });
  assert.deepEqual([result.verdict, result.missing], ["unknown", []]);
  assert.ok(result.notChecked.includes("Whether libopencv_core.so.406 is installed was not checked."));
});

test("functions that glibc has had outside of libc, and those of OpenMP, are found in the process", () => {
  const result = load({ needed: ["libtorch.so", "libgomp-a34b3233.so.1", "libc.so.6"], imports: [zeros, "dlsym", "shm_unlink", "pthread_create", "omp_get_num_threads", "GOMP_parallel"] });
  assert.deepEqual([result.verdict, result.missing], ["no-conflict", []]);
  // A name of nobody's is not taken for one of OpenMP's or glibc's.
  assert.deepEqual(load({ needed: ["libgomp-a34b3233.so.1", "libc.so.6"], imports: ["dlopen_ops", "mine_function"] }).missing.map((one) => `${one.kind} ${one.symbol}`), ["own dlopen_ops", "own mine_function"]);
});

test("what a file asks of a library that was not looked into is said of that library", () => {
  const result = load({ needed: ["libsox.so", "libtorch.so"], imports: [zeros, "sox_open_write"] });
  assert.ok(result.notChecked.includes("1 symbol (sox_open_write) may lie in libsox.so or another library that was not looked into."));
});
