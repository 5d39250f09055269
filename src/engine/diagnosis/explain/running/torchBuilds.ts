/** Which build of torch would do: for a GPU, for a driver, beside a package. */
import drivers from "../../../../../data/cuda-drivers.json" with { type: "json" };
import builds from "../../../../../data/torch-architectures.json" with { type: "json" };
import type { Catalogue, TorchRelease } from "../../../catalogue/index.ts";
import { runsOn } from "../../../fit/traits/cuda.ts";
import { compareVersions, localLabel, publicVersion, valueOf } from "../../../model/index.ts";
import { joinWords } from "../../../rules/support.ts";
import { isBetweenReleases } from "../symbols/words.ts";
import type { Knowledge, Log } from "../types.ts";

/** The torch of the environment, as people write it: "2.8.0+cu128". */
export function torchOf({ environment }: Knowledge): string | undefined {
  return environment === undefined ? undefined : valueOf(environment.body.facts, "torch-version");
}

/** The version of a distribution: of the environment, else the only one that the text lists ("pip list", collect_env, what pip installed). */
export function versionOf(knowledge: Knowledge, name: "torch" | "torchvision" | "torchaudio" | "torchtext"): string | undefined {
  const { environment, log } = knowledge;
  if (environment !== undefined) return name === "torch" ? torchOf(knowledge) : installedVersion(knowledge, name);
  const versions = listed(log).get(name);
  return versions?.size === 1 ? [...versions][0] : undefined;
}

/** The version of a distribution that is installed in the environment. */
export function installedVersion({ environment }: Knowledge, name: string): string | undefined {
  return environment?.body.distributions.find((one) => one.name === name)?.version;
}

const listedLines = /^(?:\[(?:pip3|conda)\] )?(torch|torchvision|torchaudio|torchtext)(?:==| {1,40}|: )(\d+\.\d+[\w.+]*)(?:\s|$)|^(PyTorch) version: (\d+\.\d+[\w.+]*)/;
const known = new WeakMap<Log, ReadonlyMap<string, ReadonlySet<string>>>();
/** More lines than lists of packages stand behind. */
const mostLines = 50_000;

function listed(log: Log): ReadonlyMap<string, ReadonlySet<string>> {
  const found = known.get(log);
  if (found !== undefined) return found;
  const versions = new Map<string, Set<string>>();
  const add = (name: string, version: string): void => { versions.set(name, (versions.get(name) ?? new Set()).add(version)); };
  for (const { text } of log.lines.slice(0, mostLines)) {
    if (!text.includes("orch")) continue;
    const [, name, version = "", torch, itsVersion = ""] = listedLines.exec(text.slice(0, 200)) ?? [];
    if (name !== undefined) add(name, version);
    if (torch !== undefined) add("torch", itsVersion);
    if (text.startsWith("Successfully installed ")) for (const one of text.slice(0, 8000).matchAll(/ (torch|torchvision|torchaudio|torchtext)-(\d+\.\d+[\w.+]*)/g)) add(one[1] ?? "", one[2] ?? "");
  }
  // collect_env names the release with its label and the distribution without, or the other way round.
  for (const [name, set] of versions) {
    const withLabel = [...set].filter((one) => one.includes("+"));
    const releases = new Set([...set].map((one) => one.replace(/\+.*$/, "")));
    if (releases.size === 1 && withLabel.length === 1) versions.set(name, new Set(withLabel));
  }
  known.set(log, versions);
  return versions;
}

/** "12.8" of 12080, the number by which CUDA's own calls tell versions. */
export function cudaOfNumber(number: number): string {
  return `${Math.floor(number / 1000)}.${Math.floor((number % 1000) / 10)}`;
}

export function majorOf(version: string): number {
  return Number(/^\d+/.exec(version)?.[0]);
}

/** The oldest driver for programs of a CUDA version: "525.60.13"; undefined: not recorded. */
export function oldestDriver(cuda: string): string | undefined {
  return (drivers.minimum as Readonly<Record<string, string | undefined>>)[String(majorOf(cuda))];
}

/** `pip install` of exact versions from where torch's builds of that label are kept; PyPI's where there is none. */
export function installLine(pins: Readonly<Record<string, string>>, label: string | undefined): string {
  const names = Object.entries(pins).map(([name, version]) => `${name}==${publicVersion(version) ?? version}`);
  const index = label !== undefined && /^(?:cpu|xpu|cu\d+|rocm[\d.]+)$/.test(label) ? ` --index-url https://download.pytorch.org/whl/${label}` : "";
  return `pip install ${names.join(" ")}${index}`;
}

/** The version of a package that was released for a torch, and the line that installs it beside it; undefined of builds of NVIDIA, nightlies and the like, which no index has by that number. */
export function companionFor(catalogue: Catalogue, name: string, torch: string): { readonly version: string; readonly line: string } | undefined {
  const version = isBetweenReleases(torch) ? undefined : catalogue.torchRelease(torch)?.companions[name];
  return version === undefined ? undefined : { version, line: installLine({ torch, [name]: version }, localLabel(torch)) };
}

/** Releases of torch for which a package's version was released, oldest first: that very version, else those of its minor version. */
export function torchesFor(catalogue: Catalogue, name: string, version: string): readonly TorchRelease[] {
  const wanted = publicVersion(version) ?? version;
  const exact = catalogue.torchReleases.filter((one) => one.companions[name] === wanted);
  const minor = minorOf(wanted);
  return exact.length > 0 ? exact : catalogue.torchReleases.filter((one) => minorOf(one.companions[name] ?? "") === minor);
}

export function minorOf(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? version;
}

/** The first CUDA toolkit that compiles for an architecture, and the first torch with a build of it or of a newer one. */
export function firstFor(catalogue: Catalogue, sm: number): { readonly cuda: string; readonly torch: string } | undefined {
  const toolkit = catalogue.cudaToolkits.find((one) => one.architectures.some((architecture) => architecture.sm === sm));
  const release = toolkit && catalogue.torchReleases.find((one) => one.variants.some(({ cudaVersion }) => cudaVersion !== null && compareVersions(cudaVersion, toolkit.version) >= 0));
  return toolkit && release && { cuda: toolkit.version, torch: release.version };
}

/** The CUDA versions whose builds of a recent torch hold code for a GPU; and which torch that is. */
export function buildsFor(gpu: number): { readonly torch: string; readonly cuda: readonly string[] } {
  return { torch: builds.torch, cuda: builds.builds.filter((one) => [...one.x86_64, ...one.aarch64].some((sm) => runsOn([{ sm, suffix: "", real: true, ptx: false }], gpu) === "native")).map((one) => one.cuda) };
}

/** "cu126" for "12.6". */
export function labelOf(cuda: string): string {
  return `cu${cuda.replace(".", "")}`;
}

/** "sm_75, sm_80 and sm_90". */
export function architectureWords(list: readonly number[]): string {
  return joinWords(list.map((one) => `sm_${one}`));
}
