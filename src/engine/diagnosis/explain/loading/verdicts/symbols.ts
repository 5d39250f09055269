import { homeOfCudaSymbol, cudaLibrary } from "../../../../fit/cudaLibraries.ts";
import { familyOf } from "../../../../binaries/mangling/index.ts";
import { plainStem } from "../../../../fit/secondLibtorch.ts";
import { explainSymbol } from "../../symbols/index.ts";
import type { SymbolError } from "../../symbols/index.ts";
import { demangledOf, fileName, inside } from "../../symbols/words.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import { baseName, explanation } from "../words.ts";
import { explainPythonSymbol } from "./python.ts";
import { seenSymbol, withFit } from "./seen.ts";
import { explainVersion, versionOfName } from "./versions.ts";

/** What it means that nobody provides a symbol: of CUDA's, Python's and the system's libraries here, of torch and of the project where its symbols are known. */
export function explainMissingSymbol(error: SymbolError, knowledge: Knowledge): Explanation {
  const own = ofKnownLibrary(error, knowledge);
  if (own === undefined) return explainSymbol(error, knowledge);
  return own.fit !== undefined ? own : withFit(own, error.when === "load" ? error.file : undefined, knowledge, seenSymbol(error.symbol));
}

function ofKnownLibrary(error: SymbolError, knowledge: Knowledge): Explanation | undefined {
  const { symbol, version, from, file, when } = error;
  if (version !== undefined && /^(?:GLIBCXX|CXXABI|GLIBC)_/.test(version)) {
    return explainVersion({ version, file, when, symbol, library: from !== undefined && from !== version ? from : undefined }, knowledge);
  }
  const special = ofToolchain(error);
  if (special !== undefined) return special;
  const since = versionOfName(symbol);
  if (since !== undefined) return explainVersion({ version: since, file, when, symbol }, knowledge);
  const family = familyOf(symbol);
  if (family === "python") return explainPythonSymbol(error, knowledge);
  if (symbol.startsWith("iJIT_")) return mkl(error);
  const home = (from === undefined ? undefined : cudaLibrary(from)?.stem) ?? homeOfCudaSymbol(symbol);
  if (home !== undefined && (family === "cuda" || from !== undefined)) return ofCuda(error, home, knowledge);
  if (version !== undefined && family === "own-or-other") return explainVersion({ version, library: from ?? version, file, when, symbol }, knowledge);
  return family === "libstdcxx" && when === "load" ? ofLibstdcxx(error) : undefined;
}

interface Flag {
  readonly names: RegExp;
  readonly flag: string;
  readonly what: string;
}

/** Names that a flag of the compiler or linker brings. */
const flags: readonly Flag[] = [
  { names: /^(?:GOMP_|omp_get_|omp_set_|omp_in_)/, flag: "-fopenmp", what: "OpenMP" },
  { names: /^pthread_/, flag: "-pthread", what: "POSIX threads" },
  { names: /^dl(?:open|sym|close|error)$/, flag: "-ldl", what: "the loader's interface" },
  { names: /^__atomic_/, flag: "-latomic", what: "GCC's atomics" },
  { names: /^shm_(?:open|unlink)$/, flag: "-lrt", what: "POSIX real-time functions" },
];

/** What is missing because of how the build calls its tools. */
function ofToolchain({ symbol, when, file }: SymbolError): Explanation | undefined {
  const who = fileName(file);
  const symbols = [{ symbol, demangled: symbol }];
  if (/^(?:__cudaRegisterLinkedBinary|__fatbinwrap)_/.test(symbol)) {
    return explanation("own-symbol", "certain", `${who} holds GPU code that was compiled to be linked for the device, and that link was never made.`, {
      because: [`${symbol.slice(0, 60)} is written by the device link (nvcc -dlink) for objects that were compiled with -rdc=true.`, "torch's version has no part in it."],
      fixes: ["Let the build make the device link: in CMake CUDA_RESOLVE_DEVICE_SYMBOLS ON for the library that is linked by a C++ linker; in setup.py CUDAExtension(..., dlink=True) with -rdc=true among nvcc's arguments.", "Or compile without -rdc=true (CUDA_SEPARABLE_COMPILATION OFF) where no device function is called across files."],
      symbols,
    });
  }
  if (when === "link" && /^(?:main|WinMain)$/.test(symbol)) {
    return explanation("link-failed", "certain", "A program was linked, and there is no main: a library was probably meant.", { because: ["The start-up code of programs calls main."], fixes: ["Link with -shared (CMake: add_library(... MODULE or SHARED) instead of add_executable), or name the source that has main."], symbols });
  }
  const found = flags.find(({ names }) => names.test(symbol));
  return found === undefined ? undefined : explanation("library-not-linked", when === "link" ? "certain" : "likely", `${who} uses ${symbol} of ${found.what} and was linked without it.`, { because: ["This is no ABI mismatch."], fixes: [`Compile and link with ${found.flag}.`], copy: found.flag, symbols });
}

