/** CMake around Torch: what its own modules, TorchConfig.cmake and Caffe2Config.cmake say. */
import { valueOf } from "../../../model/index.ts";
import { torchOf } from "../running/torchBuilds.ts";
import { verdict } from "../reading.ts";
import type { Said } from "../reading.ts";
import type { Explanation, Knowledge, Recogniser } from "../types.ts";
import { cmakeSaying, packageNotFound } from "./cmakeMessage.ts";
import { isNear } from "./reading.ts";

const noTorch = packageNotFound("Torch|Caffe2|ATen", (name, said) => (knowledge) => torchNotFound(name, said, knowledge));

const otherVersion = cmakeSaying(/Could not find a configuration file for package "(?:Torch|Caffe2)"/, /configuration file for package "(Torch|Caffe2)" that is compatible with requested version ["“]?([\d.]+)/, ({ match, text }) => {
  const found = /version: (\d[\w.+]*)/.exec(text)?.[1];
  return { explain: () => verdict("torch-requirement", "certain", `The project asks find_package for Torch ${match[2] ?? ""}, and CMake found ${found === undefined ? "another version" : `torch ${found}`}.`, ["TorchConfigVersion.cmake takes any version that is not older than the one asked for, unless EXACT is asked."], { fixes: ["Install the torch that the project asks for, or point CMAKE_PREFIX_PATH to it if there are two."] }) };
});

const missingLibtorch = cmakeSaying(/The imported target "(?:torch|c10|caffe2|tensorpipe|shm)/, /The imported target "((?:torch|c10|caffe2|tensorpipe|shm)\w*(?:::\w+)?)" references the file/, ({ match, text }) => {
  const file = /references the file "([^"]{1,400})"/.exec(text)?.[1];
  return { subject: file === undefined ? {} : { file }, explain: () => verdict("torch-not-found", "certain", `torch's CMake files name ${file ?? "a library"}, which is not there.`, [`The target ${match[1] ?? ""} comes from a torch that was moved, is only partly installed, or was found by an old CMakeCache.txt.`], { fixes: ["Configure in an empty build folder with -DCMAKE_PREFIX_PATH of the torch that is meant; install that torch anew if its lib folder lacks the file."] }) };
});

const couldNotFindTorch = cmakeSaying(/Could NOT find Torch /, /Could NOT find Torch \(missing: ([\w ]{1,200})\)/, ({ match }) => ({
  explain: () => verdict("torch-not-found", "certain", "CMake found TorchConfig.cmake, but not the libraries or headers beside it.", [`It misses ${match[1] ?? ""}: the torch is only partly installed, or is the source tree of torch.`], { fixes: ["Point CMAKE_PREFIX_PATH to an installed torch (torch/share/cmake of its package, or an unpacked libtorch), in an empty build folder."] }),
}));

