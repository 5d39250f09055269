import { torchLibraryStem } from "../../../../catalogue/index.ts";
import { cudaLibrary, isToolkitLibrary } from "../../../../fit/cudaLibraries.ts";
import { fileName, inside } from "../../symbols/words.ts";
import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import { explainCudaLibrary, explainDriver } from "./cudaLibraries.ts";
import { seenLibrary, withFit } from "./seen.ts";
import { explainTorchLibrary } from "./torchLibraries.ts";

/** A library that the loader or linker did not find. */
export interface LibraryError {
  /** As printed: "libcudart.so.12", "@rpath/libc10.dylib", "c10.lib", "/p/x.so". */
  readonly library: string;
  /** The file that needs it, where the text names it. */
  readonly file?: string | undefined;
  readonly when: "load" | "link";
  readonly system: "linux" | "macos" | "windows";
  /** A program of its own failed to start, not a file that Python loads. */
  readonly isProgram?: boolean;
  /** It came up while torch itself was imported. */
  readonly byTorch?: boolean;
  /** ldd said it, which looks at a file without any process. */
  readonly byLdd?: boolean;
}

/** Libraries that are in every process that has imported torch, wherever they lie. */
export function isLoadedByTorch(name: string): boolean {
  return torchLibraryStem(name) !== undefined || (isToolkitLibrary(name) && cudaLibrary(name)?.isDriver !== true);
}

/** What it means that a library is not found. */
export function explainMissingLibrary(error: LibraryError, knowledge: Knowledge): Explanation {
  const name = sonameOf(error);
  return withFit(ofKind(name, error, knowledge), error.file, knowledge, seenLibrary(name));
}

function ofKind(name: string, error: LibraryError, knowledge: Knowledge): Explanation {
  if (error.byLdd === true && isLoadedByTorch(name)) return onlyByLdd();
  if (isOfLibc.test(name)) return otherLibc(name, error.file);
  if (error.when === "link" && ofToolkit.test(name)) return explainCudaLibrary(name, error, knowledge);
  const cuda = cudaLibrary(name);
  if (cuda?.isDriver === true) return explainDriver(name, error);
  if (torchLibraryStem(name) !== undefined) return explainTorchLibrary(name, error, knowledge);
  if (cuda !== undefined || isToolkitLibrary(name)) return explainCudaLibrary(name, error, knowledge);
  if (/^libpython\d/.test(name)) return pythonLibrary(name, error, knowledge);
  return otherLibrary(name, error, knowledge);
}

/** The name as Linux spells it, by which the tables know it: "libc10.so" of "libc10.dylib", "c10.lib" and "-lc10". */
function sonameOf({ library, system }: LibraryError): string {
  const base = baseName(library);
  if (system === "linux") return base;
  const plain = base.replace(/\.(?:dylib|dll|lib|tbd)$/i, "");
  return `${plain.startsWith("lib") ? plain : `lib${plain}`}.so`;
}

/** Static and device libraries of the toolkit, which only links name. */
const ofToolkit = /^lib(?:cudart_static|cudadevrt|culibos|nvToolsExt|(?:cublas|cublasLt|cufft|curand|cusolver|cusparse|nvrtc|cudnn|nccl|npp\w*)_static)\.so/;

function onlyByLdd(): Explanation {
  return verdict("harmless", "possible", "ldd does not find libraries of torch or CUDA, which is usual for extensions of torch and no error by itself.", ["ldd looks at the file alone; in a process that has imported torch they are loaded already, and a file that asks for them by these names gets those."], {
    needs: ["What the import itself says, with torch imported first; or `abiding fits FILE --against ENV`, which takes torch's libraries into account."],
  });
}

/** The C libraries of Linux: a file for one does not load beside the other. */
const isOfLibc = /^ld-linux[\w-]*\.so|^libc\.musl-|^ld-musl-/;

