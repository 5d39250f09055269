import * as path from "node:path";
import type { DynamicSymbol, LibraryImage } from "../binaries/library.ts";
import { abiTwinCandidates, demangle, familyOf, readMangled, variantsOf } from "../binaries/mangling/index.ts";
import { valueOf } from "../model/index.ts";
import { nearestNamesake } from "./namesake.ts";
import { homeOfCudaSymbol } from "./cudaLibraries.ts";
import { historyOf, homesOf, isNeverExported, sideOf } from "./releases.ts";
import { deviceOfShim, firstGuardedRelease, shimVersion } from "./stableShims.ts";
import type { Import } from "./symbols.ts";
import { stemOf } from "./torchProcess.ts";
import type { FitEnvironment, MissingSymbol, SymbolHistory } from "./types.ts";

/** What a missing symbol is looked for in. */
export interface Surroundings {
  readonly environment: FitEnvironment;
  /** Libraries in which the loader looks. */
  readonly scope: readonly LibraryImage[];
  /** Libraries of the environment that are there and that the file does not load. */
  readonly outside: readonly LibraryImage[];
  readonly history: SymbolHistory | undefined;
  /** The file; undefined: only its error is known. */
  readonly root: LibraryImage | undefined;
}

type Kind = Pick<MissingSymbol, "kind" | "because" | "twin" | "foundIn" | "nearest" | "torch">;

/** Says of a symbol that nobody provides what it is, with what was seen. `withNamesake` false: without looking for its exported namesake. */
export function classify(one: Import, around: Surroundings, withNamesake: boolean): MissingSymbol {
  const { name, version, binding } = one.symbol;
  const image = one.object.image;
  return {
    symbol: name,
    ...(version === undefined ? {} : { version: version.name, ...(version.library === undefined ? {} : { versionOf: version.library }) }),
    demangled: demangle(name) ?? name,
    binding: binding === "weak" ? "weak" : "global",
    ...kindOf(one, around, withNamesake),
    ...(image === undefined || image === around.root ? {} : { neededBy: image.path }),
  };
}

/** The same of a symbol that an error names, of whose file nothing is known. */
export function missingIn(environment: FitEnvironment, name: string, history: SymbolHistory | undefined): MissingSymbol {
  const symbol: DynamicSymbol = { name, binding: "global", type: "none", visibility: "default", defined: false, value: 0, size: 0 };
  const object = { name: "", path: "", how: "", image: undefined, loader: undefined };
  return classify({ symbol, family: familyOf(name), object }, { environment, scope: environment.torchLibraries, outside: [], history, root: undefined }, true);
}

function kindOf(one: Import, around: Surroundings, withNamesake: boolean): Kind {
  const { symbol, family } = one;
  const twin = twinOf(symbol.name, around);
  const outside = around.outside.find((library) => library.defines(symbol.name, symbol.version?.name));
  if (outside !== undefined) {
    return missingLibrary(one, outside, around);
  }
  if (twin !== undefined) {
    return twin;
  }
  switch (family) {
    case "torch-stable":
      return stableShim(symbol.name, around);
    case "torch":
      return withoutCuda(symbol.name, around) ?? drift(symbol.name, around, withNamesake);
    case "python":
      return fromPython(symbol.name, around);
    case "cuda":
      return fromCuda(symbol.name, around);
    case "libstdcxx":
    case "glibc":
      return otherLibrary(one);
    case "own-or-other":
      return ownOrOther(one, around);
  }
}

/** The same entity in the other std::string ABI, in any of its constructor variants, when somebody exports it. */
function twinOf(name: string, around: Surroundings): Kind | undefined {
  for (const candidate of abiTwinCandidates(name).flatMap(variantsOf)) {
    const library = [...around.scope, ...around.environment.torchLibraries, ...around.outside].find((one) => one.defines(candidate));
    if (library !== undefined) {
      const exported = demangle(candidate) ?? candidate;
      const isNew = candidate.includes("cxx11");
      const because = `${path.basename(library.path)} exports the same name in the other std::string ABI: ${exported}. The file was compiled with _GLIBCXX_USE_CXX11_ABI=${isNew ? 0 : 1}, the library with ${isNew ? 1 : 0}.`;
      const torch = historyOf(name, around.history);
      return { kind: "abi-twin", twin: candidate, foundIn: library.path, ...(torch === undefined ? {} : { torch }), because };
    }
  }
  return undefined;
}

