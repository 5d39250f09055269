import owners from "../../../../../data/symbol-owners.json" with { type: "json" };
import stableAbi from "../../../../../data/cpython-stable-abi.json" with { type: "json" };
import { readMangled } from "../../../binaries/mangling/index.ts";
import { deviceOfShim, homeOfCudaSymbol, shimVersion } from "../../../fit/index.ts";
import { stringAbiOfText } from "./demangled.ts";
import { askFits, askTorch } from "./matter.ts";
import type { Judgement, Matter } from "./matter.ts";
import { demangledOf, fileName, inside, shown, torches } from "./words.ts";

/** Functions of torch's stable ABI. */
export function stableShim(matter: Matter): Judgement {
  const { error, life, knowledge: { history, environment }, file } = matter;
  const guarded = shimVersion(error.symbol, environment?.stableShims);
  const since = life.either[0] ?? guarded?.since;
  const source = life.either.length > 0 ? history.source : guarded?.source;
  const device = deviceOfShim(error.symbol);
  if (since === undefined) {
    return {
      cause: "stable-shim", confidence: "possible",
      headline: `${file} needs ${shown(error.symbol)}, which is named like a function of torch's stable ABI and is in no recorded release.`,
      because: [`Recorded are torch ${history.releases[0] ?? ""} to ${history.releases.at(-1) ?? ""} (${history.source}): it is of a newer one, or the file's own, whose source was left out of the build.`],
      needs: [askTorch, "Which torch it was built with, and whether one of its own sources defines it."],
    };
  }
  const releases = `It is a function of torch's stable ABI that official wheels have since torch ${since} (${source ?? ""}).`;
  const newEnough = life.either.length === 0 ? `torch ${since} or newer` : torches(life.either, history.releases);
  const tooOld: Pick<Judgement, "headline" | "fixes"> = {
    headline: `${file} needs ${newEnough}: ${shown(error.symbol)} is in its stable ABI since then, and the torch that loads it is older.`,
    fixes: [`Use ${newEnough}, or a build of ${inside(file)} for the torch that is there.`, "Or build it for the oldest torch that must do: -DTORCH_TARGET_VERSION=0x0209000000000000 for 2.9, in all its sources."],
  };
  if (device === undefined) {
    return { cause: "stable-shim", confidence: "likely", ...tooOld, because: [releases, "Whether its C++ parts fit is no question here: such a function has no std::string and no overload."], needs: [askTorch] };
  }
  const isNew = history.releases.indexOf(since) > history.releases.length - 8;
  const home = `libtorch_${device}`;
  const own = `It lives in ${home}: a torch that is built without ${device.toUpperCase()} does not have it, and a file that is not linked with -ltorch_${device} does not find it.`;
  return isNew
    ? { cause: "stable-shim", confidence: "possible", ...tooOld, because: [releases, own], needs: [askTorch, `Whether that torch is built with ${device.toUpperCase()}.`] }
    : {
      cause: "torch-cpu-only", confidence: "possible",
      headline: `${file} needs ${shown(error.symbol)}, which only a torch built with ${device.toUpperCase()} has.`,
      because: [releases, own],
      fixes: [`Use a torch that is built with ${device.toUpperCase()}.`, `If it is, link the file with -ltorch_${device} (CUDAExtension, or \${TORCH_LIBRARIES}).`],
      needs: ["Whether torch is built with CUDA: python -c \"import torch; print(torch.__version__, torch.version.cuda)\"."],
    };
}

const stableSince = new Map((stableAbi.releases as readonly { readonly since: string; readonly names: readonly string[] }[]).flatMap(({ since, names }) => names.map((name) => [name, since] as const)));