/** A file for glibc where there is musl, or the other way around. */
export function otherLibc(name: string, file: string | undefined): Explanation {
  const isForMusl = name.includes("musl");
  return verdict("wrong-architecture", "certain", `${fileName(file)} was built for ${isForMusl ? "musl (Alpine)" : "glibc"}, and this Linux has ${isForMusl ? "glibc" : "musl (Alpine)"}.`, [`${name} belongs to ${isForMusl ? "musl" : "glibc"}.`, "torch publishes wheels for glibc only (manylinux)."], {
    fixes: [isForMusl ? "Take or build the file for glibc." : "Use an image with glibc (debian, ubuntu, python:3-slim) instead of Alpine; layers that imitate glibc (gcompat) are not enough for torch."],
  });
}

function pythonLibrary(name: string, error: LibraryError, { environment }: Knowledge): Explanation {
  const version = /^libpython(\d)\.?(\d+)/.exec(name)?.slice(1, 3).join(".") ?? "3";
  const who = fileName(error.file);
  const theirs = environment?.body.facts.find((one) => one.trait === "python-version")?.value;
  return verdict("python-abi", error.when === "link" ? "likely" : "certain", error.when === "link" ? `The linker does not find the library of Python ${version}.` : `${who} is linked against ${name}, the library of Python ${version}, which is not found.`, error.when === "link"
      ? ["Headers and interpreter can be there without the library: distributions keep it in a -dev package, and many Pythons are built without a shared one."]
      : [`A module of Python finds CPython's functions in the interpreter that imports it, and needs no libpython; one that is linked against ${name} loads in Python ${version} with a shared library only.`, ...(typeof theirs === "string" && !theirs.startsWith(`${version}.`) ? [`The environment has Python ${theirs}.`] : [])], {
    fixes: error.when === "link"
      ? [`Link extension modules without libpython (CMake: Python3_add_library, or Python3::Module instead of Python3::Python). A program that embeds Python needs python${version}-dev or a Python built with --enable-shared.`]
      : [`Build it for the Python that imports it, without linking libpython (CMake: Python3::Module instead of Python3::Python).`, `Or run it in a Python ${version} whose folder of libraries is on the search path.`],
    needs: error.when === "link" ? ["Where that Python keeps its library: `python3-config --ldflags --embed`, or Python3_LIBRARIES in CMakeCache.txt."] : [],
  });
}

/** Libraries that people meet beside torch, and what brings them. */
const brings: readonly (readonly [RegExp, string])[] = [
  [/^libGL\.so\.1$/, "OpenGL's library, which OpenCV wants: install the distribution's libgl1, or opencv-python-headless instead of opencv-python."],
  [/^libgomp\.so\.1$/, "GCC's OpenMP library: install the distribution's libgomp1 (libgomp on RHEL)."],
  [/^lib(?:avutil|avcodec|avformat|avdevice|avfilter|swscale|swresample)\./, "a library of FFmpeg, in the major version that the file was built for: install an FFmpeg of that version (conda-forge has several), with shared libraries."],
  [/^libmkl_/, "a library of Intel's MKL: install mkl in the environment, in the version that the file was built with."],
  [/^lib(?:openblas|blas|lapack|cblas)/, "a library of linear algebra: install the distribution's or the environment's openblas."],
  [/^libmpi/, "a library of MPI: load the module of the MPI that it was built with, or install that MPI."],
  [/^lib(?:stdc\+\+|gcc_s)\.so/, "GCC's run-time library: install the distribution's libstdc++6 (libstdc++ on RHEL and Alpine)."],
  [/^lib(?:amdhip64|hsa-runtime64|amd_comgr|MIOpen|rccl|hip(?:blas|blaslt|fft|rand|rtc|solver|sparse)|roc(?:blas|fft|rand|solver|sparse|m_smi64))\./, "a library of AMD's ROCm: torch's wheels for ROCm bring their own, so import torch first; without such a torch install the ROCm that the file was built with. The number behind .so is ROCm's major version."],
  [/^lib(?:sycl|ur_loader|ur_adapter_level_zero|pi_level_zero|ze_loader)\./, "a library of Intel's oneAPI: torch for XPU installs intel-sycl-rt, so import torch first; libze_loader comes with the driver (level-zero)."],
  [/^libsox\.so/, "the library of SoX: install the distribution's libsox."],
];

