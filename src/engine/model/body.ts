import type { BuiltBody } from "./binary.ts";
import type { Condition, Evidence, SourceEvidence } from "./evidence.ts";
import type { Fact, Language } from "./fact.ts";
import type { Location } from "./text.ts";

/** A define, flag or option as a compiler of `languages` receives it. Order in a list is command line order: later wins. */
export interface CompileArgument {
  /** One argument in the spelling of a GNU-like driver: `-D_GLIBCXX_USE_CXX11_ABI=0`, `-std=c++17`, `-Xcompiler=-fPIC`. */
  readonly text: string;
  /** False when `text` still holds something that could not be evaluated (`${X}`, `{x}`, `$<...>`). */
  readonly known: boolean;
  /** The unknown part is asked from this body at build time. */
  readonly follows?: "torch" | "tensorflow" | "environment";
  readonly languages: readonly Language[];
  /** How it was written; decides the wording of messages and the shape of fixes. */
  readonly origin: "definition" | "flags-variable" | "option" | "standard" | "architecture" | "argument-list" | "builder-default";
  /** CMake configurations (Debug, Release, ...) that get it; absent: all. */
  readonly configurations?: readonly string[];
  /** The target it came from through linking; absent: set on the target itself or its directory. */
  readonly inheritedFrom?: string;
  readonly conditions: readonly Condition[];
  readonly evidence: SourceEvidence;
}

export interface LinkedLibrary {
  /** As it is known to the linker or CMake: "torch", "torch_python", "c10", "ros::core", "cudart", a path. */
  readonly name: string;
  /** Another target of the same project. */
  readonly isProjectTarget: boolean;
  readonly conditions: readonly Condition[];
  readonly evidence: SourceEvidence;
}

export interface TargetSource {
  /** Absolute where it could be resolved, else as written. */
  readonly path: string;
  readonly language: Language | undefined;
  readonly conditions: readonly Condition[];
  readonly location: Location;
}

export interface DeclaredTarget {
  readonly name: string;
  readonly builder: "cmake" | "setuptools" | "torch-jit";
  readonly kind: "module" | "shared" | "static" | "object" | "interface" | "executable" | "imported" | "extension" | "unknown";
  /** Where the target is made: the call, or its name argument. */
  readonly location: Location;
  /** Compilers that are used for it. Unknown sources: the project's languages. */
  readonly languages: readonly Language[];
  readonly sources: readonly TargetSource[];
  readonly arguments: readonly CompileArgument[];
  readonly links: readonly LinkedLibrary[];
  readonly includeDirectories: readonly string[];
  /** Links libtorch, or is a torch cpp_extension. `undefined`: could not be told. */
  readonly usesTorch: boolean | undefined;
  /** Class or function that makes it: "CUDAExtension", "pybind11_add_module", "load_inline", "add_library". */
  readonly madeBy: string;
  readonly pyLimitedApi?: { readonly value: boolean | undefined; readonly evidence: SourceEvidence };
  readonly conditions: readonly Condition[];
}

export interface DeclaredBody {
  readonly role: "declared";
  readonly name: string;
  readonly target: DeclaredTarget;
  readonly facts: readonly Fact[];
}

/** An environment that will import the extension: a torch with what surrounds it. */
export interface InstalledBody {
  readonly role: "installed";
  /** Where it is, as people would say it: the folder or file; for a release of the catalogue its name. */
  readonly name: string;
  /** Where the description comes from. */
  readonly source: "environment" | "libtorch" | "wheel" | "profile" | "catalogue";
  /** Absolute path of the torch package or libtorch folder, when there is one on disk. */
  readonly torchRoot?: string;
  /** Absolute path of the environment (venv, conda prefix), when there is one. */
  readonly prefix?: string;
  readonly facts: readonly Fact[];
  /** Names and versions of distributions installed beside torch. Empty when not known. */
  readonly distributions: readonly InstalledDistribution[];
  /** Other torches on the same search path that lose to this one. */
  readonly shadowed: readonly { readonly path: string; readonly version: string | undefined }[];
  /** What could not be told, in sentences. */
  readonly notKnown: readonly string[];
}

export interface InstalledDistribution {
  readonly name: string;
  readonly version: string;
  readonly requires: readonly string[];
  readonly evidence: Evidence;
}

/** Compilers and CUDA toolkits found on the machine. */
export interface ToolchainBody {
  readonly role: "toolchain";
  readonly name: string;
  readonly path: string;
  readonly facts: readonly Fact[];
}

export type Body = DeclaredBody | BuiltBody | InstalledBody | ToolchainBody;