function missingLibrary(one: Import, library: LibraryImage, around: Surroundings): Kind {
  const file = path.basename(library.path);
  const stem = stemOf(file).replace(/^lib/, "");
  const who = path.basename(one.object.path);
  const how = stem === "torch_python"
    ? `TORCH_LIBRARIES does not contain it: find it with find_library(TORCH_PYTHON_LIBRARY torch_python PATHS "\${TORCH_INSTALL_PREFIX}/lib") and link it, or use torch.utils.cpp_extension.CppExtension.`
    : `Link it with -l${stem}.`;
  const because = around.environment.torchLibraries.includes(library)
    ? `${file} exports it, and neither ${who} nor any library that it loads has ${file} among its dependencies: that torch has loaded it does not help, since its libraries are not global. ${how}`
    : `${file} exports it, and ${who} does not load that library. ${how}`;
  return { kind: "missing-library", foundIn: library.path, because };
}

function stableShim(name: string, around: Surroundings): Kind {
  const { environment, history } = around;
  const version = torchName(environment);
  const known = shimVersion(name, environment.stableShims);
  const side = known === undefined ? undefined : sideOf(known.since, environment.body);
  const recorded = historyOf(name, history);
  const torch = recorded ?? (known === undefined ? undefined : { since: known.since, until: null, source: known.source });
  const rest = torch === undefined ? {} : { torch };
  const device = deviceOfShim(name);
  if (side === "older") {
    return { kind: "stable-shim", ...rest, because: `It is a function of torch's stable ABI that exists since torch ${known?.since}; ${version} is older. Build with TORCH_TARGET_VERSION of the oldest torch that must do, or use torch ${known?.since} or later.` };
  }
  if (device !== undefined) {
    const library = `libtorch_${device}`;
    const has = environment.torchLibraries.some((one) => stemOf(one.path) === library);
    if (!has) {
      return { kind: "stable-shim", ...rest, because: `It is a function of torch's stable ABI that lives in ${library}, and ${version} has no ${library}: it is a build without ${device.toUpperCase()}.` };
    }
  }
  const since = known === undefined ? `it carries no version guard, so it may be older than ${firstGuardedRelease}` : `it exists since torch ${known.since}`;
  return { kind: "stable-shim", ...rest, because: `It has the name of a function of torch's stable ABI (${since}), and no library of ${version} exports it.` };
}

/** A name of torch that only its CUDA libraries hold, on a torch that has none: no other version of it would do. */
function withoutCuda(name: string, { environment, history }: Surroundings): Kind | undefined {
  const home = homesOf(name, environment.body, history).map(stemOf);
  const [first] = home;
  const has = (stem: string): boolean => environment.torchLibraries.some((one) => stemOf(one.path) === stem);
  if (first === undefined || valueOf(environment.body.facts, "cuda-version") !== null || home.some((one) => !/_cuda(?:_|$)/.test(one) || has(one))) {
    return undefined;
  }
  const torch = historyOf(name, history);
  const because = `Official wheels with CUDA export it from ${first}.so; ${torchName(environment)} is built without CUDA and has no ${first}. The file was built for a torch with CUDA.`;
  return { kind: "missing-library", ...(torch === undefined ? {} : { torch }), because };
}

