import assert from "node:assert/strict";
import test from "node:test";
import { formerTorchLibrary, torchLibraryStem } from "../../../src/engine/catalogue/index.ts";

test("torch's own libraries are told from those that only begin like them", () => {
  const stems = (names: readonly string[]): readonly (string | undefined)[] => names.map(torchLibraryStem);
  assert.deepEqual(stems(["libc10.so", "libc10.so.1.13", "libc10-9b4183be.so", "/v/torch/lib/libc10.9b4183be.so"]), Array(4).fill("libc10"));
  assert.deepEqual(stems(["libtorch_cpu.so", "libtorch_cuda_linalg.so", "libshm.so", "libcaffe2_nvrtc.so"]), ["libtorch_cpu", "libtorch_cuda_linalg", "libshm", "libcaffe2_nvrtc"]);
  assert.deepEqual(stems(["libtorch_npu.so", "libtorchaudio.so", "libtorch_tensorrt.so", "libc10d.so", "torch_cpu.so", "/libtorch/lib/libops.so", "/libc10.so/libops.so"]), Array(7).fill(undefined));
});

test("libraries of former releases are torch's, with the releases that had them", () => {
  assert.equal(torchLibraryStem("libtorch_cuda_cu.so"), "libtorch_cuda_cu");
  assert.deepEqual(formerTorchLibrary("libtorch_cuda_cu"), { stem: "libtorch_cuda_cu", since: "1.8.0", until: "1.13.1" });
  assert.deepEqual(formerTorchLibrary("libcaffe2"), { stem: "libcaffe2", since: "1.0.0", until: "1.1.0" });
  assert.deepEqual(["libcaffe2_nvrtc", "libtorch_cuda", "libops"].map(formerTorchLibrary), [undefined, undefined, undefined]);
});
