import * as path from "node:path";
import type { LibraryImage } from "../../../binaries/library.ts";
import { abiTwin, variantsOf } from "../../../binaries/mangling/index.ts";
import { deviceOfShim, missingIn } from "../../../fit/index.ts";
import type { FitEnvironment } from "../../../fit/index.ts";
import { compareVersions, publicVersion, valueOf } from "../../../model/index.ts";
import type { MissingSymbol } from "../../../model/index.ts";
import { familyOfMatter } from "./family.ts";
import type { CauseName } from "../causes.ts";
import { notLinked } from "./linking.ts";
import { askFits } from "./matter.ts";
import type { Judgement, Matter } from "./matter.ts";
import { cachedBuild, numberOf } from "./torch.ts";
import { inside, naming, torches } from "./words.ts";

/** What the environment in which it failed shows of a name of torch; undefined: nothing more than the text. */
export function byEnvironment(matter: Matter): Judgement | undefined {
  const { knowledge: { environment, history }, error, life } = matter;
  const family = familyOfMatter(matter);
  if (environment === undefined || environment.torchLibraries.length === 0 || error.isCut || life.isByName || error.system !== "linux" || (family !== "torch" && family !== "torch-stable")) {
    return undefined;
  }
  const exporter = environment.torchLibraries.find((one) => variantsOf(life.symbol).some((name) => one.defines(name)));
  if (exporter !== undefined) {
    return exported(matter, exporter, environment);
  }
  const missing = missingIn(environment, life.symbol, history);
  // A name like torch's that no table knows may be anybody's.
  const isAnybodys = missing.kind === "own" || missing.kind === "other-library" || (missing.kind === "stable-shim" && missing.torch === undefined && life.either.length === 0);
  return isAnybodys ? undefined : lacking(matter, missing, environment);
}

/** The environment has it: then it failed for another reason than what the symbol is. */
function exported(matter: Matter, exporter: LibraryImage, environment: FitEnvironment): Judgement {
  const { file, name, error, life } = matter;
  const library = path.basename(exporter.path);
  const torch = torchOf(environment);
  const seen = `${library} of ${torch} exports it (${exporter.path}), so neither the version of torch nor _GLIBCXX_USE_CXX11_ABI is the matter with this environment.`;
  if (error.when === "link" || !/^lib(?:c10|torch|torch_cpu)\.so/.test(library)) {
    const judgement = notLinked({ ...matter, life: { ...life, homes: [library.replace(/\.so.*$/, "")] } }, { because: [seen] });
    return { ...judgement, confidence: "likely" };
  }
  const other = otherLibtorch(library, life.symbol, environment);
  return {
    cause: "torch-not-loaded",
    confidence: other === undefined ? "likely" : "certain",
    headline: other === undefined
      ? `${file} did not meet ${torch}, which has ${name}: torch was not imported before it, or it failed in another environment.`
      : `${file} was loaded without torch and took ${other.path}, which lacks ${name}.`,
    because: [
      seen,
      ...(other === undefined ? [] : [`Without import torch before it, the loader finds ${other.path} for ${library} (${other.how}), and that one does not export it.`]),
      ...saidElsewhere(matter, environment),
    ],
    fixes: ["import torch before it.", ...(other === undefined ? [`If it is, link the file with -l${library.slice(3).replace(/\.so.*$/, "")} (\${TORCH_LIBRARIES}, or torch.utils.cpp_extension): what names no libtorch among its dependencies finds none, even in a process that has it.`] : [`Keep ${path.dirname(other.path)} from the search of the loader (LD_LIBRARY_PATH, /etc/ld.so.conf.d), or build with that libtorch.`])],
    needs: other === undefined ? ["Whether torch is imported first, and by which Python: python -c \"import sys, torch; print(sys.executable, torch.__file__)\".", askFits(matter)] : [],
  };
}

/** A libtorch that the loader finds without torch's help, and that lacks the name: Debian's, or one in LD_LIBRARY_PATH. */
function otherLibtorch(library: string, symbol: string, { machine, torchLibraries }: FitEnvironment): { readonly path: string; readonly how: string } | undefined {
  const places = machine === undefined ? [] : [
    ...machine.libraryPath.map((folder) => ({ file: path.join(folder, library), how: "LD_LIBRARY_PATH" })),
    ...[machine.cached(library, torchLibraries[0]?.machine)].flatMap((file) => (file === undefined ? [] : [{ file, how: "/etc/ld.so.cache" }])),
    ...machine.defaultFolders.map((folder) => ({ file: path.join(folder, library), how: "the default folders" })),
  ];
  for (const { file, how } of places) {
    const image = machine?.open(file);
    if (image !== undefined) {
      return torchLibraries.includes(image) || image.defines(symbol) ? undefined : { path: file, how };
    }
  }
  return undefined;
}

