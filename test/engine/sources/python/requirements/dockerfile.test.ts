import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Reading } from "../../../../../src/engine/model/index.ts";
import { read, shown } from "./read.ts";

const images = (reading: Reading) => reading.observations.flatMap((one) => (one.kind === "base-image" ? [`${one.stage} ${one.image} torch ${one.torchVersion ?? "-"} CUDA ${one.cudaVersion ?? "-"}`] : []));

describe("Dockerfiles", () => {
  it("tells what base images hold", () => {
    const lines = ["pytorch/pytorch:2.1.2-cuda12.1-cudnn8-devel AS one", "nvcr.io/nvidia/pytorch:25.06-py3", "--platform=linux/amd64 nvidia/cuda:12.4.1-devel-ubuntu22.04@sha256:ab as three", "one", "registry.example.org:5000/team/cuda-torch:x", "pytorch/manylinux2_28-builder:cuda12.8", "scratch"];
    assert.deepEqual(images(read("Dockerfile", lines.map((one) => `FROM ${one}\n`).join(""))), [
      "one pytorch/pytorch:2.1.2-cuda12.1-cudnn8-devel torch 2.1.2 CUDA 12.1",
      "1 nvcr.io/nvidia/pytorch:25.06-py3 torch 2.8.0a0+5228986c39 CUDA 12.9.1",
      "three nvidia/cuda:12.4.1-devel-ubuntu22.04@sha256:ab torch - CUDA 12.4.1",
      "3 pytorch/pytorch:2.1.2-cuda12.1-cudnn8-devel torch 2.1.2 CUDA 12.1",
      "4 registry.example.org:5000/team/cuda-torch:x torch - CUDA -",
      "5 pytorch/manylinux2_28-builder:cuda12.8 torch - CUDA 12.8",
      "6 scratch torch - CUDA -",
    ]);
  });

  it("fills in ARG and ENV, each in its scope", () => {
    const reading = read("Dockerfile", "ARG CUDA=12.4.1\nFROM nvidia/cuda:${CUDA}-devel\nARG TORCH=2.6.0\nENV VISION=0.21.0 LABEL=\"cu${CUDA}\"\nRUN pip install torch==${TORCH} torchvision==$VISION torchaudio==${OTHER} triton==${T:-3.2.0}\nFROM ubuntu\nRUN pip install torch==$TORCH\n");
    assert.deepEqual(images(reading).map((one) => one.split(" ")[1]), ["nvidia/cuda:12.4.1-devel", "ubuntu"]);
    assert.deepEqual(shown(reading.requirements).map((one) => one.replace(/^\S+ /, "")), ["image[0] torch|==2.6.0|", "image[0] torchvision|==0.21.0|", "image[0] torchaudio|?|", "image[0] triton|==3.2.0|", "image[1] torch|?|"]);
  });

  it("reads install commands over continued lines, comments, quotes and here-documents", () => {
    const reading = read("Dockerfile", `FROM ubuntu
RUN apt-get update && \\
    # a comment inside
    python3 -m pip install --no-cache-dir 'torch>=2.1' "ninja" \\
      --index-url https://download.pytorch.org/whl/cu121 ; \\
    conda install -y -c pytorch pytorch=2.0.1 pytorch-cuda=11.8
RUN <<EOF
uv pip install --system torch==2.8.0
echo pip install nothing
EOF
RUN ["pip", "install", "numpy==1.26"]
RUN --mount=type=cache,target=/root/.cache pip3 install -q https://download.pytorch.org/whl/cpu/torch-2.3.0%2Bcpu-cp310-cp310-linux_x86_64.whl > log
`);
    assert.deepEqual(shown(reading.requirements), ["4:48-53 image[0] torch|>=2.1|", "4:56-61 image[0] ninja||", "6:39-45 image[0] torch|==2.0.1.*|", "6:58-63 image[0] pytorch-cuda|==11.8.*|", "8:29-36 image[0] torch|==2.8.0|", "11:29-35 image[0] numpy|==1.26|", "12:59-142 image[0] torch|==2.3.0+cpu|"]);
    assert.deepEqual([reading.requirements[0]?.indexUrls, reading.requirements[2]?.indexUrls], [["https://download.pytorch.org/whl/cu121"], ["pytorch"]]);
  });

  it("gives branches conditions that exclude each other", () => {
    const { requirements } = read("Dockerfile", "FROM ubuntu\nRUN if [ \"$GPU\" = 1 ]; then pip install torch==2.8.0; else pip install torch==2.8.0+cpu; fi && pip install ninja\nRUN case $V in a) pip install torch==2.7.0 ;; b) pip install torch==2.6.0 ;; esac\n");
    assert.deepEqual(requirements.map((one) => `${one.name}${one.specifier} ${one.conditions.map((condition) => condition.branch).join()}`), ["torch==2.8.0 0", "torch==2.8.0+cpu 1", "ninja ", "torch==2.7.0 0", "torch==2.6.0 1"]);
    assert.equal(requirements[0]?.conditions[0]?.id, requirements[1]?.conditions[0]?.id);
  });

  it("notes included files, isolation and arch lists", () => {
    const { observations } = read("docker/Dockerfile", "FROM ubuntu\nENV TORCH_CUDA_ARCH_LIST=\"8.0 9.0\"\nCOPY requirements.txt /tmp/\nRUN pip install -r /tmp/requirements.txt -c missing.txt && pip install --no-build-isolation flash-attn .\n", { "/p/requirements.txt": "torch\n" });
    assert.deepEqual(observations.slice(1).map((one) => (one.kind === "requirement-include" ? one.path : one.kind === "build-isolation" ? one.packages.join() : one.kind === "architecture-list" ? one.value : one.kind)), ["8.0 9.0", "/p/requirements.txt", "flash-attn"]);
  });

  it("survives hostile text", () => {
    for (const text of ["FROM", "RUN pip install torch\n", "FROM x\nRUN <<EOF\npip install torch\n", `FROM x\nRUN ${"(".repeat(20_000)}\n`, `FROM x\nRUN ${"if a; then ".repeat(5000)}\n`, "FROM x\nRUN pip install \"torch\n", `FROM x\nRUN pip install ${"$(".repeat(3000)}\n`, `FROM x\n${"RUN \\\n".repeat(20_000)}`]) {
      assert.equal(read("Dockerfile", text).files.length, 1);
    }
  });
});