/** Names of CPython. */
export function ofPython(matter: Matter): Judgement {
  const { error, file } = matter;
  if (error.symbol.startsWith("PyInit_")) {
    return ownSymbol(matter, undefined);
  }
  const since = stableSince.get(error.symbol);
  const isInAll = since !== undefined && Number(since.split(".")[1]) <= 8;
  if (error.when === "link" || isInAll) {
    return {
      cause: "library-not-linked", confidence: error.when === "link" ? "likely" : "possible", about: "Python",
      headline: error.when === "link" ? `${shown(error.symbol)} belongs to Python, whose library ${inside(file)} is not linked with.` : `${file} was loaded into a process without Python: ${shown(error.symbol)} is in every Python 3.`,
      because: [
        ...(since === undefined ? [] : [`CPython has it since ${since} (${stableAbi.source}).`]),
        error.when === "link" ? "A module that Python imports leaves such names open; a program, and a link with -Wl,-z,defs or --no-undefined, cannot." : "A program without an interpreter, or one whose libpython was opened with RTLD_LOCAL, does not offer it to what it loads.",
      ],
      fixes: error.when === "link" ? ["For a module: link Python::Module (CMake) or nothing, and leave -Wl,--no-undefined out.", "For a program: link Python::Python."] : ["Load it from Python, or link the program with libpython."],
      needs: ["Whether it is a module of Python or a program."],
    };
  }
  const isMacro = since === undefined && /^_?Py[A-Za-z]+_(?:[A-Z]+_)*[A-Z]+$/.test(error.symbol);
  const isPrivate = error.symbol.startsWith("_");
  return {
    cause: "python-abi", confidence: "likely",
    headline: isMacro
      ? `${file} calls ${shown(error.symbol)} as a function, which Python's headers have as a macro or not at all: it was compiled without its declaration.`
      : `${file} was built for another Python: the one that loads it does not have ${shown(error.symbol)}.`,
    because: [
      ...(since === undefined ? [] : [`CPython has it since ${since} (${stableAbi.source}).`]),
      ...(isMacro ? ["With Py_LIMITED_API such macros are not declared, and C before C23 takes an undeclared name for a function."] : []),
      ...(isPrivate ? ["The name is private to CPython, which changes such names with every release."] : []),
      ...(/\.abi3\./.test(error.file ?? "") ? ["The suffix .abi3 promises that it keeps to Python's limited API, and it does not."] : []),
      "This is neither torch's version nor the std::string ABI.",
    ],
    fixes: isMacro ? ["Use the function of the limited API (PyList_GetItem, PyTuple_GetItem, PyUnicode_GetLength), and compile with -Werror=implicit-function-declaration."] : ["Rebuild it with the Python that loads it, or take the wheel for that Python."],
    needs: ["Which Python loads it (python -V), and which one it was built for: the suffix of its file name says so."],
  };
}

/** Functions of CUDA and of its libraries. */
export function ofCuda(matter: Matter): Judgement {
  const { error, file } = matter;
  const home = homeOfCudaSymbol(error.symbol) ?? (/nvJitLink/.test(error.symbol) ? "libnvJitLink" : error.from?.replace(/\.so.*$/, "") ?? "the CUDA library");
  const isSibling = error.from?.startsWith("libcudnn") === true;
  const newer = newerOwner(error.symbol);
  if (error.when === "load" && (error.from !== undefined || isOfVendor(error.file) || newer !== undefined)) {
    const innocent = isOfVendor(error.file) ? [`${file} belongs to torch or to NVIDIA and comes with the ${home} that it needs: an extension has no part in this.`] : [];
    return {
      cause: "cuda-library-skew", confidence: "likely",
      headline: isSibling ? `${file} needs the ${home} of its own version of cuDNN, and another was loaded, which lacks what it asks for.` : `${file} needs a newer ${home} than the one that was loaded: that one lacks ${shown(error.symbol)}.`,
      because: [
        ...(newer === undefined ? [] : [`${newer.of} has it since ${newer.since} (${newer.source}).`]),
        ...innocent,
        `Another copy of ${home} comes first: from LD_LIBRARY_PATH, from a CUDA toolkit or MPI of the system, from a package that was imported earlier, or from a second nvidia-* distribution in the same environment.`,
      ],
      fixes: ["Unset LD_LIBRARY_PATH, or take the folder with that copy out of it.", "Import torch before what brings the other copy (cupy, cudf, mpi4py).", `See whether two distributions of ${home} are installed (pip list | grep nvidia) and uninstall the one for the other CUDA.`],
      needs: [`Which copy is loaded: LD_DEBUG=libs python -c "import torch" 2>&1 | grep ${home}.`],
    };
  }
  if (/^__cudaRegisterLinkedBinary_|^__fatbinwrap_/.test(error.symbol)) {
    return {
      cause: "own-symbol", confidence: "likely",
      headline: `${file} was not device-linked: ${shown(error.symbol)} comes from nvcc's device link of sources compiled with -rdc=true.`,
      because: ["Relocatable device code leaves a name for every object, which only nvcc -dlink defines."],
      fixes: ["CMake: set CUDA_RESOLVE_DEVICE_SYMBOLS ON for the target. setuptools: CUDAExtension with dlink=True. Or compile without -rdc=true."],
      needs: ["The commands of the build: whether nvcc is run with -dlink before the link, on all objects that were compiled with -rdc=true."],
    };
  }
  return {
    cause: "library-not-linked", confidence: "likely", about: home,
    headline: `${file} uses ${shown(error.symbol)} of ${home} and is not linked with it.`,
    because: [
      ...(home === "libcuda" ? ["libcuda.so.1 belongs to the NVIDIA driver; torch does not offer it to extensions."] : ["Torch has loaded it for itself, which does not help: what Python loads is not global."]),
      "This is no matter of torch's version or of _GLIBCXX_USE_CXX11_ABI.",
    ],
    fixes: [`Link it with ${home.startsWith("lib") ? `-l${home.slice(3)}` : "its library"}${targetOf(home)}.`],
    needs: [error.when === "load" ? askFits(matter) : `Whether the link line names ${home}, after the objects that need it.`],
  };
}

