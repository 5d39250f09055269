import * as path from "node:path";
import type { DynamicSymbol, LibraryImage } from "../binaries/library.ts";
import { familyOf } from "../binaries/mangling/index.ts";
import { torchLibraryStem } from "../catalogue/index.ts";
import type { BuiltBody } from "../model/index.ts";
import { classify } from "./classify.ts";
import { cudaLibrary, isCudaLibrary } from "./cudaLibraries.ts";
import { missingDependency, torchCudaMajor } from "./dependencies.ts";
import { withoutBrought } from "./loadedBy.ts";
import { notChecked } from "./notChecked.ts";
import type { Assume, LoadedObject, Unfound } from "./process.ts";
import { relocationOrder } from "./relocationOrder.ts";
import { isNeverExported, releasesThatWouldDo } from "./releases.ts";
import { secondLibtorch } from "./secondLibtorch.ts";
import { resolveSymbols } from "./symbols.ts";
import type { Import, Resolution } from "./symbols.ts";
import { isOpenMpLibrary, isSystemLibrary } from "./systemLibraries.ts";
import { torchLibrary, torchProcess } from "./torchProcess.ts";
import type { TorchProcess } from "./torchProcess.ts";
import { compareTraits } from "./traits/index.ts";
import type { FitEnvironment, FitOptions, FitResult, MissingKind, SymbolHistory, TraitComparison } from "./types.ts";
import { compareSymbolVersions, withoutVersions } from "./versions.ts";

/** Disagreements after which the file does not load or ends the process; the others are told and decide nothing by themselves. */
const decisive: ReadonlySet<TraitComparison["trait"]> = new Set(["platform", "python-suffix", "two-libtorch", "stamp", "cuda-architectures", "layout", "symbol-versions", "python-module"]);

/** Kinds of missing symbols that another release of torch may have. */
const ofAnotherTorch: ReadonlySet<MissingKind> = new Set(["abi-twin", "drift", "stable-shim"]);

/** For so many missing symbols the exported namesake is looked for: each search goes through the names of torch. */
const comparedNamesakes = 100;

/** libtorch_python, the largest module known, needs 20,000; beyond this a file is made to be slow. */
const mostImports = 300_000;

function untold(built: BuiltBody, { body }: FitEnvironment, why: string): FitResult {
  return { built, against: body, verdict: "unknown", missing: [], missingDependencies: [], missingVersions: [], traits: [], loaded: [], notChecked: [why] };
}

/**
 * Whether a file would load in an environment: the loader's search, its symbols and versions, and the traits on which both
 * must agree, worked out without loading anything. `image` is the file that `built` describes.
 */