/** The MKL that torch of the conda channel pytorch was linked with; later ones left the function out. */
function mkl(error: SymbolError): Explanation {
  return explanation("other-library-symbol", "likely", `${fileName(error.file)} needs ${error.symbol} of Intel's MKL, and the MKL that is installed is another release without it.`, {
    because: [`${error.symbol} is a function that MKL exported until 2024.0; torch's conda packages up to 2.2 take it from there.`, "torch and its extensions are not at fault, and rebuilding them changes nothing."],
    fixes: ["Hold MKL back in that environment: conda install \"mkl<2024.1\".", "Or use torch from pip or conda-forge, in a fresh environment."],
    copy: 'conda install "mkl<2024.1"',
    symbols: [{ symbol: error.symbol, demangled: error.symbol }],
  });
}

function ofLibstdcxx(error: SymbolError): Explanation {
  const demangled = demangledOf(error);
  const who = fileName(error.file);
  return explanation("libstdcxx-too-old", "likely", `${who} needs \`${demangled.slice(0, 120)}\` of libstdc++, which the libstdc++ that is loaded does not have.`, {
    because: ["It is a name of the C++ run time and not of torch: the file was compiled with a newer GCC than the libstdc++ that comes first, or linked without libstdc++ (by gcc or ld instead of g++)."],
    fixes: ["Bring a newer libstdc++ into the environment (conda-forge's libstdcxx-ng), or take what is older off the search path.", `Or build ${inside(who)} with the environment's own compiler.`],
    needs: ["Which libstdc++ is loaded, and what it has: `ldd FILE | grep stdc++`, or `abiding fits FILE --against ENV`."],
    symbols: [{ symbol: error.symbol, demangled }],
  });
}

/** What first came with which release, where a file that misses it tells how old the library is. */
const cameWith: Readonly<Record<string, string>> = { ncclCommSplit: "NCCL 2.18", ncclCommRegister: "NCCL 2.19", ncclMemFree: "NCCL 2.19", ncclMemAlloc: "NCCL 2.19", cudaGetDriverEntryPointByVersion: "CUDA 12.5" };