const noCudaForTorch = cmakeSaying(/Your installed Caffe2 version uses CUDA|(?:PyTorch|Caffe2): CUDA (?:was|cannot)/, /Your installed Caffe2 version uses CUDA but I cannot find the CUDA|PyTorch: CUDA was explicitly requested|(?:PyTorch|Caffe2): CUDA cannot be found/, ({ match, said, isWarning }) => ({
  weight: isWarning || /cannot be found\b/.test(match[0]) ? "warning" : "cause",
  explain: (knowledge) => {
    const cuda = cudaOf(knowledge);
    const half = isNear(said.log, said.at, 40, 0, /Could NOT find CUDA \(missing: .{0,120}\(found version/);
    return verdict("cuda-not-found", "certain", `This torch is built with CUDA${typeof cuda === "string" ? ` ${cuda}` : ""}, and CMake finds no whole CUDA toolkit.`, [
      half ? "nvcc was found, its headers and libraries were not: the nvcc on PATH is a link or a wrapper outside of its toolkit." : "find_package(Torch) of a CUDA build needs nvcc, the headers and the libraries of a toolkit, though nothing of the project may use them.",
      "The CUDA libraries that pip installs with torch are not enough for it.",
    ], {
      fixes: [`Install a CUDA toolkit of torch's major version and name it in an empty build folder: -DCUDA_TOOLKIT_ROOT_DIR=/usr/local/cuda -DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc.`, "Or build against a CPU build of the same torch release (its C++ symbols are the same but for CUDA's), if the project uses no CUDA."],
    });
  },
}));

const toolkitTooOld = cmakeSaying(/(?:PyTorch|Caffe2) requires (?:CUDA|cuDNN)/, /PyTorch requires (CUDA|cuDNN) ([\d.]+\d) (?:or|and) above|(?:Caffe2|PyTorch) requires CUDA (?:versions? )?([\d.]+\d) or (?:later|above|newer)/, ({ match }) => ({
  explain: () => verdict("toolkit-mismatch", "certain", `This torch demands ${match[1] ?? "CUDA"} ${match[2] ?? match[3] ?? ""} or newer, and CMake found an older one.`, ["Caffe2/public/cuda.cmake of the torch says so."], { fixes: ["Name a toolkit of torch's own major version: -DCUDA_TOOLKIT_ROOT_DIR=... and -DCMAKE_CUDA_COMPILER=..., in an empty build folder."] }),
}));

const nvtx = cmakeSaying(/CUDA::nvToolsExt\b|Failed to find nvToolsExt/, /CUDA::nvToolsExt\b|Failed to find nvToolsExt/, () => ({
  explain: (knowledge) => verdict("cuda-not-found", "certain", "torch's CMake files look for the old NVTX library, nvToolsExt, which this CUDA toolkit does not have.", ["CUDA 12.9 and 13 no longer bring it, and installations for Windows lacked it before; torch 2.5 and later can use the headers of NVTX 3 instead.", ...(torchOf(knowledge) === undefined ? [] : [`The torch compared with is ${torchOf(knowledge) ?? ""}.`])], { fixes: ["Configure with a toolkit of the version that torch was built with (torch.version.cuda), or take a newer torch."] }),
}));

const harmless = cmakeSaying(/Failed to compute shorthash for|(?:static )?library kineto/, /Failed to compute shorthash for (libnvrtc)|(?:static library |library )(kineto)(?:_LIBRARY-NOTFOUND)? not found/, ({ match }) => ({
  weight: "warning",
  explain: () => (match[1] === undefined
    ? verdict("harmless", "certain", "Nothing is wrong: torch's wheels come without the static library kineto, which only profiling needs.", ["TorchConfig.cmake warns of it in every build against a wheel."])
    : verdict("harmless", "certain", "Nothing is wrong: the short hash of libnvrtc is only used to name a copy of it.", ["It fails where CMake's Python or the library's path is not found; the build goes on without."])),
}));

const ignoredArchitectures = cmakeSaying(/pytorch is not compatible with/, /pytorch is not compatible with `CMAKE_CUDA_ARCHITECTURES`/, () => ({
  weight: "warning",
  explain: () => verdict("harmless", "certain", "torch's CMake files ignore CMAKE_CUDA_ARCHITECTURES: TORCH_CUDA_ARCH_LIST counts.", ["find_package(Torch) sets CMAKE_CUDA_ARCHITECTURES to OFF and adds -gencode flags of its own."], { fixes: ["Set TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\" in the environment or by -D."] }),
}));

const architectures = cmakeSaying(/CMAKE_CUDA_ARCHITECTURES must be|CUDA_ARCHITECTURES is empty for|CMAKE_CUDA_ARCHITECTURES:\s*$|Unknown CUDA Architecture Name/, /CMAKE_CUDA_ARCHITECTURES must be (?:non-empty|valid) if set|CUDA_ARCHITECTURES is empty for target "?([\w-]{1,80})|CMAKE_CUDA_ARCHITECTURES: (\S{1,80}) is not one of|Unknown CUDA Architecture Name (\S{1,40})/, ({ match }) => {
  const value = match[2] ?? match[3];
  return { explain: () => verdict("gpu-architecture-unknown", "certain", value === undefined ? "CMake is not told for which GPUs to compile: the list of architectures is empty." : `CMake does not take "${value}" as a GPU architecture.`, [...(match[1] === undefined ? [] : [`Of the target ${match[1]}.`]), ...(value === undefined ? ["find_package(Torch) sets CMAKE_CUDA_ARCHITECTURES to OFF; a project that empties it, or that detects no GPU where it is configured, ends here."] : ["CMAKE_CUDA_ARCHITECTURES takes numbers without a dot (80;90), all, all-major and native; TORCH_CUDA_ARCH_LIST takes them with a dot (8.0;9.0)."])], { fixes: ["Configure with -DCMAKE_CUDA_ARCHITECTURES=80;90 (before find_package(Torch) for targets of the project's own) and TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"."] }) };
});

const noCompiler = cmakeSaying(/No CMAKE_CUDA_COMPILER could|Failed to find nvcc|Could not find nvcc|Failed to detect a default CUDA|Could NOT find CUDA(?:Toolkit)? |The CUDA compiler\s*$|Compiling the CUDA compiler identification/, /No CMAKE_CUDA_COMPILER could be found|Failed to find nvcc\b|Could not find nvcc, please set CUDAToolkit_ROOT|Failed to detect a default CUDA architecture|Could NOT find CUDA(?:Toolkit)? \(missing: |The CUDA compiler "[^"]{1,300}" is not able to compile a simple test program|Compiling the CUDA compiler identification source file/, ({ match, text, said }) => {
  const isStatus = match[0].startsWith("Could NOT") && !isNear(said.log, said.at, 1, 0, /CMake Error/);
  const output = /Compiler output: (?!Call Stack)\S|not able to compile|identification source file/.test(text);
  return isStatus ? undefined : {
    weight: output ? "consequence" : "cause",
    explain: (knowledge) => verdict("cuda-not-found", output ? "possible" : "likely", output ? "nvcc cannot compile CMake's test program." : "CMake finds no CUDA compiler that works.", [output ? "The reason stands in the compiler's output below this message." : "CMake looks at CMAKE_CUDA_COMPILER, CUDACXX, nvcc on PATH and /usr/local/cuda; an nvcc outside of its toolkit's folder is found and cannot work."], {
      fixes: [`Install a CUDA toolkit of torch's major version${typeof cudaOf(knowledge) === "string" ? ` (CUDA ${cudaOf(knowledge) ?? ""})` : ""} and name it in an empty build folder: -DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc.`],
      needs: [output ? "The compiler's output below this message." : "Whether `nvcc --version` works, and where that nvcc lies."],
    }),
  };
});

const noPython = cmakeSaying(/Could NOT find Python/, /Could NOT find (Python3?|PythonLibs|PythonInterp)\s?\(missing: ([\w. ]{1,200})\)/, ({ match, text, said }) => {
  if (!isNear(said.log, said.at, 1, 0, /CMake Error/)) {
    return undefined;
  }
  const missing = match[2] ?? "";
  const wrong = /Wrong version for the interpreter "?([^"\s]{1,200})/.exec(text)?.[1];
  const isNumpy = /NumPy/.test(missing) && !/Development|Interpreter/.test(missing);
  return {
    explain: (knowledge) => {
      const python = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "python-version");
      return verdict(isNumpy ? "module-missing" : "headers-missing", "certain", wrong === undefined ? `CMake finds no Python with ${isNumpy ? "NumPy" : /Development/.test(missing) ? "headers and library" : "what is asked for"} (missing: ${missing.trim()}).` : `CMake found the Python ${wrong}, which is not of the version that is asked for.`, ["A module for Python must be built with the interpreter that holds torch; CMake takes the first one that it finds.", ...(python === undefined ? [] : [`The environment compared with has Python ${python}.`])], {
        fixes: [`Name it: -DPython3_EXECUTABLE="$(which python)" (or -DPython_EXECUTABLE, as the project calls find_package), in an empty build folder.`, ...(isNumpy ? ["Install numpy there."] : ["Install its headers where they are missing: python3-dev (Debian, Ubuntu), python3-devel (Fedora, RHEL)."])],
      });
    },
  };
});

const ownAbiCheck = cmakeSaying(/(?:(?:py)?torch\S{0,3} )?(?:(?<!_USE_)CXX11[ _]ABI|(?<!-D ?)_GLIBCXX_USE_CXX11_ABI|libstdc\+\+ ABI)|ABI mismatch/i, /(?:CXX11[ _]ABI|_GLIBCXX_USE_CXX11_ABI|libstdc\+\+ ABI)[^.]{0,80}\b(?:mismatch|does not match|differs?|different)|\bABI mismatch\b[^.]{0,80}(?:torch|CXX11)/i, ({ isWarning }) => ({
  weight: isWarning ? "warning" : "cause",
  explain: (knowledge) => {
    const abi = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "libstdcxx-abi");
    return verdict("cmake-abi", "likely", "The build's own check says that its libstdc++ ABI is not torch's.", [abi === undefined ? "Official torch wheels for Linux use _GLIBCXX_USE_CXX11_ABI=1 since 2.7; before, it depends on the build." : `The torch compared with uses _GLIBCXX_USE_CXX11_ABI=${abi}.`], {
      fixes: ["Ask the torch that is built against, and hand its value to every target: `python -c \"import torch; print(torch.compiled_with_cxx11_abi())\"`.", "Other C++ libraries of the build (protobuf, OpenCV, LLVM) must have the same value: rebuild them, or take a torch with theirs."],
      needs: ["Which two values the check compared, and torch's own (`abiding environment`, or `--against`)."],
    });
  },
}));

