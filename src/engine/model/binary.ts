import type { Evidence } from "./evidence.ts";
import type { Fact } from "./fact.ts";
import type { CudaArchitecture } from "./trait.ts";

/** Whose a symbol is, by its name: the library families that matter at a torch boundary. */
export type SymbolFamily =
  /** C++ names of torch whose ABI is promised by nobody: at::, c10::, torch::, caffe2:: and their vtables and typeinfo; THP* and torch's other C names too. */
  | "torch"
  /** C functions of torch's stable ABI: aoti_torch_*, torch_* that a table or header lists. */
  | "torch-stable"
  | "python" | "cuda" | "libstdcxx" | "glibc" | "own-or-other";

/** A version that a file needs of a library or offers: "GLIBCXX_3.4.21" of "libstdc++.so.6". */
export interface VersionNeed {
  readonly library: string;
  readonly versions: readonly string[];
}

export interface PythonModule {
  /** "_C" of PyInit__C. */
  readonly name: string;
  readonly entry: string;
  /** By the file name: "cpython-311-x86_64-linux-gnu", "abi3", "abi3t"; undefined for a bare ".so". */
  readonly suffix: string | undefined;
}

export interface CudaContent {
  /** Merged over all fat binaries. */
  readonly architectures: readonly CudaArchitecture[];
  readonly fatbins: number;
  readonly compressed: boolean;
  /** Toolkit release as far as the cubins or the PTX version tell: "13.0"; "12" where two releases write the same PTX. */
  readonly toolkit: string | undefined;
  /** What some translation unit has and another lacks; `real` and `ptx` say which of the two forms is missing there. */
  readonly notEverywhere: readonly CudaArchitecture[];
  /** What was not read: "fat binaries lie beyond what was fetched". */
  readonly notRead?: string;
}

/** What one produced file says of itself: everything a person asks of it before loading it. JSON-safe. */
export interface BinaryProfile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly machine: "x86_64" | "aarch64";
  readonly kind: "python-module" | "operator-library" | "shared-library" | "executable" | "object";
  readonly soname: string | undefined;
  readonly needed: readonly string[];
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  readonly modules: readonly PythonModule[];
  /** Number of undefined symbols by family. */
  readonly imports: Readonly<Partial<Record<SymbolFamily, number>>>;
  readonly exports: number;
  readonly versionNeeds: readonly VersionNeed[];
  /** Keys without the "__pybind11_internals_" and the trailing underscores, in file order. */
  readonly pybind11Keys: readonly string[];
  readonly nanobindKeys: readonly string[];
  /** Holds pybind11's conduit (from 2.13.6 on), which passes objects to modules of another key. */
  readonly pybind11Conduit?: boolean;
  readonly cuda: CudaContent | undefined;
  readonly cudaRuntime: { readonly linked: "shared" | "static" | "driver-only"; readonly major: number | undefined; readonly library: string | undefined; readonly evidence: Evidence } | undefined;
  /** Strings of .comment: every compiler that produced a part. */
  readonly compilers: readonly string[];
  readonly buildId: string | undefined;
  /** x86-64 ISA level that .note.gnu.property says the file needs: 1 to 4. */
  readonly isaLevel: number | undefined;
  /** key=value lines of our stamp. */
  readonly stamp: Readonly<Record<string, string>> | undefined;
  readonly signs: readonly { readonly what: "static-libstdcxx" | "static-libtorch" | "bundled-libtorch" | "leaked-path" | "grafted-library" | "text-relocations"; readonly evidence: Evidence }[];
}

/** A produced file as a body: its facts for the rules, and the whole profile. */
export interface BuiltBody {
  readonly role: "built";
  /** The file name. */
  readonly name: string;
  /** Absolute; for a member of a wheel the path below the wheel. */
  readonly path: string;
  readonly profile: BinaryProfile;
  readonly facts: readonly Fact[];
  readonly notKnown: readonly string[];
}
