/** GPU code asked for or contained: `sm` 90, `suffix` "a" for arch-specific code, `ptx` for a JIT-able form. */
export interface CudaArchitecture {
  /** Compute capability times ten: 86 for 8.6, 120 for 12.0. */
  readonly sm: number;
  readonly suffix: "" | "a" | "f";
  readonly real: boolean;
  readonly ptx: boolean;
}

/** What bodies must agree on, and the type of its value. */
export interface TraitValues {
  /** `_GLIBCXX_USE_CXX11_ABI`: 1 is the C++11 std::string and std::list, 0 the older ones. */
  "libstdcxx-abi": 0 | 1;
  /** `__GXX_ABI_VERSION`, e.g. 1011 for -fabi-version=11. */
  "gxx-abi-version": number;
  /** The key under which pybind11 modules share types, without the trailing underscores. */
  "pybind11-internals": string;
  /** A pybind11 release, e.g. "3.0.4". */
  "pybind11-version": string;
  /** PEP 440 version with local label, e.g. "2.8.0+cu128". */
  "torch-version": string;
  "torch-git-version": string;
  "torch-channel": "pip" | "conda-forge" | "conda-pytorch" | "ngc" | "debian" | "source" | "libtorch" | "unknown";
  "torch-debug": boolean;
  /** Year digits of the C++ standard: 14, 17, 20. As a declared trait: what is compiled. */
  "cxx-standard": number;
  /** The lowest standard that the torch headers accept. */
  "cxx-standard-floor": number;
  /** What torch.utils.cpp_extension passes when the project passes nothing. */
  "cxx-standard-default": number;
  /** CUDA version of torch or of the toolkit, "12.8"; null when built without CUDA. */
  "cuda-version": string | null;
  "rocm-version": string | null;
  "cuda-architectures": readonly CudaArchitecture[];
  "python-version": string;
  /** Extension suffix without the dot, e.g. "cpython-311-x86_64-linux-gnu". */
  "python-suffix": string;
  /** Py_LIMITED_API level as "3.9", or "none". */
  "python-limited-api": string;
  /** TORCH_TARGET_VERSION as written, e.g. "0x020a000000000000". */
  "stable-abi-target": string;
  /** "gcc 12.2.0", "clang 18.1". */
  compiler: string;
  /** Highest compiler majors that the CUDA toolkit accepts, from its crt/host_config.h. */
  "host-compiler-bounds": { readonly gcc?: { readonly min?: number; readonly max?: number }; readonly clang?: { readonly min?: number; readonly max?: number } };
  glibc: string;
  /** Highest GLIBCXX_ version, "3.4.30". */
  "libstdcxx-version": string;
  /** "linux-x86_64", "linux-aarch64", "macos-arm64", "windows-amd64". */
  platform: string;
  /** Platform tag of the wheel, e.g. "manylinux_2_28_x86_64". */
  "platform-tag": string;
}

export type Trait = keyof TraitValues;
