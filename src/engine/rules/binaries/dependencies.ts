/** Libraries that a built file names as needed and that the loader would not find. */
import type { MissingDependency } from "../../fit/types.ts";
import { valueOf } from "../../model/index.ts";
import type { BuiltFile } from "../rule.ts";

/** Comes with the GPU driver: machines that build have none. */
const driver = /^lib(?:cuda|nvidia-ml|nvcuvid|nvidia-encode)\.so/;
const cuda = /^lib(?:cudart|cublas|cublasLt|cufft|cufile|cupti|curand|cusolver|cusolverMg|cusparse|cusparseLt|nvrtc|nvrtc-builtins|nvJitLink|nvToolsExt|nvjpeg|npp\w*|cudnn\w*|nccl|nvshmem_host)\.so/;
const cudaTorch = /^lib(?:torch_cuda|c10_cuda|torch_cuda_linalg)\b/;

/** Libraries of the CUDA toolkit, and the halves of libtorch that a CPU build lacks. */
export function missingCuda(file: BuiltFile): readonly MissingDependency[] {
  return dependencies(file).filter((one) => cuda.test(one.name) || (cudaTorch.test(one.name) && hasNoCuda(file)));
}

export function missingOthers(file: BuiltFile): readonly MissingDependency[] {
  return dependencies(file).filter((one) => !cuda.test(one.name) && !(cudaTorch.test(one.name) && hasNoCuda(file)));
}

/** A CUDA major in a soname: 12 of "libcudart.so.12", 11 of "libcudart.so.11.0". cuDNN and NCCL count on their own. */
export function cudaMajor(soname: string): number | undefined {
  const found = /^lib(?:cudart|cublas(?:Lt)?|cusparse|nvrtc|nvJitLink|cupti)\.so\.(\d+)/.exec(soname)?.[1];
  return found === undefined ? undefined : Number(found);
}

function hasNoCuda(file: BuiltFile): boolean {
  return file.fit !== undefined && valueOf(file.fit.against.facts, "cuda-version") === null;
}

function dependencies(file: BuiltFile): readonly MissingDependency[] {
  return file.origin === "jit-cache" ? [] : file.fit?.missingDependencies.filter((one) => !driver.test(one.name)) ?? [];
}