function targetOf(home: string): string {
  return /^lib(?:cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|nvrtc|nvJitLink|cupti)$/.test(home) ? ` (CMake: CUDA::${home.slice(3)}${home === "libcudart" ? ", which CUDAExtension links by itself" : ""})` : home === "libcuda" ? " (CMake: CUDA::cuda_driver)" : "";
}

/** Libraries that torch and NVIDIA made. */
function isOfVendor(file: string | undefined): boolean {
  return file !== undefined && /^lib(?:torch|c10|cu|nv|nccl)[\w-]*\.so/.test(fileName(file));
}

/** Names of libstdc++. */
export function ofLibstdcxx(matter: Matter): Judgement {
  const { error, file, name } = matter;
  const demangled = demangledOf(error);
  const newer = newerOwner(demangled.replace(/^(std::\w+\(\)).*$/, "$1"));
  const isOfLibrary = error.when === "link" && (/\.(?:so|dylib)/.test(error.file ?? "") || /@/.test(error.symbol) || error.version !== undefined);
  if (error.when === "link" && !isOfLibrary && newer === undefined) {
    return {
      cause: "library-not-linked", confidence: "likely", about: "libstdc++",
      headline: `${name} is in libstdc++, which the link does not name.`,
      because: ["g++ links libstdc++ by itself, gcc, ld and nvcc with another host compiler do not."],
      fixes: ["Link with g++ (or add -lstdc++), with the compiler that compiled the objects."],
      needs: ["Whether the link is run by g++ and not by gcc or ld."],
    };
  }
  return {
    cause: "libstdcxx-too-old", confidence: "likely",
    headline: `${file} needs a newer libstdc++ than the one that ${error.when === "link" ? "the linker" : "the process"} has: that one lacks ${name}.`,
    because: [...(newer === undefined ? [] : [`GCC ${newer.since} brought it (${newer.source}).`]), error.when === "link" ? "It was compiled by a newer GCC than the one that links." : "It was compiled by a newer GCC than the libstdc++.so.6 that was loaded first belongs to: in a conda environment its own, else the system's."],
    fixes: error.when === "link" ? ["Link with the GCC that compiled it, or a newer one."] : ["Update the libstdc++ of the environment (conda install -c conda-forge libstdcxx-ng), or build with the environment's compiler."],
    needs: [error.when === "link" ? "Which GCC compiled it (readelf -p .comment), and which one links (g++ --version)." : "Which libstdc++.so.6 is loaded: LD_DEBUG=libs, or grep libstdc++ /proc/PID/maps."],
  };
}