const dependency = cmakeSaying(/Your installed Caffe2 |MKL library not found/, /Your installed Caffe2 (?:version uses|is built with) (gflags|glog|protobuf|XPU)\b|MKL library not found/, ({ match }) => ({
  explain: () => verdict("torch-not-found", "certain", `torch's CMake files need ${match[1] ?? "MKL"}, which CMake does not find.`, ["Official wheels and libtorch archives need none of them: this torch was built by a distribution or from source, with libraries of that system."], { fixes: [`Install the development package of ${match[1] ?? "MKL"} that this torch was built with, or build against an official torch.`] }),
}));

const dialect = cmakeSaying(/requires the language|compiler feature "cxx_std_|(?:CXX|CUDA)_STANDARD is set/, /requires the language dialect "(CXX|CUDA)(\d\d)"|compiler feature "cxx_std_(\d\d)" is not known|(?:CXX|CUDA)_STANDARD is set to invalid value '(\d\d)'/, ({ match }) => {
  const standard = match[2] ?? match[3] ?? match[4] ?? "";
  return { explain: () => verdict("host-compiler", "likely", `C++${standard} is asked for, and ${match[1] === "CUDA" ? "nvcc" : match[4] === undefined ? "this compiler, or this CMake," : "this CMake"} does not know it.`, ["torch's headers demand C++20 from 2.14 on, and its target hands that to whoever links it from 2.15 on.", "CMake must know the flag as well: C++20 for CUDA since CMake 3.25 or so, and the compiler must be one that it recognises."], { fixes: ["Build with gcc 11 or newer, CUDA 12 or newer and a current CMake (pip install cmake).", `Do not lower the standard below what torch's headers demand.`], needs: ["Which compiler and which CMake: `c++ --version`, `cmake --version`."] }) };
});

