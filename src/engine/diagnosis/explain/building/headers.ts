/** Headers that the compiler does not find and that are not torch's to have or not to have. */
import { valueOf } from "../../../model/index.ts";
import { torchOf } from "../running/torchBuilds.ts";
import { textAt, verdict } from "../reading.ts";
import type { Explanation, Knowledge, Recogniser } from "../types.ts";
import { commandOf } from "./command.ts";
import type { Command } from "./command.ts";
import { missingHeader } from "./missingHeader.ts";
import { isNear } from "./reading.ts";

/** Of the CUDA toolkit and its libraries. */
const cudaHeader = /^(?:cuda(?:_\w+)?|cuda_runtime(?:_api)?|cublas\w*|cusparse\w*|cusolver\w*|curand\w*|cufft\w*|nvrtc|nvtx3\/\w+|nvToolsExt\w*|device_launch_parameters|vector_types|cooperative_groups)\.(?:h|hpp)$|^(?:thrust|cub|cuda)\/./;

/** Of AMD's ROCm. */
const rocmHeader = /^(?:hip|hipblas(?:lt)?|hipcub|hipfft|hiprand|hipsolver|hipsparse|hsa|miopen|rccl|rocblas|rocfft|rocprim|rocrand|rocsolver|rocsparse|rocm-core)\/./;

/** Of the Universal C Runtime and the Windows SDK. */
const ofWindows = /^(?:crtdefs|corecrt\w*|io|ctype|stddef|string|stdio|stdlib|math|errno|float|assert|inttypes|windows|basetsd)\.h$/i;

function withoutSdk(header: string): () => Explanation {
  return () => verdict("headers-missing", "certain", "Visual C++ runs without the headers of Windows.", [`${header} is of the Universal C Runtime or the Windows SDK, whose folders are in INCLUDE only where the environment of Visual Studio is set up.`, "Neither torch nor its ABI has a part in it."], {
    fixes: ["Build from the \"x64 Native Tools Command Prompt\" of Visual Studio, with DISTUTILS_USE_SDK=1.", "If it fails there too, install a Windows SDK with the Visual Studio Installer (\"Desktop development with C++\")."],
  });
}

const missing = missingHeader((header, { log, at, match }) => {
  const command = commandOf(log, at);
  const of = match[3] !== undefined && ofWindows.test(header) ? withoutSdk(header) : explainOf(header, command, isNear(log, at, 12, 0, /[\\/]torch[\\/]include[\\/]/));
  return of === undefined ? undefined : { words: textAt(log, at).trim(), subject: command?.source === undefined ? {} : { file: command.source }, explain: of };
});

export const headerRecognisers: readonly Recogniser[] = [missing];

