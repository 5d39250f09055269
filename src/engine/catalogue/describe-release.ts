import type { CatalogueEvidence, Fact, InstalledBody, Trait, TraitValues } from "../model/index.ts";
import { cudaOfLabel, rocmOfLabel } from "./load.ts";
import type { Catalogue, TorchRelease, TorchVariant } from "./types.ts";

type Platform = TorchVariant["platform"];

const machines: Readonly<Record<string, Platform>> = { x86_64: "linux-x86_64", amd64: "linux-x86_64", aarch64: "linux-aarch64", arm64: "linux-aarch64" };
const platformWords: Readonly<Record<Platform, string>> = { "linux-x86_64": "Linux x86_64", "linux-aarch64": "Linux aarch64", "macos-arm64": "macOS arm64", "macos-x86_64": "macOS x86_64", "windows-amd64": "Windows" };

/**
 * The installed body of an official release, from the catalogue alone: "2.6.0+cu126", "2.6.0", "torch==2.8.0+cpu", also
 * with the marker of a Linux machine: "torch==2.8.0; platform_machine == 'aarch64'". `python` ("3.11") settles facts that
 * depend on the interpreter. What the release name leaves open is said in `notKnown`. Answers undefined when the text
 * names no version.
 */
export function describeRelease(spec: string, catalogue: Catalogue, python?: string, platform: Platform = "linux-x86_64"): InstalledBody | undefined {
  const match = /^\s*(?:torch\s*={2,3}\s*)?v?(\d+\.\d+(?:\.\d+)?)((?:\.?(?:dev|a|b|rc|post)\d+)*)(?:\+([A-Za-z0-9][A-Za-z0-9.]*))?\s*(?:;\s*platform_machine\s*==\s*["'](x86_64|amd64|aarch64|arm64)["']\s*)?$/i.exec(spec);
  if (match === null) {
    return undefined;
  }
  const [, number = "", suffix = "", written, machine] = match;
  // PEP 440: local version labels do not tell cases apart.
  const label = written?.toLowerCase();
  const publicVersion = number.split(".").length === 2 ? `${number}.0` : number;
  const name = `torch ${publicVersion}${suffix}${label === undefined ? "" : `+${label}`}`;
  const release = suffix === "" || suffix.startsWith("post") ? catalogue.torchRelease(publicVersion) : undefined;
  if (release === undefined) {
    return unknownRelease(name, `${publicVersion}${suffix}`, label, catalogue);
  }
  const wanted = { release, label, python, platform: machine === undefined ? platform : machines[machine.toLowerCase()] ?? platform };
  return describeKnown(name, wanted, catalogue);
}

/** A release, and what of it is asked for. */
interface Wanted {
  readonly release: TorchRelease;
  readonly label: string | undefined;
  readonly python: string | undefined;
  readonly platform: Platform;
}

/** A nightly, a pre-release or a release newer than the catalogue: only what its label says is known. */
function unknownRelease(name: string, version: string, label: string | undefined, catalogue: Catalogue): InstalledBody {
  const row = label === undefined ? version : `${version}+${label}`;
  const facts: Fact[] = [];
  addLabelFacts(label, (trait, value, source) => facts.push(catalogueFact(trait, value, row, source)));
  const newest = catalogue.torchReleases.at(-1)?.version ?? "none";
  return body(name, facts, [`${name} is not in the catalogue of official releases, whose newest is ${newest}; only what its name says is known of it.`], row);
}

/** What a local label says by itself. */
function addLabelFacts(label: string | undefined, add: (...fact: ["cuda-version", string | null, string] | ["rocm-version", string, string]) => void): void {
  if (label === undefined) return;
  const cuda = cudaOfLabel(label);
  const rocm = rocmOfLabel(label);
  if (cuda !== null || /^cpu\b/.test(label)) add("cuda-version", cuda, "its label");
  if (rocm !== undefined) add("rocm-version", rocm, "its label");
}

function describeKnown(name: string, wanted: Wanted, catalogue: Catalogue): InstalledBody {
  const { release, label, python, platform } = wanted;
  const notKnown: string[] = [];
  const here = release.variants.filter((one) => one.platform === platform);
  const variants = label === undefined ? here : here.filter((one) => one.label === label);
  const facts: Fact[] = [];
  const all = release.sources.join("; ");
  const row = release.version;
  const add = <T extends Trait>(trait: T, value: TraitValues[T], source: string, where = row): void => {
    facts.push(catalogueFact(trait, value, where, source));
  };
  if (variants.length > 0) {
    addVariantFacts(wanted, variants, add, notKnown);
  } else {
    notKnown.push(noVariant(wanted, here));
    const cuda = cudaOfLabel(label ?? "");
    // A label that names no CUDA that ever was says nothing.
    if (cuda === null || catalogue.cudaToolkit(cuda) !== undefined) addLabelFacts(label, (trait, value, source) => { add(trait, value, source, `${row}+${label ?? ""}`); });
  }
  add("cxx-standard-floor", release.cxxStandardFloor, all);
  add("cxx-standard-default", release.cxxStandardDefault, all);
  if (release.pybind11Version !== undefined) {
    add("pybind11-version", release.pybind11Version, all);
  }
  addPybind11Facts(wanted, variants, add, notKnown);
  if (python !== undefined) {
    add("python-version", python, "given");
  }
  add("platform", platform, all);
  const version = label === undefined ? release.version : `${release.version}+${label}`;
  return body(name, facts, notKnown, version, row, all, pinsOf(wanted));
}

type AddFact = <T extends Trait>(trait: T, value: TraitValues[T], source: string, row?: string) => void;

/** The label, or the platform, is none that a source shows; says what holds for the others. */
function noVariant(wanted: Wanted, here: readonly TorchVariant[]): string {
  const { release, label, platform } = wanted;
  const words = platformWords[platform];
  if (here.length === 0) {
    return `The catalogue knows no build of torch ${release.version} for ${words}. What depends on the build is left open.`;
  }
  const elsewhere = [...new Set(release.variants.filter((one) => one.label === label).map((one) => platformWords[one.platform]))];
  const abis = new Set(here.map((one) => one.libstdcxxAbi));
  const [abi] = abis;
  const shared = abis.size === 1 && abi !== undefined ? `, ${here.length === 1 ? "which is" : "all"} built with _GLIBCXX_USE_CXX11_ABI=${abi}` : "";
  return `The catalogue knows no build of torch ${release.version} labelled "${label ?? ""}" for ${words}${elsewhere.length === 0 ? "" : ` (only for ${elsewhere.join(", ")})`}; it knows ${labelsOf(here)}${shared}. What depends on the build is left open.`;
}

function labelsOf(variants: readonly TorchVariant[]): string {
  return variants.map((one) => one.label).join(", ");
}

function addVariantFacts(wanted: Wanted, variants: readonly TorchVariant[], add: AddFact, notKnown: string[]): void {
  const { release, label, platform } = wanted;
  const row = label === undefined ? release.version : `${release.version}+${label}`;
  const abis = new Set(variants.map((one) => one.libstdcxxAbi));
  const [abi] = abis;
  if (abis.size === 1 && abi !== undefined) {
    add("libstdcxx-abi", abi, variants[0]?.source ?? release.version, row);
  } else {
    notKnown.push(abiQuestion(release, variants, label));
  }
  const [chosen] = variants;
  if (label !== undefined && chosen !== undefined) {
    add("cuda-version", chosen.cudaVersion, chosen.source, row);
    if (chosen.rocmVersion !== undefined) {
      add("rocm-version", chosen.rocmVersion, chosen.source, row);
    }
    if (chosen.manylinux !== undefined) {
      add("platform-tag", chosen.manylinux, chosen.source, row);
    }
    return;
  }
  const served = variants.find((one) => one.isDefault);
  notKnown.push(`The CUDA version of torch ${release.version} depends on the build: for ${platformWords[platform]} the catalogue knows ${labelsOf(variants)}${served === undefined ? "" : `, and PyPI serves ${served.label}`}. Name one, for instance torch==${release.version}+${served?.label ?? "cpu"}.`);
}

function abiQuestion(release: TorchRelease, variants: readonly TorchVariant[], label: string | undefined): string {
  const withAbi = (abi: 0 | 1 | undefined): string => variants.filter((one) => one.libstdcxxAbi === abi).map((one) => one.label).join(", ");
  if (label !== undefined) {
    return `The libstdc++ ABI of torch ${release.version}+${label} is not established: ${variants[0]?.source ?? "no source"}.`;
  }
  const parts = ([[0, "_GLIBCXX_USE_CXX11_ABI=0"], [1, "_GLIBCXX_USE_CXX11_ABI=1"], [undefined, "an ABI that is not established"]] as const)
    .map(([abi, text]) => [withAbi(abi), text] as const)
    .filter(([labels]) => labels !== "")
    .map(([labels, text]) => `${labels} with ${text}`);
  return `The libstdc++ ABI of torch ${release.version} depends on the build: ${parts.join("; ")}.`;
}

/**
 * The key was read from the wheel that the index serves. Another variant may have been built by another compiler, whose
 * number stands in keys before version 11; from 11 on only the libstdc++ ABI does.
 */
function addPybind11Facts(wanted: Wanted, variants: readonly TorchVariant[], add: AddFact, notKnown: string[]): void {
  const { release, label, python, platform } = wanted;
  const internals = release.pybind11Internals;
  const read = platform === "linux-aarch64" ? release.onAarch64 : { ...release, source: release.sources.join("; ") };
  const key = read?.pybind11Key;
  const [abi, ...otherAbis] = new Set(variants.map((one) => one.libstdcxxAbi));
  if (read === undefined || internals === undefined || key === undefined || abi === undefined || otherAbis.length > 0) {
    return;
  }
  const { source } = read;
  const served = release.variants.find((one) => one.isDefault && one.platform === platform);
  if (read.gxxAbiVersion !== undefined) {
    if (label !== undefined && label !== served?.label) {
      notKnown.push(`The compiler that built torch ${release.version}+${label} is not established, so its pybind11 key is not either; the build that PyPI serves (+${served?.label ?? "?"}) has ${key}.`);
      return;
    }
    add("gxx-abi-version", read.gxxAbiVersion, source);
  }
  const number = internalsNumber(internals, python);
  if (number === undefined) {
    notKnown.push(`The pybind11 internals of torch ${release.version} are version ${internals.belowPython312} below Python 3.12 and ${internals.fromPython312} from there on.`);
    return;
  }
  add("pybind11-internals", key.replace(/^v\d+/, `v${number}`).replace(/use_cxx11_abi_[01]$/, `use_cxx11_abi_${abi}`), source);
}

function internalsNumber(internals: { readonly belowPython312: number; readonly fromPython312: number }, python: string | undefined): number | undefined {
  if (internals.belowPython312 === internals.fromPython312) {
    return internals.fromPython312;
  }
  const minor = /^3\.(\d+)/.exec(python ?? "")?.[1];
  return minor === undefined ? undefined : Number(minor) >= 12 ? internals.fromPython312 : internals.belowPython312;
}

function catalogueFact<T extends Trait>(trait: T, value: TraitValues[T], row: string, source: string): Fact<T> {
  const evidence: CatalogueEvidence = { kind: "catalogue", table: "torch-releases", row, source };
  return { trait, value, certainty: "inferred", conditions: [], evidence: [evidence] };
}

/**
 * What the wheel pins exactly. The pins were read from the build that the index serves for Linux x86_64; of them only
 * Triton's holds for the other CUDA builds too.
 */
function pinsOf(wanted: Wanted): readonly string[] {
  const { release, label, platform } = wanted;
  if (platform !== "linux-x86_64") return [];
  const served = label === undefined || release.variants.some((one) => one.isDefault && one.platform === platform && one.label === label);
  const cuda = served || cudaOfLabel(label) !== null;
  return Object.entries(release.companions).flatMap(([other, pin]) => (other === "triton" ? cuda : served && other.startsWith("nvidia-")) ? [`${other}==${pin}`] : []);
}

function body(name: string, facts: readonly Fact[], notKnown: readonly string[], version: string, row = version, source = "the name given", pins?: readonly string[]): InstalledBody {
  const evidence: CatalogueEvidence = { kind: "catalogue", table: "torch-releases", row, source };
  const identity = [catalogueFact("torch-version", version, row, source) as Fact];
  return {
    role: "installed",
    name,
    source: "catalogue",
    facts: [...identity, ...facts],
    distributions: pins === undefined ? [] : [{ name: "torch", version, requires: pins, evidence }],
    shadowed: [],
    notKnown,
  };
}
