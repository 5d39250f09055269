/** The CUDA toolkit of a build, and the CUDA that torch was built with. */
import type { Catalogue } from "../../../catalogue/index.ts";
import { compareVersions, valueOf } from "../../../model/index.ts";
import { installLine, majorOf, torchOf } from "../running/torchBuilds.ts";
import { verdict } from "../reading.ts";
import type { Explanation, Knowledge, Recogniser } from "../types.ts";
import { isNear, joined, near, printed } from "./reading.ts";

/** Of torch 2.x: CUDA_MISMATCH_MESSAGE in torch/utils/cpp_extension.py; wrapped in older ones, printed as a tuple with %s in newer. */
const mismatch = printed(/(?:\\n)?The detected CUDA version \((?:%s|[\d.]+)\) mismatches the version that was used to compile/, ({ log, at }) => {
  const text = joined(log, at, 3);
  const plain = /detected CUDA version \(([\d.]+)\) mismatches .{0,60}?PyTorch \(([\d.]+)\)/.exec(text) ?? /mismatches .{0,140}?["'], ["']([\d.]+)["'], ["']([\d.]+)["']/.exec(text);
  const [, toolkit, torch] = plain ?? [];
  return { last: at + (/PyTorch \(/.test(joined(log, at, 1)) ? 0 : 1), words: text.slice(0, 260), explain: (knowledge) => (toolkit === undefined || torch === undefined ? unnamedMismatch() : otherMajor(toolkit, torch, knowledge)) };
});

/** deepspeed/ops/op_builder/builder.py, assert_no_cuda_mismatch: it refuses, or says why it goes on. */
const deepspeed = printed(/Installed CUDA version ([\d.]*\d) does not match the version torch was compiled with ([\d.]*\d)/, ({ match, text }) => {
  const [, toolkit = "", torch = ""] = match;
  if (/accepting this combination/.test(text)) {
    return { words: text, weight: "warning", explain: () => verdict("harmless", "certain", `DeepSpeed builds with CUDA ${toolkit} for a torch of CUDA ${torch}: the same major version, which works.`, ["It says so and goes on; what fails beside it has another cause."]) };
  }
  if (/Allowing this combination/.test(text)) {
    return { words: text, weight: "warning", explain: (knowledge) => verdict("toolkit-mismatch", "certain", `DeepSpeed was told to go on with CUDA ${toolkit} for a torch of CUDA ${torch}.`, ["DS_SKIP_CUDA_CHECK=1 turns its check off.", ...otherEnvironment(torch, knowledge)], { fixes: ["Unset DS_SKIP_CUDA_CHECK.", ...fixesFor(toolkit, torch, knowledge.catalogue)] }) };
  }
  return { words: text, explain: (knowledge) => ownCheck("DeepSpeed", toolkit, torch, knowledge) };
});

/** apex/setup.py, check_cuda_torch_binary_vs_bare_metal: refuses any difference. */
const apex = printed(/Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch/i, ({ log, at }) => {
  const text = joined(log, at, 3);
  const torch = /compiled with Cuda ([\d.]+\d)/i.exec(text)?.[1];
  const toolkit = near(log, at, 40, 0, /\brelease ([\d.]+\d), V\d/)?.[1];
  return { last: at, words: text.slice(0, 240), explain: (knowledge) => (toolkit === undefined || torch === undefined ? unnamedMismatch(torch) : ownCheck("apex", toolkit, torch, knowledge)) };
});

const minor = printed(/The detected CUDA version \(([\d.]+)\) has a minor version mismatch with the version that was used to compile PyTorch/, ({ log, at, match }) => {
  const torch = /PyTorch \(([\d.]+)\)/.exec(joined(log, at, 2))?.[1];
  return { weight: "warning", explain: () => verdict("toolkit-mismatch", "certain", `The toolkit is CUDA ${match[1] ?? ""} and torch is built with CUDA ${torch ?? "of another minor version"}: the same major version, which works.`, ["torch refuses only another major version (torch/utils/cpp_extension.py); what fails beside this warning has another cause."]) };
});

const homeMissing = printed(/(?<!raise OSError\(['"])(?:CUDA_HOME environment variable is not set|CUDA_HOME does not exist, unable to compile CUDA op|CUDA was not found on the system, please set the CUDA_HOME)/, ({ text }) => ({ words: text, explain: withoutHome }));

const clangWithoutCuda = printed(/error: cannot find CUDA installation/, ({ text }) => ({
  words: text,
  explain: (knowledge) => verdict("cuda-not-found", "certain", "clang compiles CUDA code here and finds no CUDA toolkit.", ["It looks at --cuda-path, then at /usr/local/cuda; pip's CUDA packages are no toolkit.", ...ofEnvironment(knowledge)], { fixes: [`Install a CUDA toolkit${wanted(knowledge)} that this clang knows, and give --cuda-path=<toolkit>.`] }),
}));

const nvccMissing = printed(/nvcc not found at ['"]([^'"]{1,400})['"]|\bNo such file or directory: ['"]([^'"]{1,400}[\\/]nvcc)(?:\.exe)?['"]|(?:^|[\s:])((?:[^\s:]{1,200}[\\/])?nvcc): (?:command )?not found/, ({ match, text }) => {
  const path = match[1] ?? match[2] ?? match[3] ?? "nvcc";
  return {
    words: text,
    explain: (knowledge) => verdict("cuda-home-missing", "certain", `There is no nvcc at ${path}.`, ["CUDA_HOME points to a folder that holds no CUDA compiler; packages and images of the CUDA run time have none.", ...ofEnvironment(knowledge)], {
      fixes: [`Point CUDA_HOME to a whole toolkit${wanted(knowledge)}; in a container take a base image with "devel" in its tag.`],
    }),
  };
});

export const toolkitRecognisers: readonly Recogniser[] = [mismatch, deepspeed, apex, minor, homeMissing, clangWithoutCuda, nvccMissing];

function unnamedMismatch(torch?: string): Explanation {
  return verdict("toolkit-mismatch", "certain", `The CUDA toolkit of this build is not the CUDA${torch === undefined ? "" : ` ${torch}`} that torch was built with.`, ["The check compares nvcc's version with torch.version.cuda."], {
    fixes: ["Point CUDA_HOME to a toolkit of torch's CUDA version, or install a torch that is built for the toolkit."],
    needs: ["Which versions: `nvcc --version` and `python -c \"import torch; print(torch.version.cuda)\"`."],
  });
}

function otherMajor(toolkit: string, torch: string, knowledge: Knowledge): Explanation {
  return verdict("toolkit-mismatch", "certain", `The toolkit that would compile this is CUDA ${toolkit}, and torch is built with CUDA ${torch}.`, ["torch refuses to build extensions with a toolkit of another major version: their CUDA run times are other libraries.", `The toolkit is the one of CUDA_HOME, CUDA_PATH, the first nvcc on PATH or /usr/local/cuda, in this order.`, ...otherEnvironment(torch, knowledge)], { fixes: fixesFor(toolkit, torch, knowledge.catalogue) });
}

function ownCheck(who: string, toolkit: string, torch: string, knowledge: Knowledge): Explanation {
  const same = majorOf(toolkit) === majorOf(torch);
  return verdict("toolkit-mismatch", "certain", `${who} stops because the toolkit is CUDA ${toolkit} and torch is built with CUDA ${torch}.`, [
    same ? `This check is ${who}'s own: torch itself lets another minor version of one major version pass with a warning.` : "torch refuses such a toolkit as well: another major version has other run-time libraries.",
    ...otherEnvironment(torch, knowledge),
  ], { fixes: fixesFor(toolkit, torch, knowledge.catalogue, same) });
}

function fixesFor(toolkit: string, torch: string, catalogue: Catalogue, isStrict = false): readonly string[] {
  const build = buildFor(toolkit, catalogue);
  return [
    `Build with a CUDA ${torch} toolkit${isStrict ? "" : ` (another minor version of ${majorOf(torch)} passes with a warning)`}: set CUDA_HOME to its folder and put its bin first on PATH.`,
    ...(build === undefined || isStrict ? [] : [`Or install a torch for CUDA ${majorOf(toolkit)}, for instance \`${build}\`, with what else binds to torch.`]),
    isStrict ? "Or take a release of the package that checks the major version only." : "Leave the check in: what is built past it loads a second CUDA run time.",
  ];
}

/** The newest release of torch with a Linux build for the major version of a toolkit: what installs it. */
function buildFor(toolkit: string, catalogue: Catalogue): string | undefined {
  for (const release of catalogue.torchReleases.toReversed()) {
    const builds = release.variants.filter((one) => one.platform === "linux-x86_64" && one.cudaVersion !== null && majorOf(one.cudaVersion) === majorOf(toolkit));
    const best = builds.find((one) => one.cudaVersion === toolkit) ?? builds.toSorted((a, b) => compareVersions(a.cudaVersion ?? "", b.cudaVersion ?? "")).at(-1);
    if (best !== undefined) {
      return installLine({ torch: release.version }, best.label);
    }
  }
  return undefined;
}

function otherEnvironment(torch: string, knowledge: Knowledge): readonly string[] {
  const cuda = cudaOf(knowledge);
  return typeof cuda === "string" && cuda !== torch ? [`The environment compared with holds a torch for CUDA ${cuda}: the build saw another torch.`] : [];
}

function cudaOf({ environment }: Knowledge): string | null | undefined {
  return environment === undefined ? undefined : valueOf(environment.body.facts, "cuda-version");
}

function wanted(knowledge: Knowledge): string {
  const cuda = cudaOf(knowledge);
  return typeof cuda === "string" ? ` of CUDA ${cuda}` : " of torch's CUDA version";
}

function ofEnvironment(knowledge: Knowledge): readonly string[] {
  const cuda = cudaOf(knowledge);
  return typeof cuda === "string" ? [`torch ${torchOf(knowledge) ?? ""} is built with CUDA ${cuda}.`] : [];
}

/** A torch without CUDA never looks for nvcc (torch/utils/cpp_extension.py: CUDA_HOME is None then), so the variable may well be set. */
function withoutHome(knowledge: Knowledge): Explanation {
  const cuda = cudaOf(knowledge);
  const isCpuBuild = cuda === null || isNear(knowledge.log, 0, 0, 4000, /\btorch[=-]+\d[\w.]*\+cpu\b/);
  if (isCpuBuild) {
    return verdict("torch-cpu-only", cuda === null ? "certain" : "likely", "CUDA code is to be compiled for a torch that is built without CUDA.", [`torch ${torchOf(knowledge) ?? "with the label +cpu"} has no CUDA, and then torch.utils.cpp_extension looks for no toolkit: the message comes even where CUDA_HOME is set.`], {
      fixes: ["Install a torch with CUDA in the environment that builds, or build the CPU part only (many projects take FORCE_CUDA=0 or the like)."],
      needs: cuda === null ? [] : ["Whether torch has CUDA: `python -c \"import torch; print(torch.version.cuda)\"`."],
    });
  }
  return verdict("cuda-home-missing", "likely", "torch found no CUDA toolkit to compile with.", [
    "It looks at CUDA_HOME, CUDA_PATH, nvcc on PATH and /usr/local/cuda. The CUDA libraries that pip installs with torch are no toolkit: they hold no nvcc.",
    ...(typeof cuda === "string" ? ofEnvironment(knowledge) : ["A torch built without CUDA says the same, whatever CUDA_HOME is."]),
  ], {
    fixes: [`Install a CUDA toolkit${wanted(knowledge)} and set CUDA_HOME to it; in a container take an image with "devel" in its tag; with conda install cuda-nvcc and cuda-cudart-dev.`, "Install a wheel of the project that was built for this torch, where there is one: it needs no toolkit."],
    needs: typeof cuda === "string" ? ["What CUDA_HOME and `which nvcc` say where it is built."] : ["Whether torch has CUDA: `python -c \"import torch; print(torch.version.cuda)\"`, or `--against` the environment that built."],
  });
}
