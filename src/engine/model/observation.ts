import type { Condition, EvidenceStep, SourceEvidence } from "./evidence.ts";
import type { Language } from "./fact.ts";
import type { Location, TextEdit } from "./text.ts";

interface Observed {
  readonly evidence: SourceEvidence;
  readonly conditions: readonly Condition[];
}

/** Places in build files that matter in themselves, beside the targets that they shape. */
export type Observation =
  | PackageSearch
  | TorchLookup
  | IneffectiveSetting
  | AbiSetting
  | ArchitectureList
  | WheelTag
  | BuildIsolation
  | TorchImport
  | BaseImage
  | CMakeArguments
  | CudaToolkitChoice
  | HostCompilerChoice
  | VersionComparison
  | RequirementInclude
  | PythonRange
  | PackagedFile
  | BuildSystem;

/** `find_package(Torch 1.8 REQUIRED)`, FetchContent of pybind11 at a tag, a vendored copy. */
export interface PackageSearch extends Observed {
  readonly kind: "package-search";
  readonly name: string;
  readonly version?: string;
  readonly how: "find_package" | "fetch" | "subdirectory" | "find_library";
}

/** Asks torch for an ABI property. */
export interface TorchLookup extends Observed {
  readonly kind: "torch-lookup";
  readonly what: "TORCH_CXX_FLAGS" | "TorchConfig.cmake text" | "torch._C._PYBIND11_BUILD_ABI" | "torch._C._PYBIND11_COMPILER_TYPE" | "torch._C._PYBIND11_STDLIB" | "torch._C._GLIBCXX_USE_CXX11_ABI" | "torch.compiled_with_cxx11_abi" | "BuildExtension._add_gnu_cpp_abi_flag";
  /** How the answer is used: passed on as flags, parsed for a value, or assigned or overridden. */
  readonly use: "forwarded" | "parsed" | "assigned" | "overridden" | "read";
  /** True when the absence of the answer is handled (getattr default, hasattr, try, a tested result). */
  readonly guarded: boolean;
}

/** A setting that does nothing, or not what its text says. Only the evaluator can know, so it reports it. */
export interface IneffectiveSetting extends Observed {
  readonly kind: "ineffective-setting";
  readonly reason:
    | "name-instead-of-value" | "empty-set" | "overwritten" | "wrong-case" | "misspelt" | "unknown-key" | "shadowed"
    | "too-late" | "private-hook" | "dead-guard" | "inverted-choice" | "swallows-next" | "configuration-only" | "always-false" | "silent-fallback";
  /** A full sentence: what is written, what happens instead. */
  readonly message: string;
  readonly related: readonly EvidenceStep[];
  readonly fix?: { readonly title: string; readonly edits: readonly TextEdit[] };
}

/** A place that chooses `_GLIBCXX_USE_CXX11_ABI` for a whole project: a cache variable, option or environment default. */
export interface AbiSetting extends Observed {
  readonly kind: "abi-setting";
  readonly value: 0 | 1 | undefined;
  /** "cache default", "setup.py default", "script", "cmake argument". */
  readonly how: string;
  readonly variable?: string;
}

/** TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES, -gencode lists given outside a target. */
export interface ArchitectureList extends Observed {
  readonly kind: "architecture-list";
  readonly variable: string;
  /** As written, expanded where known: "8.0;9.0a;12.0+PTX". */
  readonly value: string | undefined;
}

/** A wheel tag promised by `py_limited_api="cp39"`, `wheel.py-api`. */
export interface WheelTag extends Observed {
  readonly kind: "wheel-tag";
  readonly tag: string | undefined;
}

/** `no-build-isolation-package`, `extra-build-dependencies`, pip flags in scripts and images. */
export interface BuildIsolation extends Observed {
  readonly kind: "build-isolation";
  readonly isolated: boolean;
  readonly packages: readonly string[];
}

/** The build script imports torch: it needs one at build time. */
export interface TorchImport extends Observed {
  readonly kind: "torch-import";
  /** Inside try, a function or an if: the build may do without. */
  readonly optional: boolean;
}

/** `FROM pytorch/pytorch:2.1.2-cuda12.1-cudnn8-devel`. */
export interface BaseImage extends Observed {
  readonly kind: "base-image";
  readonly image: string;
  readonly torchVersion?: string;
  readonly cudaVersion?: string;
  /** The build stage that starts from it; requirements of that stage have it as their group. */
  readonly stage?: string;
}

/** Cache variables that another tool hands to CMake: setup.py's cmake_args, scikit-build-core's define table, presets. */
export interface CMakeArguments extends Observed {
  readonly kind: "cmake-arguments";
  /** Folder of the CMakeLists.txt that receives them, when known. */
  readonly sourceDirectory?: string;
  readonly definitions: readonly { readonly name: string; readonly value: string | undefined; readonly evidence: SourceEvidence }[];
}

/** `CUDA_HOME`, `find_package(CUDAToolkit 12.4)`, `CUDA_TOOLKIT_ROOT_DIR`, CMAKE_CUDA_COMPILER with a version in it. */
export interface CudaToolkitChoice extends Observed {
  readonly kind: "cuda-toolkit";
  readonly version?: string;
  /** True for a floor (find_package(CUDAToolkit 12.4)), false for an exact choice. */
  readonly minimum: boolean;
  readonly path?: string;
}

/** `CMAKE_CUDA_HOST_COMPILER`, `-ccbin`, `CC`/`CXX` with a version in the name. */
export interface HostCompilerChoice extends Observed {
  readonly kind: "host-compiler";
  readonly compiler: string;
  readonly language: Language;
}

/** A hand-made version test that is wrong for some release: `MAJOR >= 2 and MINOR >= 1`. */
export interface VersionComparison extends Observed {
  readonly kind: "version-comparison";
  readonly message: string;
}

/** `-r base.txt`, `-c constraints.txt`, and an image or environment that installs a requirements file: they act together. */
export interface RequirementInclude extends Observed {
  readonly kind: "requirement-include";
  /** Absolute. */
  readonly path: string;
  readonly constraint: boolean;
}

/** `requires-python`: the interpreters that the package may be installed for. */
export interface PythonRange extends Observed {
  readonly kind: "python-range";
  /** PEP 440 specifiers as written. */
  readonly specifier: string;
}

/** `package_data={"ops": ["lib/*.so"]}` or `data_files`: files that go into the wheel beside what is compiled. */
export interface PackagedFile extends Observed {
  readonly kind: "packaged-file";
  /** As written, a glob with forward slashes: "lib/libtorch*.so". */
  readonly pattern: string;
}

/** `[build-system]` of a pyproject.toml: installers build the package in an environment that holds only what it requires. */
export interface BuildSystem extends Observed {
  readonly kind: "build-system";
  /** "scikit_build_core.build", "setuptools.build_meta"; undefined when none is named. */
  readonly backend: string | undefined;
}

export type ObservationOf<K extends Observation["kind"]> = Extract<Observation, { kind: K }>;

export function observationsOf<K extends Observation["kind"]>(all: readonly Observation[], kind: K): readonly ObservationOf<K>[] {
  return all.filter((one): one is ObservationOf<K> => one.kind === kind);
}

/** A part of a file or project that could not be read or evaluated. */
export interface Gap {
  /** A full sentence naming what was not read and why. */
  readonly message: string;
  readonly location?: Location;
  readonly path: string;
  /** `file`: a file could not be read at all (shown to the user at once); `evaluation`: a value stayed unknown. */
  readonly kind: "file" | "evaluation";
}
