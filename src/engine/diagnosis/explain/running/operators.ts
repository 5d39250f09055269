/** Operators that torch's dispatcher does not have, or not for a backend (torch/_ops.py; aten/src/ATen/core/dispatch/Dispatcher.cpp, OperatorEntry.cpp). */
import { localLabel, valueOf } from "../../../model/index.ts";
import { exceptionAt } from "../exceptionAt.ts";
import { isBetweenReleases } from "../symbols/words.ts";
import { clueOf, textAt, verdict } from "../reading.ts";
import type { Explanation, Knowledge } from "../types.ts";
import { recogniserOf } from "./sayings.ts";
import type { Saying } from "./sayings.ts";
import { companionFor, installedVersion, minorOf, torchesFor, torchOf, versionOf } from "./torchBuilds.ts";

/** Namespaces that belong to a distribution of another name; most are named like it. */
const distributions: Readonly<Record<string, string>> = {
  torchvision: "torchvision", image: "torchvision", video_reader: "torchvision", torchaudio: "torchaudio", torchtext: "torchtext", fbgemm: "fbgemm-gpu",
  torch_scatter: "torch-scatter", torch_sparse: "torch-sparse", torch_cluster: "torch-cluster", torch_spline_conv: "torch-spline-conv", pyg: "pyg-lib",
  xformers: "xformers", xformers_flash: "xformers", flash_attn: "flash-attn", _C: "vllm", _moe_C: "vllm", sgl_kernel: "sgl-kernel", torchao: "torchao", torchcodec_ns: "torchcodec",
};

/** Released for one torch each. */
type Companion = "torchvision" | "torchaudio" | "torchtext";

function isCompanion(name: string | undefined): name is Companion {
  return name === "torchvision" || name === "torchaudio" || name === "torchtext";
}

/** Namespaces of torch itself: an operator that is not there belongs to another torch. */
const ofTorch = /^(?:aten|prim|prims|profiler|quantized|onednn|mkldnn|mkl|inductor|c10d|c10d_functional|_c10d_functional|symm_mem|sparse|rngprims|debugprims|higher_order|streams|bundled)$/;

