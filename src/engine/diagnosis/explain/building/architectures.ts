/** GPU architectures that nvcc, ptxas, nvlink, torch or CMake refuse. */
import type { Catalogue, CudaToolkit } from "../../../catalogue/index.ts";
import { valueOf } from "../../../model/index.ts";
import { firstFor } from "../running/torchBuilds.ts";
import { verdict } from "../reading.ts";
import type { Explanation, Knowledge, Log, Recogniser } from "../types.ts";
import { isNear, near, printed } from "./reading.ts";

const unsupported = printed(/nvcc fatal\s*: Unsupported gpu architecture ['"‘]([\w.+]{1,40})['"’]|(?:ptxas(?:-\w{1,20})?|nvlink|fatbinary|cicc) fatal\s*: Value ['"‘]((?:sm|compute)_\w{1,20})['"’] is not defined for option|clang\S{0,20}: error: unsupported CUDA gpu architecture: (\w{1,20})/, ({ log, at, match, text }) => {
  const name = match[1] ?? match[2] ?? match[3] ?? "";
  const isTritons = text.startsWith("ptxas") && isNear(log, at, 40, 12, /ptxas-blackwell|PTXASError|\btriton\b/);
  return { words: text, explain: (knowledge) => (isTritons ? refusedByTriton(name, knowledge) : refused(name, toolkitOf(log, at), knowledge)) };
});

/** `_get_cuda_arch_flags` in torch/utils/cpp_extension.py. */
const unknownToTorch = printed(/Unknown CUDA arch \(([^)]{1,60})\) or GPU not supported/, ({ match, text }) => ({
  words: text,
  explain: (knowledge) => {
    const arch = match[1] ?? "";
    const sm = smOf(arch);
    const first = sm === undefined ? undefined : firstFor(knowledge.catalogue, sm);
    const suffix = /[af]$/.exec(arch.replace("+PTX", ""))?.[0];
    return verdict("gpu-architecture-unknown", "certain", `This torch does not know the GPU architecture "${arch}" of TORCH_CUDA_ARCH_LIST${suffix === "f" ? ": torch takes no family suffix" : ""}.`, [
      "torch.utils.cpp_extension compares each entry with a list of its own, before nvcc is asked. The list comes from TORCH_CUDA_ARCH_LIST, else from the GPUs that are visible.",
      ...(first === undefined ? [] : [`CUDA ${first.cuda} is the first toolkit that compiles for it, and torch ${first.torch} the first torch built with that or a newer one.`]),
    ], {
      fixes: [
        ...(first === undefined ? [] : [`Install torch ${first.torch} or newer with CUDA ${first.cuda} or newer, and build with that toolkit.`]),
        `Or set TORCH_CUDA_ARCH_LIST to what this torch knows, the newest with +PTX so that newer GPUs can translate it: "8.0;9.0+PTX".`,
      ],
      needs: first === undefined ? ["Which GPU is meant: `nvidia-smi --query-gpu=compute_cap --format=csv`."] : [],
    });
  },
}));

