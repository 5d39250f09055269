import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent } from "../loading/reading.ts";

const cause = "gpu-architecture-unknown";

describe("GPU architectures that tools refuse", () => {
  it("one that newer toolkits dropped, as nvcc 13.0 and its tools print it", async () => {
    const nvcc = await says("nvcc fatal   : Unsupported gpu architecture 'compute_70'", cause, "certain", /does not compile for compute_70: CUDA 12\.9 is the last that did\.$/);
    assert.match(nvcc.fixes[0] ?? "", /^Take 7\.0 out of TORCH_CUDA_ARCH_LIST/);
    await says("ptxas fatal   : Value 'sm_70' is not defined for option 'gpu-name'", cause, "certain", /sm_70: CUDA 12\.9 is the last/);
    await says("nvlink fatal   : Value 'sm_70' is not defined for option 'arch'", cause, "certain", /sm_70: CUDA 12\.9 is the last/);
    await says("[1/2] /usr/local/cuda-13.0/bin/nvcc -c k.cu -o k.o\nnvcc fatal   : Unsupported gpu architecture 'sm_60'", cause, "certain", /^CUDA 13\.0 does not compile for sm_60: CUDA 12\.9 is the last/);
  });

  it("one that is newer than the toolkit, with its folder on the command line", async () => {
    const verdict = await says("[1/2] /usr/local/cuda-12.4/bin/nvcc -gencode=arch=compute_120,code=sm_120 -c k.cu -o k.o\nFAILED: k.o\nnvcc fatal   : Unsupported gpu architecture 'compute_120'", cause, "certain", /^CUDA 12\.4 does not compile for compute_120: CUDA 12\.8 is the first that does\.$/);
    assert.match(verdict.fixes[0] ?? "", /torch 2\.7\.0 is the first release/);
    await says("nvcc fatal   : Unsupported gpu architecture 'compute_90a'\n", cause, "certain", /compute_90a with that suffix: CUDA 12\.0 is the first/);
    await says("nvcc fatal   : Unsupported gpu architecture 'sm_999'", cause, "certain", /no toolkit that Abiding knows does/);
  });

  it("one that the ptxas of Triton does not know", async () => {
    const verdict = await says("`ptxas` stderr:\nptxas-blackwell fatal   : Value 'sm_121a' is not defined for option 'gpu-name'", "gpu-architecture-unknown", "certain", /^The ptxas that Triton runs does not know this GPU: sm_121a/);
    assert.doesNotMatch(verdict.fixes.join(" "), /ARCH_LIST/);
    assert.equal(verdict.rule, "cuda-architectures");
  });

  it("one that torch's own list lacks, and an empty list", async () => {
    const unknown = await says("ValueError: Unknown CUDA arch (12.0+PTX) or GPU not supported", cause, "certain", /does not know the GPU architecture "12\.0\+PTX"/);
    assert.match(unknown.fixes[0] ?? "", /^Install torch 2\.7\.0 or newer with CUDA 12\.8/);
    const empty = await says(['  File "/srv/v/lib/python3.11/site-packages/torch/utils/cpp_extension.py", line 2727, in _get_cuda_arch_flags', "    arch_list[-1] += '+PTX'", "    ~~~~~~~~~^^^^", "IndexError: list index out of range"].join("\n"), cause, "certain", /no GPU is visible and TORCH_CUDA_ARCH_LIST is not set/);
    assert.equal(empty.copy, 'export TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"');
    await silent(['  File "/srv/app/data.py", line 20, in __getitem__', "    return self.items[i]", "IndexError: list index out of range"].join("\n"));
  });

  it("kernels for other GPUs, and PTX of another toolkit, as ptxas 13.0 prints it", async () => {
    await says("ptxas /tmp/tmpxft_1-6_hopper.ptx, line 21; error   : Instruction 'wgmma.fence' not supported on .target 'sm_80'\nptxas fatal   : Ptx assembly aborted due to errors", cause, "certain", /^A kernel uses an instruction that sm_80 does not have/);
    const plain = await says("ptxas /tmp/tmpxft_1-6_hopper.ptx, line 21; error   : Instruction 'wgmma.fence' not supported on .target 'sm_90'", cause, "certain", /sm_90 does not have/);
    assert.match(plain.fixes[0] ?? "", /sm_90a \(TORCH_CUDA_ARCH_LIST="9\.0a"\)/);
    await says("ptxas /tmp/t.ptx, line 23; error   : Feature 'cp.async.bulk.commit_group' requires .target sm_90 or higher", cause, "certain", /an instruction of sm_90 and is compiled for an older/);
    await says("ptxas k.ptx, line 4; error   : Feature 'cp.async.wait_all' requires PTX ISA .version 7.0 or later", cause, "certain", /PTX ISA 7\.0, which CUDA 11\.0 brought/);
    await says("ptxas k.ptx, line 1; fatal   : Unsupported .version 9.0; current version is '8.4'", "toolkit-mismatch", "certain", /^ptxas of CUDA 12\.4 knows PTX ISA 8\.4, and is given PTX ISA 9\.0 of CUDA 13\.0\.$/);
    await silent("ptxas info    : Compiling entry function 'k' for 'sm_80'");
  });
});