const operatorMissing: Saying = {
  pattern: /(?:operator |No such operator |[Cc]ould not find schema for |Unknown builtin op: |Couldn't find an operator for )(?<space>\w+)::(?<name>\w+)(?:\.\w+)?(?= does not exist|[.,;'"`]|\s*$)|'_OpNamespace' '(?<space2>\w+)' object has no attribute '(?<name2>\w+)'/,
  read(said) {
    const { space, name, space2, name2 } = said.match.groups ?? {};
    const [namespace, operator] = [space ?? space2 ?? "", name ?? name2 ?? ""];
    const distribution = distributions[namespace];
    const isRegistering = exceptionAt(said.log, said.at)?.frames.some((frame) => /register_fake|impl_abstract/.test(frame.code ?? "")) === true;
    return clueOf(said, (knowledge) => missingOperator(namespace, operator, isRegistering, knowledge), {
      words: said.match[0] + (space !== undefined && said.text.startsWith(" does not exist", said.match[0].length) ? " does not exist" : ""),
      // What registers the operators failed before, and mostly quietly.
      weight: "consequence",
      subject: { symbol: `${namespace}::${operator}`, module: namespace, ...(distribution === undefined ? {} : { package: distribution }) },
    });
  },
};

function missingOperator(namespace: string, operator: string, isRegistering: boolean, knowledge: Knowledge): Explanation {
  const qualified = `${namespace}::${operator}`;
  if (ofTorch.test(namespace)) {
    const torch = torchOf(knowledge);
    return verdict("operator-missing", "likely", `${torch === undefined ? "The torch that ran" : `torch ${torch}`} has no operator ${qualified}.`, [
      `${namespace} is a namespace of torch itself, so the caller was written, exported or built for a torch of another version.`,
    ], {
      fixes: ["Use the torch that the caller asks for, or the version of the caller that belongs to this torch.", "A model that was exported: export it again with the torch that runs it."],
      needs: [torch === undefined ? "Which torch: pip show torch" : "Which torch the caller was written for."],
    });
  }
  const name = distributions[namespace];
  if (isCompanion(name)) return companionOperator(name, qualified, knowledge);
  const whose = name ?? `whatever registers the namespace "${namespace}"`;
  const version = name === undefined ? undefined : installedVersion(knowledge, name);
  return verdict("extension-not-loaded", "likely", `The operator ${qualified} is not registered: the library with it was not loaded, or has no such operator.`, [
    `Operators come into being when their library is loaded. ${name === undefined ? "The extension" : `${name}${version === undefined ? "" : ` ${version}`}`} either failed to load, and somebody caught that error, or was not imported, or is of a version that has another set of operators.`,
    isRegistering ? "It came up while Python code described the operator (register_fake): the Python part is there and the compiled part is not." : undefined,
    "This line itself is no ABI error: the first error, before it or swallowed, tells the cause.",
  ], {
    fixes: [`Import ${whose} before the call and look at its own error; rebuild it against the torch that runs if it does not load.`],
    needs: [`The error of loading it: python -c "import torch; torch.ops.load_library('FILE.so')", or abiding fits FILE --against ENV`, ...(name === undefined ? ["Which file registers the namespace."] : [])],
  });
}

/** torchvision, torchaudio: released for one torch, and their error of loading is caught. */
function companionOperator(name: Companion, what: string, knowledge: Knowledge): Explanation {
  const torch = versionOf(knowledge, "torch");
  const version = versionOf(knowledge, name);
  const right = torch === undefined ? undefined : companionFor(knowledge.catalogue, name, torch);
  if (torch !== undefined && right !== undefined && version !== undefined && minorOf(version) !== minorOf(right.version)) {
    const belongs = torchesFor(knowledge.catalogue, name, version).map((one) => one.version);
    return verdict("package-pair", "certain", `${name} ${version} was not released for torch ${torch}, so its operators did not load: ${what}.`, [
      `${name} ${right.version} belongs to torch ${torch}${belongs.length === 0 ? "" : `; ${name} ${version} belongs to torch ${belongs.at(-1) ?? ""}`}.`,
      `${name} catches the error of its own library, so the operator is the first thing that is missed.`,
    ], { fixes: [`Install the pair from one index in one command: ${right.line}`], copy: right.line });
  }
  if (torch !== undefined && isBetweenReleases(torch)) return besideOwnBuild(name, what, torch);
  const isPair = torch !== undefined && right !== undefined && version !== undefined;
  return verdict("package-pair", isPair ? "possible" : "likely", isPair ? `${name}'s operators are not there, although ${name} ${version} belongs to torch ${torch}: ${what}.` : `${name} and torch are not a pair, so ${name}'s operators did not load: ${what}.`, [
    `${name}'s compiled library is built for one release of torch; it catches the error of loading it, and the operators are missing afterwards.`,
    isPair ? "So the library itself failed: one is a CPU build and the other for CUDA, they come from different channels (pip, conda), or a library that it needs is missing." : undefined,
    "Flags of the compiler cannot help.",
  ], {
    fixes: [right === undefined ? `Install torch and the ${name} that belongs to it from one index in one command.` : `Install the pair from one index in one command: ${right.line}`],
    ...(right === undefined || isPair ? {} : { copy: right.line }),
    needs: [
      ...(isPair ? [] : [`The versions: pip list | grep -E "^torch"`]),
      name === "torchvision" ? "The swallowed error: TORCHVISION_WARN_WHEN_EXTENSION_LOADING_FAILS=1" : `The swallowed error: abiding fits FILE --against ENV for ${name}'s libraries`,
    ],
  });
}

/** Beside torch of NVIDIA's containers and JetPack, a nightly or a build of one's own: what indexes have was built for releases, and brings such a release in its place. */
function besideOwnBuild(name: Companion, what: string, torch: string): Explanation {
  return verdict("package-pair", "likely", `${name} was not built for torch ${torch}, so its operators did not load: ${what}.`, [
    `torch ${torch} is no official release, and the wheels of ${name} on PyPI and download.pytorch.org are built for those.`,
    `${name} catches the error of its own library, so the operator is the first thing that is missed.`,
  ], {
    fixes: [
      `Take the ${name} that came with this torch (NVIDIA's container or JetPack index, the nightly index of the same day), or build it from source against it: pip install --no-build-isolation --no-deps with the tag of that release.`,
      `Do not install torch and ${name} from PyPI over it: that replaces this torch by another build.`,
    ],
    needs: [name === "torchvision" ? "The swallowed error: TORCHVISION_WARN_WHEN_EXTENSION_LOADING_FAILS=1" : `The swallowed error: abiding fits FILE --against ENV for ${name}'s libraries`],
  });
}

/** torchvision/extension.py, `_assert_has_ops`. */
const customOps: Saying = {
  pattern: /Couldn't load (?:custom C\+\+ ops\.(?= This can happen if your PyTorch and torchvision|\s*$)|the image extension\. If you built torchvision)/,
  read(said) {
    // Some releases print both versions: "... PyTorch version 2.1.0 torchvision version 0.15.2".
    const [, torch, vision] = /PyTorch [Vv]ersion[: ]+(\d[\w.+]*)[\s\S]{0,80}?torchvision [Vv]ersion[: ]+(\d[\w.+]*)/.exec(said.text) ?? [];
    return clueOf(said, (knowledge) => (torch === undefined || vision === undefined
      ? companionOperator("torchvision", "\"Couldn't load custom C++ ops\"", knowledge)
      : pairInText("torchvision", vision, torch, knowledge)), { words: said.match[0], weight: "consequence", subject: { package: "torchvision", module: "torchvision" } });
  },
};

/** A pair whose versions the text names. */
function pairInText(name: Companion, version: string, torch: string, knowledge: Knowledge): Explanation {
  if (isBetweenReleases(torch)) return besideOwnBuild(name, `"Couldn't load custom C++ ops"`, torch);
  const right = companionFor(knowledge.catalogue, name, torch);
  const belongs = torchesFor(knowledge.catalogue, name, version).at(-1)?.version;
  const isPair = right !== undefined && minorOf(right.version) === minorOf(version);
  return verdict("package-pair", isPair ? "possible" : "certain", isPair ? `${name} ${version} belongs to torch ${torch}, and yet its library did not load.` : `${name} ${version} was not released for torch ${torch}.`, [
    right === undefined ? undefined : `${name} ${right.version} belongs to torch ${torch}.`,
    belongs === undefined || isPair ? undefined : `${name} ${version} belongs to torch ${belongs}.`,
    isPair ? "One may be a CPU build and the other for CUDA, or from another channel." : "Its compiled part is built for one release of torch and does not load with another.",
  ], {
    fixes: right === undefined ? [`Install torch and the ${name} that belongs to it from one index in one command.`] : [`Install the pair from one index in one command: ${right.line}`],
    ...(right === undefined || isPair ? {} : { copy: right.line }),
    needs: isPair ? ["The swallowed error: TORCHVISION_WARN_WHEN_EXTENSION_LOADING_FAILS=1"] : [],
  });
}

/** OperatorEntry.cpp, `reportError`. */
const otherBackend: Saying = {
  pattern: /Could not run '(?<space>\w+)::(?<name>[\w.]+)' with arguments from the '(?<backend>\w+)' backend\./,
  read(said) {
    const { space = "", name = "", backend = "" } = said.match.groups ?? {};
    const list = /is only available for these backends: \[([^\]]{0,2000})\]/.exec(said.text)?.[1]?.split(", ") ?? [];
    const registered = [...list.filter((one) => /^(?:CPU|CUDA|HIP|XPU|MPS|Meta|QuantizedCPU|QuantizedCUDA|CompositeExplicitAutograd|CompositeImplicitAutograd|PrivateUse1)$/.test(one))];
    return clueOf(said, (knowledge) => explainBackend(`${space}::${name}`, space, backend, registered, knowledge), {
      words: said.match[0], last: lastOfBackends(said.log, said.at), subject: { symbol: `${space}::${name}`, module: space, ...(distributions[space] === undefined ? {} : { package: distributions[space] }) },
    });
  },
};