function explainOf(header: string, command: Command | undefined, fromTorch: boolean): ((knowledge: Knowledge) => Explanation) | undefined {
  if (cudaHeader.test(header)) {
    return (knowledge) => cudaHeaders(header, command, fromTorch, knowledge);
  }
  if (rocmHeader.test(header)) {
    return () => verdict("headers-missing", "likely", `ROCm's own header ${header} is not on the compiler's include path.`, [
      "torch's wheels for ROCm bring its libraries, not its headers. CUDAExtension of such a torch turns CUDA sources into HIP and adds ROCM_HOME/include; with a torch that is not for ROCm, and with CppExtension, nobody adds it.",
      "It is no matter of torch's version or ABI.",
    ], {
      fixes: ["Install ROCm's development packages of the version that torch was built with (torch.version.hip), and set ROCM_HOME where they are not in /opt/rocm.", "Where no AMD GPU is meant, leave the HIP sources out of the build."],
      needs: ["Whether this torch is for ROCm: python -c \"import torch; print(torch.version.hip)\"."],
    });
  }
  if (/^(?:Python|pyconfig)\.h$/.test(header)) {
    return ({ environment }) => verdict("headers-missing", "certain", `Python's own headers are not found: ${header}.`, ["torch/extension.h includes them. An interpreter of a distribution comes without; neither torch nor its ABI has a part in it."], {
      fixes: [`Install them for the interpreter that builds: python3-dev (Debian, Ubuntu), python3-devel (Fedora, RHEL)${environment === undefined ? "" : ` for Python ${valueOf(environment.body.facts, "python-version") ?? ""}`.trimEnd()}, or build with a Python of conda, uv or python.org, which has them.`],
    });
  }
  if (/^torch\/(?:extension|torch|all|script|library|types|python)\.h$/.test(header)) {
    return () => (command?.torchRoot === undefined
      ? verdict("headers-missing", "likely", `The compiler is not told where torch's headers lie: ${header} is not found.`, ["No include directory of a torch stands on its command line.", ...(command?.extension === undefined ? [] : ["-DTORCH_EXTENSION_NAME is there: the extension was declared with setuptools' Extension, or include_dirs was overwritten."])], {
        needs: ["The compiler's command line: whether it names torch/include."],
        fixes: ["In setup.py use CppExtension or CUDAExtension with BuildExtension; by hand add torch.utils.cpp_extension.include_paths().", "In CMake use find_package(Torch REQUIRED) and target_link_libraries(... ${TORCH_LIBRARIES})."],
      })
      : verdict("headers-missing", "likely", `${header} is not below ${command.torchRoot}/include, which the compiler was given.`, ["torch/extension.h and torch/torch.h lie in include/torch/csrc/api/include or include/torch; a system package or a partial install can lack them."], {
        fixes: [`Add -I${command.torchRoot}/include/torch/csrc/api/include as torch.utils.cpp_extension.include_paths() does, or install torch anew.`],
        needs: [`Whether ${command.torchRoot}/include holds it.`],
      }));
  }
  if (/^(?:string_view|optional|variant|any|filesystem|charconv|memory_resource|concepts|ranges|span|bit|compare|source_location|numbers|format)$/.test(header)) {
    return () => verdict("host-compiler", "certain", `The C++ library of this compiler is too old: it has no <${header}>.`, [`<${header}> is of ${/^(?:concepts|ranges|span|bit|compare|source_location|numbers|format)$/.test(header) ? "C++20" : "C++17"}, which torch's headers need. A clang uses the library of the gcc that it finds.`], { fixes: ["Build with gcc 11 or newer: CC and CXX, CUDAHOSTCXX for nvcc; on old distributions with a gcc-toolset or conda's gxx_linux-64."] });
  }
  if (/^pybind11\/./.test(header) && !fromTorch) {
    return () => verdict("headers-missing", "likely", `pybind11's headers are not found: ${header}.`, ["torch brings its own copy in include/pybind11; the command line shows no torch include directory, or the project expects its own copy (a git submodule)."], { fixes: ["Use the copy that torch brings (torch.utils.cpp_extension.include_paths()): another pybind11 does not share types with torch. Or run git submodule update --init --recursive, if the project vendors it."], needs: ["The compiler's command line: whether it names torch/include."] });
  }
  if (/^(?:cutlass|cute|cub|gtest|fmt|nlohmann|eigen3?|Eigen|glm|third_party|3rdparty)\/./i.test(header)) {
    return () => verdict("headers-missing", "likely", `${header} is of a library that the project expects beside its sources, and that is not there.`, ["It usually comes as a git submodule, or by a package of its own; torch has no part in it."], { fixes: ["git submodule update --init --recursive, or install the library that the project's README names."], copy: "git submodule update --init --recursive", needs: ["Whether the sources hold that folder, and whether it is empty."] });
  }
  return undefined;
}

function cudaHeaders(header: string, command: Command | undefined, fromTorch: boolean, knowledge: Knowledge): Explanation {
  const { environment } = knowledge;
  const cuda = environment === undefined ? undefined : valueOf(environment.body.facts, "cuda-version");
  const torch = torchOf(knowledge);
  if (cuda === null) {
    return verdict("torch-cpu-only", "certain", `A CUDA header (${header}) is included, and torch ${torch ?? ""} is built without CUDA.`, ["torch's wheels hold ATen/cuda and c10/cuda in every build, and these include CUDA's own headers, which a CPU build has not."], { fixes: ["Leave the CUDA part out of the build, or build with a torch and a toolkit for CUDA."] });
  }
  if (/^(?:cudnn|nccl|nvtx3|nvToolsExt)/.test(header)) {
    return verdict("headers-missing", "certain", `${header} is not found: it comes with a package of its own, not with nvcc.`, [/nvToolsExt/.test(header) ? "CUDA 12.9 dropped nvToolsExt.h; NVTX is <nvtx3/nvToolsExt.h> there." : "torch's wheels use the library from pip's nvidia packages, whose headers lie in nvidia/<component>/include or nvidia/cu13/include."], { fixes: ["Install the library's development package of the same major version as torch uses, and add its include directory."] });
  }
  const isCppExtension = command?.extension !== undefined && !/nvcc/.test(command.compiler);
  return verdict(isCppExtension ? "cuda-in-cpp-extension" : "headers-missing", "likely", `CUDA's own header ${header} is not on the compiler's include path.`, [
    ...(fromTorch ? ["A header of torch (ATen/cuda, c10/cuda) includes it; torch's wheels bring those headers, not CUDA's."] : []),
    "CUDAExtension adds the toolkit's include directory; CppExtension and a plain g++ do not, and pip's CUDA packages are no toolkit.",
  ], {
    fixes: ["Declare the extension with CUDAExtension; in CMake link CUDA::cudart (find_package(CUDAToolkit)).", `Install a CUDA toolkit${typeof cuda === "string" ? ` of CUDA ${cuda}` : " of torch's CUDA version"} and set CUDA_HOME, if there is none.`],
    needs: [environment === undefined ? "Whether torch has CUDA: a build without it has ATen/cuda headers too (`--against` the environment that built)." : "Where the toolkit lies: `nvcc --version`, CUDA_HOME."],
  });
}
