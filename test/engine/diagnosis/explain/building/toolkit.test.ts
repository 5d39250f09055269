import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "../loading/reading.ts";

describe("the CUDA toolkit of a build", () => {
  it("another major version, as old and new releases of torch print it", async () => {
    const old = await says([
      '  File "/srv/v/lib/python3.10/site-packages/torch/utils/cpp_extension.py", line 413, in _check_cuda_version',
      "    raise RuntimeError(CUDA_MISMATCH_MESSAGE.format(cuda_str_version, torch.version.cuda))",
      "RuntimeError: ",
      "The detected CUDA version (11.8) mismatches the version that was used to compile",
      "PyTorch (12.4). Please make sure to use the same CUDA versions.",
    ].join("\n"), "toolkit-mismatch", "certain", /^The toolkit that would compile this is CUDA 11\.8, and torch is built with CUDA 12\.4\.$/);
    assert.deepEqual([old.rule, old.lines.first, old.lines.last], ["cuda-version", 4, 5]);
    assert.ok(old.fixes.some((one) => one.includes("whl/cu118")), old.fixes.join("\n"));
    const tuple = await says("RuntimeError: ('The detected CUDA version (%s) mismatches the version that was used to compilePyTorch (%s). Please make sure to use the same CUDA versions.', '12.4', '13.0')", "toolkit-mismatch", "certain", /CUDA 12\.4, and torch is built with CUDA 13\.0/);
    assert.match(tuple.fixes[0] ?? "", /^Build with a CUDA 13\.0 toolkit \(another minor version of 13 passes/);
  });

  it("another major version as a tuple whose message begins with a newline", async () => {
    await says(String.raw`RuntimeError: ('\nThe detected CUDA version (%s) mismatches the version that was used to compile\nPyTorch (%s). Please make sure to use the same CUDA versions.\n', '12.8', '13.0')`, "toolkit-mismatch", "certain", /CUDA 12\.8, and torch is built with CUDA 13\.0/);
  });

  it("an environment with a third CUDA: the build saw another torch", async () => {
    const { because } = await says("RuntimeError: The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.4). Please make sure to use the same CUDA versions.", "toolkit-mismatch", "certain", /11\.8/, await release("torch==2.8.0+cu128"));
    assert.ok(because.includes("The environment compared with holds a torch for CUDA 12.8: the build saw another torch."));
  });

  it("a minor difference is a remark, and comes after what failed", async () => {
    const verdicts = await verdictsOf([
      "W0301 10:00:00.000000 123 torch/utils/cpp_extension.py:647] The detected CUDA version (12.4) has a minor version mismatch with the version that was used to compile PyTorch (12.8). Most likely this shouldn't be a problem.",
      "ImportError: /srv/tk/_C.so: undefined symbol: _ZN3c104cuda9SetDeviceEa",
    ].join("\n"));
    assert.deepEqual(verdicts.map((one) => one.cause), ["torch-drift", "toolkit-mismatch"]);
    assert.match(verdicts[1]?.headline ?? "", /the same major version, which works/);
  });

  it("the own checks of apex and DeepSpeed", async () => {
    const apex = await says([
      "Cuda compilation tools, release 12.4, V12.4.131", "Traceback (most recent call last):", '  File "setup.py", line 180, in <module>', "    check_cuda_torch_binary_vs_bare_metal(CUDA_HOME)",
      "RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 12.6.",
    ].join("\n"), "toolkit-mismatch", "certain", /^apex stops because the toolkit is CUDA 12\.4 and torch is built with CUDA 12\.6\.$/);
    assert.match(apex.because[0] ?? "", /this check is apex's own/i);
    await says("deepspeed.ops.op_builder.builder.CUDAMismatchException: >- DeepSpeed Op Builder: Installed CUDA version 12.4 does not match the version torch was compiled with 11.8, unable to compile cuda/cpp extensions without a matching cuda version.", "toolkit-mismatch", "certain", /^DeepSpeed stops/);
  });

  it("DeepSpeed says why it goes on", async () => {
    const accepted = await verdictsOf("Installed CUDA version 12.1 does not match the version torch was compiled with 12.6 but since the APIs are compatible, accepting this combination\nImportError: /srv/tk/_C.so: undefined symbol: _ZN3c104cuda9SetDeviceEa");
    assert.deepEqual(accepted.map((one) => one.cause), ["torch-drift", "harmless"]);
    assert.equal(accepted[1]?.headline, "DeepSpeed builds with CUDA 12.1 for a torch of CUDA 12.6: the same major version, which works.");
    await says("[WARNING]  DeepSpeed Op Builder: Installed CUDA version 13.0 does not match the version torch was compiled with 12.8.Detected `DS_SKIP_CUDA_CHECK=1`: Allowing this combination of CUDA, but it may result in unexpected behavior.", "toolkit-mismatch", "certain", /^DeepSpeed was told to go on with CUDA 13\.0 for a torch of CUDA 12\.8\.$/);
  });

  it("CUDA_HOME: no toolkit, or a torch without CUDA", async () => {
    const text = "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.";
    const alone = await says(text, "cuda-home-missing", "likely", /^torch found no CUDA toolkit/);
    assert.equal(alone.needs.length, 1);
    await says(text, "torch-cpu-only", "certain", /torch that is built without CUDA/, await release("torch==2.8.0+cpu"));
    await says(text, "cuda-home-missing", "likely", /no CUDA toolkit/, await release("torch==2.8.0+cu128"));
    await says("FileNotFoundError: nvcc not found at '/opt/cuda/bin/nvcc'. Ensure CUDA path '/opt/cuda' is correct.", "cuda-home-missing", "certain", /^There is no nvcc at \/opt\/cuda\/bin\/nvcc\.$/);
  });

  it("two toolkits that CMake mixes", async () => {
    await says([
      "CMake Error at /opt/t/share/cmake/Caffe2/public/cuda.cmake:119 (message):", "  FindCUDA says CUDA version is 11.5 (usually determined by nvcc), but the CUDA", "  headers say the version is 12.1.  This often occurs when you set both", "  CUDA_HOME and CUDA_NVCC_EXECUTABLE to non-standard locations, without also",
    ].join("\n"), "toolkit-mismatch", "certain", /nvcc is 11\.5, the headers are 12\.1/);
  });

  it("prose, code and passing tests say nothing", async () => {
    await silent("import ops\n# CUDA_HOME environment variable is not set in this image");
    await silent("    raise OSError('CUDA_HOME environment variable is not set. '");
    await silent("If the detected CUDA version (11.8) mismatches the version that was used to compile PyTorch, the build stops.");
    await silent("test_cuda_home.py::test_message CUDA_HOME environment variable is not set PASSED");
  });
});