/** torch lists where each key is registered. */
function lastOfBackends(log: Parameters<typeof textAt>[0], at: number): number {
  let last = at;
  for (let next = at + 1; next < Math.min(log.lines.length, at + 60); next += 1) {
    const line = textAt(log, next);
    if (/^\w+: (?:registered|fallthrough registered) at /.test(line)) last = next;
    else if (line.trim() !== "") break;
  }
  return last;
}

function explainBackend(qualified: string, space: string, backend: string, registered: readonly string[], knowledge: Knowledge): Explanation {
  const gpu = backend === "CUDA" || backend === "HIP" || backend === "XPU" || backend === "MPS";
  const known = registered.length === 0 ? undefined : `It is registered for ${registered.join(", ")}.`;
  if (ofTorch.test(space)) {
    return verdict("wrong-arguments", "likely", `torch has ${qualified}, but not for ${backend}.`, [
      known,
      "This is a limit of torch or a tensor of the wrong kind (sparse, quantized, on another device), not an ABI conflict.",
      gpu ? "A torch that is built without that backend has none of its kernels: see torch.version.cuda." : undefined,
    ], { fixes: ["Move the tensors to a device that has the operator, or convert them (dense, dequantized) before the call."], needs: ["Device and layout of the tensors that are passed."] });
  }
  const name = distributions[space] ?? "the extension";
  const torch = torchOf(knowledge);
  const cuda = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "cuda-version");
  const line = torch !== undefined && isCompanion(name) ? companionFor(knowledge.catalogue, name, torch)?.line : undefined;
  return verdict("extension-not-loaded", "likely", `${name === "the extension" ? "The extension" : name} has ${qualified}, but ${gpu ? `its part for ${backend} was not compiled or not loaded` : `not for ${backend} tensors`}.`, [
    known,
    gpu ? `The build for the CPU registers its operators alone: it was built where no ${backend === "CUDA" ? "nvcc, CUDA_HOME or GPU" : "toolkit for it"} was found, or a CPU wheel was installed beside a torch with ${backend}.` : "A tensor of another device was passed than the operator has code for.",
    typeof cuda === "string" && gpu ? `torch ${torch ?? ""} itself is built with CUDA ${cuda}.` : undefined,
    "The C++ ABI agrees: the library was loaded.",
  ], {
    fixes: gpu
      ? [line === undefined ? `Install the ${backend} build of ${name}, from the same index as torch.` : `Install the pair from one index in one command: ${line}`, "If you build it yourself: build where nvcc is found, with FORCE_CUDA=1 if no GPU is there, and see in the log that the .cu files are compiled."]
      : ["Move the tensors to a device for which the operator is registered."],
    needs: [gpu ? "Whether its file holds GPU code: abiding inspect FILE" : "The device of the tensors that are passed."],
    ...(line === undefined ? {} : { copy: line }),
  });
}

