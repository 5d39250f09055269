import { onBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { nameOf } from "./binaries/subjects.ts";
import { wheelFindings } from "./binaries/wheels.ts";
import { disagreements, torchOfFit } from "./binaries/words.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";

/** NCCL, cuDNN, nvJitLink and their like keep state and versions of their own: one process holds one of each. */
export const cudaLibraryConflict: Rule = {
  name: "cuda-library-conflict",
  severity: "warning",
  summary: "Two copies of a CUDA library (NCCL, cuDNN, nvJitLink) could be loaded in one process.",
  check: (context) => [...onBuilt(cudaLibraryConflict, context, secondCopy), ...wheelFindings(cudaLibraryConflict, context, (one) => one.kind === "grafted" && !/libtorch|libc10/.test(one.member ?? one.message))],
};

function secondCopy(context: RuleContext, file: BuiltFile): Observed | undefined {
  const [first, ...others] = disagreements(file, "cuda-library");
  if (first === undefined || file.fit === undefined) return undefined;
  const more = others.length === 0 ? "" : ` The same goes for ${others.map((one) => one.built).join(", ")}.`;
  return {
    message: `${nameOf(context, file)} would load ${first.built}, and ${torchOfFit(file.fit)} brings ${first.installed}. ${first.because}${more}`,
    severity: first.weight === "error" ? "error" : "warning",
    against: first.evidence,
  };
}
