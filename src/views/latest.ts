/** The one line to paste: of the newest torch that was tried and worked. */
import { compareVersions, localLabel, parseVersion, publicVersion } from "../engine/model/version.ts";
import type { LatestWorking, PanelRecord } from "../protocol/panel.ts";
import { deciding, strength } from "./deciding.ts";
import { installLine } from "./installLine.ts";
import { recordWords } from "./words.ts";

export interface LatestOptions {
  /** Of several projects in one file, the one that is meant; absent: the one that was tried most. */
  readonly project?: string;
}

/**
 * The newest release and the newest nightly that worked. Where tests or benchmarks passed with one, torches that were only
 * loaded or built with do not count; predictions never do. `records`: the newest first, as `panelRecords` has them.
 */
export function latestWorking(records: readonly PanelRecord[], { project }: LatestOptions = {}): readonly LatestWorking[] {
  const tested = records.filter((one) => one.how !== "predicted" && one.outcome !== "unknown");
  const own = project ?? mostFrequent(tested.map((one) => one.project));
  const settled = settledOf(tested.filter((one) => one.project === own));
  return (["release", "nightly"] as const).flatMap((channel) => latestOf(channel, settled.filter((one) => channelOf(one.torch) === channel)) ?? []);
}

/** Alphas and candidates are neither: whoever uses them knows where they have them from. */
function channelOf(torch: string): LatestWorking["channel"] | undefined {
  const version = parseVersion(torch);
  return version === undefined || version.pre !== undefined ? undefined : version.dev === undefined ? "release" : "nightly";
}

/** What counts of each surrounding: the newest version of the project that was tried in it, at whatever commit. */
function settledOf(tested: readonly PanelRecord[]): readonly PanelRecord[] {
  const groups = new Map<string, PanelRecord[]>();
  for (const one of tested) {
    const { torch, packages, python, cuda, compiler, platform, gpu } = one;
    const key = JSON.stringify([torch, packages, python, cuda, compiler, platform, gpu]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map((group) => {
    const newest = group.reduce((best, { version = "" }) => (compareVersions(version, best) > 0 ? version : best), "");
    return deciding(group.filter(({ version = "" }) => version === newest));
  });
}

function latestOf(channel: LatestWorking["channel"], settled: readonly PanelRecord[]): LatestWorking | undefined {
  const passed = settled.filter((one) => one.outcome === "passed" && isServed(one));
  const sufficient = [isTried, (one: PanelRecord) => one.how === "loaded", () => true].map((fits) => passed.filter(fits)).find((found) => found.length > 0) ?? [];
  const newest = sufficient.map((one) => publicVersion(one.torch) ?? one.torch).sort(compareVersions).at(-1);
  const [best] = sufficient.filter((one) => publicVersion(one.torch) === newest).sort((a, b) => rank(b) - rank(a));
  if (best === undefined) return undefined;
  const alike = sufficient.filter((one) => one.torch === best.torch && samePackages(one, best));
  const failed = settled.filter((one) => one.torch === best.torch && one.outcome === "failed");
  const index = best.index ?? indexOf(best.torch);
  return {
    channel,
    torch: best.torch,
    line: installLine({ torch: best.torch, ...(index === undefined ? {} : { index }), ...(best.packages === undefined ? {} : { packages: best.packages }) }),
    because: `${recordWords(best.how, best.outcome)} on ${best.when.slice(0, 10)}, ${best.version === undefined ? "" : `${best.project} ${best.version}, `}${where(alike)}${failed.length === 0 ? "" : `; failed with ${where(failed)}`}`,
    record: best.id,
  };
}

/** What somebody built for himself is on no index, and no line installs it. */
function isServed({ torch, index }: PanelRecord): boolean {
  return index !== undefined || localLabel(torch) === undefined || indexOf(torch) !== undefined;
}

function isTried({ how }: PanelRecord): boolean {
  return how === "smoke" || how === "benchmark";
}

/** Stronger methods first, then torches for GPUs: whoever has none can use them too. */
function rank({ how, torch }: PanelRecord): number {
  return strength[how] * 2 + (localLabel(torch) === "cpu" ? 0 : 1);
}

function samePackages(a: PanelRecord, b: PanelRecord): boolean {
  return JSON.stringify(Object.entries(a.packages ?? {}).sort()) === JSON.stringify(Object.entries(b.packages ?? {}).sort());
}

/** "Python 3.11 and 3.12, linux-x86_64" */
function where(records: readonly PanelRecord[]): string {
  const pythons = [...new Set(records.flatMap((one) => one.python ?? []))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const platforms = [...new Set(records.map((one) => one.platform))].sort();
  return [...(pythons.length === 0 ? [] : [`Python ${listed(pythons)}`]), listed(platforms)].join(", ");
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

function mostFrequent(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].reduce<readonly [string, number] | undefined>((best, one) => (best === undefined || one[1] > best[1] ? one : best), undefined)?.[0];
}

/** Where PyTorch serves builds with a label, which PyPI does not have: https://pytorch.org/get-started/locally/ */
function indexOf(torch: string): string | undefined {
  const label = localLabel(torch);
  if (label === undefined || !/^(?:cpu|cu\d+|rocm[\d.]+|xpu)$/.test(label)) return undefined;
  return `https://download.pytorch.org/whl/${channelOf(torch) === "nightly" ? "nightly/" : ""}${label}`;
}
