import type { CudaArchitecture } from "../../model/index.ts";
import { valueOf } from "../../model/index.ts";
import { torchName } from "../classify.ts";
import { cudaLibrary } from "../cudaLibraries.ts";
import type { TraitComparison } from "../types.ts";
import type { Comparison } from "./setting.ts";
import { known } from "./setting.ts";

/** The CUDA runtime that the file loads or holds against the CUDA of torch. */
export const cudaVersion: Comparison = ({ built, environment }) => {
  const runtime = built.profile.cudaRuntime;
  const theirs = known(environment.body, "cuda-version");
  const mine = valueOf(built.facts, "cuda-version");
  const text = typeof mine === "string" ? mine : runtime?.major === undefined ? undefined : String(runtime.major);
  const major = runtime?.major ?? (typeof mine === "string" ? Number.parseInt(mine, 10) : undefined);
  if (text === undefined || major === undefined || theirs === undefined) {
    return undefined;
  }
  const evidence = [...(runtime === undefined ? [] : [runtime.evidence]), ...theirs.evidence];
  const torch = torchName(environment);
  if (theirs.value === null) {
    const needsTorchCuda = built.profile.needed.some((one) => /^lib(?:c10_cuda|torch_cuda)\b/.test(one));
    const because = needsTorchCuda
      ? `The file is linked against torch's CUDA libraries, and ${torch} is built without CUDA.`
      : `The file holds or loads CUDA, and ${torch} is built without it: CUDA tensors do not exist there.`;
    return { trait: "cuda-version", built: text, installed: "none", agrees: false, weight: needsTorchCuda || runtime?.linked === "shared" ? "error" : "warning", because, evidence };
  }
  const torchMajor = Number.parseInt(theirs.value, 10);
  if (major !== torchMajor) {
    const isStatic = runtime?.linked === "static";
    const because = isStatic
      ? `The file holds a CUDA ${major} runtime of its own, and ${torch} uses CUDA ${theirs.value}: two runtimes in one process share the GPU's context, but not streams' and allocators' state of the library, and libraries of two majors may meet.`
      : `The file needs the CUDA ${major} runtime, and ${torch} uses CUDA ${theirs.value}: libraries of different majors do not stand in for each other.`;
    return { trait: "cuda-version", built: text, installed: theirs.value, agrees: false, weight: isStatic ? "warning" : "error", because, evidence };
  }
  const isMinor = text.includes(".") && !theirs.value.startsWith(text) && !text.startsWith(theirs.value);
  return {
    trait: "cuda-version",
    built: text,
    installed: theirs.value,
    agrees: !isMinor,
    weight: "info",
    because: isMinor ? `The minor versions differ (${text} and ${theirs.value}); within CUDA ${major} the runtime libraries take each other's place.` : `Both use CUDA ${major}.`,
    evidence,
  };
};

/** Two files of one CUDA library in the process: torch's and one that the file brings under another name or from another place. */
export const cudaLibraryCopies: Comparison = ({ scope, environment }) => {
  const byStem = new Map<string, string[]>();
  for (const one of scope) {
    const stem = one.image === undefined ? undefined : cudaLibrary(one.path)?.stem ?? cudaLibrary(one.name)?.stem;
    const paths = stem === undefined ? [] : byStem.get(stem) ?? [];
    if (stem !== undefined && !paths.includes(one.path)) {
      byStem.set(stem, [...paths, one.path]);
    }
  }
  const [twice] = [...byStem].filter(([, paths]) => paths.length > 1);
  if (twice === undefined) {
    return undefined;
  }
  const [stem, [first = "", second = ""]] = twice;
  return {
    trait: "cuda-library",
    built: second,
    installed: first,
    agrees: false,
    weight: "warning",
    because: `Two files of ${stem} would be in the process, ${first} and ${second}: what one sets up, the other does not know (${torchName(environment)} and the file each use their own).`,
    evidence: [first, second].map((path) => ({ kind: "file", path, what: `a file of ${stem}` })),
  };
};

/** Whether the file holds code for the GPU. What some translation unit lacks counts as lacking. */
export const cudaArchitectures: Comparison = ({ built, options }) => {
  const content = built.profile.cuda;
  const { gpu } = options;
  if (content === undefined || content.architectures.length === 0 || gpu === undefined) {
    return undefined;
  }
  const everywhere = content.architectures.map((one) => {
    const lacking = content.notEverywhere.filter((other) => other.sm === one.sm && other.suffix === one.suffix);
    return { ...one, real: one.real && !lacking.some((other) => other.real), ptx: one.ptx && !lacking.some((other) => other.ptx) };
  });
  const name = `${Math.floor(gpu.capability / 10)}.${gpu.capability % 10}`;
  const whole = runsOn(everywhere, gpu.capability);
  const some = runsOn(content.architectures, gpu.capability);
  const base = { trait: "cuda-architectures", built: content.architectures.map(architectureName).join(" "), installed: gpu.name === undefined ? `compute capability ${name}` : `${gpu.name} (compute capability ${name})`, evidence: [{ kind: "file", path: built.path, what: `${content.fatbins} fat binaries` }] } as const;
  const result = (agrees: boolean, weight: TraitComparison["weight"], because: string): TraitComparison => ({ ...base, agrees, weight, because });
  if (whole === "native") {
    return result(true, "info", `The file holds machine code that runs on compute capability ${name}.`);
  }
  if (whole === "jit") {
    return result(true, "info", `The file holds no machine code for compute capability ${name}; the driver compiles its PTX at the first start, if it is at least as new as the toolkit that made it.`);
  }
  if (some !== "none") {
    return result(false, "warning", `Some translation units hold code for compute capability ${name} and some do not: kernels of the latter end in "no kernel image is available for execution on the device".`);
  }
  return result(false, "error", `The file holds no code that runs on compute capability ${name}, and no PTX that the driver could compile for it: "no kernel image is available for execution on the device".`);
};

/**
 * The best that a set of architectures offers to a GPU. A cubin runs on the same major with an equal or higher minor,
 * with "a" on exactly its own, with "f" within its family from its minor on; PTX is compiled for what is not older than it,
 * with "a" for exactly its own. Source: CUDA C Programming Guide, "Compute Capabilities" and "Family-specific features".
 */
export function runsOn(architectures: readonly CudaArchitecture[], capability: number): "native" | "jit" | "none" {
  const sameMajor = (one: CudaArchitecture): boolean => Math.floor(one.sm / 10) === Math.floor(capability / 10);
  if (architectures.some((one) => one.real && (one.suffix === "a" ? one.sm === capability : sameMajor(one) && one.sm <= capability))) {
    return "native";
  }
  const compiles = (one: CudaArchitecture): boolean => one.ptx && (one.suffix === "a" ? one.sm === capability : one.suffix === "f" ? sameMajor(one) && one.sm <= capability : one.sm <= capability);
  return architectures.some(compiles) ? "jit" : "none";
}

function architectureName(one: CudaArchitecture): string {
  return [...(one.real ? [`sm_${one.sm}${one.suffix}`] : []), ...(one.ptx ? [`compute_${one.sm}${one.suffix}`] : [])].join(" ");
}
