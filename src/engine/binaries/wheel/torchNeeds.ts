import type { RecordedSymbols } from "../../catalogue/index.ts";
import { abiTwinCandidates, familyOf } from "../mangling/index.ts";
import { isTorchItself } from "./provided.ts";
import type { WheelContent } from "./types.ts";

/** A name of torch that a library of the wheel needs. */
export interface TorchNeed {
  readonly symbol: string;
  readonly member: string;
  readonly isStable: boolean;
  /** Recorded releases whose wheels export it. */
  readonly releases: ReadonlySet<string>;
  /** Recorded releases of which only builds with the newer std::string export it. */
  readonly otherBuilds: ReadonlySet<string>;
}

/** All that a wheel needs of torch, against the record of what the releases export. */
export interface TorchNeeds {
  /** Those that some recorded release exports. */
  readonly recorded: readonly TorchNeed[];
  /** Members and first names of which nothing is recorded. */
  readonly unrecorded: readonly { readonly symbol: string; readonly member: string }[];
  readonly unstable: number;
  readonly stable: number;
  /** A library that needs unstable names, else one that needs any. */
  readonly member: string | undefined;
  /** Recorded releases whose wheels export all recorded names, oldest first. */
  readonly wouldDo: readonly string[];
  /** Those of which only builds with _GLIBCXX_USE_CXX11_ABI=1 do. */
  readonly wouldDoInOtherBuilds: readonly string[];
  /** A name that all builds of a release lack. */
  lackingIn(release: string): TorchNeed | undefined;
}

const mayDependOnStrings = /Ss|St4list|__cxx11|B5cxx11/;
const isNewSpelling = /__cxx11|B5cxx11/;

/** undefined: nothing in the wheel needs torch, or the wheel is torch itself. */
export function torchNeeds(content: WheelContent, history: RecordedSymbols): TorchNeeds | undefined {
  const users = isTorchItself(content.name.distribution) ? [] : content.libraries.filter(({ body }) => (body.profile.imports.torch ?? 0) + (body.profile.imports["torch-stable"] ?? 0) > 0);
  const needs = new Map<string, { readonly symbol: string; readonly member: string; readonly isStable: boolean }>();
  for (const { member, image } of users) {
    for (const { name, binding } of image.imports() ?? []) {
      const family = needs.has(name) || binding === "weak" ? undefined : familyOf(name);
      if ((family === "torch" || family === "torch-stable") && !content.libraries.some((one) => one.image.defines(name))) {
        needs.set(name, { symbol: name, member, isStable: family === "torch-stable" });
      }
    }
  }
  if (needs.size === 0) {
    return undefined;
  }
  const all = [...needs.values()];
  const recorded: TorchNeed[] = [];
  const unrecorded: TorchNeeds["unrecorded"][number][] = [];
  for (const need of all) {
    const releases = new Set(history.releasesExporting(need.symbol));
    const otherBuilds = otherBuildsWith(need.symbol, history);
    // What no release exports belongs to a build of another kind: ROCm, a nightly, one from source.
    if (releases.size === 0 && otherBuilds.size === 0) {
      unrecorded.push(need);
    } else {
      recorded.push({ ...need, releases, otherBuilds });
    }
  }
  const isExportedBy = (release: string) => (one: TorchNeed) => one.releases.has(release);
  const isExportedSomewhere = (release: string) => (one: TorchNeed) => one.releases.has(release) || one.otherBuilds.has(release);
  const unstable = all.filter((one) => !one.isStable);
  return {
    recorded,
    unrecorded,
    unstable: unstable.length,
    stable: all.length - unstable.length,
    member: (unstable[0] ?? all[0])?.member,
    wouldDo: recorded.length === 0 ? [] : history.releases.filter((release) => recorded.every(isExportedBy(release))),
    wouldDoInOtherBuilds: history.releases.filter((release) => recorded.every(isExportedSomewhere(release)) && !recorded.every(isExportedBy(release))),
    lackingIn: (release) => recorded.find((one) => !isExportedSomewhere(release)(one)),
  };
}

/**
 * Releases until 2.6 were recorded of wheels with the older std::string, and have builds with the newer one too; none later
 * has builds with the older. Source: data/torch-releases.json, the label cpu.cxx11.abi and the release notes of 2.6.0.
 */
function otherBuildsWith(symbol: string, history: RecordedSymbols): ReadonlySet<string> {
  const twins = mayDependOnStrings.test(symbol) ? abiTwinCandidates(symbol).filter((one) => !isNewSpelling.test(one)) : [];
  return new Set(twins.flatMap((one) => history.releasesExporting(one) ?? []).filter((release) => history.libstdcxxAbiOf(release) === 0));
}
