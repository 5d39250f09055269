/** GPU code that is missing or cannot be used: architectures and PTX (CUDA C++ Programming Guide, "Compute Capabilities"; driver_types.h, cudaError). */
import { compareVersions, valueOf } from "../../../../model/index.ts";
import type { CudaArchitecture } from "../../../../model/index.ts";
import { joinWords } from "../../../../rules/support.ts";
import { clueOf, textAt, verdict } from "../../reading.ts";
import type { Explanation, Knowledge, Log } from "../../types.ts";
import type { Saying } from "../sayings.ts";
import { architectureWords, buildsFor, firstFor, installLine, labelOf, minorOf, torchOf } from "../torchBuilds.ts";

/** What the text tells of the GPU and of torch's code. */
interface Told {
  readonly gpu?: string;
  /** Compute capability times ten. */
  readonly sm: number;
  readonly codes: readonly number[];
  /** A build that torch itself names, of the version that is installed. */
  readonly build?: { readonly torch: string; readonly cuda: string };
}

const warned = /(?<=^|: ?)(?<gpu>[^.:!?]{0,80}) with CUDA capability sm_(?<sm>\d+) is not compatible with the current PyTorch installation/;
const warnedOld = /Found GPU\d+ (?<gpu>.{0,80}?) which is of cuda capability (?<major>\d+)\.(?<minor>\d+)/;
const warnedNew = /Found GPU\d+ (?<gpu>.{0,80}?) which is of compute capability \(CC\) (?<major>\d+)\.(?<minor>\d+)/;
const supports = /The current PyTorch install supports CUDA capabilities (?<codes>(?:(?:sm|compute)_\d+[af]? ?)+)/;

/** torch's warnings on a GPU for which it has no code (torch/cuda/__init__.py, `_check_capability`, of 1.8 to 2.15). */
export const capabilityWarning: Saying = {
  pattern: new RegExp([warned, warnedOld, warnedNew].map((one) => one.source.replace(/\?<\w+>/g, "")).join("|")),
  read(said) {
    const told = toldAt(said.log, said.at, said.text);
    if (told === undefined) return undefined;
    // torch 2.x up to 2.13 also names GPUs that its code serves, and says so.
    return clueOf(said, (knowledge) => noCode(told, knowledge, true), { weight: "warning", last: told.last, words: told.words, subject: {} });
  },
};

function toldAt(log: Log, at: number, text: string): (Told & { readonly last: number; readonly words: string }) | undefined {
  const match = warned.exec(text) ?? warnedNew.exec(text) ?? warnedOld.exec(text);
  const { gpu, sm, major, minor } = match?.groups ?? {};
  const capability = sm === undefined ? Number(major) * 10 + Number(minor) : Number(sm);
  if (!Number.isInteger(capability)) return undefined;
  let last = at;
  const codes: number[] = [];
  let [torchThere, cudaOfBuild] = ["", ""];
  for (let next = at; next <= Math.min(at + 40, log.lines.length - 1); next += 1) {
    const line = next === at ? text : textAt(log, next);
    const list = supports.exec(line)?.groups?.["codes"];
    const one = /^- (\d+)\.(\d+) which supports hardware CC /.exec(line);
    if (list !== undefined) codes.push(...[...list.matchAll(/(?:sm|compute)_(\d+)/g)].map((found) => Number(found[1])));
    else if (one !== null) codes.push(Number(one[1]) * 10 + Number(one[2]));
    torchThere ||= /^Your installed torch==(\d[\w.+]*)/.exec(line)?.[1] ?? "";
    cudaOfBuild ||= /^ *For CUDA (\d+\.\d+) use pip/.exec(line)?.[1] ?? "";
    if (list === undefined && one === null && next > at && !/^(?:If you want to use the|The following list shows|Your installed torch==| *For CUDA|PyTorch no longer supports|The minimum cuda capability|Please install PyTorch with|No published PyTorch|\s*$)/.test(line)) break;
    if (line.trim() !== "") last = next;
  }
  return { ...(gpu === undefined ? {} : { gpu: gpu.replace(/^.*Warning: */, "").trim() }), sm: capability, codes, last, words: text, ...(torchThere === "" || cudaOfBuild === "" ? {} : { build: { torch: torchThere, cuda: cudaOfBuild } }) };
}