const noGpuSeen = printed(/^\s*IndexError: list index out of range/, ({ log, at }) => {
  const isHere = isNear(log, at, 12, 0, /_get_cuda_arch_flags|arch_list\[-1\] \+= ['"]\+PTX/);
  return !isHere ? undefined : {
    explain: () => verdict("gpu-architecture-unknown", "certain", "torch could not tell for which GPU to compile: no GPU is visible and TORCH_CUDA_ARCH_LIST is not set.", ["torch.utils.cpp_extension then takes the last entry of an empty list of architectures (_get_cuda_arch_flags)."], {
      fixes: ["Set TORCH_CUDA_ARCH_LIST to the compute capabilities of the GPUs that will run it, for instance \"8.0;9.0+PTX\"; in docker build no GPU is ever visible."],
      copy: 'export TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"',
    }),
  };
});

/** A kernel that uses what the architecture does not have; ptxas says which it would be. */
const notOnTarget = printed(/ptxas\b.{0,400}?\berror\s*: (?:Instruction|Feature|Modifier|Type|Argument)\b.{0,160}?(?:requires \.target ['"‘]?(sm_\w{2,6})|(?:not supported on \.target|cannot be compiled for architecture) ['"‘]?(sm_\w{2,6}))/, ({ match, text }) => ({
  words: text,
  explain: () => {
    const [needed, target] = [match[1], match[2]];
    const plain = target !== undefined && /^sm_(?:90|1\d\d)$/.test(target);
    return verdict("gpu-architecture-unknown", "certain", needed === undefined ? `A kernel uses an instruction that ${target ?? ""} does not have.` : `A kernel uses an instruction of ${needed} and is compiled for an older architecture as well.`, [
      "The sources hold assembly for particular GPUs, and the list of architectures has one on which it does not exist. Neither torch nor its ABI has a part in it.",
      ...(plain ? [`Instructions such as wgmma and tcgen05 need the architecture-specific code ${target}a, which only that generation of GPUs runs.`] : []),
    ], {
      fixes: [plain ? `Compile these sources for ${target}a (TORCH_CUDA_ARCH_LIST="${dotted(Number(target.slice(3)))}a"), or leave the kernel out.` : `Compile these sources only for architectures that have it${needed === undefined ? "" : ` (${needed} and newer)`}, for instance by TORCH_CUDA_ARCH_LIST, or keep the kernel apart with __CUDA_ARCH__.`],
    });
  },
}));

/** PTX that a newer compiler wrote than the ptxas which translates it: two toolkits in one build. */
const ptxVersion = printed(/ptxas\b.{0,400}?(?:Unsupported \.version (\d+\.\d+); current version is ['"]?(\d+\.\d+)|error\s*: (?:Feature|Instruction|Modifier)\b.{0,120}?requires PTX ISA \.version (\d+\.\d+))/, ({ match, text }) => ({
  words: text,
  explain: ({ catalogue }) => {
    const [written, known, needed] = [match[1], match[2], match[3]];
    const by = (version: string | undefined): string => (version === undefined ? "" : catalogue.cudaToolkits.find((one) => one.ptx === version)?.version ?? "");
    if (written !== undefined) {
      const from = by(written);
      return verdict("toolkit-mismatch", "certain", `ptxas${by(known) === "" ? "" : ` of CUDA ${by(known)}`} knows PTX ISA ${known ?? ""}, and is given PTX ISA ${written}${from === "" ? "" : ` of CUDA ${from}`}.`, ["The program that wrote the PTX (nvcc's cicc, Triton, LLVM) is newer than the ptxas that was found to translate it."], {
        fixes: ["Let both come from one toolkit: look which ptxas is first on PATH, and at CUDA_HOME, TRITON_PTXAS_PATH and conda's cuda-nvcc."],
      });
    }
    return verdict("gpu-architecture-unknown", "certain", `A kernel uses an instruction that this toolkit does not know yet: it needs PTX ISA ${needed ?? ""}${by(needed) === "" ? "" : `, which CUDA ${by(needed)} brought`}.`, ["The toolkit of the build is older than the sources ask for, or the PTX states too low a .version."], {
      fixes: [`Build with ${by(needed) === "" ? "a newer toolkit" : `CUDA ${by(needed)} or newer`} whose major version is torch's.`],
    });
  },
}));

const architectureWithoutPartner = printed(/nvcc fatal\s*: Incompatible code generation requested: arch=['"]?(\w{1,20})['"]?, code=['"]?(\w{1,20})/, ({ match, text }) => ({
  words: text,
  explain: () => verdict("gpu-architecture-unknown", "certain", `-gencode asks to make ${match[2] ?? ""} out of ${match[1] ?? ""}, which is newer.`, ["The code's architecture must not be older than the virtual one that it is made of. ABI has no part in it."], { fixes: ["Write the pair with one number: -gencode arch=compute_90,code=sm_90."] }),
}));

export const architectureRecognisers: readonly Recogniser[] = [unsupported, unknownToTorch, noGpuSeen, notOnTarget, ptxVersion, architectureWithoutPartner];

/** The version of a toolkit that the lines around tell: its folder, nvcc's banner, CMake's identification. */
function toolkitOf(log: Log, at: number): string | undefined {
  return near(log, at, 60, 5, /cuda-(\d{1,2}\.\d{1,2})[\\/]|CUDA[\\/]v(\d{1,2}\.\d{1,2})[\\/]|\brelease (\d{1,2}\.\d{1,2}), V\d|CUDA compiler identification is NVIDIA (\d{1,2}\.\d{1,2})/)?.slice(1).find((one) => one !== undefined);
}

function refused(name: string, named: string | undefined, knowledge: Knowledge): Explanation {
  const { catalogue } = knowledge;
  const sm = Number(/\d+/.exec(name)?.[0] ?? NaN);
  const suffix = /\d([af])$/.exec(name)?.[1] ?? "";
  const having = catalogue.cudaToolkits.filter((one) => one.architectures.some((each) => each.sm === sm && (suffix === "" || each.suffixes.some((own) => own === suffix))));
  const [first, last] = [having[0], having.at(-1)];
  const torch = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "cuda-version");
  const here = named ?? (typeof torch === "string" ? torch : undefined);
  const what = `${named === undefined ? "The CUDA toolkit of this build" : `CUDA ${named}`} does not compile for ${name}`;
  if (first === undefined || last === undefined) {
    return verdict("gpu-architecture-unknown", "certain", `${what}, and no toolkit that Abiding knows does.`, ["The name comes from TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES or -gencode of the build files."], { fixes: ["Correct the architecture: compute capability 9.0 is sm_90 and compute_90, \"9.0\" in TORCH_CUDA_ARCH_LIST and 90 in CMAKE_CUDA_ARCHITECTURES."] });
  }
  const isDropped = last !== catalogue.cudaToolkits.at(-1) && (here === undefined ? sm < 75 : isAfter(here, last, catalogue));
  const ofTorch = typeof torch === "string" ? [`torch of the environment is built with CUDA ${torch}.`] : [];
  if (isDropped) {
    return verdict("gpu-architecture-unknown", "certain", `${what}: CUDA ${last.version} is the last that did.`, [`The build still asks for ${name} (${dotted(sm)}); ${named === undefined ? "newer toolkits dropped it" : "this toolkit dropped it"}.`, ...ofTorch], {
      fixes: [`Take ${dotted(sm)} out of TORCH_CUDA_ARCH_LIST, or ${sm} out of CMAKE_CUDA_ARCHITECTURES and the -gencode flags.`, `Where GPUs of compute capability ${dotted(sm)} must be served, build with CUDA ${last.version} or older and a torch for that major version.`],
    });
  }
  const ready = firstFor(catalogue, sm);
  return verdict("gpu-architecture-unknown", "certain", `${what}${suffix === "" ? "" : " with that suffix"}: CUDA ${first.version} is the first that does.`, [`${dotted(sm)} is newer than the toolkit that runs here.`, ...ofTorch], {
    fixes: [`Build with CUDA ${first.version} or newer, of the same major version as torch's${ready === undefined ? "" : `: torch ${ready.torch} is the first release built with it or a newer one`}.`, `Or leave ${dotted(sm)}${suffix} out of TORCH_CUDA_ARCH_LIST or CMAKE_CUDA_ARCHITECTURES, and add +PTX to the newest that stays, so that the driver can translate it for newer GPUs.`],
    needs: here === undefined ? ["Which toolkit: `nvcc --version`."] : [],
  });
}

/** Triton brings a ptxas of its own (triton/backends/nvidia/bin), which compiles while a program runs. */
function refusedByTriton(name: string, { catalogue }: Knowledge): Explanation {
  const sm = Number(/\d+/.exec(name)?.[0] ?? NaN);
  const first = firstFor(catalogue, sm);
  return verdict("gpu-architecture-unknown", "certain", `The ptxas that Triton runs does not know this GPU: ${name}.`, [
    "Triton, and torch.compile by it, compile their kernels while the program runs, with the ptxas that lies in the triton package: it is older than the GPU.",
    ...(first === undefined ? [] : [`CUDA ${first.cuda} is the first that compiles for ${dotted(sm)}.`]),
    "No extension and no ABI has a part in it.",
  ], {
    fixes: [`Install a newer torch with the triton that belongs to it${first === undefined ? "" : ` (torch ${first.torch} is the first that is built with such a CUDA)`}.`, "Or name a newer toolkit's ptxas: TRITON_PTXAS_PATH, of GPUs from 10.0 on TRITON_PTXAS_BLACKWELL_PATH."],
  });
}

function isAfter(version: string, toolkit: CudaToolkit, catalogue: Catalogue): boolean {
  const place = catalogue.cudaToolkits.findIndex((one) => one.version === version);
  return place < 0 || place > catalogue.cudaToolkits.indexOf(toolkit);
}

/** 90 of "9.0", "9.0a+PTX". */
function smOf(arch: string): number | undefined {
  const parts = /^(\d{1,2})\.(\d)/.exec(arch.trim());
  return parts === null ? undefined : Number(parts[1]) * 10 + Number(parts[2]);
}

/** "9.0" for 90. */
function dotted(sm: number): string {
  return `${Math.floor(sm / 10)}.${sm % 10}`;
}
