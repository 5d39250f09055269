/** CMake where there are two CUDA toolkits, or ROCm instead of one (Caffe2/public/cuda.cmake and LoadHIP.cmake of torch's package). */
import { verdict } from "../reading.ts";
import type { Recogniser } from "../types.ts";
import { cmakeSaying, packageNotFound } from "./cmakeMessage.ts";

/** CMake's compiler against find_package(CUDAToolkit), and nvcc against the headers that a test was compiled with. */
const conflicting = cmakeSaying(
  /Found two conflicting CUDA|FindCUDA says CUDA version is/,
  /Found two conflicting CUDA (?:versions|installs):?(?: V?(?<first>\d[\d.]*) (?:in|from) '?(?<firstPlace>[^\s']{1,1000})'? and V?(?<second>\d[\d.]*) in '(?<secondPlace>[^']{1,1000})')?|FindCUDA says CUDA version is (?<found>\d[\d.]*)? ?\(usually determined by nvcc\), but the CUDA headers say the version is (?<headers>\d[\d.]*\d)/,
  ({ match }) => {
    const { first, second } = match.groups ?? {};
    const isSameVersion = first !== undefined && first === second;
    const { headline, reason } = twoSides(match.groups ?? {});
    return {
      explain: () => verdict("toolkit-mismatch", "certain", headline, [
        reason,
        "Which nvcc is taken is decided by CMAKE_CUDA_COMPILER, CUDACXX and PATH; which headers, by CUDAToolkit_ROOT, CUDA_HOME, CUDA_PATH, CMAKE_PREFIX_PATH (a conda environment, vcpkg) and /usr/local/cuda. Both must lead to one folder.",
        "It is refused before anything is compiled: no ABI was compared.",
      ], {
        fixes: [
          "Name one toolkit for both, in an empty build folder: -DCMAKE_CUDA_COMPILER=/usr/local/cuda-X.Y/bin/nvcc -DCUDAToolkit_ROOT=/usr/local/cuda-X.Y -DCUDA_TOOLKIT_ROOT_DIR=/usr/local/cuda-X.Y, of torch's major version.",
          ...(isSameVersion ? ["Give both as the same spelling of the path: a link such as /usr/local/cuda and what it leads to count as two."] : ["Take the other toolkit out of PATH and CMAKE_PREFIX_PATH: a conda environment's, or the distribution's /usr/bin/nvcc."]),
        ],
        needs: ["Which toolkit is meant: `which nvcc`, `nvcc --version`, and python -c \"import torch; print(torch.version.cuda)\"."],
      }),
    };
  },
);

/** What a message of two toolkits says of them; its first line alone names neither. */
function twoSides({ first, firstPlace, second, secondPlace, found, headers }: Readonly<Record<string, string | undefined>>): { readonly headline: string; readonly reason: string } {
  if (headers !== undefined) {
    return found === undefined
      ? { headline: `CMake does not know which CUDA nvcc is of, and so takes the headers, of CUDA ${headers}, for another's.`, reason: "FindCUDA's version is empty in the message: it did not run nvcc, or not the one that was meant." }
      : { headline: `CMake mixes two CUDA toolkits: nvcc is ${found}, the headers are ${headers}.`, reason: "A test that is compiled with the headers that were found prints another version than nvcc." };
  }
  if (first === undefined || second === undefined) {
    return { headline: "CMake mixes two CUDA toolkits: nvcc is of one, the headers are of another.", reason: "The compiler's toolkit is not the one that find_package(CUDAToolkit) found; both stand in the lines below the message." };
  }
  return {
    headline: first === second ? "torch's CMake files see one CUDA toolkit under two paths and refuse that." : `CMake mixes two CUDA toolkits: nvcc is ${first}, the headers are ${second}.`,
    reason: `The compiler's is ${first} (${firstPlace ?? ""}), and find_package(CUDAToolkit) found ${second} (${secondPlace ?? ""}).`,
  };
}

const rocmPackages = "hip|hiprtc|hipblas|hipblaslt|hipcub|hipfft|hiprand|hipsolver|hipsparse|hsa-runtime64|amd_comgr|miopen|rccl|rocblas|rocfft|rocm-core|rocprim|rocrand|rocsolver|rocsparse|rocthrust";

/** Other packages are the project's own matter. */
const noRocm = packageNotFound(rocmPackages, (name) => () => verdict("headers-missing", "certain", `CMake does not find ROCm's package ${name}: no ${name}-config.cmake lies where it looks.`, [
  "CMake looks in CMAKE_PREFIX_PATH; ROCm lies in /opt/rocm, which is no system folder.",
  "torch's wheels for ROCm bring its libraries, not its headers and CMake files; find_package(Torch) of such a torch asks for them.",
], {
  fixes: [`Install ROCm's development packages of the version that torch was built with (torch.version.hip), and configure with -DCMAKE_PREFIX_PATH=/opt/rocm beside torch's own path; ROCM_PATH where it lies elsewhere.`],
  needs: ["Whether ROCm is installed, and which: `ls /opt/rocm*/lib/cmake`, `hipconfig --version`."],
}));

const noRocmArchitecture = cmakeSaying(/No GPU arch specified for ROCm build/, /No GPU arch specified for ROCm build/, () => ({
  explain: () => verdict("gpu-architecture-unknown", "certain", "The build for ROCm is not told for which GPUs to compile.", ["torch's LoadHIP.cmake takes PYTORCH_ROCM_ARCH from the environment, and finds no GPU here to ask."], {
    fixes: ["Set it to the GPUs that must do: PYTORCH_ROCM_ARCH=\"gfx90a;gfx942\" (rocminfo prints the name of a GPU)."],
  }),
}));

export const cmakeToolkitRecognisers: readonly Recogniser[] = [conflicting, noRocm, noRocmArchitecture];
