import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FitEnvironment } from "../../../../../src/engine/fit/index.ts";
import { release, says, silent, verdictsOf } from "../loading/reading.ts";

async function environmentWith(torch: string, installed: Readonly<Record<string, string>>): Promise<FitEnvironment> {
  const environment = await release(`torch==${torch}`);
  const distributions = Object.entries(installed).map(([name, version]) => ({ name, version, requires: [], evidence: { kind: "file" as const, path: `/w/v/${name}.dist-info/METADATA`, what: "its version" } }));
  return { ...environment, body: { ...environment.body, distributions } };
}

const nms = `Traceback (most recent call last):
  File "/w/v/lib/python3.11/site-packages/torchvision/_meta_registrations.py", line 163, in <module>
    @torch.library.register_fake("torchvision::nms")
RuntimeError: operator torchvision::nms does not exist
`;
const pair = "pip install torch==2.6.0 torchvision==0.21.0 --index-url https://download.pytorch.org/whl/cu124";

describe("operators that are not there", () => {
  it("are those of a package that was released for another torch", async () => {
    const verdict = await says(nms, "package-pair", "likely", /torchvision and torch are not a pair/);
    assert.equal(verdict.rule, "package-pair");
    assert.equal(verdict.words, "operator torchvision::nms does not exist");
    assert.equal(verdict.copy, undefined);
    assert.ok(verdict.needs.some((one) => one.includes("TORCHVISION_WARN_WHEN_EXTENSION_LOADING_FAILS=1")));
  });

  it("are settled by the environment", async () => {
    const verdict = await says(nms, "package-pair", "certain", /torchvision 0\.23\.0 was not released for torch 2\.6\.0\+cu124/, await environmentWith("2.6.0+cu124", { torchvision: "0.23.0" }));
    assert.equal(verdict.copy, pair);
    assert.match(verdict.because[0] ?? "", /torchvision 0\.21\.0 belongs to torch 2\.6\.0\+cu124; torchvision 0\.23\.0 belongs to torch 2\.8\.0/);
    const right = await says(nms, "package-pair", "possible", /although torchvision 0\.21\.0 belongs to torch 2\.6\.0/, await environmentWith("2.6.0+cu124", { torchvision: "0.21.0" }));
    assert.equal(right.copy, undefined);
  });

  it("never end in installing releases over a torch of NVIDIA or a nightly", async () => {
    for (const torch of ["2.3.0a0+ebedce2.nv24.5", "2.8.0.dev20250319+cu128"]) {
      const verdict = await says(`torch ${torch}\ntorchvision 0.18.0\n${nms}`, "package-pair", "likely", new RegExp(`torchvision was not built for torch ${torch.replace("+", "\\+")}`));
      assert.equal(verdict.copy, undefined);
      assert.doesNotMatch(verdict.fixes.join(" "), /pip install torch==/);
      assert.match(verdict.fixes[0] ?? "", /build it from source against it/);
    }
    const resolver = await says("torchvision 0.23.0 requires torch==2.8.0, but you have torch 2.8.0a0+34c6371d24.nv25.8 which is incompatible.", "package-pair", "certain", /is installed now/);
    assert.equal(resolver.copy, undefined);
    assert.doesNotMatch(resolver.fixes.join(" "), /torch==2\.8\.0a0/);
  });

  it("are settled by versions that the text lists", async () => {
    const listed = "\nPyTorch version: 2.6.0+cu124\n[pip3] torch==2.6.0\n[pip3] torchvision==0.23.0\n";
    assert.equal((await says(nms + listed, "package-pair", "certain", /torchvision 0\.23\.0/)).copy, pair);
    assert.equal((await says(`Successfully installed torch-2.6.0+cu124 torchvision-0.23.0+cu124 pillow-11.0\n${nms}`, "package-pair", "certain", /0\.23\.0/)).copy, pair);
    await says(`${nms}${listed}[pip3] torchvision==0.21.0\n`, "package-pair", "likely", /not a pair/);
    await says("RuntimeError: Couldn't load custom C++ ops. \nThis can happen if your PyTorch and torchvision versions are incompatible", "package-pair", "likely", /torchvision and torch are not a pair/);
    const own = await says("RuntimeError: Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision versions are incompatible, or if you had errors while compiling torchvision from source. Please check your PyTorch version with torch.__version__. PyTorch version 2.6.0 torchvision version 0.23.0", "package-pair", "certain", /torchvision 0\.23\.0 was not released for torch 2\.6\.0/);
    assert.equal(own.copy, "pip install torch==2.6.0 torchvision==0.21.0");
  });

  it("are of an extension that did not load", async () => {
    const verdict = await says("AttributeError: '_OpNamespace' 'myext' object has no attribute 'frobnicate'", "extension-not-loaded", "likely", /myext::frobnicate is not registered/);
    assert.match(verdict.because.join(" "), /no ABI error/);
    await says("AttributeError: '_OpNamespace' 'fbgemm' object has no attribute 'jagged_2d_to_dense'", "extension-not-loaded", "likely", /fbgemm::jagged_2d_to_dense/);
    await says("RuntimeError: No such operator torchvision::nms", "package-pair", "likely", /torchvision::nms/);
    await says("RuntimeError: Could not find schema for myext::scale.", "extension-not-loaded", "likely", /myext::scale/);
    await says("RuntimeError: Tried to instantiate class 'foo.Bar', but it does not exist! Ensure that it is registered via torch::class_", "extension-not-loaded", "likely", /foo\.Bar/);
  });

  it("follow from what did not load where the log has it", async () => {
    const all = await verdictsOf(`UserWarning: Failed to load image Python extension: '/w/v/lib/python3.11/site-packages/torchvision/image.so: undefined symbol: _ZN3c104cuda9SetDeviceEi'If you don't plan on using image functionality\n${nms}`);
    assert.equal(all[0]?.cause, "torch-drift");
    assert.ok(!all.some((one) => one.cause === "package-pair"));
    assert.equal(all[0]?.consequences[0]?.words, "operator torchvision::nms does not exist");
  });

  it("are torch's own of another release", async () => {
    await says("AttributeError: '_OpNamespace' 'aten' object has no attribute '_scaled_grouped_mm'", "operator-missing", "likely", /has no operator aten::_scaled_grouped_mm/);
  });

  it("lack the part for a backend", async () => {
    const text = `NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend. This could be because the operator doesn't exist for this backend. 'torchvision::nms' is only available for these backends: [CPU, Meta, QuantizedCPU, BackendSelect].

CPU: registered at /__w/vision/vision/torchvision/csrc/ops/cpu/nms_kernel.cpp:112 [kernel]
Meta: registered at /dev/null:228 [kernel]
BackendSelect: fallthrough registered at ../aten/src/ATen/core/BackendSelectFallbackKernel.cpp:3 [backend fallback]
`;
    const verdict = await says(text, "extension-not-loaded", "likely", /its part for CUDA was not compiled or not loaded/);
    assert.deepEqual(verdict.lines, { first: 1, last: 5 });
    assert.match(verdict.because.join(" "), /registered for CPU, Meta, QuantizedCPU.*ABI agrees/);
    assert.equal((await says(text, "extension-not-loaded", "likely", /CUDA/, await environmentWith("2.6.0+cu124", {}))).copy, pair);
    await says("NotImplementedError: Could not run 'aten::bmm' with arguments from the 'SparseCsrCUDA' backend. 'aten::bmm' is only available for these backends: [CPU, CUDA].", "wrong-arguments", "likely", /torch has aten::bmm, but not for SparseCsrCUDA/);
    await says("NotImplementedError: Could not run 'myext::scale' with arguments from the 'CPU' backend. 'myext::scale' is only available for these backends: [CUDA, Meta].", "extension-not-loaded", "likely", /not for CPU tensors/);
  });

  it("are of packages for another CUDA, which compare it themselves", async () => {
    await says("RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.6 and torchvision has CUDA Version=13.0. Please reinstall the torchvision that matches your PyTorch install.", "package-pair", "certain", /torchvision was built for CUDA 13\.0, and torch for CUDA 12\.6/);
    const detected = "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.8 and torchvision has CUDA Version=11.8. Please reinstall the torchvision that matches your PyTorch install.";
    const same = await says(detected, "package-pair", "certain", /for CUDA 12\.8/, await release("torch==2.8.0+cu128"));
    assert.equal(same.copy, "pip install torch==2.8.0 torchvision==0.23.0 --index-url https://download.pytorch.org/whl/cu128");
    // The torch at hand is not the one that failed: to install its kind over the other would take CUDA away.
    const other = await says(detected, "package-pair", "certain", /for CUDA 12\.8/, await release("torch==2.8.0+cpu"));
    assert.deepEqual([other.copy, other.fixes], [undefined, ["Install torchvision and torch for the same CUDA, from one index (…/whl/cu128)."]]);
    assert.equal(other.because.at(-1), "It did not run with torch 2.8.0+cpu, which is compared with.");
    await says("RuntimeError: Detected that PyTorch and torch_cluster were compiled with different CUDA versions. PyTorch has CUDA version 12.1 and torch_cluster has CUDA version 11.8. Please reinstall the torch_cluster that matches your PyTorch install.", "package-pair", "certain", /torch_cluster was built for CUDA 11\.8/);
  });

  it("were not compiled in, which the extension says itself", async () => {
    await says("RuntimeError: Not compiled with GPU support", "extension-not-loaded", "certain", /without its CUDA part/);
    await says("**RuntimeError: nms is not compiled with GPU support**", "extension-not-loaded", "certain", /without its CUDA part/);
    await says("RuntimeError: lfilter requires alignment extension, but TorchAudio is not compiled with it. Please build TorchAudio with alignment support.", "extension-not-loaded", "certain", /without alignment/);
    await says("UserWarning: Failed to load image Python extension: 'If you don't plan on using image functionality from `torchvision.io`, you can ignore this warning.", "extension-not-loaded", "likely", /reading and writing images/);
    await silent("The CPU wheel is not compiled with GPU support");
  });

  it("are silent in code, prose and passing tests", async () => {
    for (const text of [
      "        raise RuntimeError(f\"operator torchvision::nms does not exist\")",
      "import ops\n# RuntimeError: operator torchvision::nms does not exist",
      "Fixes operator torchvision::nms does not exist on nightly",
      "When torch and torchvision differ you get RuntimeError: operator torchvision::nms does not exist",
      "tests/test_ops.py::test_missing[operator torchvision::nms does not exist] PASSED",
      "The operator std::sort is fine",
      "error: no match for 'operator std::ostream'",
      "AttributeError: 'Namespace' object has no attribute 'lr'",
    ]) await silent(text);
  });
});
