/**
 * What is known of releases: typed access to the tables in data/. Every row names its source.
 */
export type * from "./types.ts";
export { loadCatalogue } from "./load.ts";
export { describeRelease } from "./describe-release.ts";
export { loadSymbolHistory, type RecordedLibrary, type RecordedSymbols } from "./symbolHistory.ts";
export { layoutChanges, layoutsOf, silentChanges } from "./layouts.ts";
export { formerTorchLibrary, torchLibraryStem, type FormerTorchLibrary } from "./torchLibraries.ts";
