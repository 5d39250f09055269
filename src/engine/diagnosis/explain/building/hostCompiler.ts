/** Host compilers that nvcc, torch's checks or torch's headers refuse; compilers that end by themselves. */
import type { CudaToolkit } from "../../../catalogue/index.ts";
import { verdict } from "../reading.ts";
import type { Explanation, Knowledge, Log, Recogniser } from "../types.ts";
import { commandOf } from "./command.ts";
import { isNear, joined, near, printed } from "./reading.ts";

/** crt/host_config.h of the toolkits. */
const unsupportedGnu = printed(/(?:#error|error:) -- unsupported GNU (?:compiler|version)! gcc (?:versions )?(?:later than (\d+)|(?:\d+(?:\.\d+)? and up) |\S+ )/, ({ log, at, match, text }) => {
  const max = Number(match[1] ?? /gcc (\d+)/.exec(text)?.[1] ?? NaN);
  return { words: text.slice(0, 110), explain: (knowledge) => tooNew("gcc", Number.isNaN(max) ? undefined : max, toolkitOf(log, at), knowledge) };
});

const unsupportedClang = printed(/(?:#error|error:) -- unsupported clang version! clang version must be less than (\d+)/, ({ log, at, match, text }) => ({
  words: text.slice(0, 110),
  explain: (knowledge) => tooNew("clang", Number(match[1]) - 1, toolkitOf(log, at), knowledge),
}));

const unsupportedMsvc = printed(/#error\s{0,4}:?\s{0,4}-- unsupported Microsoft Visual Studio version! Only the versions between (\d+) and (\d+)/, ({ match, text }) => ({
  words: text.slice(0, 140),
  explain: () => verdict("host-compiler", "certain", `This CUDA toolkit takes Visual Studio ${match[1] ?? ""} to ${match[2] ?? ""}, and the one found is another.`, ["crt/host_config.h of the toolkit compares _MSC_VER. New updates of Visual Studio can be behind the limit though their year is not."], {
    fixes: [`Build from the "x64 Native Tools" prompt of a Visual Studio ${match[2] ?? ""} toolset, for instance with vcvarsall.bat x64 -vcvars_ver=14.38, or take a newer CUDA toolkit of torch's major version.`],
  }),
}));

/** `_check_cuda_version` in torch/utils/cpp_extension.py. */
const torchBounds = printed(/The current installed version of (\S{1,80}) \(([\d.]+)\) is (less|greater) than the (?:minimum|maximum) required version by CUDA ([\d.]+\d)/, ({ log, at, match }) => {
  const text = joined(log, at, 3);
  const range = /adequate version of \S+ \(([^)]{1,60})\)/.exec(text)?.[1];
  const [, name = "", version = "", direction = "", cuda = ""] = match;
  return {
    words: text.slice(0, 220),
    explain: () => verdict("host-compiler", "certain", `CUDA ${cuda} does not take ${name} ${version}: it is too ${direction === "less" ? "old" : "new"}.`, [`torch.utils.cpp_extension compares the compiler with its own table${range === undefined ? "" : `, which has ${range}`}.`], {
      fixes: compilerFixes(direction === "less" ? `a newer ${name}` : `a ${name} in that range`),
    }),
  };
});

const noBounds = printed(/There are no (\S{1,60}) version bounds defined for CUDA version ([\d.]+\d)/, ({ match }) => ({
  weight: "warning",
  explain: () => verdict("harmless", "certain", `torch's table of compilers has no row for CUDA ${match[2] ?? ""}: nothing was checked, and nothing failed here.`, [`nvcc itself still refuses a ${match[1] ?? "compiler"} that its own header crt/host_config.h does not take.`]),
}));

