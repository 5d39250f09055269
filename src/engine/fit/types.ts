import type { LibraryImage } from "../binaries/library.ts";
import type { BuiltBody, Evidence, InstalledBody, Trait } from "../model/index.ts";

/** An environment with the libraries that can be looked into. */
export interface FitEnvironment {
  readonly body: InstalledBody;
  /** What stands under torch/lib (or a libtorch's lib), and torch/_C. */
  readonly torchLibraries: readonly LibraryImage[];
  /** Finds further libraries on this machine; absent for an environment of another machine, a wheel or a release. */
  readonly machine?: MachineLibraries;
  /**
   * Libraries that come with the file: other members of its wheel, other products of its build. Found when the requester's
   * RUNPATH or RPATH leads to their folder ($ORIGIN), or by the folder of the file itself where the loader would look there.
   */
  readonly companions?: readonly LibraryImage[];
  /** What is not known of it, in sentences: "of libtorch_cuda only hashes". */
  readonly notKnown: readonly string[];
}

/** The libraries of this machine in glibc's search order. */
export interface MachineLibraries {
  /** `requester` with its RPATH or RUNPATH asks for `name`. undefined: not found. `searched` collects the folders. */
  find(name: string, requester: LibraryImage, inheritedRpath: readonly string[], searched: string[]): LibraryImage | undefined;
}

export type MissingKind =
  /** The other std::string spelling is exported. */
  | "abi-twin"
  /** A torch symbol that this torch does not export: another version. */
  | "drift"
  /** Exported by a library of the environment that the file does not load. */
  | "missing-library"
  /** A function of the stable ABI that this torch does not have yet. */
  | "stable-shim"
  /** Belongs to nobody known: a source of the project that was not compiled or linked. */
  | "own"
  /** Of a library that is not there at all or has another version: CUDA, CPython, libstdc++, glibc. */
  | "other-library";

export interface MissingSymbol {
  /** Mangled. */
  readonly symbol: string;
  readonly version?: string;
  readonly demangled: string;
  readonly binding: "global" | "weak";
  readonly kind: MissingKind;
  /** abi-twin: the exported spelling. */
  readonly twin?: string;
  /** Absolute path of the library that exports it or its twin. */
  readonly foundIn?: string;
  /** drift: the exported symbol of the same qualified name, demangled and mangled. */
  readonly nearest?: { readonly symbol: string; readonly demangled: string; readonly library: string };
  /** Releases of torch that export it, from the catalogue; `until` null: still there in the newest. */
  readonly torch?: { readonly since: string; readonly until: string | null; readonly source: string };
  /** A sentence: what was seen, and what it means. */
  readonly because: string;
  /** The object whose import it is, when it is a library of the closure and not the file itself. */
  readonly neededBy?: string;
}

export interface MissingDependency {
  /** "libcudart.so.13". */
  readonly name: string;
  readonly neededBy: string;
  readonly searched: readonly string[];
  /** The distribution that would bring it: "nvidia-cuda-runtime". */
  readonly providedBy?: string;
  readonly because: string;
}

export interface MissingVersion {
  /** "GLIBCXX_3.4.32". */
  readonly version: string;
  readonly library: string;
  /** The file that would be loaded and lacks it. */
  readonly foundIn: string;
  readonly highest: string | undefined;
}

export interface TraitComparison {
  readonly trait: Trait | "python-stable-abi" | "stable-abi-minimum" | "layout" | "stamp" | "cuda-library";
  /** As people write it. */
  readonly built: string;
  readonly installed: string;
  /** undefined: could not be compared. */
  readonly agrees: boolean | undefined;
  /** "error": will not load or not work; "warning": may misbehave; "info". Meaningless when it agrees. */
  readonly weight: "error" | "warning" | "info";
  readonly because: string;
  readonly evidence: readonly Evidence[];
}

/** Whether a file would load with a torch; made without loading anything. */
export interface FitResult {
  readonly built: BuiltBody;
  readonly against: InstalledBody;
  /** "no-conflict": nothing was found among what was checked; see `notChecked`. */
  readonly verdict: "no-conflict" | "conflict" | "unknown";
  /** In the order of the file's symbol table: the first is the one that the loader would name, as far as the order of relocations tells. */
  readonly missing: readonly MissingSymbol[];
  readonly missingDependencies: readonly MissingDependency[];
  readonly missingVersions: readonly MissingVersion[];
  readonly traits: readonly TraitComparison[];
  /** Torch releases of the catalogue that export everything torch-side that the file needs, oldest first; undefined when not told. */
  readonly releasesThatWouldDo?: readonly string[];
  /** Libraries in the order in which they would be searched, and what each was found by. */
  readonly loaded: readonly { readonly name: string; readonly path: string; readonly how: string }[];
  /** Full sentences. */
  readonly notChecked: readonly string[];
}