/** torch::class_ (torch/_classes.py). */
const customClass: Saying = {
  pattern: /Tried to instantiate class '(?<name>[\w.]+)', but it does not exist! Ensure that it is registered via torch::class_/,
  read(said) {
    const name = said.match.groups?.["name"] ?? "";
    return clueOf(said, () => verdict("extension-not-loaded", "likely", `The class ${name} of TorchScript is not registered: the library with it was not loaded.`, [
      "Custom classes come into being when their library is loaded. It was not imported, or failed to load and somebody caught the error.",
    ], { fixes: ["Load its library first (torch.classes.load_library, or import its package) and look at the error of that."], needs: ["Whether the library loads: abiding fits FILE --against ENV"] }), {
      words: said.match[0], weight: "consequence", subject: { symbol: name, module: name.split(".")[0] ?? name },
    });
  },
};

/** torchvision and torchaudio check CUDA themselves, as do torch_scatter and its kin. */
const otherCuda: Saying = {
  pattern: /Detected that PyTorch and (?<name>[\w-]+) were compiled with different CUDA (?:major )?versions\. PyTorch has CUDA [Vv]ersion[ =]?(?<torch>[\d.]+\d) (?:and|whereas) (?<other>[\w-]+) has CUDA [Vv]ersion[ =]?(?<cuda>[\d.]+\d)/,
  read(said) {
    const { name: printed = "", torch: torchCuda = "", cuda = "" } = said.match.groups ?? {};
    const name = printed.toLowerCase().replaceAll("_", "-");
    return clueOf(said, (knowledge) => {
      const torch = torchOf(knowledge);
      const label = torch === undefined ? undefined : localLabel(torch);
      const isOther = label !== undefined && label !== `cu${torchCuda.replace(".", "")}`;
      const right = torch === undefined || isOther ? undefined : companionFor(knowledge.catalogue, name, torch);
      return verdict("package-pair", "certain", `${printed} was built for CUDA ${cuda}, and torch for CUDA ${torchCuda}.`, [
        `${printed} compares both itself when it is imported. Versions of the same number exist for several CUDA versions.`,
        ...(isOther ? [`It did not run with torch ${torch ?? ""}, which is compared with.`] : []),
      ], {
        fixes: [right === undefined ? `Install ${printed} and torch for the same CUDA, from one index (…/whl/cu${torchCuda.replace(".", "")}).` : `Install the pair from one index in one command: ${right.line}`],
        ...(right === undefined ? {} : { copy: right.line }),
      });
    }, { subject: { package: name } });
  },
};

