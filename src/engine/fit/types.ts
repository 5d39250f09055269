import type { LibraryImage } from "../binaries/library.ts";
import type { Catalogue } from "../catalogue/index.ts";
import type { BuiltBody, Evidence, InstalledBody, MissingSymbol, Trait } from "../model/index.ts";

export type { MissingKind, MissingSymbol } from "../model/index.ts";

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
  /** The interpreter that would import the file; absent: not known, or none (libtorch). */
  readonly python?: LibraryImage;
  /** Libraries that `import torch` opens by path before its own: those of NVIDIA's wheels. */
  readonly preloaded?: readonly LibraryImage[];
  /** Where a library of that name lies in the environment although the loader does not look there: in a wheel of NVIDIA. */
  readonly liesIn?: (name: string) => string | undefined;
  /** Functions of torch's stable ABI by the first release that has them, as its own headers guard them. */
  readonly stableShims?: () => ReadonlyMap<string, string>;
  /** What is not known of it, in sentences: "of libtorch_cuda only hashes". */
  readonly notKnown: readonly string[];
}

/**
 * The libraries of this machine. The order in which they are searched is the loader's and lives in `search.ts`; this only
 * opens what is asked for.
 */
export interface MachineLibraries {
  /** The ELF file at a path, opened once; undefined when there is none. */
  open(path: string): LibraryImage | undefined;
  /** Why what was opened at a path is no ELF file: the loader ends its search there. */
  refusal?(path: string): Refusal | undefined;
  isFolder(path: string): boolean;
  /** What /etc/ld.so.cache has for a name, for e_machine `machine`. */
  cached(name: string, machine: number | undefined): string | undefined;
  /** LD_LIBRARY_PATH of the process that would import the file. */
  readonly libraryPath: readonly string[];
  /** Folders that are searched last, those of a foreign root first. */
  readonly defaultFolders: readonly string[];
  /** The value of $PLATFORM, "x86_64". */
  readonly platform: string;
  /** Values of $LIB to try. */
  readonly lib: readonly string[];
}

/** Why the loader takes no file of the right name. */
export interface Refusal {
  /** A sentence. */
  readonly because: string;
  /** What the loader says: "/p/libx.so: file too short". */
  readonly loaderText: string;
}

/** In which releases of torch a symbol is exported: a table of the catalogue. */
export interface SymbolHistory {
  /** Releases (public version), oldest first, whose official Linux wheels export it; undefined: not recorded. */
  releasesExporting(symbol: string): readonly string[] | undefined;
  /** File names of the libraries that export it in a release; undefined: not recorded. */
  librariesOf?(symbol: string, release: string): readonly string[] | undefined;
  /** All releases that were recorded, oldest first. */
  readonly releases: readonly string[];
  readonly source: string;
}

export interface FitOptions {
  readonly catalogue: Catalogue;
  readonly history?: SymbolHistory;
  /** The GPU that would run it: compute capability times ten, 90 for 9.0. */
  readonly gpu?: { readonly capability: number; readonly name?: string };
  /** False: the file is loaded in a process that never imported torch. Absent: torch is imported first. */
  readonly importTorchFirst?: boolean;
  /** The torch with which the file was built, where something beside the file tells it: the metadata of its wheel, its distribution. */
  readonly builtWith?: { readonly version: string; readonly source: Evidence };
  /** Fits of files that load this one with themselves, in the same environment: what they bring is not missing. */
  readonly loadedBy?: readonly FitResult[];
}

export interface MissingDependency {
  /** "libcudart.so.13". */
  readonly name: string;
  readonly neededBy: string;
  readonly searched: readonly string[];
  /** The distribution that would bring it: "nvidia-cuda-runtime". */
  readonly providedBy?: string;
  /** What the loader says of a file of that name that is there and no library: "/p/libx.so: file too short". */
  readonly refused?: string;
  readonly because: string;
}

export interface MissingVersion {
  /** "GLIBCXX_3.4.32". */
  readonly version: string;
  readonly library: string;
  /** The file that would be loaded and lacks it. */
  readonly foundIn: string;
  /** The highest that it has of the same series. */
  readonly highest: string | undefined;
  /** The object that asks for it: the file itself or a library that it brings. */
  readonly neededBy: string;
}

export interface TraitComparison {
  readonly trait: Trait | "python-stable-abi" | "stable-abi-minimum" | "layout" | "stamp" | "cuda-library" | "two-libtorch" | "symbol-versions" | "python-module";
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
  /** In the loader's order: libraries that the file brings before the file, then by relocations where they are known. The first is the one that ld.so names. */
  readonly missing: readonly MissingSymbol[];
  readonly missingDependencies: readonly MissingDependency[];
  readonly missingVersions: readonly MissingVersion[];
  readonly traits: readonly TraitComparison[];
  /** Torch releases of the catalogue that export everything torch-side that the file needs, oldest first; undefined when not told, or when more than torch is missing. */
  readonly releasesThatWouldDo?: readonly string[];
  /** Of the missing symbols those names of torch that no recorded release exports. */
  readonly neverExported?: readonly string[];
  /** Libraries in the order in which they would be searched, and what each was found by. */
  readonly loaded: readonly { readonly name: string; readonly path: string; readonly how: string }[];
  /** Full sentences. */
  readonly notChecked: readonly string[];
}