function ofCuda(error: SymbolError, home: string, knowledge: Knowledge): Explanation {
  const { symbol, file, when } = error;
  const who = fileName(file);
  const library = baseName(error.from ?? home);
  const name = home.replace(/^lib/, "");
  const symbols = [{ symbol, demangled: symbol }];
  if (when === "link") {
    return explanation("library-not-linked", "certain", `${symbol} is a function of ${home}, which is not on the link line.`, {
      because: ["The linker says what it lacks; this is no ABI mismatch, and torch does not link it for you."],
      fixes: [home === "libcuda" ? 'Link the driver\'s stub: -L"$CUDA_HOME/lib64/stubs" -lcuda (CMake: CUDA::cuda_driver).' : `Link it: -l${name} with -L"$CUDA_HOME/lib64" (CMake: find_package(CUDAToolkit) and CUDA::${name}; setup.py: libraries=["${name}"]).`],
      copy: home === "libcuda" ? "-lcuda" : `-l${name}`,
      symbols,
    });
  }
  const since = /^_*nvJitLink\w*_(\d+)_(\d+)$/.exec(symbol);
  const minimum = since !== null ? `CUDA ${since[1]}.${since[2]}` : cameWith[symbol];
  const needsVersion = error.version !== undefined || since !== null;
  const isInnocent = file !== undefined && (plainStem(file) !== undefined || cudaLibrary(baseName(file)) !== undefined);
  if (isInnocent || needsVersion || (minimum !== undefined && knowledge.environment === undefined)) {
    const wanted = minimum === undefined ? "a newer one" : `the one of ${minimum} or later`;
    return explanation("cuda-library-skew", isInnocent && needsVersion ? "certain" : "likely", `An older ${library} is loaded before the one that ${inside(who)} belongs to: it has no ${symbol}.`, {
      because: [
        isInnocent ? `${who} is a library of ${plainStem(file) === undefined ? "NVIDIA" : "torch"} and was built with ${wanted}.` : `${who} was built with ${wanted}.`,
        ...(minimum === undefined ? [] : [`${symbol} came with ${minimum}.`]),
        "Of two libraries of one name the first that is found serves the process: a folder of CUDA in LD_LIBRARY_PATH, the system's copy, one that another package loaded before torch, or two wheels that write the same file.",
        ...(isInnocent ? ["No extension is at fault, and nothing has to be rebuilt."] : []),
      ],
      fixes: [
        "Start Python with LD_LIBRARY_PATH unset; take CUDA's lib64 out of the shell's start-up files.",
        "Import torch before the packages that bring their own CUDA libraries (cupy, tensorflow, jax).",
        `Look for two packages of it: pip list | grep -i ${home === "libnccl" ? "nccl" : "nvidia"}; remove the one that is not of torch's CUDA, and install the other again.`,
      ],
      copy: "env -u LD_LIBRARY_PATH python -c 'import torch'",
      needs: [`Which copy is loaded: LD_DEBUG=libs python -c 'import torch' 2>&1 | grep ${library}.`],
      symbols,
    });
  }
  return notLinked(error, home, minimum, knowledge);
}

/** An extension that needs a CUDA function: its library is not linked, or the one that is found is older. */
function notLinked(error: SymbolError, home: string, minimum: string | undefined, { environment }: Knowledge): Explanation {
  const { symbol, file } = error;
  const who = fileName(file);
  const name = home.replace(/^lib/, "");
  const installed = [...(environment?.preloaded ?? []), ...(environment?.torchLibraries ?? [])].find((one) => cudaLibrary(one.soname ?? one.path)?.stem === home);
  const has = installed?.defines(symbol);
  if (installed !== undefined && has === false) {
    return explanation("cuda-library-skew", "certain", `${who} was built with a newer ${home} than the environment has: ${baseName(installed.path)} has no ${symbol}.`, {
      because: [`${installed.path} does not export it${minimum === undefined ? "" : `; it came with ${minimum}`}.`],
      fixes: ["Build it with the CUDA toolkit of the version that torch was built with, or take the build for that CUDA.", "Or install a torch for the newer CUDA."],
      symbols: [{ symbol, demangled: symbol }],
    });
  }
  const isDriver = home === "libcuda" || home === "libnvidia-ml";
  return explanation("library-not-linked", installed === undefined ? "likely" : "certain", `${who} uses ${symbol} of ${home} and does not load that library.`, {
    because: [
      `${symbol} is a function of ${home}${installed === undefined ? "" : `, and ${installed.path} has it`}; nothing that the file loads exports it. This is no ABI mismatch.`,
      ...(isDriver ? [`${home} comes with the NVIDIA driver; torch asks for its functions at run time and does not load it for others.`] : ["torch loads that library for itself only: what an extension uses it must name."]),
      ...(minimum === undefined || installed !== undefined ? [] : [`Where the file does load ${home}, the copy that is found is older than ${minimum}.`]),
    ],
    fixes: [isDriver ? `Link it: -l${name}, with -L"$CUDA_HOME/lib64/stubs" (CMake: CUDA::cuda_driver), and build the file again.` : `Link it and build the file again: -l${name} (CMake: CUDA::${name}; setup.py: libraries=["${name}"]).`],
    copy: `-l${name}`,
    needs: installed === undefined && file !== undefined ? [`Whether the file names ${home}: \`readelf -d ${file} | grep NEEDED\`, or \`abiding fits ${file} --against ENV\`.`] : [],
    symbols: [{ symbol, demangled: symbol }],
  });
}
