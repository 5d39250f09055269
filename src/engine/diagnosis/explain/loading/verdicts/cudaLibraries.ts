import { torchName } from "../../../../fit/classify.ts";
import { cudaLibrary, distributionOf, isToolkitLibrary } from "../../../../fit/cudaLibraries.ts";
import { torchCudaMajor } from "../../../../fit/dependencies.ts";
import measured from "../../../../../../data/nvidia-libraries.json" with { type: "json" };
import { valueOf } from "../../../../model/index.ts";
import { fileName } from "../../symbols/words.ts";
import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import type { LibraryError } from "./libraries.ts";

const neverLink = "Do not link or rename a library of another CUDA major to this name: the functions behind the names differ.";

/** A library of the NVIDIA driver that is not found. */
export function explainDriver(name: string, error: LibraryError): Explanation {
  const stem = name.replace(/\.so.*$/, "").replace(/^lib/, "");
  if (error.when === "link") {
    return verdict("library-missing", "certain", `The linker does not find ${baseName(error.library)}, a library of the NVIDIA driver.`, ["Machines without a GPU have no driver; the CUDA toolkit brings stubs to link against, in lib64/stubs."], {
      fixes: [`Add the toolkit's stubs to the search path: -L"$CUDA_HOME/lib64/stubs" -l${stem} (CMake: link CUDA::cuda_driver). At run time the driver's own library is taken.`],
    });
  }
  return verdict("no-driver", "certain", `There is no NVIDIA driver where this runs: ${name} comes with the driver and is not found.`, [`${name} is installed with the kernel driver and is in no wheel and no CUDA toolkit.`, "This is no disagreement of versions."], {
    fixes: [
      "Run it where the driver is: on the machine with the GPU, in a container started with --gpus all (NVIDIA Container Toolkit), in a job that asks for a GPU.",
      "Where there is a GPU, install its driver from the distribution or NVIDIA.",
      "Where it must load without a GPU, do not link the driver: ask for its functions at run time (cudaGetDriverEntryPoint).",
    ],
    needs: ["Whether a driver is there: `nvidia-smi`, `ldconfig -p | grep libcuda.so`."],
  });
}

/** A library of the CUDA toolkit, cuDNN, NCCL and their like that is not found. `name` is spelled as on Linux. */
export function explainCudaLibrary(name: string, error: LibraryError, knowledge: Knowledge): Explanation {
  const shown = error.system === "linux" ? name : baseName(error.library);
  if (error.when === "link") return atLink(shown);
  const { environment } = knowledge;
  const who = error.file === undefined ? (error.byTorch === true ? "torch" : "The extension") : fileName(error.file);
  const majors = majorsOf(name);
  const whose = majors.length === 0 ? "" : ` of CUDA ${majors.join(" or ")}`;
  const torch = environment === undefined ? undefined : torchCudaMajor(environment);
  if (error.byTorch === true) return ofTorchItself(name, whose, knowledge);
  if (environment !== undefined && torch === null) {
    return verdict("cuda-runtime-missing", "certain", `${who} needs ${shown}${whose}, and ${torchName(environment)} is built without CUDA and brings none.`, [`The file was built with CUDA; the CUDA libraries come with torch's wheels for CUDA, and this torch is for the CPU.`], {
      fixes: [majors.length === 1 ? `Install a torch for CUDA ${majors[0]}, in the version that the extension was built with; or build the extension for the CPU.` : "Install a torch with CUDA in the version that the extension was built with; or build the extension for the CPU.", neverLink],
    });
  }
  if (environment !== undefined && torch !== undefined && torch !== null && majors.length > 0 && !majors.includes(torch)) {
    return verdict("cuda-runtime-missing", "certain", `${who} was built with CUDA ${majors.join(" or ")}, and ${torchName(environment)} is built with CUDA ${valueOf(environment.body.facts, "cuda-version") ?? torch}: ${shown} is not there.`, [`${shown} is the name under which CUDA ${majors.join(" or ")} has this library; torch brings those of CUDA ${torch}.`, "The two majors do not replace each other."], {
      fixes: [`Take the build of the extension for CUDA ${torch} (its index or the cu${torch} in its wheel's name), or build it with a CUDA ${torch} toolkit.`, `Or install the torch for CUDA ${majors.join(" or ")}, ${torchIndex(majors, knowledge)}.`, neverLink],
    });
  }
  return notFound({ name, shown, who, whose, majors }, knowledge);
}

interface Wanted {
  readonly name: string;
  readonly shown: string;
  readonly who: string;
  readonly whose: string;
  readonly majors: readonly number[];
}

