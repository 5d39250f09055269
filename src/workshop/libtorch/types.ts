import type { ProcessResult } from "../process/types.ts";
import type { FailureExplanation } from "../workshop.ts";

/** A folder that `find_package(Torch)` could use. */
export interface LibtorchCandidate {
  /** The folder that holds `share/cmake/Torch`; of a torch that shares a prefix with others, that prefix. */
  readonly folder: string;
  /** "--prefix", "Torch_DIR in the environment", ".venv", "CMAKE_PREFIX_PATH", "/usr". */
  readonly because: string;
  /** The folder of TorchConfig.cmake, which Torch_DIR has to name. */
  readonly torchDir?: string;
  readonly version?: string;
  /** The commit that it was built from. */
  readonly gitVersion?: string;
  /** null: built without CUDA. */
  readonly cuda?: string | null;
  readonly abi?: 0 | 1;
  readonly linkage?: "shared" | "static";
  /** "linux-x86_64", "macos-arm64". */
  readonly platform?: string;
  /** `__GXX_ABI_VERSION`, where the record beside it, or the pybind11 key in it, tells. */
  readonly gxxAbiVersion?: number;
  /** The record that Abiding wrote beside it. */
  readonly record?: string;
  /** Why it cannot be used, or does not match what was asked for; absent: it can. */
  readonly refused?: string;
  /** What is not known of it, or to be minded, in sentences. */
  readonly remarks: readonly string[];
}

/** What a libtorch has to be; what is absent does not matter. */
export interface LibtorchWanted {
  /** "2.13.0", or a beginning of it: "2.13". */
  readonly version?: string;
  /** "cpu", "cu130". */
  readonly variant?: string;
  readonly abi?: 0 | 1;
  readonly linkage?: "shared" | "static";
}

export interface LocateRequest {
  readonly root: string;
  readonly wanted: LibtorchWanted;
  /** Folders that were named; when there are any, only they can win. */
  readonly prefixes: readonly string[];
  readonly interpreter?: string;
  /** What CMake left in the project's build folders does not count. */
  readonly withoutCaches?: boolean;
  /** Where `fetch` and `build` remember what they made; absent: the user's cache folder. */
  readonly cacheFolder?: string;
}

export interface FetchRequest {
  readonly root: string;
  readonly wanted: LibtorchWanted & { readonly version: string };
  readonly from: "libtorch" | "wheel";
  /** The address of a package index or of a folder with libtorch archives, or of one archive. */
  readonly index?: string;
  readonly prefix: string;
  readonly cacheFolder?: string;
  /** What the archive's SHA-256 has to be, where the index gives none. */
  readonly sha256?: string;
  /** Nothing is downloaded: only what the prefix holds counts. */
  readonly require?: boolean;
}

export interface BuildLibtorchRequest {
  readonly root: string;
  /** A checkout of PyTorch. */
  readonly source: string;
  readonly buildFolder: string;
  readonly prefix: string;
  readonly linkage: "shared" | "static";
  readonly abi?: 0 | 1;
  /** For `-fabi-version`. */
  readonly gxxAbiVersion?: number;
  /** A CMakeCache.txt whose compilers, generator and options count. */
  readonly cache?: string;
  readonly arguments: readonly string[];
  readonly interpreter?: string;
  /** Nothing is built: only what the prefix holds counts. */
  readonly require?: boolean;
  readonly cacheFolder?: string;
}

/** A step of a build of libtorch. */
export interface LibtorchStep {
  readonly name: "configure" | "build" | "install";
  /** For pasting into a terminal. */
  readonly line: string;
  readonly folder: string;
  readonly ending: ProcessResult["ending"];
  readonly milliseconds: number;
  readonly log?: string;
}

/** An entry of the CMake cache that asked, and what became of it. */
export interface CarriedEntry {
  readonly name: string;
  readonly value: string;
  readonly carried: boolean;
  readonly because: string;
}

export interface Fetched {
  /** Without user, query and fragment. */
  readonly url: string;
  /** That came over the network. */
  readonly bytes: number;
  readonly fromCache: boolean;
  readonly sha256: string;
  /** Whether the SHA-256 was compared with one that the index or the user gave. */
  readonly checked: boolean;
}

export interface LibtorchReport {
  readonly schema: 1;
  readonly action: "locate" | "fetch" | "build";
  readonly outcome: "found" | "not-found" | "failed" | "cancelled";
  readonly reason?: string;
  /** What the failure of a build comes from, where that is understood. */
  readonly explanation?: FailureExplanation;
  readonly chosen?: LibtorchCandidate;
  readonly candidates: readonly LibtorchCandidate[];
  /** "-DTorch_DIR=/…/share/cmake/Torch" */
  readonly cmakeArgument?: string;
  /** The record beside the libtorch: what it is and where it came from. */
  readonly stampFile?: string;
  /** Bytes that came over the network, and whether the cache had it. */
  readonly fetched?: Fetched;
  readonly steps?: readonly LibtorchStep[];
  readonly carried?: readonly CarriedEntry[];
  /** What the user should mind, in sentences. */
  readonly warnings: readonly string[];
}