function drift(name: string, around: Surroundings, withNamesake: boolean): Kind {
  const { environment, history } = around;
  const version = torchName(environment);
  const torch = historyOf(name, history);
  const near = withNamesake ? nearestNamesake(name, environment.torchLibraries) : undefined;
  const since = torch !== undefined && torch.since === history?.releases[0] ? `${torch.since}, the oldest that is recorded,` : torch?.since;
  const when = torch === undefined
    ? ""
    : ` Official wheels export it ${torch.until === null ? `since torch ${since}` : torch.since === torch.until ? `in torch ${torch.since} only` : `from torch ${since} to ${torch.until}`}.`;
  const rest = torch === undefined ? {} : { torch };
  if (near === undefined) {
    const listed = withNamesake && environment.torchLibraries.every((one) => one.exportsKnownBy === "names");
    const what = listed ? `${version} exports nothing of that name` : `${version} does not export it`;
    const noString = readMangled(name)?.stringAbi === undefined ? " The std::string ABI has no part in it." : "";
    const from = isNeverExported(name, history)
      ? `${what}, and no recorded release of torch exports it: the file was built against another build of torch (a nightly, ROCm, one of its own), or a source that defines the name was left out.`
      : `${what}: the file was built with another torch.${when}`;
    return { kind: "drift", ...rest, because: `${from}${noString}` };
  }
  const nearest = { symbol: near.symbol, demangled: demangle(near.symbol) ?? near.symbol, library: near.library.path };
  return {
    kind: "drift",
    nearest,
    ...rest,
    because: `${version} exports that name with other parameters: ${nearest.demangled} in ${path.basename(near.library.path)}. ${isNeverExported(name, history) ? "No recorded release of torch exports it with those that the file needs." : `The file was built with another torch.${when}`}`,
  };
}

function fromPython(name: string, around: Surroundings): Kind {
  const { python, body } = around.environment;
  const version = valueOf(body.facts, "python-version");
  const who = version === undefined ? "the interpreter" : `Python ${version}`;
  return { kind: "other-library", because: `It is a name of CPython, and ${who}${python === undefined ? "" : ` (${python.path})`} does not export ${name}: the file was built for another Python${name.startsWith("_") ? ", and the name is private" : ""}.` };
}

function fromCuda(name: string, around: Surroundings): Kind {
  const home = homeOfCudaSymbol(name);
  if (home === undefined) {
    return { kind: "other-library", because: "It has the name of a CUDA function, and no library that the file loads exports it." };
  }
  const loaded = around.scope.find((one) => stemOf(one.soname ?? one.path).replace(/[-.][0-9a-f]{8}$/, "") === home);
  if (loaded !== undefined) {
    return { kind: "other-library", because: `It belongs to ${home}, and the ${path.basename(loaded.path)} that is loaded does not export it: that is another release of the library.` };
  }
  const isDriver = home === "libcuda";
  return { kind: "other-library", because: `It belongs to ${home}, which the file does not load${isDriver ? " and which comes with the NVIDIA driver" : ""}. Link it with -l${home.replace(/^lib/, "")}.` };
}

function otherLibrary({ symbol, family }: Import): Kind {
  const who = family === "glibc" ? "the C library" : "libstdc++";
  const version = symbol.version === undefined ? "" : ` in version ${symbol.version.name}`;
  return { kind: "other-library", because: `It is a name of ${who}${version}, and the one that would be loaded does not export it.` };
}

function ownOrOther(one: Import, around: Surroundings): Kind {
  const who = one.object.image === around.root || one.object.image === undefined ? "the file" : path.basename(one.object.path);
  if (one.symbol.version?.library !== undefined) {
    return { kind: "other-library", because: `${who === "the file" ? "The file" : who} takes it from ${one.symbol.version.library} in version ${one.symbol.version.name}, and the library that would be loaded does not export it.` };
  }
  if (one.object.image !== around.root) {
    return { kind: "other-library", because: `${who} needs it, and no library that it loads exports it.` };
  }
  return { kind: "own", because: "No library that the file loads exports it, nor any of torch, CUDA or CPython that is installed: a source of the project was not compiled into it, or a library is missing on the link line." };
}

/** "torch 2.13.0+cpu", for sentences. */
export function torchName(environment: FitEnvironment): string {
  const version = valueOf(environment.body.facts, "torch-version");
  return version === undefined ? "this torch" : `torch ${version}`;
}