/** The majors agree, or one side is not known. */
function notFound({ name, shown, who, whose, majors }: Wanted, knowledge: Knowledge): Explanation {
  const { environment } = knowledge;
  const place = environment?.liesIn?.(name);
  const brought = distributionOf(name, environment === undefined ? undefined : torchCudaMajor(environment) ?? undefined) ?? measuredIn(name);
  if (environment !== undefined && environment.liesIn === undefined) {
    return verdict("cuda-runtime-missing", "likely", `${who} needs ${shown}${whose}, which ${torchName(environment)} loads when it is imported: the extension was loaded before torch, or torch's CUDA packages are not installed.`, [`Both are for the same CUDA${brought === undefined ? "" : `, and ${brought}, which torch requires, brings ${shown}`}.`], {
      fixes: ["Import torch before the extension.", ...(brought === undefined ? [] : [`Make sure that ${brought} is installed (pip check).`]), neverLink],
      needs: ["Whether it is there: `abiding explain --against` with the environment's folder reads it."],
    });
  }
  if (environment !== undefined && torchCudaMajor(environment) !== undefined) {
    return verdict("cuda-runtime-missing", place === undefined ? "likely" : "certain", place === undefined ? `${who} needs ${shown}${whose}, which the environment does not have.` : `${who} needs ${shown}${whose}, which is in the environment and not where the loader looks.`, [place === undefined ? `${torchName(environment)} has the same CUDA major, and does not bring ${shown} itself.` : `It lies in ${place.slice(0, place.lastIndexOf("/"))}; torch loads it by its path when it is imported.`], {
      fixes: [...(place === undefined ? [] : ["Import torch before the extension: its CUDA libraries are in the process then."]), ...(brought === undefined || place !== undefined ? [] : [`Install ${brought}, which brings it.`]), neverLink],
      copy: place === undefined && brought !== undefined ? `pip install ${brought}` : undefined,
    });
  }
  const cudnn8 = /^libcudnn\w*\.so\.8/.test(name);
  return verdict("cuda-runtime-missing", "likely", majors.length > 0 ? `${who} was built with CUDA ${majors.join(" or ")}, and ${shown} is not found: the torch that is installed has another CUDA, or none.` : `${who} needs ${shown}, which is not found.`, [
    majors.length > 0 ? `${shown} is the name of this library in CUDA ${majors.join(" and ")}; torch's wheels bring the libraries of their own CUDA only (torch 2.11 and later from PyPI: CUDA 13).` : cudnn8 ? "cuDNN 8 came with torch until 2.3; later ones bring cuDNN 9." : `It is a library of NVIDIA${brought === undefined ? "" : `, which ${brought} brings`}.`,
    "Torch loads its CUDA libraries when it is imported: where torch has the right CUDA, an extension that is imported before torch fails in the same way.",
  ], {
    fixes: [
      majors.length > 0 ? `Take the build of the extension that was made for the CUDA of your torch, or build it with that toolkit; or install the torch for CUDA ${majors.join(" or ")} (${torchIndex(majors, knowledge)}).` : "Take the build of the extension that was made for your torch, or build it against your torch.",
      "If the majors agree: import torch first.",
      neverLink,
    ],
    needs: ["The CUDA of the torch: `python -c 'import torch; print(torch.version.cuda)'`; with `abiding explain --against ENV` it is read from the files."],
  });
}

function ofTorchItself(name: string, whose: string, knowledge: Knowledge): Explanation {
  const { environment } = knowledge;
  const brought = distributionOf(name, environment === undefined ? undefined : torchCudaMajor(environment) ?? undefined) ?? measuredIn(name);
  return verdict("cuda-runtime-missing", "certain", `torch itself does not find ${name}${whose}, a library that it is installed with.`, ["It came up while torch was imported; no extension is at fault.", ...(brought === undefined ? [] : [`${brought} brings it, and torch's wheel requires that package: it is missing, was removed or is damaged.`])], {
    fixes: [brought === undefined ? "Install torch again in a fresh environment, with its dependencies (without --no-deps)." : `Install the version of ${brought} that this torch requires (pip check names what is missing), or torch again in a fresh environment without --no-deps.`, "A torch that is not from PyPI or its own index (Jetson, a container, a distribution) takes it from the system's CUDA: install the CUDA that it was built for, and let the container see it.", neverLink],
    copy: "pip check",
  });
}

function atLink(shown: string): Explanation {
  const stem = shown.replace(/^-l|^lib|\.(?:so|lib|dylib|a).*$/g, "");
  return verdict("library-missing", "certain", `The linker does not find ${shown} of CUDA.`, ["The toolkit's folder of libraries is not among those that the linker searches, or the toolkit was installed without this library (many images and conda packages bring the runtime only).", ...(stem === "nvToolsExt" ? ["CUDA 13 has no libnvToolsExt any more: NVTX is headers only (its third version), and builds for older CUDA still ask for the library."] : [])], {
    fixes: [`Give the linker the toolkit's folder: -L"$CUDA_HOME/lib64" (conda: $CONDA_PREFIX/lib), or in CMake find_package(CUDAToolkit) and link CUDA::${stem}.`, "If the folder has no such file, install that component of the toolkit (its -dev package)."],
    needs: ["Where it is: `ls \"$CUDA_HOME\"/lib64 | grep " + stem + "`."],
  });
}

/** CUDA majors whose toolkit has a library under that name. */
function majorsOf(name: string): readonly number[] {
  // Up to CUDA 10.0 all sonames, and up to 10.2 the run time's, had the toolkit's minor version too: libcufft.so.10.0.
  const early = /\.so\.([6-9]|10)\.\d$/.exec(name)?.[1];
  if (early !== undefined && isToolkitLibrary(name) && !/^lib(?:cudnn|nccl)/.test(name)) return [Number(early)];
  const known = cudaLibrary(name)?.majors ?? [];
  const exact = /^libcudart\.so\.(\d+)/.exec(name)?.[1];
  return known.length > 0 || exact === undefined ? known : [Number(exact)];
}

/** The newest index of torch's wheels for one of the majors. */
function torchIndex(majors: readonly number[], { catalogue }: Knowledge): string {
  const labels = catalogue.torchReleases.flatMap((release) => release.variants.map((one) => one.label)).filter((label) => majors.some((major) => label.startsWith(`cu${major}`)));
  return `from an index such as https://download.pytorch.org/whl/${labels.at(-1) ?? `cu${majors[0] ?? ""}0`}, in your version of torch`;
}

/** The distribution that was seen to bring a library of exactly that name. */
function measuredIn(name: string): string | undefined {
  return measured.libraries.find((one) => one.soname === name)?.distribution;
}
