import { onBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { traitSaid } from "./binaries/traits.ts";
import { disagreements, libraryName } from "./binaries/words.ts";
import { isAboutTorchLibrary, wheelFindings } from "./binaries/wheels.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";

/** NCCL, cuDNN, nvJitLink and their like keep state and versions of their own: one process holds one of each. */
export const cudaLibraryConflict: Rule = {
  name: "cuda-library-conflict",
  severity: "warning",
  summary: "Two copies of a CUDA library (NCCL, cuDNN, nvJitLink) could be loaded in one process.",
  check: (context) => [...onBuilt(cudaLibraryConflict, context, secondCopy), ...wheelFindings(cudaLibraryConflict, context, (one) => one.kind === "grafted" && !isAboutTorchLibrary(one))],
};

function secondCopy(context: RuleContext, file: BuiltFile): Observed | undefined {
  const [first] = disagreements(file, "cuda-library");
  // nvcc puts a CUDA runtime into every file by default: any number of them share the driver's context.
  return first === undefined || /^libcudart\b/.test(libraryName(first.built)) ? undefined : traitSaid(context, file, "cuda-library");
}