export function fit(built: BuiltBody, image: LibraryImage, place: FitEnvironment, options: FitOptions): FitResult {
  const count = Object.values(built.profile.imports).reduce((sum, one) => sum + one, 0);
  if (count > mostImports) {
    return untold(built, place, `${built.name} needs ${count} symbols; up to ${mostImports} are looked for, so none of them was.`);
  }
  // A program is the first in its process: nothing has imported torch for it.
  const isProgram = built.profile.kind === "executable";
  const environment = isProgram ? withoutInterpreter(place) : place;
  const importTorch = options.importTorchFirst !== false && !isProgram;
  const before = torchProcess(environment, importTorch);
  const load = loadFile(image, before, environment);
  const { root, scope, added, unfound, unlookedAt, openedBefore } = load;
  const imports = [...(image.imports() ?? [])].map((symbol) => ({ symbol, family: familyOf(symbol.name) }));
  const isForeign = environment.torchLibraries.some((one) => one.machine !== undefined && image.machine !== undefined && one.machine !== image.machine);
  const isObject = built.profile.kind === "object";
  const objects = isForeign || isObject ? [] : relocationOrder(added, root, (one) => load.model.dependenciesOf(one));
  const searched = unique([...before.model.global, ...scope, ...substitutes(unfound, environment)]);
  const resolution = resolveSymbols(objects, root, searched, { interpreter: environment.python !== undefined, torch: environment.torchLibraries.length > 0 });
  const { certain, hidden } = withoutUnfound(resolution.missing, unfound, options.history);
  const lacking = withoutBrought(image, { missing: certain, unfound }, options.loadedBy ?? []);
  const images = searched.flatMap((one) => one.image ?? []);
  const outside = outsideOf(before, searched, environment);
  const leftOpen = lacking.missing.filter((one) => mayBeTorchs(one, images, outside));
  const around = {
    environment,
    scope: images,
    outside,
    history: options.history,
    root: image,
  };
  const versions = compareSymbolVersions(isForeign || isObject ? [] : added, load.model);
  const unstableNames = imports.filter((one) => one.family === "torch").map((one) => one.symbol.name);
  const usesUnstable = unstableNames.length > 0;
  const stableNames = imports.filter((one) => one.family === "torch-stable").map((one) => one.symbol.name);
  const second = isForeign ? undefined : secondLibtorch(scope, environment);
  const releases = releasesThatWouldDo(imports.filter((one) => (one.family === "torch" || one.family === "torch-stable") && !isOfAnother(one.symbol, scope, root, environment)).map((one) => one.symbol), image.needed ?? [], options.history, environment);
  const sides = { built, environment, options, scope: searched, usesUnstable, unstableNames, stableNames, candidates: releases.releases };
  const bare = withoutVersions(objects, searched, load.model);
  const traits = [...(second === undefined ? [] : [second]), ...(bare === undefined ? [] : [bare]), ...compareTraits(sides)];
  const missing = lacking.missing.filter((one) => !leftOpen.includes(one)).map((one, index) => classify(one, around, index < comparedNamesakes));
  const missingDependencies = isForeign ? [] : lacking.unfound.map((one) => missingDependency(one, environment, isProgram ? "program" : importTorch ? "after-torch" : "before-torch"));
  // What another torch does not bring: then no release alone would do.
  const isMoreThanTorch = missingDependencies.length > 0 || versions.missing.length > 0 || missing.some((one) => !ofAnotherTorch.has(one.kind));
  const told = isMoreThanTorch ? { releases: undefined, unrecorded: [] } : releases;
  const neverExported = missing.filter((one) => one.kind === "drift" && isNeverExported(one.symbol, options.history)).map((one) => one.symbol);
  const isConflict = missing.length > 0 || missingDependencies.length > 0 || versions.missing.length > 0 || traits.some((one) => one.agrees === false && one.weight === "error" && decisive.has(one.trait));
  const doubts = doubtsOf(resolution, leftOpen, environment, usesUnstable || stableNames.length > 0, isObject);
  return {
    built,
    against: environment.body,
    verdict: isConflict ? "conflict" : doubts.length > 0 ? "unknown" : "no-conflict",
    missing,
    missingDependencies,
    missingVersions: versions.missing,
    traits,
    ...(told.releases === undefined ? {} : { releasesThatWouldDo: told.releases }),
    ...(neverExported.length === 0 ? {} : { neverExported }),
    loaded: listed(searched, before, root),
    notChecked: [...doubts, ...lacking.said, ...notChecked({ sides, resolution, hidden, unlookedAt, openedBefore, before, unreadVersions: versions.unread, releases: told, unfound, isLayoutCompared: traits.some((one) => one.trait === "layout") })],
  };
}

function withoutInterpreter({ body, torchLibraries, machine, companions, stableShims, notKnown }: FitEnvironment): FitEnvironment {
  return { body, torchLibraries, ...(machine === undefined ? {} : { machine }), ...(companions === undefined ? {} : { companions }), ...(stableShims === undefined ? {} : { stableShims }), notKnown };
}

interface Load {
  readonly model: TorchProcess["model"];
  readonly root: LoadedObject;
  readonly scope: readonly LoadedObject[];
  readonly added: readonly LoadedObject[];
  readonly unfound: readonly Unfound[];
  /** Libraries of which it is not known whether they are there. */
  readonly unlookedAt: readonly string[];
  /** Libraries that come with the file where the loader does not look. */
  readonly openedBefore: readonly LibraryImage[];
}