/** The environment lacks it, and shows what it has instead. */
function lacking(matter: Matter, missing: MissingSymbol, environment: FitEnvironment): Judgement {
  const { file, error, knowledge } = matter;
  const torch = torchOf(environment);
  const cause = causeOf(missing, matter, environment);
  const isLink = error.when === "link";
  const said = saidElsewhere(matter, environment);
  return {
    cause,
    confidence: said.length > 0 || isUnknown(missing, matter) ? "likely" : "certain",
    headline: headlineOf(cause, missing, matter, environment),
    because: [
      naming(missing.because, file),
      ...(missing.kind === "abi-twin" ? variantWords(matter, environment) : []),
      ...(cause === "torch-build" ? [`The official wheel of torch ${numberOf(publicOf(environment) ?? "")} exports it (${knowledge.history.source}): this is another build under the same number.`] : []),
      ...(missing.kind === "drift" && matter.life.homes.every((one) => one.includes("_cuda")) && valueOf(environment.body.facts, "cuda-version") === null ? [`It lives in ${matter.life.homes[0] ?? "libtorch_cuda"}, and ${torch} is built without CUDA besides.`] : []),
      ...(cause === "torch-drift" && matter.life.wants === undefined && !missing.because.includes("std::string ABI") ? ["_GLIBCXX_USE_CXX11_ABI has nothing to do with it."] : []),
      ...said,
    ],
    fixes: fixesOf(cause, matter, { torch, isLink }),
    needs: [...(said.length > 0 ? ["Whether it failed in this environment."] : []), ...(isUnknown(missing, matter) ? ["Which torch it was built with, and whether a source of its own defines the name."] : [])],
  };
}

/** A name of torch that no recorded release has, under any parameters: of another build, or a source that was left out. */
export function isUnknown({ kind, nearest }: Pick<MissingSymbol, "kind" | "nearest">, { life }: Matter): boolean {
  return kind === "drift" && life.isRecorded && life.either.length === 0 && life.overload === undefined && nearest === undefined;
}

/** The cause that a missing symbol of torch's families has. */
export function causeOf(missing: Pick<MissingSymbol, "kind" | "foundIn" | "symbol">, matter: Matter, environment: FitEnvironment): CauseName {
  const isCached = cachedBuild(matter);
  switch (missing.kind) {
    case "abi-twin":
      return isCached ? "stale-build" : "libstdcxx-abi";
    case "drift":
      return isCached ? "stale-build" : isOtherBuild(missing.symbol, matter, environment) ? "torch-build" : "torch-drift";
    case "missing-library":
      return missing.foundIn === undefined ? "torch-cpu-only" : "library-not-linked";
    case "stable-shim":
      return isWithoutDevice(missing.symbol, environment) ? "torch-cpu-only" : "stable-shim";
    case "own":
      return "own-symbol";
    case "other-library":
      return "other-library-symbol";
  }
}

/** The number of the environment's torch is that of a release which has the name. */
function isOtherBuild(symbol: string, { knowledge: { history } }: Matter, environment: FitEnvironment): boolean {
  const version = valueOf(environment.body.facts, "torch-version");
  return version !== undefined && environment.body.source !== "catalogue" && variantsOf(symbol).some((name) => history.releasesExporting(name)?.includes(numberOf(version)) === true);
}

function isWithoutDevice(symbol: string, { torchLibraries }: FitEnvironment): boolean {
  const device = deviceOfShim(symbol);
  return device !== undefined && !torchLibraries.some((one) => path.basename(one.path).startsWith(`libtorch_${device}`));
}

/** One sentence for a cause that the environment shows. */
export function headlineOf(cause: CauseName, { foundIn }: Pick<MissingSymbol, "foundIn">, { file, life, knowledge: { history }, name, error }: Matter, environment: FitEnvironment): string {
  const torch = torchOf(environment);
  const has = valueOf(environment.body.facts, "libstdcxx-abi");
  const builtFor = life.either.length === 0 ? undefined : torches(life.either, history.releases);
  switch (cause) {
    case "libstdcxx-abi": {
      const library = path.basename(foundIn ?? "");
      if (foundIn !== undefined && !/^lib(?:c10|torch)/.test(library)) {
        return `${file} and ${library} were compiled with different _GLIBCXX_USE_CXX11_ABI: ${library} has ${name} in the other std::string only.`;
      }
      const wants = life.wants ?? (has === undefined ? undefined : 1 - has);
      return `${file} was compiled with _GLIBCXX_USE_CXX11_ABI=${wants ?? "?"}, and ${torch} is built with ${wants === undefined ? "the other" : 1 - wants}.`;
    }
    case "torch-build":
      return `${file} was built for ${builtFor ?? "another build of torch"}, and ${torch} is another build than the official one: it lacks ${name}.`;
    case "stale-build":
      return `${file} in the cache of load() was built for another torch than ${torch}, which is there now.`;
    case "torch-cpu-only":
      return `${file} needs ${name}, which only a torch built with CUDA has; ${torch} is built without.`;
    case "stable-shim":
      return builtFor === undefined ? `${file} needs ${name} of torch's stable ABI, which ${torch} does not have.` : `${file} needs ${builtFor} for ${name}; ${torch} is older.`;
    default:
      if (!life.isRecorded) {
        return `${file} was ${error.when === "link" ? "compiled with the headers of" : "built for"} another torch than ${torch}, which does not have ${name}.`;
      }
      if (builtFor === undefined && life.overload === undefined) {
        return `${file} needs ${name}, which neither ${torch} nor any recorded release of torch exports.`;
      }
      return `${file} was ${error.when === "link" ? "compiled with the headers of" : "built for"} ${builtFor ?? "another torch than any recorded release"}; ${torch} ${error.when === "link" ? "is linked" : "loads it"} and ${builtFor === undefined ? "does not have " + name : sideWords(life.either, environment)}.`;
  }
}