/** torch has no code for the GPU: `isTold` when its own warning says so. */
function noCode(told: Told, knowledge: Knowledge, isWarning: boolean): Explanation {
  const { sm } = told;
  const torch = torchOf(knowledge);
  const gpu = `${told.gpu === undefined || told.gpu === "" ? "the GPU" : told.gpu} (sm_${sm})`;
  const newest = Math.max(...told.codes, 0);
  const isNewer = told.codes.length > 0 ? sm > newest : sm >= 100;
  const first = firstFor(knowledge.catalogue, sm);
  const { torch: known, cuda } = buildsFor(sm);
  const which = torch === undefined ? "the installed torch" : `torch ${torch}`;
  const build = told.build ?? (torch === undefined ? undefined : buildOf(torch, knowledge, (one) => (isNewer ? first !== undefined && compareVersions(one, first.cuda) >= 0 : minorOf(torch) === minorOf(known) && cuda.includes(one))));
  const fixes = [
    ...(isNewer && first !== undefined ? [`Install a torch built with CUDA ${first.cuda} or newer, the first toolkit that compiles for sm_${sm}; ${first.torch} is the first release with such a build.`] : []),
    ...(!isNewer && cuda.length > 0 ? [`Install the build of torch for CUDA ${joinWords(cuda, "or")}: torch ${known} still has code for sm_${sm} there.`] : []),
    ...(cuda.length === 0 && !isNewer ? [`No build of torch ${known} has code for sm_${sm}: use an older torch, or build torch with TORCH_CUDA_ARCH_LIST="${capability(sm)}".`] : []),
    "Rebuild your own extensions for it too, once torch has the code.",
  ];
  return verdict("no-kernel-image", "certain", `${capitalised(which)} has no GPU code that runs on ${gpu}.`, [
    told.codes.length > 0 ? `torch's own warning lists its architectures: ${architectureWords(told.codes)}. None of them runs on sm_${sm}.` : `torch's own warning says that it has no code for sm_${sm}.`,
    isWarning ? `It is a warning; the first kernel then ends in "no kernel image is available for execution on the device".` : undefined,
    isNewer ? "The GPU is newer than this build of torch." : "The GPU is older than what this build of torch serves, or of another branch.",
  ], { fixes, ...(build === undefined ? {} : { copy: installLine({ torch: build.torch }, labelOf(build.cuda)) }) });
}

/** A build of the same release of torch for another CUDA. */
function buildOf(torch: string, { catalogue }: Knowledge, serves: (cuda: string) => boolean): Told["build"] {
  const cuda = catalogue.torchRelease(torch)?.variants.flatMap((one) => (one.platform === "linux-x86_64" && one.cudaVersion !== null && serves(one.cudaVersion) ? [one.cudaVersion] : [])).toSorted(compareVersions)[0];
  return cuda === undefined ? undefined : { torch, cuda };
}

function capability(sm: number): string {
  return `${Math.floor(sm / 10)}.${sm % 10}`;
}

function capitalised(text: string): string {
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}

/** What a warning elsewhere in the log says of GPU and torch. */
function toldElsewhere({ clues, log }: Knowledge): Told | undefined {
  const warning = clues.find((one) => one.weight === "warning" && (warned.test(one.words) || warnedNew.test(one.words) || warnedOld.test(one.words)));
  return warning === undefined ? undefined : toldAt(log, warning.first, warning.words);
}

/** "no kernel image is available", 209, and "invalid device function", 98. */
export function noKernelImage(isInvalidFunction: boolean): (knowledge: Knowledge) => Explanation {
  return (knowledge) => {
    const told = toldElsewhere(knowledge);
    if (told !== undefined) return noCode(told, knowledge, false);
    const torch = torchOf(knowledge);
    const codes = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "cuda-architectures");
    return verdict("no-kernel-image", "likely", "A kernel was called for which the file that holds it has no code for this GPU.", [
      isInvalidFunction
        ? `"invalid device function" comes from a file whose GPU code does not fit the GPU, or from a kernel that was compiled without the device code that the call needs.`
        : `The driver found neither machine code for the GPU nor PTX that it could compile.`,
      "The file is the one whose kernel ran: usually an extension built with a TORCH_CUDA_ARCH_LIST or -gencode that leaves the GPU out, else torch itself. torch warns of a GPU that it cannot serve when CUDA starts; this text has no such warning.",
      codes === undefined || codes.length === 0 ? undefined : `torch ${torch ?? ""} itself has code for ${architectures(codes)}.`,
      "It has nothing to do with the C++ ABI. CUDA reports it late, so the line of Python may be another's.",
    ], {
      fixes: [
        "Rebuild the extension with the GPU in TORCH_CUDA_ARCH_LIST (CMake: CMAKE_CUDA_ARCHITECTURES; ROCm: PYTORCH_ROCM_ARCH), and with CUDA +PTX on the newest for GPUs to come.",
        "If a plain torch operation on the GPU fails too, install a torch build that has code for it.",
      ],
      needs: [
        `The GPU and torch's code: python -c "import torch; print(torch.cuda.get_device_capability(), torch.cuda.get_arch_list())"`,
        "The architectures in the extension's file: abiding inspect FILE",
      ],
    });
  };
}

