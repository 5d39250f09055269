import { canHoldTogether } from "../model/index.ts";
import type { Rule } from "./rule.ts";
import { capital, finding, joinWords, targetMadeHere, targetsPhrase } from "./support.ts";

/** `CppExtension` compiles .cu files through nvcc but links none of torch's CUDA libraries. */
export const cudaInCppExtension: Rule = {
  name: "cuda-in-cpp-extension",
  severity: "info",
  summary: "A CppExtension holds CUDA sources, so torch's CUDA libraries are not linked.",
  check(context) {
    return context.declared.flatMap(({ target }) => {
      if (target.madeBy !== "CppExtension") return [];
      const sources = target.sources.filter((source) => /\.cuh?$/.test(source.path));
      const first = sources[0];
      // One call with the class chosen by a condition: the CUDA sources belong to the other choice.
      const twin = context.declared.some((body) => body.target.name === target.name && body.target.madeBy === "CUDAExtension");
      if (first === undefined || (twin && first.conditions.length > 0) || !canHoldTogether(first.conditions, target.conditions) || target.links.some((link) => /cudart|c10_cuda|torch_cuda/.test(link.name))) return [];
      const names = sources.slice(0, 3).map((source) => source.path.split("/").at(-1) ?? source.path);
      const listed = sources.length > 3 ? `${names.join(", ")} and ${sources.length - 3} more CUDA ${sources.length === 4 ? "source" : "sources"}` : joinWords(names);
      const includes = target.includeDirectories.some((folder) => /cuda/i.test(folder)) ? "" : " C++ sources find no cuda_runtime.h, and";
      return [finding(this, {
        message: `${capital(targetsPhrase([target.name]))}, a CppExtension, compiles ${listed}. CppExtension does not add cudart, c10_cuda, torch_cuda and CUDA's include directory, as CUDAExtension does:${includes} the import resolves CUDA symbols only where another library brings them, as a CUDA build of torch does ("undefined symbol: cudaLaunchKernel" elsewhere). Use CUDAExtension.`,
        location: first.location,
        target: target.name,
        related: [{ message: targetMadeHere(target.name), location: target.location }],
      })];
    });
  },
};