const mayBeIncompatible = printed(/Your compiler \(([^)]{1,120})\) (?:may be ABI-incompatible with PyTorch|is not compatible with the compiler Pytorch was)/, ({ match }) => ({
  weight: "warning",
  explain: () => {
    const name = (match[1] ?? "").trim();
    const version = Number(/(?:^|[\s+-])(\d+)(?:\.\d+)*$/.exec(name)?.[1] ?? NaN);
    const isOld = /may be/.test(match[0]) && (version < 5 || Number.isNaN(version));
    return verdict("host-compiler", isOld ? "likely" : "possible", isOld ? `The compiler ${name} is older than GCC 5, which torch needs.` : `torch was built with another compiler than ${name}.`, [
      isOld ? "Before GCC 5 there is no second std::string, so nothing that such a compiler makes links with a torch of today; its headers do not compile either." : "torch.utils.cpp_extension knows c++, g++, gcc and clang++ by name; another name, or a wrapper, gets this warning and may well do.",
    ], { needs: ["What `c++ --version` says, and whether anything failed."], fixes: [isOld ? "Build with GCC 11 or newer (CXX=g++-12), for instance of a gcc-toolset or of conda's gxx_linux-64." : "If the build fails later, look at its first error; if it passed, nothing is to do."] });
  },
}));

/** nvcc of CUDA 11 and 12.0 with the pybind11 that torch brought; fixed by CUDA 12.1 and by newer pybind11 (pybind/pybind11#4606). */
const castTemplate = printed(/pybind11[\\/](?:detail[\\/])?\w+\.h[:(]\d+(?::\d+|\))?\s*:? error: expected template-name before ['‘`"]<['’"] token/, ({ text }) => ({
  words: text,
  explain: () => verdict("host-compiler", "likely", "nvcc cannot read pybind11's headers: these two versions do not work with this host compiler.", ["nvcc up to CUDA 12.0 writes out pybind11/cast.h so that a newer gcc refuses it. Your own source is not the reason, nor is torch's ABI."], {
    fixes: ["Compile with CUDA 12.1 or newer of torch's major version, or take the newest gcc that the older toolkit takes minus one (CUDAHOSTCXX, CC, CXX).", "Keep <torch/extension.h> and pybind11 out of .cu files: include <torch/types.h> or <ATen/ATen.h> there, and bind in a .cpp file."],
    needs: ["Which toolkit and compiler: `nvcc --version`, `g++ --version`."],
  }),
}));

