/** One build of a torch release, named by its local version label. */
export interface TorchVariant {
  /** "cpu", "cu126", "rocm6.4", "xpu"; the build that PyPI serves for the platform is marked by `isDefault`. */
  readonly label: string;
  readonly platform: "linux-x86_64" | "linux-aarch64" | "macos-arm64" | "macos-x86_64" | "windows-amd64";
  readonly isDefault: boolean;
  /** Absent: not established. */
  readonly libstdcxxAbi?: 0 | 1;
  /** null: built without CUDA. */
  readonly cudaVersion: string | null;
  readonly rocmVersion?: string;
  /** The platform tag in the name of the wheel: "manylinux_2_28_x86_64", or "linux_x86_64" where it promises nothing. */
  readonly manylinux?: string;
  readonly source: string;
}

/** One official release of torch. Absent members are not established. */
export interface TorchRelease {
  /** Public version, "2.8.0". */
  readonly version: string;
  readonly date?: string;
  /** "3.9", "3.13t". */
  readonly pythons: readonly string[];
  /** Those that a source shows, x86_64 first; others may exist. */
  readonly variants: readonly TorchVariant[];
  readonly cxxStandardFloor: number;
  /** What torch.utils.cpp_extension adds when no -std is given. */
  readonly cxxStandardDefault: number;
  readonly pybind11Version?: string;
  /** Number N of `__pybind11_internals_vN`, by CPython minor where it depends on it. */
  readonly pybind11Internals?: { readonly belowPython312: number; readonly fromPython312: number };
  /** __GXX_ABI_VERSION of the pybind11 key (until 2.8). */
  readonly gxxAbiVersion?: number;
  /** The whole pybind11 key in the wheel that the index serves, for its Python: "v4_gcc_libstdcpp_cxxabi1011". */
  readonly pybind11Key?: string;
  /** The same two of the wheel that the index serves for Linux aarch64, whose compiler is another. */
  readonly onAarch64?: { readonly gxxAbiVersion?: number; readonly pybind11Key?: string; readonly source: string };
  /** Whether TorchConfig.cmake still sets the ABI macro in TORCH_CXX_FLAGS. */
  readonly cmakeCarriesAbi: boolean;
  /** Whether torch._C._PYBIND11_BUILD_ABI exists. */
  readonly hasPybind11BuildAbi: boolean;
  /** Exact companions: { torchvision: "0.23.0", torchaudio: "2.8.0", triton: "3.4.0" }. */
  readonly companions: Readonly<Record<string, string>>;
  readonly sources: readonly string[];
}

/** Limits of one CUDA toolkit release. */
export interface CudaToolkit {
  /** "12.8". */
  readonly version: string;
  /** Compute capability times ten that nvcc can compile for. */
  readonly architectures: readonly { readonly sm: number; readonly suffixes: readonly ("" | "a" | "f")[] }[];
  /** Version of the PTX that it writes, "9.0". */
  readonly ptx: string;
  readonly maximumGcc?: number;
  readonly minimumGcc?: number;
  readonly maximumClang?: number;
  readonly source: string;
}

/** A header or name that a torch release took away. */
export interface RemovedApi {
  /** "argument": what a macro or function no longer takes. */
  readonly kind: "header" | "name" | "macro" | "argument";
  /** "THC/THC.h", "c10::optional", "AT_CHECK". A header may end in "/" for a folder. */
  readonly what: string;
  /** First torch release without it. */
  readonly removedIn: string;
  /** First torch release in which the replacement works. */
  readonly replacementSince?: string;
  readonly replacement?: string;
  readonly source: string;
}

export interface Catalogue {
  /** Oldest first. */
  readonly torchReleases: readonly TorchRelease[];
  readonly cudaToolkits: readonly CudaToolkit[];
  readonly removedApis: readonly RemovedApi[];
  /** The release of a public version ("2.8.0", "2.8"), local label and dev suffix ignored. */
  torchRelease(version: string): TorchRelease | undefined;
  /** The toolkit of "12.8" or "12.8.1". */
  cudaToolkit(version: string): CudaToolkit | undefined;
}
