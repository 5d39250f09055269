import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "../../loading/reading.ts";

describe("the NVIDIA driver", () => {
  it("is absent or old: error 35 says the same of both", async () => {
    const verdict = await says("RuntimeError: CUDA driver version is insufficient for CUDA runtime version", "driver-too-old", "likely", /no NVIDIA driver here, or it is older/);
    assert.ok(verdict.needs.some((one) => one.includes("nvidia-smi")));
    await says("35 cudaErrorInsufficientDriver | CUDA driver version is insufficient for CUDA runtime version", "driver-too-old", "likely", /no NVIDIA driver here/);
    const known = await says("CUDA error 35: CUDA driver version is insufficient for CUDA runtime version", "driver-too-old", "likely", /no NVIDIA/, await release("torch==2.9.0+cu130"));
    assert.ok(known.because.some((one) => /CUDA 13\.0, which needs a driver of at least 580\.65\.06/.test(one)), known.because.join("\n"));
  });

  it("is old: torch translates its number", async () => {
    const text = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx";
    const verdict = await says(text, "driver-too-old", "certain", /knows CUDA up to 11\.4/);
    assert.match(verdict.fixes[1] ?? "", /CUDA 11: torch 2\.7\.1 is the newest/);
    assert.equal(verdict.words, "The NVIDIA driver on your system is too old (found version 11040)");
    await says("RuntimeError: The NVIDIA driver on your system is too old (found version\n12020). Please update your GPU driver", "driver-too-old", "certain", /up to 12\.2/);
    assert.match((await says(text, "driver-too-old", "certain", /11\.4/, await release("torch==2.8.0+cu128"))).fixes[0] ?? "", /525\.60\.13/);
  });

  it("is absent", async () => {
    const verdict = await says("RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx", "no-driver", "certain", /No NVIDIA driver/);
    assert.equal(verdict.rule, null);
    await says("RuntimeError: No CUDA GPUs are available: CUDA error 100: no CUDA-capable device is detected", "no-driver", "likely", /shows no GPU/);
    await says("RuntimeError: CUDA error: invalid device ordinal", "wrong-arguments", "certain", /by a number that none has/);
    await says("CUDA error: CUDA driver is a stub library", "no-driver", "certain", /No NVIDIA driver/);
  });

  it("is of two halves, or a package for forward compatibility", async () => {
    await says("RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 804: forward compatibility was attempted on non supported HW", "driver-mismatch", "certain", /forward compatibility/);
    await says("803 cudaErrorSystemDriverMismatch | system has unsupported display driver / cuda driver combination", "driver-mismatch", "certain", /Two halves/);
    await says("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "driver-mismatch", "certain", /Two halves/);
  });

  it("is another than its library, as NVML finds", async () => {
    await says("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.127", "driver-mismatch", "certain", /Two halves/);
    await silent("def init_nvml(): # Failed to initialize NVML: Driver/library version mismatch");
  });

  it("is not ready", async () => {
    await says("802 cudaErrorSystemNotReady | system not yet initialized", "gpu-not-ready", "certain", /not ready/);
    await says("UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start. Setting the available devices to be zero.", "gpu-not-ready", "possible", /error 999/);
  });

  it("does not matter to a torch without CUDA", async () => {
    await says("AssertionError: Torch not compiled with CUDA enabled", "torch-cpu-only", "certain", /build without CUDA/);
    const other = await says("AssertionError: Torch not compiled with CUDA enabled", "torch-cpu-only", "likely", /not the torch 2\.8\.0/, await release("torch==2.8.0+cu128"));
    assert.ok(other.needs.length > 0);
    const both = await verdictsOf("Traceback (most recent call last):\n  File \"/w/v/torch/cuda/__init__.py\", line 522, in _lazy_init\n    raise AssertionError(\"Torch not compiled with CUDA enabled\")\nAssertionError: Torch not compiled with CUDA enabled\n");
    assert.deepEqual(both.map((one) => [one.lines.first, one.occurrences]), [[4, 1]]);
    await silent("    raise AssertionError(\"Torch not compiled with CUDA enabled\")");
  });
});
