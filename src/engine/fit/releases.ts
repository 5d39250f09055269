import type { DynamicSymbol } from "../binaries/library.ts";
import { abiTwin, familyOf } from "../binaries/mangling/index.ts";
import { torchLibraryStem } from "../catalogue/index.ts";
import { compareVersions, publicVersion, valueOf } from "../model/index.ts";
import type { InstalledBody } from "../model/index.ts";
import { shimVersion } from "./stableShims.ts";
import type { FitEnvironment, MissingSymbol, SymbolHistory } from "./types.ts";

/** From when to when the official wheels export a symbol; undefined: not recorded, or in none of them. */
export function historyOf(symbol: string, history: SymbolHistory | undefined): MissingSymbol["torch"] {
  const releases = history?.releasesExporting(symbol);
  const [since] = releases ?? [];
  const last = releases?.at(-1);
  if (history === undefined || since === undefined || last === undefined) {
    return undefined;
  }
  return { since, until: last === history.releases.at(-1) ? null : last, source: history.source };
}

/** Whether the name is one of those that are recorded, and no recorded release exports it, in neither spelling of std::string. */
export function isNeverExported(symbol: string, history: SymbolHistory | undefined): boolean {
  return history?.releasesExporting(symbol)?.length === 0 && (history.releasesExporting(abiTwin(symbol) ?? symbol) ?? []).length === 0;
}

/**
 * File names of the libraries that export a name, in either spelling of std::string, in the release of a body; where that
 * release is not recorded, in the newest that has the name. Empty: not recorded, or in none.
 */
export function homesOf(symbol: string, body: InstalledBody, history: SymbolHistory | undefined): readonly string[] {
  const version = publicVersion(valueOf(body.facts, "torch-version") ?? "");
  for (const name of [symbol, abiTwin(symbol) ?? symbol]) {
    const release = history?.releases.find((one) => one === version) ?? history?.releasesExporting(name)?.at(-1);
    const homes = release === undefined ? undefined : history?.librariesOf?.(name, release);
    if (homes !== undefined && homes.length > 0) {
      return homes;
    }
  }
  return [];
}

/** Whether the torch of a body is older than a release; undefined: its version is not known. */
export function sideOf(release: string, body: InstalledBody): "older" | "same-or-newer" | undefined {
  const version = valueOf(body.facts, "torch-version");
  const installed = version === undefined ? undefined : publicVersion(version);
  return installed === undefined ? undefined : compareVersions(installed, release) < 0 ? "older" : "same-or-newer";
}

export interface ReleaseAnswer {
  /** Oldest first; undefined: nothing is recorded of what the file needs. */
  readonly releases: readonly string[] | undefined;
  /** Names of torch of which no release is recorded. */
  readonly unrecorded: readonly string[];
}

/**
 * Releases whose official wheels have the libraries of torch that the file loads (`libraries` is its NEEDED) and export
 * every name of torch that it needs, weak ones aside. Names of which nothing is
 * recorded are left out and counted. Functions of the stable ABI count by their guards where the history has none.
 */
export function releasesThatWouldDo(imports: readonly DynamicSymbol[], libraries: readonly string[], history: SymbolHistory | undefined, environment: FitEnvironment): ReleaseAnswer {
  if (history === undefined) {
    return { releases: undefined, unrecorded: [] };
  }
  const needed = imports.filter((one) => one.binding !== "weak");
  const unrecorded: string[] = [];
  let releases: readonly string[] = history.releases;
  let known = 0;
  for (const { name } of needed) {
    const recorded = history.releasesExporting(name);
    const since = recorded === undefined && familyOf(name) === "torch-stable" ? shimVersion(name, environment.stableShims)?.since : undefined;
    if (recorded === undefined && since === undefined) {
      unrecorded.push(name);
      continue;
    }
    known += 1;
    const allowed = new Set(recorded);
    releases = releases.filter((one) => (since === undefined ? allowed.has(one) : compareVersions(one, since) >= 0));
  }
  // The libraries in the official wheels have no versions in their names: libc10.so.1.13 is a distribution's.
  const isNamedOtherwise = libraries.some((one) => torchLibraryStem(one) !== undefined && one !== `${torchLibraryStem(one)}.so`);
  return { releases: known === 0 ? undefined : isNamedOtherwise ? [] : releases, unrecorded };
}