/** Headers of a C library or compiler that are newer than nvcc's front end; std_function.h of gcc 11 in nvcc before 11.5 (gcc bug 102268). */
const newerHeaders = printed(/(?:^|\s)[^\s(]{0,200}[\\/](?:include|lib[\\/]gcc)[\\/][^\s(]{0,200}[(:]\d+(?:\)|:\d+)?:? error: (?:identifier "(?:_Float\d+x?|__builtin_\w{1,60}|__(?:is|has|remove|add)_\w{1,60})" is undefined|parameter packs not expanded with)/, ({ text }) => ({
  words: text,
  explain: () => verdict("host-compiler", "likely", "nvcc cannot read headers of this machine's compiler or C library: they are newer than the toolkit knows.", ["The error stands in the system's own headers, not in the project's or torch's; the ABI has no part in it."], {
    fixes: [...compilerFixes("an older gcc that this toolkit takes"), "Or take a newer CUDA toolkit of torch's major version."],
    needs: ["Which toolkit and compiler: `nvcc --version`, `g++ --version`."],
  }),
}));

const noHostCompiler = printed(/nvcc fatal\s*: (?:Failed to preprocess host compiler properties|Cannot find compiler ['"]cl\.exe['"] in PATH|Host compiler targets unsupported OS)|(?:^|\s)(\S{0,200}(?:g\+\+|clang\+\+|gcc|cl)\S{0,12}): No such file or directory$/, ({ log, at, match, text }) => {
  const name = match[1] ?? near(log, at, 3, 0, /(\S{1,200}(?:g\+\+|clang\+\+|gcc)\S{0,12}): No such file or directory/)?.[1];
  const isOfNvcc = match[1] === undefined || isNear(log, at, 0, 2, /nvcc fatal/);
  return !isOfNvcc ? undefined : {
    words: text, subject: name === undefined ? {} : { file: name },
    explain: () => verdict("compiler-missing", "certain", name === undefined ? "nvcc found no host compiler that it can use." : `nvcc is told to use ${name}, which is not there.`, ["nvcc takes the compiler of -ccbin, NVCC_CCBIN, CUDAHOSTCXX or CMAKE_CUDA_HOST_COMPILER, else the first g++ (cl.exe) on PATH."], {
      fixes: ["Install that compiler, or name one that is installed and that the toolkit takes: CUDAHOSTCXX=g++-12."],
    }),
  };
});

/** ninja's 127, or what a shell says, of the command that it printed before; setuptools of a compiler. */
const compilerNotFound = printed(/error: command ['"]([^'"]{1,200}(?:g\+\+|gcc|clang|clang\+\+|c\+\+|nvcc|cl\.exe)\S{0,10})['"] failed: No such file or directory|unable to execute ['"]([^'"]{1,200})['"]: No such file or directory|^FAILED: \[code=127\]|Microsoft Visual C\+\+ 14\.\d or greater is required|Error checking compiler version for (\S{1,80})|No CMAKE_(?:C|CXX)_COMPILER could be found|(?:gcc|cc|clang): (?:fatal )?error: cannot execute ['‘"](cc1plus)['’"]|s?ccache: error: (?:execute_noreturn of|Could not find compiler) ['"]?([^\s'"]{1,200})|^\s*\/bin\/sh: (?:line )?\d+: ([^\s:]{0,200}(?:g\+\+|gcc|clang|c\+\+)[\w.+-]{0,12}): (?:command )?not found/, ({ log, at, match, text }) => {
  const name = match[1] ?? match[2] ?? match[3] ?? match[4] ?? match[5] ?? match[6] ?? commandOf(log, Math.min(at + 1, log.lines.length - 1))?.compiler;
  // The shell says the same below, with the whole path.
  return match[0].startsWith("FAILED") && isNear(log, at, 0, 4, /: (?:command )?not found/) ? undefined : {
    weight: match[3] === undefined ? "cause" : "warning", words: text,
    explain: () => verdict("compiler-missing", "certain", name === undefined ? "There is no C++ compiler where the build looks for one." : `The compiler ${name} cannot be started: it is not there.`, ["The name comes from CXX or CC, or is the system's default. Neither torch nor its ABI has a part in it."], {
      fixes: ["Install a C++ compiler (build-essential, gxx_linux-64 of conda, the Build Tools for Visual Studio), or set CXX to one that is installed.", "Install a wheel of the project that was built for this torch, where there is one: it needs no compiler."],
    }),
  };
});

const killed = printed(/(?:^|[\s:])(?:c\+\+|g\+\+|gcc|clang\+\+|clang|cc1plus)\S{0,8}: (?:fatal error|schwerwiegender Fehler|erreur fatale|error fatal|致命的エラー|致命错误)\s?[:：] .{0,40}(?:Killed|Getötet|Tué|已杀死|強制終了|Terminated).{0,60}cc1plus|nvcc error\s*: ['"](\w{1,20}(?:\+\+)?)['"] died due to signal (?:9|15)|internal compiler error: Killed|virtual memory exhausted: Cannot allocate memory|cc1plus\S{0,8}: out of memory allocating|LLVM ERROR: out of memory|fatal error C1060|fatal error C1002:|\bcicc\b.{0,40}(?:Killed|out of memory)/, ({ text }) => ({
  words: text,
  explain: () => verdict("compiler-crash", "certain", "The machine ran out of memory while it compiled.", ["A compiler ended because the system stopped it or gave it no more memory: each process for CUDA or torch code takes 2 to 8 GB, and ninja starts one for every core. Neither torch nor its ABI has a part in it."], {
    fixes: ["Compile fewer files at once: MAX_JOBS=2 for extensions of torch, -j2 for make and ninja, NVCC_THREADS=1 where the project knows it.", "Ask for fewer GPU architectures (TORCH_CUDA_ARCH_LIST), or add memory or swap; a container's limit counts as well."],
    copy: "export MAX_JOBS=2",
  }),
}));

/** The shell's word for a process that the system stopped, below the command that ninja ran. */
const killedByShell = printed(/^(?:\/bin\/sh: line \d+: +\d+ )?(?:Killed|Getötet|已杀死|強制終了)\s*(?:$|(?=\S*(?:nvcc|\+\+)))/, ({ log, at, text }) => (!isNear(log, at, 3, 0, /^FAILED: .{0,400}\.o(?:bj)?\b/) ? undefined : {
  words: text,
  explain: () => verdict("compiler-crash", "likely", "A compiler was stopped by the system, most likely for want of memory.", ["The shell says that its process was killed; a compiler that fails by itself says why. Neither torch nor its ABI has a part in it."], {
    fixes: ["Compile fewer files at once: MAX_JOBS=2 for extensions of torch, -j2 for make and ninja."],
    copy: "export MAX_JOBS=2",
    needs: ["What stopped it: dmesg | grep -i oom, or the memory limit of the container or job."],
  }),
}));

const crashed = printed(/(?:^|[\s:])(?:internal compiler error|interner Compiler-Fehler|erreur interne du compilateur|编译器内部错误|内部コンパイラエラー)\s?[:：] (?!Killed)|nvcc error\s*: ['"](\w{1,20}(?:\+\+)?)['"] died (?:due to signal (?!9\b|15\b)\d+|with status 0x\w+)|error: (?:assertion failed at: ["']cfe\/|internal error: assertion failed)|PLEASE submit a bug report to https:\/\/(?:github\.com\/llvm|bugs\.llvm)|fatal error C1001:/, ({ log, at, text }) => {
  const command = commandOf(log, at);
  return {
    words: text, subject: command?.source === undefined ? {} : { file: command.source },
    explain: () => verdict("compiler-crash", "certain", `The compiler itself crashed${command?.source === undefined ? "" : ` on ${command.source}`}.`, ["That is a fault of the compiler, often together with a host compiler or headers newer than those it was tested with; the source may be right. The ABI has no part in it."], {
      fixes: ["Try another patch release of the compiler or of the toolkit (same major version as torch's CUDA), or an older host compiler (CUDAHOSTCXX=g++-12).", "Compile the one file alone and without -O3 to see whether it is memory: then MAX_JOBS=1 helps."],
      needs: ["Which versions: `nvcc --version`, `g++ --version`."],
    }),
  };
});

export const hostCompilerRecognisers: readonly Recogniser[] = [unsupportedGnu, unsupportedClang, unsupportedMsvc, torchBounds, noBounds, mayBeIncompatible, castTemplate, newerHeaders, noHostCompiler, compilerNotFound, killed, killedByShell, crashed];

function toolkitOf(log: Log, at: number): string | undefined {
  const found = near(log, at, 6, 0, /cuda-(\d{1,2}\.\d{1,2})[\\/]|CUDA[\\/]v(\d{1,2}\.\d{1,2})[\\/]/);
  return found?.[1] ?? found?.[2];
}

function tooNew(family: "gcc" | "clang", max: number | undefined, named: string | undefined, { catalogue }: Knowledge): Explanation {
  const limit = (one: CudaToolkit): number | undefined => (family === "gcc" ? one.maximumGcc : one.maximumClang);
  const next = max === undefined ? undefined : catalogue.cudaToolkits.find((one) => (limit(one) ?? 0) > max);
  const upTo = max === undefined ? "" : ` takes ${family} up to ${max}`;
  return verdict("host-compiler", "certain", `${named === undefined ? "This CUDA toolkit" : `CUDA ${named}`}${upTo === "" ? ` refuses this ${family}` : upTo}, and the ${family} found is newer.`, ["The toolkit's own header crt/host_config.h says so. It is about the compiler of this machine, not about torch's ABI.", ...(next === undefined ? [] : [`CUDA ${next.version} is the first toolkit that takes ${family} ${limit(next) ?? ""}.`])], {
    fixes: [...compilerFixes(max === undefined ? `an older ${family}` : `${family} ${max} or older`), ...(next === undefined ? [] : [`Or take CUDA ${next.version} or newer, if its major version is torch's.`])],
    ...(family === "gcc" && max !== undefined ? { copy: `export CC=gcc-${max} CXX=g++-${max} CUDAHOSTCXX=g++-${max}` } : {}),
  });
}

function compilerFixes(what: string): readonly string[] {
  return [`Install ${what} beside the other and name it: CC and CXX for extensions of torch, CUDAHOSTCXX or -DCMAKE_CUDA_HOST_COMPILER for CMake, -ccbin for nvcc.`];
}
