import table from "../../../data/torch-library-graph.json" with { type: "json" };
import { abiTwin, familyOf } from "../binaries/mangling/index.ts";
import type { LibraryImage } from "../binaries/library.ts";
import type { RecordedLibrary, RecordedSymbols } from "../catalogue/index.ts";
import { valueOf } from "../model/index.ts";
import type { InstalledBody } from "../model/index.ts";
import { environmentOfImages } from "./images.ts";
import type { FitEnvironment } from "./types.ts";

/** Libraries of torch that export thousands of names outside of torch's namespaces; of libc10 those are inline functions. */
const manifold = /^libtorch_(?:cpu|cuda|python|hip|xpu)\w*\.so$/;

const bundled = table.bundled.map((one) => new RegExp(one));

/**
 * The loading environment of a release that is known by the catalogue alone: what its libraries export is recorded for the
 * names that extensions bind to. A build in the other std::string ABI than the recorded one exports the twins of its names.
 */
export function environmentOfRelease(body: InstalledBody, symbols: RecordedSymbols): FitEnvironment {
  const version = publicVersion(valueOf(body.facts, "torch-version"));
  const isCpu = valueOf(body.facts, "cuda-version") === null;
  const libraries = version === undefined ? [] : symbols.librariesOfRelease(isCpu ? `${version}+cpu` : version);
  if (version === undefined || libraries.length === 0) {
    return { body, torchLibraries: [], notKnown: [`What the libraries of ${body.name} export is not recorded.`] };
  }
  const recordedAbi = symbols.libstdcxxAbiOf(version);
  const abi = valueOf(body.facts, "libstdcxx-abi");
  const isOtherAbi = abi !== undefined && recordedAbi !== undefined && abi !== recordedAbi;
  const images = libraries.map((library) => imageOf(library, body.name, isOtherAbi));
  const environment = environmentOfImages(body, [...images, ...unrecorded(libraries, body.name)]);
  return {
    ...environment,
    notKnown: [
      ...environment.notKnown,
      `The symbols of ${body.name} are those that were recorded of the wheel of torch ${version} on PyPI (${symbols.source}); names of kinds that no extension binds to were not recorded: those in the namespaces of torch and of projects that are built into it are taken for exported, of others it is left open.`,
      ...(isOtherAbi ? [`That wheel has _GLIBCXX_USE_CXX11_ABI=${recordedAbi}; for this build its names were put into the other spelling.`] : []),
    ],
  };
}

function imageOf(library: RecordedLibrary, torch: string, isOtherAbi: boolean): LibraryImage {
  const exports = (name: string): boolean => library.exports(isOtherAbi ? (abiTwin(name) ?? name) : name) ?? (isTorchs(name) || isBundled(name));
  return {
    path: `${torch}/${library.name}`,
    machine: undefined,
    soname: library.name,
    needed: library.needed,
    rpath: [],
    runpath: [],
    exportsKnownBy: "names",
    defines: (name) => exports(name),
    ...(manifold.test(library.name) ? { mayDefine: (name: string) => library.exports(name) === undefined } : {}),
    *exportedNames() {
      for (const name of library.exportedNames()) {
        yield isOtherAbi ? (abiTwin(name) ?? name) : name;
      }
    },
    versionDefinitions: () => [],
    versionNeeds: () => [],
    imports: () => undefined,
  };
}

/** Libraries of torch that export nothing an extension binds to: the recorded ones need them, and nothing is looked for there. */
function unrecorded(libraries: readonly RecordedLibrary[], torch: string): readonly LibraryImage[] {
  const recorded = new Set(libraries.map((one) => one.name));
  const names = new Set(libraries.flatMap((one) => one.needed).filter((name) => /^lib(?:torch|shm|c10)/.test(name) && !recorded.has(name)));
  return [...names].map((name) => imageOf({ name, needed: [], exports: () => false, exportedNames: () => [] }, torch, false));
}

/** Of the projects that are built into torch's libraries, whose names are exported with torch's own and are not recorded. */
function isBundled(name: string): boolean {
  return bundled.some((pattern) => pattern.test(name));
}

function isTorchs(name: string): boolean {
  const family = familyOf(name);
  return family === "torch" || family === "torch-stable";
}

/** "2.8.0" of "2.8.0+cu128". */
function publicVersion(version: string | undefined): string | undefined {
  return version === undefined ? undefined : version.split("+", 1)[0];
}
