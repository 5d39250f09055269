import assert from "node:assert/strict";
import { test } from "node:test";
import type { CudaToolkitChoice } from "../../../src/engine/model/index.ts";
import { cudaVersion } from "../../../src/engine/rules/cuda-version.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const project = () => new RuleProject({ "/p/CMakeLists.txt": "ops\nfind_package(CUDAToolkit 11.8)\n", "/p/a.cu": "", "/p/Dockerfile": "FROM nvidia/cuda:12.2.2\nRUN pip install \\\n  torch==1.13.0\n" }).target("/p/CMakeLists.txt", ["/p/a.cu"]);

function choosing(version: string, minimum: boolean, torch: string | null) {
  const made = project().torch("2.6.0", { "cuda-version": torch });
  const choice: CudaToolkitChoice = { kind: "cuda-toolkit", version, minimum, conditions: [], evidence: made.evidence("/p/CMakeLists.txt", "find_package(CUDAToolkit 11.8)") };
  made.observations.push(choice);
  return made.check(cudaVersion);
}

test("another major version is an error, another minor is information", () => {
  const found = choosing("11.8", false, "12.4");
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 error"]);
  assert.match(found[0]?.message ?? "", /^The build asks for CUDA 11\.8, and torch 2\.6\.0 in \.venv is built with CUDA 12\.4\./);
  assert.deepEqual(lines(choosing("12.6", false, "12.4")), ["/p/CMakeLists.txt:2 info"]);
});

test("a floor is met by the same or a newer torch CUDA", () => {
  assert.deepEqual(choosing("11.8", true, "12.4"), []);
  assert.deepEqual(choosing("12.6", true, "12.4"), []);
  assert.deepEqual(lines(choosing("13.0", true, "12.8")), ["/p/CMakeLists.txt:2 error"]);
});

test("the same version, or a major alone, is silent; a torch without CUDA is information", () => {
  assert.deepEqual(choosing("12.4", false, "12.4"), []);
  assert.deepEqual(choosing("12", false, "12.4"), []);
  assert.deepEqual(lines(choosing("12.4", false, null)), ["/p/CMakeLists.txt:2 info"]);
  assert.deepEqual(choosing("12.4", true, null), []);
});

test("the toolkit found first on the machine", () => {
  const found = project().torch("2.6.0", { "cuda-version": "12.4" }).toolchain("/usr/local/cuda-11.8", { "cuda-version": "11.8" }).toolchain("/opt/cuda-12.8", { "cuda-version": "12.8" }).check(cudaVersion);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:1 error"]);
  assert.match(found[0]?.message ?? "", /Set CUDA_HOME=\/opt\/cuda-12\.8, which is CUDA 12\.8\.$/);
  assert.deepEqual(project().torch("2.6.0", { "cuda-version": "12.4" }).toolchain("/usr/local/cuda", { "cuda-version": "12.1" }).check(cudaVersion), []);
  assert.deepEqual(project().torch("2.6.0", { "cuda-version": "12.4" }, { source: "catalogue" }).toolchain("/usr/local/cuda", { "cuda-version": "11.8" }).check(cudaVersion), []);
});

function inImage(cuda: string, text: string, indexUrls: readonly string[] = [], image = "nvidia/cuda:12.2.2", made = project()) {
  made.require("/p/Dockerfile", text, { role: "image", indexUrls });
  made.observations.push({ kind: "base-image", image, cudaVersion: cuda, conditions: [], evidence: made.evidence("/p/Dockerfile", "nvidia/cuda:12.2.2") });
  return lines(made.check(cudaVersion));
}

test("an image whose toolkit is not that of the torch installed into it", () => {
  assert.deepEqual(inImage("12.2", "torch==1.13.0"), ["/p/Dockerfile:3 error"]);
  assert.deepEqual(inImage("11.6", "torch==1.13.0", ["https://download.pytorch.org/whl/cu117"]), ["/p/Dockerfile:3 info"]);
  assert.deepEqual(inImage("11.7", "torch==1.13.0"), []);
  assert.deepEqual(inImage("12.4", "torch>=2.0"), []);
  assert.deepEqual(inImage("12.4", "torch==2.6.0", ["https://download.pytorch.org/whl/cpu"]), []);
});

test("an image without nvcc, or without anything to compile, is no wrong toolkit", () => {
  const bare = () => new RuleProject({ "/p/setup.py": "ops\n", "/p/a.cpp": "", "/p/Dockerfile": "FROM nvidia/cuda:12.2.2\nRUN pip install \\\n  torch==1.13.0\nRUN pip install --no-build-isolation apex\n" });
  for (const image of ["nvidia/cuda:11.8.0-runtime-ubuntu22.04", "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04", "nvidia/cuda:11.8.0-base", "registry:5000/pytorch/pytorch:2.1.2-cuda12.1-cudnn8-runtime"]) assert.deepEqual(inImage("12.2", "torch==1.13.0", [], image), [], image);
  assert.deepEqual(inImage("12.2", "torch==1.13.0", [], "nvidia/cuda:12.2.2-devel-ubuntu20.04"), ["/p/Dockerfile:3 error"]);
  assert.deepEqual(inImage("12.2", "torch==1.13.0", [], undefined, bare()), []);
  assert.deepEqual(inImage("12.2", "torch==1.13.0", [], undefined, bare().target("/p/setup.py", ["/p/a.cpp"])), []);
  const building = bare();
  building.observations.push({ kind: "build-isolation", isolated: false, packages: ["apex"], conditions: [], evidence: building.evidence("/p/Dockerfile", "--no-build-isolation") });
  assert.deepEqual(inImage("12.2", "torch==1.13.0", [], undefined, building), ["/p/Dockerfile:3 error"]);
});