/** mmcv, detectron2, torchvision and others: the source was compiled without its CUDA part; torchaudio: without a feature. */
const withoutPart: Saying = {
  pattern: /(?:\b\w[\w.]{0,60} is )?\b[Nn]ot compiled with (?<part>GPU|CUDA|cuda) support|(?:\b\w[\w.]{0,60} )?requires (?<feature>[\w-]+) extension, but TorchAudio is not compiled with it/,
  read(said) {
    const { part, feature } = said.match.groups ?? {};
    return clueOf(said, () => verdict("extension-not-loaded", "certain", `The extension was compiled without ${feature ?? "its CUDA part"}.`, [
      "It says so itself: it is loaded, and this part is not in it. Neither its ABI nor torch is at fault.",
      part === undefined ? undefined : "Its build found no nvcc, no CUDA_HOME or no GPU, and compiled for the CPU alone; or a CPU wheel was installed.",
    ], {
      fixes: part === undefined
        ? [`Install a build that has ${feature ?? "it"}, or build it with that support.`]
        : ["Install its wheel for the CUDA and the torch that run, or build it where nvcc is found (CUDA_HOME), with FORCE_CUDA=1 where no GPU is visible, in a clean build folder."],
    }), { words: said.match[0] });
  },
};

/** torchvision/io/image.py up to 0.2x: a warning, with the loader's own text where there is one. */
const imageExtension: Saying = {
  pattern: /Failed to load image Python extension: ?(?<why>.{0,300})/,
  read(said) {
    // A loader's text tells more, and others read it.
    if (/undefined symbol|cannot open|Could not find module|Symbol not found|not found \(required|WinError/.test(said.match.groups?.["why"] ?? "")) return undefined;
    return clueOf(said, () => verdict("extension-not-loaded", "likely", "torchvision's library for reading and writing images did not load; nothing else of it is affected.", [
      "It is a warning. The library is missing, or was built for another torch, or libjpeg or libpng is missing.",
    ], { fixes: ["Ignore it where torchvision.io reads and writes no images; else install the torchvision that belongs to this torch."], needs: ["What the loader says: abiding fits FILE --against ENV for torchvision/image.so"] }), { words: said.match[0], weight: "warning", subject: { package: "torchvision", module: "torchvision.image" } });
  },
};

export const operatorsRecogniser = recogniserOf(
  /operator \w+::\w|No such operator|_OpNamespace|find schema for|Unknown builtin op|find an operator for|Couldn't load (?:custom|the image)|Could not run '|Tried to instantiate class '|were compiled with different CUDA|[Nn]ot compiled with (?:GPU|CUDA|cuda) support|TorchAudio is not compiled|Failed to load image Python/,
  [operatorMissing, customOps, otherBackend, customClass, otherCuda, withoutPart, imageExtension],
);

