import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent, verdictsOf } from "../../loading/reading.ts";

describe("CUDA errors that are no skew", () => {
  it("are faults of kernels", async () => {
    const verdict = await says("RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.", "gpu-fault", "likely", /an illegal memory access/);
    assert.match(verdict.because[0] ?? "", /Versions, ABI and build are not what this error tells of/);
    await says("CUDA error: misaligned address", "gpu-fault", "likely", /misaligned/);
    await says("RuntimeError: CUDA error: device-side assert triggered", "gpu-fault", "certain", /assertion/);
    await says("Cuda failure 700 'an illegal memory access was encountered'", "gpu-fault", "likely", /illegal/);
  });

  it("are memory", async () => {
    await says("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.68 GiB of which 1.20 GiB is free.", "out-of-memory", "certain", /did not suffice/);
    await says("RuntimeError: CUDA error: out of memory", "out-of-memory", "certain", /did not suffice/);
    await says("RuntimeError: [enforce fail at alloc_cpu.cpp:114] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 800000 bytes.", "out-of-memory", "certain", /machine's memory/);
    await silent("MemoryError: std::bad_alloc: out of memory");
  });

  it("are cuBLAS without a cause", async () => {
    await says("RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`", "gpu-fault", "possible", /cuBLAS/);
    await says("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "out-of-memory", "likely", /no memory left/);
    await says("RuntimeError: CUDA error: CUBLAS_STATUS_ARCH_MISMATCH when calling `cublasGemmEx`", "no-kernel-image", "likely", /cuBLAS has no code/);
  });

  it("are images and symbols that the driver cannot use", async () => {
    await says("RuntimeError: Triton Error [CUDA]: device kernel image is invalid", "no-kernel-image", "likely", /cannot use on this GPU/);
    await says("CUDA error 500: named symbol not found", "no-kernel-image", "possible", /not found in the GPU code/);
    await silent("KeyError: named symbol not found in table");
  });

  it("are cuDNN's versions, which torch and cuDNN compare themselves", async () => {
    const verdict = await says("RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime version (8, 9, 7). PyTorch already comes bundled with cuDNN.", "cuda-library-skew", "certain", /cuDNN 9\.1\.0, and cuDNN 8\.9\.7/);
    assert.equal(verdict.rule, "cuda-library-conflict");
    assert.ok(!verdict.fixes.some((one) => /symlink|ln -s/.test(one)));
    await says("RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "cuda-library-skew", "certain", /two versions of cuDNN/);
    await says("Could not load library libcudnn_ops_infer.so.8", "cuda-library-skew", "likely", /one of its own parts/);
  });

  it("are no network", async () => {
    const text = (reason: string) => `torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, internal error - please report this issue to the NCCL developers, NCCL version 2.20.5\nncclInternalError: Internal check failed.\nLast error:\n${reason}`;
    await silent(text("Socket recv failed while polling for opId=0x7f1a9400dd40"));
    await says(text("Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 31000"), "gpu-fault", "possible", /NCCL failed/);
  });

  it("are NCCL's without a cause; with one it follows", async () => {
    const text = "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\nncclUnhandledCudaError: Call to CUDA function failed.";
    await says(text, "gpu-fault", "possible", /NCCL failed/);
    const [first, ...rest] = await verdictsOf(`${text}\nLast error:\nCuda failure 35 'CUDA driver version is insufficient for CUDA runtime version'`);
    assert.deepEqual([first?.cause, rest.length], ["driver-too-old", 0]);
  });
});