/** What dlopen of the file brings into the process. */
function loadFile(image: LibraryImage, before: TorchProcess, environment: FitEnvironment): Load {
  const unlookedAt: string[] = [];
  const openedBefore: LibraryImage[] = [];
  const cudaMajor = torchCudaMajor(environment);
  const assume: Assume = (name, neededBy) => {
    const companion = unsearchedCompanion(name, neededBy.path, environment);
    if (companion !== undefined) {
      openedBefore.push(companion);
      return { image: companion, path: companion.path, how: "comes with the file, taken for opened by its package before" };
    }
    const isForMachine = isSystemLibrary(name) || cudaLibrary(name)?.isDriver === true;
    const belongsToTorch = cudaLibrary(name)?.majors.includes(cudaMajor ?? -1) === true;
    const isKnownMachine = environment.machine !== undefined;
    // Without an interpreter a torch folder is a part of an environment: its CUDA libraries may be elsewhere.
    const isWhole = environment.python !== undefined || environment.body.source === "libtorch";
    if (isKnownMachine ? !isWhole && belongsToTorch : isForMachine || belongsToTorch || (torchLibraryStem(name) === undefined ? !isCudaLibrary(name) : environment.torchLibraries.length === 0)) {
      unlookedAt.push(name);
      return { path: name, how: "taken for installed, not looked into" };
    }
    return undefined;
  };
  const companions = new Map((environment.companions ?? []).map((one) => [one.path, one]));
  const model = before.model.fork(companions);
  const { scope, added, unfound } = model.open(image, { loader: before.importer, how: "the file itself", isGlobal: false, assume });
  const [root = model.assumeLoaded(image.path, "the file itself", image)] = scope;
  return { model, root, scope, added, unfound, unlookedAt: [...new Set(unlookedAt)], openedBefore };
}

/**
 * A package may open its libraries itself before its modules: torchaudio does, its modules have no RUNPATH. What a repair
 * tool put into the wheel under a name with a hash is found by the loader or not at all.
 */
function unsearchedCompanion(name: string, neededBy: string, { companions = [], machine }: FitEnvironment): LibraryImage | undefined {
  const isGrafted = (file: string): boolean => /[-.][0-9a-f]{8}\.so/.test(path.basename(file));
  if (name.includes("/") || isGrafted(name)) {
    return undefined;
  }
  const isInstalled = /[\\/](?:site|dist)-packages[\\/]/.test(neededBy);
  return companions.find((one) => !isGrafted(one.path) && (one.soname === name || path.basename(one.path) === name)) ?? (isInstalled ? machine?.open(path.join(path.dirname(neededBy), name)) : undefined);
}

/** Whether a library that is not torch's brings a name in a namespace of torch: torch::executor is ExecuTorch's. */
function isOfAnother({ name }: DynamicSymbol, scope: readonly LoadedObject[], root: LoadedObject, { torchLibraries }: FitEnvironment): boolean {
  return scope.some(({ image }) => image !== undefined && image !== root.image && !torchLibraries.includes(image) && image.defines(name));
}

/** Torch's libraries in the place of those that were not found: what lies in them is not missing for a second reason. */
function substitutes(unfound: readonly Unfound[], environment: FitEnvironment): readonly LoadedObject[] {
  const found = new Map<string, LibraryImage>();
  const queue = unfound.map((one) => one.name);
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const image = torchLibrary(environment, name);
    if (image !== undefined && !found.has(image.path)) {
      found.set(image.path, image);
      queue.push(...(image.needed ?? []));
    }
  }
  return [...found.values()].map((image) => ({ image, name: image.soname ?? path.basename(image.path), path: image.path, how: "not found by the loader", loader: undefined }));
}

/** Symbols that a library which was not found may have held are no finding of their own. */
function withoutUnfound(missing: readonly Import[], unfound: readonly Unfound[], history: SymbolHistory | undefined): { readonly certain: readonly Import[]; readonly hidden: readonly Import[] } {
  const mayHold = (one: Import): boolean => unfound.some(({ name }) => mayDefine(name, one, history));
  return { certain: missing.filter((one) => !mayHold(one)), hidden: missing.filter(mayHold) };
}