const cmakeItself = cmakeSaying(/Compatibility with CMake < 3\.5|CMake \d+\.\d+(?:\.\d+)? or higher is/, /Compatibility with CMake < 3\.5 has been removed from CMake|CMake (\d+\.\d+(?:\.\d+)?) or higher is required\. You are running version (\d[\w.]*)/, ({ match }) => ({
  explain: () => (match[1] === undefined
    ? verdict("source-error", "certain", "CMake 4 refuses a project, or a library inside of it, that was written for CMake before 3.5.", ["It is no matter of torch or ABI; old copies of pybind11, cub or googletest are the usual ones."], { fixes: ["Configure with -DCMAKE_POLICY_VERSION_MINIMUM=3.5, update the library, or build with CMake 3.31 (pip install \"cmake<4\")."], copy: "export CMAKE_POLICY_VERSION_MINIMUM=3.5" })
    : verdict("compiler-missing", "certain", `The project needs CMake ${match[1]} or newer, and this is ${match[2] ?? "an older one"}.`, ["It is no matter of torch or ABI."], { fixes: ["pip install --upgrade cmake, in the environment that builds."] })),
}));

export const cmakeRecognisers: readonly Recogniser[] = [noTorch, otherVersion, missingLibtorch, couldNotFindTorch, noCudaForTorch, toolkitTooOld, nvtx, harmless, ignoredArchitectures, architectures, noCompiler, noPython, ownAbiCheck, dependency, dialect, cmakeItself];

function torchNotFound(name: string, said: Said, { environment }: Knowledge): Explanation {
  const isIsolated = isNear(said.log, said.at, 200, 0, /pip-build-env-|[\\/]builds-v0[\\/]|scikit-build-core/);
  const root = environment?.body.torchRoot;
  const prefix = root === undefined ? '$(python -c "import torch; print(torch.utils.cmake_prefix_path)")' : root.endsWith("/torch") ? `${root}/share/cmake` : root;
  return verdict("torch-not-found", "certain", `CMake does not find torch: no ${name}Config.cmake lies where it looks.`, [
    "It looks in CMAKE_PREFIX_PATH and in system folders, not in Python's environments.",
    ...(isIsolated ? ["This configure runs in an isolated build environment, where torch is only if [build-system] requires names it."] : []),
    ...(root === undefined ? [] : [`The environment compared with has it in ${prefix}.`]),
  ], {
    fixes: [`Configure with -DCMAKE_PREFIX_PATH="${prefix}"; for a libtorch archive give the folder that it was unpacked to.`, ...(isIsolated ? ["Build against the installed torch: pip install --no-build-isolation ."] : [])],
    copy: `-DCMAKE_PREFIX_PATH="${prefix}"`,
  });
}

function cudaOf({ environment }: Knowledge): string | null | undefined {
  return environment === undefined ? undefined : valueOf(environment.body.facts, "cuda-version");
}