interface Newer { readonly names: RegExp; readonly library: string; readonly since: string; readonly of: string; readonly source: string }
const newerNames: readonly Newer[] = owners.newer.map((one) => ({ ...one, names: new RegExp(one.names) }));
interface Owner { readonly names: RegExp; readonly library: string; readonly link?: string; readonly fix?: string }
const libraries: readonly Owner[] = owners.libraries.map((one) => ({ ...one, names: new RegExp(one.names) }));

function newerOwner(name: string): Newer | undefined {
  return newerNames.find((one) => one.names.test(name));
}

/** A name that is neither torch's nor of the run times: the project's own, or of another library that it uses. */
export function ofOthers(matter: Matter): Judgement {
  const demangled = demangledOf(matter.error);
  const { error, file, name } = matter;
  const newer = newerOwner(demangled);
  if (newer?.of === "glibc") {
    return {
      cause: "glibc-too-old", confidence: "likely",
      headline: `${file} was compiled on a newer system: ${name} is in glibc since ${newer.since}.`,
      because: [`${newer.source}. glibc belongs to the distribution and cannot be updated by pip or conda.`],
      fixes: ["Build it on this system or an older one (a manylinux image), or take an older wheel of it."],
      needs: ["Which glibc is here: ldd --version."],
    };
  }
  if (/std::__1::/.test(demangled) || readMangled(error.symbol)?.libcxx === true) {
    return error.system === "macos" ? ownOrLibrary(matter, demangled) : {
      cause: "other-library-symbol", confidence: "likely",
      headline: `${file} was compiled with libc++ (clang -stdlib=libc++), whose std::__1 nothing here has.`,
      because: [`${name} is spelled with std::__1; torch for Linux is built with libstdc++, and the two do not mix.`],
      fixes: ["Compile it without -stdlib=libc++."],
      needs: ["The compiler's command line: whether it has -stdlib=libc++, or another clang's C++ headers."],
    };
  }
  return ownOrLibrary(matter, demangled);
}

function ownerOf(demangled: string): Owner | undefined {
  return libraries.find((one) => one.names.test(demangled.replace(/^(?:vtable|typeinfo) for /, "")));
}

function ownOrLibrary(matter: Matter, demangled: string): Judgement {
  const { error, file, name } = matter;
  const library = ownerOf(demangled);
  const abi = stringAbiOf(error.symbol, error.isDemangled);
  if (library !== undefined && error.when === "link" && abi === 0) {
    const other = ofOtherString(matter, library);
    if (other !== undefined) {
      return other;
    }
  }
  if (library !== undefined) {
    return {
      cause: "other-library-symbol", confidence: "likely", about: library.library,
      headline: `${name} belongs to ${library.library}, ${error.when === "link" ? `which ${inside(file)} is not linked with` : "and the one that was loaded does not have it, or none was"}.`,
      because: ["It is no name of torch.", ...(abi === undefined ? [] : [`It is asked for with ${abi === 1 ? "std::__cxx11::string" : "the old std::string"}: one that is built with the other _GLIBCXX_USE_CXX11_ABI would not have it either.`])],
      fixes: [library.fix ?? `Link ${library.link ?? library.library}.`],
      needs: [`Whether what is linked or loaded of it is of the version whose headers it was compiled with.`],
    };
  }
  return ownSymbol(matter, abi);
}

function stringAbiOf(symbol: string, isDemangled: boolean): 0 | 1 | "both" | undefined {
  return isDemangled ? stringAbiOfText(symbol) : readMangled(symbol)?.stringAbi;
}

/**
 * A library of a distribution, all of whose names that the link lacks are asked for with the old std::string: find_package(Torch)
 * of a libtorch with ABI 0 puts the macro into every target that links it, and distributions build with 1. Undefined where others are lacking too.
 */
