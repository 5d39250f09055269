/** CUDA in a built file: the runtime that it loads, and the GPUs that it has code for. */
import { valueOf } from "../../model/index.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import { torchName } from "../support.ts";
import { cudaMajor, missingCuda } from "./dependencies.ts";
import { ofDependency, stopsWith } from "./failures.ts";
import type { Observed } from "./report.ts";
import { againstOf, traitSaid } from "./traits.ts";
import { listed, needing } from "./words.ts";

/** A file for another CUDA major than torch's, or for a torch with CUDA where torch has none. */
export function otherCuda(context: RuleContext, file: BuiltFile): Observed | undefined {
  if (file.fit === undefined || file.origin === "jit-cache") return undefined;
  const missing = missingCuda(file);
  const [first] = missing;
  const torch = torchName(file.fit.against);
  const has = valueOf(file.fit.against.facts, "cuda-version");
  const against = againstOf(file, "cuda-version");
  if (first === undefined) {
    const said = traitSaid(context, file, "cuda-version");
    if (said === undefined) return undefined;
    // A runtime that is found loads, though torch makes no CUDA tensors.
    if (file.origin !== "installed") return said.severity === "error" && has === null && file.fit.verdict !== "conflict" ? { ...said, severity: "warning" } : said;
    // torch accepts another minor version of the toolkit.
    return said.severity === "info" ? undefined : { ...said, severity: optional(context, file) ? "info" : said.severity };
  }
  const names = listed(missing.map((one) => one.name));
  const plural = missing.length > 1 ? "are" : "is";
  const needs = `${needing(context, file, first.neededBy)} ${names}`;
  const stops = stopsWith(file, ofDependency(first));
  if (has === null) {
    return { message: `${needs}, and ${torch} is built without CUDA, so ${plural === "is" ? "it is" : "they are"} not there. ${stops} Install a torch that is built with CUDA, or build without it.`, severity: optional(context, file) ? "info" : "error", against };
  }
  const major = missing.map((one) => cudaMajor(one.name)).find((one) => one !== undefined);
  if (typeof has === "string" && major !== undefined && String(major) !== has.split(".")[0]) {
    return { message: `${needs}: it was built with CUDA ${major}, and ${torch} is built with CUDA ${has} and brings no CUDA ${major} libraries. ${stops} ${file.distribution === undefined ? `Rebuild it with a CUDA ${has.split(".")[0] ?? ""} toolkit, or install` : `Install a build of ${file.distribution.name} for CUDA ${has.split(".")[0] ?? ""}, or`} a torch for CUDA ${major}.`, against };
  }
  const by = first.providedBy === undefined ? "" : ` ${first.providedBy} brings it.`;
  return { message: `${needs}, which ${plural} not found. ${stops}${by}`, severity: "warning", against };
}

/** A package with a part for CUDA and a part without tries the one and takes the other. */
function optional(context: RuleContext, file: BuiltFile): boolean {
  const owner = file.distribution?.name;
  return file.origin === "installed" && owner !== undefined && context.built.some((one) => one !== file && one.distribution?.name === owner && one.fit?.verdict === "no-conflict");
}

/** No code that the GPU at hand could run. */
export function otherGpu(context: RuleContext, file: BuiltFile): Observed | undefined {
  const said = traitSaid(context, file, "cuda-architectures");
  return said === undefined ? undefined : { ...said, severity: said.severity === "error" ? "warning" : "info" };
}
