import type { Rule } from "./rule.ts";
import { finding, joinWords } from "./support.ts";

/** `CppExtension` compiles .cu files through nvcc but links none of torch's CUDA libraries. */
export const cudaInCppExtension: Rule = {
  name: "cuda-in-cpp-extension",
  severity: "warning",
  summary: "A CppExtension holds CUDA sources, so torch's CUDA libraries are not linked.",
  check(context) {
    return context.declared.flatMap(({ target }) => {
      if (target.madeBy !== "CppExtension") return [];
      const sources = target.sources.filter((source) => /\.cuh?$/.test(source.path));
      const first = sources[0];
      if (first === undefined || target.links.some((link) => /cudart|c10_cuda|torch_cuda/.test(link.name))) return [];
      const names = sources.slice(0, 3).map((source) => source.path.split("/").at(-1) ?? source.path);
      return [finding(this, {
        message: `CppExtension ${target.name} compiles ${joinWords(names)}${sources.length > 3 ? ` and ${sources.length - 3} more CUDA sources` : ""}. CppExtension does not add the libraries cudart, c10_cuda and torch_cuda or CUDA's include directory, as CUDAExtension does: the build finds no cuda_runtime.h, or the import fails with "undefined symbol: cudaLaunchKernel". Use CUDAExtension.`,
        location: first.location,
        target: target.name,
        related: [{ message: `${target.name} is made here.`, location: target.location }],
      })];
    });
  },
};
