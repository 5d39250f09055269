/** Libraries that a built file names as needed and that the loader would not find. */
import { cudaLibrary, isToolkitLibrary } from "../../fit/cudaLibraries.ts";
import type { MissingDependency } from "../../fit/types.ts";
import { valueOf } from "../../model/index.ts";
import type { BuiltFile } from "../rule.ts";

const cudaTorch = /^lib(?:torch_cuda|c10_cuda|torch_cuda_linalg)\b/;

/** Libraries of the CUDA toolkit, and the halves of libtorch that a CPU build lacks. */
export function missingCuda(file: BuiltFile): readonly MissingDependency[] {
  return missingDependencies(file).filter((one) => isCuda(file, one));
}

export function missingOthers(file: BuiltFile): readonly MissingDependency[] {
  return missingDependencies(file).filter((one) => !isCuda(file, one));
}

/** A file of that name which the loader refuses is there: no matter of versions. */
export function isCuda(file: BuiltFile, one: MissingDependency): boolean {
  return one.refused === undefined && (isToolkitLibrary(one.name) || (cudaTorch.test(one.name) && hasNoCuda(file)));
}

/** The CUDA major that a soname tells: 12 of "libcudart.so.12"; cuDNN and NCCL count on their own. */
export function cudaMajor(soname: string): number | undefined {
  const majors = cudaLibrary(soname)?.majors ?? [];
  return majors.length === 1 ? majors[0] : undefined;
}

function hasNoCuda(file: BuiltFile): boolean {
  return file.fit !== undefined && valueOf(file.fit.against.facts, "cuda-version") === null;
}

/** In the loader's order; without those of the GPU driver, which machines that build do not have. */
export function missingDependencies(file: BuiltFile): readonly MissingDependency[] {
  return file.origin === "jit-cache" ? [] : file.fit?.missingDependencies.filter((one) => cudaLibrary(one.name)?.isDriver !== true) ?? [];
}