function sideWords(releases: readonly string[], environment: FitEnvironment): string {
  const version = publicOf(environment);
  const [first, last] = [releases[0], releases.at(-1)];
  return version === undefined || first === undefined || last === undefined ? "is another" : compareVersions(version, first) < 0 ? "is older" : compareVersions(version, last) > 0 ? "is newer" : "lacks it all the same";
}

/** What to do about a cause, in an environment that is known. */
export function fixesOf(cause: CauseName, { life, knowledge: { history }, file, error }: Matter, { torch, isLink }: { readonly torch: string; readonly isLink: boolean }): readonly string[] {
  const others = life.either.length === 0 ? [] : [`Or use a torch that has it: ${torches(life.either, history.releases)}.`];
  switch (cause) {
    case "libstdcxx-abi":
      return [
        isLink ? "Compile with torch's own flags (\${TORCH_LIBRARIES} of find_package(Torch), or torch.utils.cpp_extension), without a _GLIBCXX_USE_CXX11_ABI of your own." : `Rebuild ${inside(file)} against ${torch}, in a clean build folder and without a hard-coded _GLIBCXX_USE_CXX11_ABI.`,
        ...(isLink ? [] : [`Of a package that is released for both, take the wheel with cxx11abi${life.wants === 0 ? "TRUE" : "FALSE"} in its name.`]),
      ];
    case "torch-build":
    case "torch-drift":
      return isLink ? ["Take headers and libraries of one torch: one Torch_DIR, and a clean build folder."] : [`Rebuild ${inside(file)} against ${torch}, in a clean build folder; of a package, take the wheel that was released for that torch.`, ...others];
    case "stale-build":
      return [`Delete ${error.file === undefined ? "its folder in the cache" : path.posix.dirname(error.file)}; the next load() builds it for ${torch}.`];
    case "torch-cpu-only":
      return ["Install a torch that is built with CUDA, or a build of the file for CPUs."];
    case "stable-shim":
      return [`Use ${life.either.length === 0 ? "a newer torch" : torches(life.either, history.releases)}, or a build of ${inside(file)} for ${torch}.`, "Or build it with TORCH_TARGET_VERSION of the oldest torch that must do."];
    default:
      return [];
  }
}

/** Other builds of the same release that have the spelling which the file wants: 2.6.0+cu124 beside 2.6.0+cu126. */
function variantWords({ life, knowledge: { catalogue, history } }: Matter, environment: FitEnvironment): readonly string[] {
  const version = publicOf(environment);
  const platform = valueOf(environment.body.facts, "platform");
  const either = version !== undefined && (history.releasesExporting(life.symbol)?.includes(version) === true || history.releasesExporting(abiTwin(life.symbol) ?? life.symbol)?.includes(version) === true);
  const builds = either ? (catalogue.torchRelease(version)?.variants ?? []).filter((one) => one.libstdcxxAbi === life.wants && (platform === undefined || one.platform === platform)).map((one) => `${version}+${one.label}`) : [];
  return builds.length === 0 ? [] : [`Of the same release ${builds.join(", ")} ${builds.length === 1 ? "is" : "are"} built with ${life.wants ?? 0} and would have it.`];
}

/** Where the text names another torch than the environment has. */
function saidElsewhere({ evidence: { running }, error, knowledge }: Matter, environment: FitEnvironment): readonly string[] {
  const has = publicOf(environment);
  const said = running === undefined || has === undefined || publicVersion(running.torch) === has ? [] : [`The text names torch ${running.torch}, and this environment has ${torchOf(environment)}: it may have failed in another one.`];
  const lies = /^(.*[\\/](?:site|dist)-packages)[\\/]/.exec(error.file ?? "")?.[1];
  const { torchRoot, source } = environment.body;
  const isHere = error.file !== undefined && knowledge.fitOf(error.file) !== undefined;
  return isHere || lies === undefined || source !== "environment" || torchRoot === undefined || path.isAbsolute(lies) !== path.isAbsolute(torchRoot) || path.dirname(torchRoot) === lies
    ? said
    : [...said, `It failed from ${lies}, and the environment that it is compared with is ${environment.body.name}.`];
}

function publicOf(environment: FitEnvironment): string | undefined {
  return publicVersion(valueOf(environment.body.facts, "torch-version") ?? "");
}

export function torchOf(environment: FitEnvironment): string {
  const version = valueOf(environment.body.facts, "torch-version");
  return version === undefined ? "this torch" : `torch ${version}`;
}
