import * as path from "node:path";
import table from "../../../data/torch-library-graph.json" with { type: "json" };
import type { LibraryImage } from "../binaries/library.ts";
import type { InstalledBody } from "../model/index.ts";
import { stemOf } from "./torchProcess.ts";
import type { FitEnvironment } from "./types.ts";

type Graph = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * The loading environment of a torch that is known by its libraries alone: members of a wheel, rows of a catalogue. The
 * machine around it is not known. Where a library does not say what it loads, torch's usual graph is assumed.
 */
export function environmentOfImages(body: InstalledBody, libraries: readonly LibraryImage[]): FitEnvironment {
  const assumed = libraries.filter((one) => one.needed === undefined);
  const stems = new Map(libraries.map((one) => [stemOf(one.path), one.soname ?? path.basename(one.path)]));
  const hashes = libraries.filter((one) => one.exportsKnownBy === "hashes");
  return {
    body,
    torchLibraries: libraries.map((one) => (one.needed === undefined ? withUsualNeeds(one, stems) : one)),
    notKnown: [
      ...(assumed.length === 0 ? [] : [`What ${listed(assumed)} load${assumed.length === 1 ? "s" : ""} was not read: the graph of the official wheels is assumed (${table.source}).`]),
      ...(hashes.length === 0 ? [] : [`Of ${listed(hashes)} only the hashes of the exported names are known: a name that is found there may be another of the same hash.`]),
      `The machine on which ${body.name} would run is not known: its interpreter, C library, libstdc++ and CUDA libraries are not checked.`,
    ],
  };
}

function withUsualNeeds(image: LibraryImage, stems: ReadonlyMap<string, string>): LibraryImage {
  const stem = stemOf(image.path);
  const hasCuda = stems.has("libtorch_cuda");
  const ofTorch = [...((table.needed as Graph)[stem] ?? []), ...(hasCuda ? (table.neededWithCuda as Graph)[stem] ?? [] : [])];
  const needed = [...ofTorch.map((one) => stems.get(one) ?? `${one}.so`), ...table.system];
  return {
    path: image.path,
    machine: image.machine,
    soname: image.soname ?? path.basename(image.path),
    needed,
    rpath: image.rpath,
    runpath: image.runpath,
    exportsKnownBy: image.exportsKnownBy,
    defines: (name, version) => image.defines(name, version),
    exportedNames: () => image.exportedNames(),
    versionDefinitions: () => image.versionDefinitions(),
    versionNeeds: () => image.versionNeeds(),
    imports: () => image.imports(),
  };
}

function listed(images: readonly LibraryImage[]): string {
  return images.map((one) => path.basename(one.path)).join(", ");
}
