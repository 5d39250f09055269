import type { DynamicSymbol, LibraryImage } from "../../../src/engine/binaries/library.ts";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import type { FitEnvironment, FitOptions, MachineLibraries } from "../../../src/engine/fit/index.ts";
import type { BinaryProfile, BuiltBody, Fact, InstalledBody, Trait, TraitValues, VersionNeed } from "../../../src/engine/model/index.ts";

/** A library in memory. */
export interface Sketch {
  readonly soname?: string;
  readonly machine?: number;
  readonly needed?: readonly string[];
  readonly unread?: boolean;
  readonly rpath?: readonly string[];
  readonly runpath?: readonly string[];
  /** "name" or "name@VERSION". */
  readonly exports?: readonly string[];
  /** "name", "name@VERSION:library"; a leading "?" makes it weak. */
  readonly imports?: readonly string[];
  readonly versions?: readonly string[];
  readonly needs?: readonly VersionNeed[];
  readonly order?: readonly string[];
  readonly noDefaultLib?: boolean;
}

export function library(path: string, sketch: Sketch = {}): LibraryImage {
  const exported = new Map((sketch.exports ?? []).map((one) => [one.split("@")[0] ?? "", one.split("@")[1]]));
  return {
    path,
    machine: sketch.machine ?? 62,
    soname: sketch.soname ?? path.split("/").at(-1),
    needed: sketch.unread === true ? undefined : sketch.needed ?? [],
    rpath: sketch.rpath ?? [],
    runpath: sketch.runpath ?? [],
    exportsKnownBy: "names",
    defines: (name, version) => exported.has(name) && (version === undefined || exported.get(name) === undefined || exported.get(name) === version),
    exportedNames: () => exported.keys(),
    versionDefinitions: () => sketch.versions ?? [],
    versionNeeds: () => sketch.needs ?? [],
    imports: () => (sketch.unread === true ? undefined : (sketch.imports ?? []).map(imported)),
    ...(sketch.order === undefined ? {} : { relocationOrder: () => sketch.order ?? [] }),
    ...(sketch.noDefaultLib === undefined ? {} : { noDefaultLib: sketch.noDefaultLib }),
  };
}

function imported(text: string): DynamicSymbol {
  const [, weak, name = "", version, from] = /^(\?)?([^@]+)(?:@([^:]+)(?::(.*))?)?$/.exec(text) ?? [];
  return {
    name,
    binding: weak === undefined ? "global" : "weak",
    type: "none",
    visibility: "default",
    defined: false,
    value: 0,
    size: 0,
    ...(version === undefined ? {} : { version: { name: version, hidden: false, ...(from === undefined ? {} : { library: from }) } }),
  };
}

/** A machine with these files. */
export function machine(files: readonly LibraryImage[], settings: { readonly cache?: Readonly<Record<string, string>>; readonly libraryPath?: readonly string[]; readonly folders?: readonly string[] } = {}): MachineLibraries {
  const byPath = new Map(files.map((one) => [one.path, one]));
  return {
    open: (path) => byPath.get(path),
    isFolder: (path) => files.some((one) => one.path.startsWith(`${path}/`)),
    cached: (name) => settings.cache?.[name],
    libraryPath: settings.libraryPath ?? [],
    defaultFolders: settings.folders ?? ["/usr/lib"],
    platform: "x86_64",
    lib: ["lib64"],
  };
}

export function fact<T extends Trait>(trait: T, value: TraitValues[T]): Fact {
  return { trait, value, certainty: "observed", conditions: [], evidence: [{ kind: "file", path: "/evidence", what: `${trait}` }] };
}

export function installed(facts: readonly Fact[] = [], rest: Partial<InstalledBody> = {}): InstalledBody {
  return { role: "installed", name: "/env", source: "environment", torchRoot: "/env/torch", prefix: "/env", facts: [fact("torch-version", "2.13.0+cpu"), fact("cuda-version", null), fact("libstdcxx-abi", 1), fact("platform", "linux-x86_64"), ...facts], distributions: [], shadowed: [], notKnown: [], ...rest };
}

export function built(profile: Partial<BinaryProfile> = {}, facts: readonly Fact[] = []): BuiltBody {
  const path = profile.path ?? "/project/ops.so";
  return {
    role: "built",
    name: path.split("/").at(-1) ?? path,
    path,
    profile: { path, size: 1, machine: "x86_64", kind: "shared-library", soname: undefined, needed: [], rpath: [], runpath: [], modules: [], imports: {}, exports: 0, versionNeeds: [], pybind11Keys: [], nanobindKeys: [], cuda: undefined, cudaRuntime: undefined, compilers: [], buildId: undefined, isaLevel: undefined, stamp: undefined, signs: [], ...profile },
    facts,
    notKnown: [],
  };
}

export const system = {
  libc: library("/usr/lib/libc.so.6", { exports: ["malloc@GLIBC_2.2.5", "dlopen@GLIBC_2.34"], versions: ["GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.36"] }),
  libstdcxx: library("/usr/lib/libstdc++.so.6", { needed: ["libc.so.6"], exports: ["_ZSt4cout@GLIBCXX_3.4"], versions: ["GLIBCXX_3.4", "GLIBCXX_3.4.29", "GLIBCXX_3.4.30"] }),
  python: library("/env/bin/python3.11", { needed: ["libc.so.6"], exports: ["PyModule_Create2", "PyErr_SetString"] }),
};

/** torch/lib of a small torch: what each library exports, over the usual graph. */
export function torchLibraries(exports: Readonly<Record<string, readonly string[]>> = {}): readonly LibraryImage[] {
  const at = (name: string, needed: readonly string[]): LibraryImage => library(`/env/torch/lib/${name}.so`, { needed: [...needed, "libstdc++.so.6", "libc.so.6"], runpath: ["$ORIGIN"], exports: exports[name] ?? [] });
  const hasCuda = Object.keys(exports).includes("libtorch_cuda");
  return [
    library("/env/torch/_C.cpython-311-x86_64-linux-gnu.so", { needed: ["libtorch_python.so", "libc.so.6"], runpath: ["$ORIGIN/lib"] }),
    at("libtorch_global_deps", []),
    at("libtorch_python", ["libtorch.so", "libtorch_cpu.so", "libc10.so", ...(hasCuda ? ["libtorch_cuda.so", "libc10_cuda.so"] : [])]),
    at("libtorch", ["libtorch_cpu.so"]),
    at("libtorch_cpu", ["libc10.so"]),
    at("libc10", []),
    ...(hasCuda ? [at("libtorch_cuda", ["libc10_cuda.so", "libtorch_cpu.so"]), at("libc10_cuda", ["libc10.so"])] : []),
  ];
}

/** A whole environment. */
export function environment(settings: { readonly torch?: readonly LibraryImage[]; readonly files?: readonly LibraryImage[]; readonly body?: InstalledBody; readonly rest?: Partial<FitEnvironment> } = {}): FitEnvironment {
  const torch = settings.torch ?? torchLibraries();
  return { body: settings.body ?? installed(), torchLibraries: torch, python: system.python, machine: machine([...torch, system.libc, system.libstdcxx, system.python, ...(settings.files ?? [])]), notKnown: [], ...settings.rest };
}

export const options: FitOptions = { catalogue: loadCatalogue() };