function mayDefine(library: string, { family, symbol }: Import, history: SymbolHistory | undefined): boolean {
  if (symbol.version?.library !== undefined) {
    return symbol.version.library === library;
  }
  const stem = torchLibraryStem(library);
  if (stem !== undefined) {
    const last = history?.releasesExporting(symbol.name)?.at(-1);
    const homes = last === undefined ? undefined : history?.librariesOf?.(symbol.name, last);
    return (family === "torch" || family === "torch-stable") && (homes === undefined || homes.length === 0 || homes.some((one) => torchLibraryStem(one) === stem));
  }
  if (isCudaLibrary(library)) {
    return family === "cuda";
  }
  return /^libpython/.test(library) ? family === "python" : !isSystemLibrary(library) && family === "own-or-other";
}

/** A name outside of torch's namespaces that a library of torch in the scope may hold, of which such names are not recorded. */
function mayBeTorchs({ family, symbol }: Import, scope: readonly LibraryImage[], outside: readonly LibraryImage[]): boolean {
  return family === "own-or-other" && symbol.version === undefined && scope.some((one) => one.mayDefine?.(symbol.name) === true) && !outside.some((one) => one.defines(symbol.name));
}

/** Libraries that are in the process or beside torch, and not in the scope of the file. */
function outsideOf(before: TorchProcess, searched: readonly LoadedObject[], environment: FitEnvironment): readonly LibraryImage[] {
  const inside = new Set(searched.map((one) => one.path));
  const all = [...environment.torchLibraries, ...(environment.companions ?? []), ...before.model.objects.flatMap((one) => one.image ?? []), ...(environment.preloaded ?? [])];
  return unique(all).filter((one) => !inside.has(one.path) && !/^_C\./.test(path.basename(one.path)));
}

/** What leaves the answer open: torch's side or the file's own imports were not readable. */
function doubtsOf(resolution: Resolution, leftOpen: readonly Import[], environment: FitEnvironment, usesTorch: boolean, isObject: boolean): readonly string[] {
  const doubts: string[] = [];
  if (isObject) {
    doubts.push("An object file is not loaded by itself: only the library or module that is linked from it can be checked.");
  }
  if (usesTorch && environment.torchLibraries.length === 0) {
    doubts.push(`What the libraries of ${environment.body.name} export is not known, so no symbol of torch was checked.`);
  }
  for (const one of resolution.unread) {
    doubts.push(`The symbols that ${one.path} needs could not be read.`);
  }
  const [first] = leftOpen;
  if (first !== undefined) {
    const [symbols, theirs, belong] = leftOpen.length === 1 ? ["symbol", "its", "belongs"] : ["symbols", "their", "belong"];
    doubts.push(`${leftOpen.length} ${symbols} (${first.symbol.name}${leftOpen.length > 1 ? ", ..." : ""}) that nothing else provides may lie in a library of ${environment.body.name}, of which names of ${theirs} kind were not recorded, or ${belong} to a source that was not compiled or linked.`);
  }
  for (const [library, imports] of resolution.uncertain) {
    const open = isSystemLibrary(library) || isOpenMpLibrary(library) ? [] : imports.filter((one) => one.family === "torch" || one.family === "torch-stable" || (one.family === "own-or-other" && one.symbol.version === undefined));
    if (open.length > 0 && environment.torchLibraries.length > 0) {
      doubts.push(`${open.length} ${open.length === 1 ? "symbol" : "symbols"} (${open[0]?.symbol.name}${open.length > 1 ? ", ..." : ""}) may lie in ${library} or another library that was not looked into.`);
    }
  }
  return doubts;
}

/** The libraries that are searched, then those that are in the process and not searched for this file. */
function listed(searched: readonly LoadedObject[], before: TorchProcess, root: LoadedObject): FitResult["loaded"] {
  const rest = before.model.objects.filter((one) => !searched.includes(one));
  return [
    ...searched.filter((one) => one !== root).map(({ name, path: file, how }) => ({ name, path: file, how })),
    ...rest.map(({ name, path: file, how }) => ({ name, path: file, how: `${how}; not searched for this file` })),
  ];
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