function architectures(codes: readonly CudaArchitecture[]): string {
  return joinWords(codes.map((one) => `${one.ptx && !one.real ? "compute" : "sm"}_${one.sm}${one.suffix}`));
}

/** 222: PTX that is newer than the driver's compiler. */
export function newPtx(knowledge: Knowledge): Explanation {
  const torch = torchOf(knowledge);
  const cuda = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "cuda-version");
  return verdict("ptx-too-new", "certain", "GPU code in the form of PTX was written by a newer CUDA toolkit than the driver can compile.", [
    "Machine code for the GPU was not there, so the driver had to compile PTX, and the PTX of that toolkit is newer than the driver knows (error 222).",
    "Minor versions of the CUDA runtime stand in for each other, PTX does not: it needs a driver of at least the toolkit that wrote it.",
    typeof cuda === "string" ? `torch ${torch ?? ""} uses CUDA ${cuda}; what compiles at run time (Triton, NVRTC) writes the PTX of its own toolkit.` : undefined,
  ], {
    fixes: [
      "Compile machine code for the GPU into the extension: name its architecture in TORCH_CUDA_ARCH_LIST (without relying on +PTX), or CMAKE_CUDA_ARCHITECTURES.",
      "Or update the NVIDIA driver to the CUDA version of that toolkit (nvidia-smi shows what the driver knows), or build with a toolkit that is not newer than it.",
    ],
    needs: ["The driver's CUDA version (nvidia-smi), and the toolkit's (nvcc --version) that built the file."],
  });
}

/** rocBLAS keeps its kernels in a file for each architecture. */
export const rocblas: Saying = {
  pattern: /rocBLAS error: Cannot read \S{0,300}TensileLibrary\S{0,40}: .{0,60}?(?:for GPU arch ?: ?(?<gpu>gfx\w+)|$)/,
  read(said) {
    const gpu = said.match.groups?.["gpu"] ?? "this GPU";
    return clueOf(said, () => verdict("no-kernel-image", "certain", `rocBLAS has no kernels for ${gpu}.`, ["Its files hold kernels for the architectures that AMD builds them for, and this one is not among them. No C++ ABI is concerned."], {
      fixes: ["Use a ROCm and a torch build that support the GPU, or build both for it (PYTORCH_ROCM_ARCH)."],
    }), { words: said.match[0] });
  },
};

/** Libraries that refuse a GPU for what it is: no matter of versions. */
export const refusedGpu: Saying = {
  pattern: /(?<what>FlashAttention(?:-?\d)?|flash[_-]attn\w*|bfloat16|Triton|FP8|fp8\w*)[^\n]{0,60}? (?:only supports?|is only supported on|requires?|not supported on)[^\n]{0,30}? (?<need>Ampere GPUs or newer|Hopper GPUs|GPUs? (?:with|of) (?:compute|CUDA) capability (?:>=|at least|of at least)? ?\d+(?:\.\d+)?(?: or (?:higher|newer|later))?|CUDA [Cc]apability >= \d+(?:\.\d+)?|compute capability (?:>=|at least) \d+(?:\.\d+)?|devices of compute capability \d+[^.]{0,30})/,
  read(said) {
    const { what = "The library", need = "" } = said.match.groups ?? {};
    return clueOf(said, () => verdict("no-kernel-image", "certain", `${what} has no kernels for this GPU by design: it needs ${need}.`, [
      "The library checks the GPU itself and refuses; no rebuild and no other version of torch changes that.",
    ], { fixes: ["Use another implementation (for attention: torch's scaled_dot_product_attention), or another GPU."] }));
  },
};

