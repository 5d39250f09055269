/** A folder that `find_package(Torch)` could use. */
export interface LibtorchCandidate {
  /** The folder that holds `share/cmake/Torch`. */
  readonly folder: string;
  /** "--prefix", "Torch_DIR in the environment", ".venv", "CMAKE_PREFIX_PATH", "/usr". */
  readonly because: string;
  readonly version?: string;
  /** null: built without CUDA. */
  readonly cuda?: string | null;
  readonly abi?: 0 | 1;
  readonly linkage?: "shared" | "static";
  /** Why it cannot be used, or does not match what was asked for; absent: it can. */
  readonly refused?: string;
}

/** What a libtorch has to be; what is absent does not matter. */
export interface LibtorchWanted {
  readonly version?: string;
  /** "cpu", "cu130". */
  readonly variant?: string;
  readonly abi?: 0 | 1;
}

export interface LocateRequest {
  readonly root: string;
  readonly wanted: LibtorchWanted;
  /** Folders that were named, before all others. */
  readonly prefixes: readonly string[];
  readonly interpreter?: string;
}

export interface FetchRequest {
  readonly root: string;
  readonly wanted: LibtorchWanted & { readonly version: string };
  readonly from: "libtorch" | "wheel";
  /** The address of a package index or of a folder with libtorch archives, or of one archive. */
  readonly index?: string;
  readonly prefix: string;
  readonly cacheFolder?: string;
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
}

export interface LibtorchReport {
  readonly schema: 1;
  readonly action: "locate" | "fetch" | "build";
  readonly outcome: "found" | "not-found" | "failed" | "cancelled";
  readonly reason?: string;
  readonly chosen?: LibtorchCandidate;
  readonly candidates: readonly LibtorchCandidate[];
  /** "-DTorch_DIR=/…/share/cmake/Torch" */
  readonly cmakeArgument?: string;
  /** The record beside the libtorch: what it is and where it came from. */
  readonly stampFile?: string;
  /** Bytes that came over the network, and whether the cache had it. */
  readonly fetched?: { readonly url: string; readonly bytes: number; readonly fromCache: boolean; readonly sha256: string; readonly checked: boolean };
}
