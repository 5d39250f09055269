import toolkitTable from "../../../data/cuda-toolkits.json" with { type: "json" };
import removedTable from "../../../data/removed-apis.json" with { type: "json" };
import headerTable from "../../../data/removed-headers.json" with { type: "json" };
import releaseTable from "../../../data/torch-releases.json" with { type: "json" };
import wheelTable from "../../../data/torch-wheels.json" with { type: "json" };
import type { Catalogue, CudaToolkit, RemovedApi, TorchRelease, TorchVariant } from "./types.ts";

/** One release as data/torch-releases.json writes it. */
interface ReleaseRow {
  readonly version: string;
  readonly patches: readonly string[];
  readonly date?: string;
  readonly pythons: readonly string[];
  readonly variants: readonly VariantGroup[];
  readonly default: string;
  readonly defaultAarch64?: string;
  /** Keys of the table's `sources`, separated by spaces. */
  readonly source: string;
}

/** Labels that were built alike. */
interface VariantGroup {
  readonly labels: readonly string[];
  /** Absent: "linux-x86_64". */
  readonly platform?: "linux-aarch64";
  readonly abi?: number;
  readonly manylinux?: string;
  readonly source: string;
}

/** What one wheel says, as data/torch-wheels.json writes it. */
interface WheelRow {
  readonly version: string;
  /** Absent: only metadata was read. */
  readonly wheel?: string;
  readonly cxxStandardFloor?: number;
  readonly cxxStandardDefault?: number;
  readonly pybind11Version?: string;
  readonly pybind11Internals?: { readonly belowPython312: number; readonly fromPython312: number };
  readonly pybind11Key?: string;
  readonly gxxAbiVersion?: number;
  readonly cmakeCarriesAbi?: boolean;
  readonly hasPybind11BuildAbi?: boolean;
  readonly companions?: Readonly<Record<string, string | undefined>>;
}

/** What the wheel for Linux aarch64 says that that for x86_64 does not. */
interface Aarch64Row {
  readonly version: string;
  readonly wheel: string;
  readonly pybind11Key?: string;
  readonly gxxAbiVersion?: number;
}

type Sources = Readonly<Record<string, string | undefined>>;

interface ToolkitRow {
  readonly version: string;
  /** "75 80 90 90a 100 100a 100f". */
  readonly architectures: string;
  readonly ptx: string;
  readonly minimumGcc?: number;
  readonly maximumGcc?: number;
  readonly maximumClang?: number;
  readonly source: string;
}

/** Headers that went away together, as data/removed-headers.json writes them. */
interface HeaderRow {
  readonly removedIn: string;
  readonly lastSeenIn: string;
  readonly headers: readonly (string | { readonly header: string; readonly replacement: string; readonly since: string })[];
}

let loaded: Catalogue | undefined;

/** The tables of data/, joined and typed. The result is shared and immutable. */
export function loadCatalogue(): Catalogue {
  loaded ??= build();
  return loaded;
}

function build(): Catalogue {
  const sources: Sources = releaseTable.sources;
  const wheels = new Map((wheelTable.wheels as readonly WheelRow[]).map((row) => [row.version, row]));
  const aarch64 = new Map((wheelTable.aarch64 as readonly Aarch64Row[]).map((row) => [row.version, row]));
  const torchReleases = (releaseTable.releases as readonly ReleaseRow[]).flatMap((row) =>
    [row.version, ...row.patches].map((version) => release(version, row, wheelOf(wheels.get(row.version), wheels.get(version)), aarch64.get(row.version), sources)),
  );
  const cudaToolkits = (toolkitTable.toolkits as readonly ToolkitRow[]).map(toolkit);
  return {
    torchReleases,
    cudaToolkits,
    removedApis: [...(headerTable.releases as readonly HeaderRow[]).flatMap(removedHeaders), ...(removedTable.rows as readonly RemovedApi[])],
    torchRelease(version) {
      const parts = /^\s*v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version);
      const wanted = parts === null ? undefined : `${parts[1]}.${parts[2]}.${parts[3] ?? "0"}`;
      return torchReleases.find((one) => one.version === wanted);
    },
    cudaToolkit(version) {
      const parts = /^\s*(\d+\.\d+)/.exec(version);
      return cudaToolkits.find((one) => one.version === parts?.[1]);
    },
  };
}

/**
 * What is known of a release by wheels: its own, over the first of its minor release. Companions are pinned by patch
 * release, and a key read from another wheel counts only for the same pybind11.
 */
function wheelOf(minor: WheelRow | undefined, own: WheelRow | undefined): Partial<WheelRow> {
  const lent: { -readonly [K in keyof WheelRow]?: WheelRow[K] } = { ...minor };
  delete lent.companions;
  if (own?.pybind11Version !== undefined && own.pybind11Version !== minor?.pybind11Version) {
    delete lent.pybind11Key;
    delete lent.gxxAbiVersion;
  }
  return { ...lent, ...own };
}