function ofOtherString({ knowledge, evidence, file, name }: Matter, { library }: Owner): Judgement | undefined {
  const lacking = new Set(knowledge.clues.flatMap(({ subject: { symbol } }) => (symbol !== undefined && ownerOf(demangledOf(printed(symbol)))?.library === library ? [symbol] : [])));
  const isAll = [...lacking].every((symbol) => stringAbiOf(symbol, printed(symbol).isDemangled) === 0);
  const { isOldString, speaksOfTorch } = evidence;
  if (!isAll && !isOldString) {
    return undefined;
  }
  return {
    cause: "libstdcxx-abi", about: library,
    confidence: isOldString || speaksOfTorch || lacking.size > 1 ? "likely" : "possible",
    headline: speaksOfTorch && !isOldString
      ? `Linking a libtorch of the old std::string made ${inside(file)} ask ${library} for it too: ${library} is built with _GLIBCXX_USE_CXX11_ABI=1.`
      : `${file} was compiled with _GLIBCXX_USE_CXX11_ABI=0, and ${library} is built with 1.`,
    because: [
      lacking.size > 1 && isAll ? `All ${lacking.size} names of ${library} that the link lacks are asked for with the old std::string: ${name}.` : `${name} is asked for with the old std::string.`,
      ...(isOldString ? ["The text shows -D_GLIBCXX_USE_CXX11_ABI=0 on a command line."] : []),
      "find_package(Torch) of a libtorch of the old std::string adds -D_GLIBCXX_USE_CXX11_ABI=0 to what links it; distributions build their libraries with 1.",
    ],
    fixes: ["Use a libtorch of the new std::string: the archive libtorch-cxx11-abi-shared-with-deps, or a torch of 2.7 or newer.", "If no libtorch is linked, delete a _GLIBCXX_USE_CXX11_ABI of your own."],
    needs: [
      "Which libtorch is linked: abiding inspect lib/libc10.so shows its ABI.",
      ...(lacking.size > 1 || isOldString ? [] : [`Whether ${library} is on the link line, and has the name in the other std::string: nm -DC on it.`]),
    ],
  };
}

/** What a clue names, as linkers of Linux print it. */
function printed(symbol: string): { readonly symbol: string; readonly isDemangled: boolean } {
  return { symbol, isDemangled: /[\s(]|::/.test(symbol) };
}

const device = /cuda|gpu|_kernel|launch|hip|cutlass|fp4|fp8|sm\d\d/i;

function ownSymbol(matter: Matter, abi: 0 | 1 | "both" | undefined): Judgement {
  const { error, file, name } = matter;
  const demangled = demangledOf(error);
  if (demangled === "main") {
    return {
      cause: "own-symbol", confidence: "likely",
      headline: "A program was linked, and none of its sources has a main.",
      because: ["Either a library was linked as a program, or the source with main was left out."],
      fixes: ["Link a library with -shared (CMake: add_library(NAME SHARED …) or MODULE), or add the source with main."],
      needs: ["Which of the two it is to be, a program or a library."],
    };
  }
  const isDevice = device.test(demangled);
  const isCpp = error.isDemangled ? /[(:]/.test(error.symbol) : /^(?:_Z|\?)/.test(error.symbol);
  return {
    cause: "own-symbol", confidence: isCpp && !error.isCut ? "likely" : "possible",
    headline: `${file} needs ${name}, which belongs to no known library: a source that defines it was not compiled into it, or a library is missing on its link line.`,
    because: [
      "It is no name of torch, CUDA, Python or the C++ run time.",
      ...(/\b(?:at|c10|torch)::/.test(demangled) ? ["Only its parameters are torch's; the function itself is not."] : []),
      ...(isDevice ? ["Its name suggests a CUDA source: without CUDA at build time (no nvcc, CppExtension in the place of CUDAExtension, an architecture left out) such sources are left out."] : []),
      abi === 0 || abi === 1
        ? `It is asked for with ${abi === 1 ? "std::__cxx11::string" : "the old std::string"}: should a library of the same project define it, that one may have been compiled with the other _GLIBCXX_USE_CXX11_ABI.`
        : "This is no ABI mismatch.",
    ],
    fixes: [`Add the source that defines it to the sources of the target${isDevice ? ", and see that the build finds nvcc (CUDA_HOME) and uses CUDAExtension" : ""}; compare its declaration with its definition (parameters, extern \"C\", namespace).`],
    needs: [
      error.when === "link" ? "Whether a source of the target, or a library on its link line, defines it: nm -C on the objects, nm -DC on the libraries." : `Whether a source of the project defines it and was compiled into ${inside(file)}: the log of its build names the sources.`,
      ...(isCpp ? [] : ["Whose it is: a C name may also belong to a library that is not linked."]),
    ],
  };
}
