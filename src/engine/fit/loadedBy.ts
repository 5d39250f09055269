import * as path from "node:path";
import type { LibraryImage } from "../binaries/library.ts";
import type { Unfound } from "./process.ts";
import type { Import } from "./symbols.ts";
import type { FitResult } from "./types.ts";

/** What a file lacks, and the sentence that says by whom the rest comes. */
export interface Lacking {
  readonly missing: readonly Import[];
  readonly unfound: readonly Unfound[];
  readonly said: readonly string[];
}

/**
 * A library that comes in with another file is searched for in that file's scope too, and with its RPATHs: what every file
 * that loads it brings is not missing. `fits` are those of such files; one that does not get as far as the library says
 * nothing of it.
 */
export function withoutBrought(image: LibraryImage, lacking: Pick<Lacking, "missing" | "unfound">, fits: readonly FitResult[]): Lacking {
  const loading = fits.filter((one) => one.loaded.some((object) => object.path === image.path));
  if (loading.length === 0) {
    return { ...lacking, said: [] };
  }
  const missing = lacking.missing.filter(({ symbol, object }) => loading.some((one) => one.missing.some((other) => other.symbol === symbol.name && other.neededBy === object.path)));
  const unfound = lacking.unfound.filter(({ name, neededBy }) => loading.some((one) => one.missingDependencies.some((other) => other.name === name && other.neededBy === neededBy.path)));
  const isWhole = missing.length === lacking.missing.length && unfound.length === lacking.unfound.length;
  const names = loading.map((one) => path.basename(one.built.path)).join(", ");
  return { missing, unfound, said: isWhole ? [] : [`${path.basename(image.path)} lacks by itself what ${names} ${loading.length === 1 ? "brings" : "bring"}: it is loaded by ${loading.length === 1 ? "it" : "them"}, and was judged with ${loading.length === 1 ? "it" : "them"}.`] };
}