function release(version: string, row: ReleaseRow, seen: Partial<WheelRow>, aarch64: Aarch64Row | undefined, sources: Sources): TorchRelease {
  const companions = Object.entries(seen.companions ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    version,
    ...(version === row.version && row.date !== undefined ? { date: row.date } : {}),
    pythons: row.pythons,
    variants: row.variants.flatMap((group) => group.labels.map((label) => variant(label, group, row, sources))).sort(byPlatformAndLabel),
    // Every row has a wheel (a test holds that); the oldest headers are C++11.
    cxxStandardFloor: seen.cxxStandardFloor ?? 11,
    cxxStandardDefault: seen.cxxStandardDefault ?? 11,
    ...(seen.pybind11Version === undefined ? {} : { pybind11Version: seen.pybind11Version }),
    ...(seen.pybind11Internals === undefined ? {} : { pybind11Internals: seen.pybind11Internals }),
    ...(seen.pybind11Key === undefined ? {} : { pybind11Key: seen.pybind11Key }),
    ...(seen.gxxAbiVersion === undefined ? {} : { gxxAbiVersion: seen.gxxAbiVersion }),
    ...(aarch64 === undefined ? {} : { onAarch64: onAarch64(aarch64) }),
    cmakeCarriesAbi: seen.cmakeCarriesAbi ?? false,
    hasPybind11BuildAbi: seen.hasPybind11BuildAbi ?? false,
    companions: Object.fromEntries(companions),
    sources: [named(row.source, sources), ...(seen.wheel === undefined ? [] : [`read from ${seen.wheel}`])],
  };
}

function variant(label: string, group: VariantGroup, row: ReleaseRow, sources: Sources): TorchVariant {
  const platform = group.platform ?? "linux-x86_64";
  const rocm = rocmOfLabel(label);
  return {
    label,
    platform,
    isDefault: label === (platform === "linux-aarch64" ? row.defaultAarch64 : row.default),
    ...(group.abi === 0 || group.abi === 1 ? { libstdcxxAbi: group.abi } : {}),
    cudaVersion: cudaOfLabel(label),
    ...(rocm === undefined ? {} : { rocmVersion: rocm }),
    ...(group.manylinux === undefined ? {} : { manylinux: group.manylinux }),
    source: named(group.source, sources),
  };
}

function named(keys: string, sources: Sources): string {
  return keys.split(" ").map((key) => sources[key] ?? key).join("; ");
}

/** x86_64 first; "cu92" before "cu118". Without Intl, whose start costs as much as reading all tables. */
function byPlatformAndLabel(one: TorchVariant, other: TorchVariant): number {
  const [a, b] = one.platform === other.platform ? [sortKey(one.label), sortKey(other.label)] : [other.platform, one.platform];
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortKey(label: string): string {
  return label.replace(/\d+/g, (digits) => digits.padStart(6, "0"));
}

function onAarch64(row: Aarch64Row): NonNullable<TorchRelease["onAarch64"]> {
  return {
    ...(row.gxxAbiVersion === undefined ? {} : { gxxAbiVersion: row.gxxAbiVersion }),
    ...(row.pybind11Key === undefined ? {} : { pybind11Key: row.pybind11Key }),
    source: `read from ${row.wheel}`,
  };
}

/** "cu126" is 12.6, "cu80" is 8.0: the last digit is the minor version. "cu121.with.pypi.cudnn" is 12.1. */
export function cudaOfLabel(label: string): string | null {
  const digits = /^cu(\d+)(\d)(?:\.|$)/.exec(label);
  return digits === null ? null : `${digits[1]}.${digits[2]}`;
}

export function rocmOfLabel(label: string): string | undefined {
  return /^rocm(\d+(?:\.\d+)*)$/.exec(label)?.[1];
}

function removedHeaders(row: HeaderRow): readonly RemovedApi[] {
  const source = `the header lists of the torch ${row.lastSeenIn} and ${row.removedIn} wheels`;
  return row.headers.map((one) => typeof one === "string"
    ? { kind: "header", what: one, removedIn: row.removedIn, source }
    : { kind: "header", what: one.header, removedIn: row.removedIn, replacement: one.replacement, replacementSince: one.since, source });
}

function toolkit(row: ToolkitRow): CudaToolkit {
  const suffixes = new Map<number, ("" | "a" | "f")[]>();
  for (const [, sm, suffix] of row.architectures.matchAll(/(\d+)([af]?)/g)) {
    const number = Number(sm);
    suffixes.set(number, [...(suffixes.get(number) ?? []), suffix === "a" || suffix === "f" ? suffix : ""]);
  }
  return {
    version: row.version,
    architectures: [...suffixes].map(([sm, known]) => ({ sm, suffixes: known })),
    ptx: row.ptx,
    ...(row.minimumGcc === undefined ? {} : { minimumGcc: row.minimumGcc }),
    ...(row.maximumGcc === undefined ? {} : { maximumGcc: row.maximumGcc }),
    ...(row.maximumClang === undefined ? {} : { maximumClang: row.maximumClang }),
    source: row.source,
  };
}
