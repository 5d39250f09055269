import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "../../loading/reading.ts";

const noImage = `Traceback (most recent call last):
  File "/w/train.py", line 9, in <module>
    y = ext.scale(x)
torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device
Search for \`cudaErrorNoKernelImageForDevice' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with \`TORCH_USE_CUDA_DSA\` to enable device-side assertions.
`;
const warning = `/w/v/lib/python3.11/site-packages/torch/cuda/__init__.py:235: UserWarning: 
NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.
The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.
If you want to use the NVIDIA GeForce RTX 5090 GPU with PyTorch, please check the instructions at https://pytorch.org/get-started/locally/
`;
const warning214 = `UserWarning: Found GPU0 Tesla V100-SXM2-16GB which is of compute capability (CC) 7.0.
The following list shows the CCs this version of PyTorch was built for and the hardware CCs it supports:
- 7.5 which supports hardware CC >=7.5,<8.0
- 8.0 which supports hardware CC >=8.0,<9.0 except {8.7}
- 9.0 which supports hardware CC >=9.0,<10.0
Your installed torch==2.14.0+cu130 does not include kernels for this GPU. Reinstall the same version against a CUDA build that does, e.g.:
  For CUDA 12.6 use pip install torch==2.14.0 --index-url https://example.org/evil
`;

describe("GPU code that is not there", () => {
  it("is some file's, which the text does not name", async () => {
    const verdict = await says(noImage, "no-kernel-image", "likely", /has no code for this GPU/);
    assert.equal(verdict.rule, "cuda-architectures");
    assert.deepEqual(verdict.lines, { first: 4, last: 8 });
    assert.equal(verdict.words, "torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device");
    assert.ok(verdict.needs.some((one) => one.includes("get_arch_list")));
    assert.ok(verdict.because.some((one) => /nothing to do with the C\+\+ ABI/.test(one)));
    await says("HIP error: Invalid device function\nHIP kernel errors might be asynchronously reported at some other API call", "no-kernel-image", "likely", /no code for this GPU/);
    for (const text of ["CUDA error 209: no kernel image is available for execution on the device", "cudaErrorNoKernelImageForDevice", "RuntimeError: HIP error: invalid device function", "\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\"", "GPUassert: invalid device function nms_kernel.cu 88", "{\"level\":\"error\",\"msg\":\"worker died: RuntimeError: CUDA error: no kernel image is available for execution on the device\\nCUDA kernel errors might be\"}"]) {
      await says(text, "no-kernel-image", "likely", /has no code for this GPU/);
    }
  });

  it("is torch's where its own warning says so, for a newer GPU", async () => {
    const alone = await says(warning, "no-kernel-image", "certain", /The installed torch has no GPU code that runs on NVIDIA GeForce RTX 5090 \(sm_120\)/);
    assert.match(alone.fixes[0] ?? "", /CUDA 12\.8 or newer.*2\.7\.0 is the first release/);
    assert.equal(alone.copy, undefined);
    const both = await verdictsOf(warning + noImage);
    assert.deepEqual(both.map((one) => [one.cause, one.confidence]), [["no-kernel-image", "certain"]]);
    assert.match(both[0]?.because[0] ?? "", /sm_50, sm_60, sm_70, sm_75, sm_80, sm_86 and sm_90/);
  });

  it("is in another build of the environment's release", async () => {
    const verdict = await says(warning, "no-kernel-image", "certain", /torch 2\.7\.0\S* has no GPU code/, await release("torch==2.7.0+cu126"));
    assert.equal(verdict.copy, "pip install torch==2.7.0 --index-url https://download.pytorch.org/whl/cu128");
    assert.equal((await says(warning, "no-kernel-image", "certain", /torch 2\.4\.0/, await release("torch==2.4.0"))).copy, undefined);
  });

  it("is in a build that torch names for an older GPU, from torch's own index alone", async () => {
    const verdict = await says(warning214, "no-kernel-image", "certain", /Tesla V100-SXM2-16GB \(sm_70\)/);
    assert.equal(verdict.copy, "pip install torch==2.14.0 --index-url https://download.pytorch.org/whl/cu126");
    assert.deepEqual(verdict.lines, { first: 1, last: 7 });
    assert.match(verdict.fixes[0] ?? "", /for CUDA 12\.6/);
  });

  it("is PTX of a newer toolkit than the driver's", async () => {
    const verdict = await says("RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.", "ptx-too-new", "certain", /newer CUDA toolkit than the driver/);
    assert.equal(verdict.rule, "cuda-version");
    await says("222 cudaErrorUnsupportedPtxVersion | the provided PTX was compiled with an unsupported toolchain.", "ptx-too-new", "certain", /PTX/);
  });

  it("is not in rocBLAS's files", async () => {
    await says("rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1031", "no-kernel-image", "certain", /no kernels for gfx1031/);
  });

  it("is not written for the GPU", async () => {
    await says("RuntimeError: Found Quadro P4000 which is too old to be supported by the triton GPU compiler, which is used as the backend. Triton only supports devices of CUDA Capability >= 7.0, but your device is of CUDA capability 6.1", "no-kernel-image", "certain", /CUDA Capability >= 7\.0/);
    await says("RuntimeError: FlashAttention only supports Ampere GPUs or newer.", "no-kernel-image", "certain", /by design: it needs Ampere GPUs or newer/);
  });

  it("is no matter of code, comments, prose and tests that pass", async () => {
    for (const text of [
      "import ops\n# the fix for \"no kernel image is available for execution on the device\" is TORCH_CUDA_ARCH_LIST",
      "- Fixed: CUDA error: no kernel image is available for execution on the device on sm_61 (#1234)",
      "        if \"no kernel image is available for execution on the device\" in str(e):",
      "NO_IMAGE = \"no kernel image is available for execution on the device\"",
      "If you see RuntimeError: CUDA error: no kernel image is available for execution on the device, rebuild.",
      "We observed no kernel image is available for execution on the device on old cards",
      "tests/test_cuda.py::test_none[CUDA error: no kernel image is available for execution on the device] PASSED",
      "RuntimeError: parser: invalid device function name 'foo'",
      "    \"CUDA_ERROR_NO_BINARY_FOR_GPU\": (",
      "    hipErrorNoBinaryForGpu = 209,",
      "``cudaErrorNoKernelImageForDevice`` (a sticky error)",
      "        'no kernel image is available for execution on the device',  # CUDA",
      "- **OOM** - such as `CUDA error: no kernel image is available for execution on the device`, crashed workers.",
      "torch.cuda.is_available() returned False; CUDA out of scope",
    ]) await silent(text);
    await says("I get RuntimeError: CUDA error: no kernel image is available for execution on the device when I run this", "no-kernel-image", "likely", /no code/);
  });
});