function otherLibrary(name: string, error: LibraryError, knowledge: Knowledge): Explanation {
  const { environment } = knowledge;
  const { library, when, system } = error;
  const isPath = /[\\/]/.test(library) && !library.startsWith("@");
  const looksOwn = isPath && (error.file === undefined || error.file === library);
  if (when === "load" && looksOwn && system === "linux") return namedByPath(library, knowledge);
  const who = error.file === undefined ? "What was loaded" : fileName(error.file);
  const known = brings.find(([pattern]) => pattern.test(name))?.[1];
  const shown = system === "linux" ? name : baseName(library);
  const cached = when === "load" && system === "linux" ? environment?.machine?.cached(name, undefined) : undefined;
  if (when === "link") {
    return verdict("library-missing", "certain", `The linker does not find ${shown}.`, [`It is not in the folders that the linker searches (-L, and its defaults)${known === undefined ? "" : `; it is ${known.split(":")[0] ?? ""}`}.`, "This is no matter of ABI or versions."], {
      fixes: [known === undefined ? `Install the package that has ${shown} for development, or give its folder with -L (CMake: target_link_directories, or link the full path that find_library returns).` : `It is ${known}`],
    });
  }
  return verdict("library-missing", "certain", `${who} needs ${shown}, which the loader does not find.`, [
    ...(error.file === undefined ? ["The loader names the library that is missing and not the file that needs it: `ldd FILE` shows which file asks."] : []),
    ...(cached === undefined ? [] : [`This machine has ${cached}; where the text comes from here, the file may be for another kind of machine or the search path may differ.`]),
    "No version or ABI disagrees: a library is absent, or not where the loader looks.",
  ], {
    fixes: [
      ...(known === undefined ? [] : [`It is ${known}`]),
      `If it belongs to the same project, build the file with an RPATH that leads to it (${system === "macos" ? "-Wl,-rpath,@loader_path" : "-Wl,-rpath,'$ORIGIN'"}), or load it first.`,
      ...(known === undefined ? ["Otherwise install the package that brings it, in the version whose name this is."] : []),
    ],
    needs: error.file === undefined ? ["Which file needs it: `ldd FILE | grep 'not found'`, or `abiding fits FILE --against ENV`."] : [],
  });
}

/** glibc says the same of a file that is not there and of one for another kind of processor (open_verify in elf/dl-load.c skips it). */
function namedByPath(library: string, { environment }: Knowledge): Explanation {
  const name = baseName(library);
  const [theirs, ours] = [environment?.machine?.open(library)?.machine, environment?.torchLibraries[0]?.machine];
  if (theirs !== undefined && ours !== undefined && theirs !== ours) {
    return verdict("wrong-architecture", "certain", `${name} is there, and it is for another kind of processor.`, ["The loader skips an ELF file for another machine and then says that there is no such file.", `${library} was read: its machine (e_machine) is ${theirs}, and that of torch's libraries ${ours}.`], {
      fixes: ["Build it for the processor that loads it, or take the wheel for that machine (x86_64, aarch64)."],
    });
  }
  return verdict("library-missing", "likely", `The loader does not find ${name} at the path that it was given, or finds it for another kind of processor.`, [
    "Of a file that was given by its path, the loader says \"No such file or directory\" where it is absent, and also where it is an ELF file for another processor, which it skips.",
    ...(theirs === undefined || ours === undefined ? [] : ["It is there now, for this processor: it was built since, or the text is of another machine."]),
  ], {
    fixes: ["Build the file, or correct the path: a build folder that was removed, another module suffix, a link that leads nowhere.", `If it is there, build ${inside(name)} for this processor.`],
    needs: [`Whether the file is there and for this machine: \`file ${library}\`, \`uname -m\`.`],
  });
}
