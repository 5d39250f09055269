import type { CatalogueEvidence, Fact, InstalledBody, Trait, TraitValues } from "../model/index.ts";
import type { Catalogue, TorchRelease, TorchVariant } from "./types.ts";

/**
 * The installed body of an official release, from the catalogue alone: "2.6.0+cu126", "2.6.0", "torch==2.8.0+cpu".
 * `python` ("3.11") settles facts that depend on the interpreter. What the release name leaves open is said in `notKnown`.
 * Answers undefined when the text names no version.
 */
export function describeRelease(spec: string, catalogue: Catalogue, python?: string): InstalledBody | undefined {
  const match = /^\s*(?:torch\s*={2,3}\s*)?v?(\d+\.\d+(?:\.\d+)?)((?:\.?(?:dev|a|b|rc|post)\d+)*)(?:\+([A-Za-z0-9][A-Za-z0-9.]*))?\s*$/.exec(spec);
  if (match === null) {
    return undefined;
  }
  const [, number = "", suffix = "", label] = match;
  const publicVersion = number.split(".").length === 2 ? `${number}.0` : number;
  const name = `torch ${publicVersion}${suffix}${label === undefined ? "" : `+${label}`}`;
  const release = suffix === "" || suffix.startsWith("post") ? catalogue.torchRelease(publicVersion) : undefined;
  if (release === undefined) {
    return unknownRelease(name, `${publicVersion}${suffix}`, label, catalogue);
  }
  return describeKnown(name, release, label, python);
}

/** A nightly, a pre-release or a release newer than the catalogue: only what its label says is known. */
function unknownRelease(name: string, version: string, label: string | undefined, catalogue: Catalogue): InstalledBody {
  const cuda = /^cu(\d+)(\d)$/.exec(label ?? "");
  const row = label === undefined ? version : `${version}+${label}`;
  const facts = label === "cpu" ? [catalogueFact("cuda-version", null, row, "its label") as Fact] : cuda === null ? [] : [catalogueFact("cuda-version", `${cuda[1]}.${cuda[2]}`, row, "its label") as Fact];
  const newest = catalogue.torchReleases.at(-1)?.version ?? "none";
  return body(name, facts, [`${name} is not in the catalogue of official releases, whose newest is ${newest}; only what its name says is known of it.`], row);
}

function describeKnown(name: string, release: TorchRelease, label: string | undefined, python: string | undefined): InstalledBody {
  const notKnown: string[] = [];
  const variants = label === undefined ? release.variants : release.variants.filter((one) => one.label === label);
  if (label !== undefined && variants.length === 0) {
    notKnown.push(`No official build of torch ${release.version} is labelled "${label}"; known labels are ${release.variants.map((one) => one.label).join(", ")}. What depends on the label is left open.`);
  }
  const facts: Fact[] = [];
  const add = <T extends Trait>(trait: T, value: TraitValues[T], source: string, row: string): void => {
    facts.push(catalogueFact(trait, value, row, source));
  };
  const all = release.sources.join("; ");
  const row = release.version;
  addVariantFacts(release, variants, label, add, notKnown);
  add("cxx-standard-floor", release.cxxStandardFloor, all, row);
  add("cxx-standard-default", release.cxxStandardDefault, all, row);
  if (release.pybind11Version !== undefined) {
    add("pybind11-version", release.pybind11Version, all, row);
  }
  addPybind11Facts(release, label, variants, python, add, notKnown);
  if (python !== undefined) {
    add("python-version", python, "given", row);
  }
  add("platform", "linux-x86_64", all, row);
  const version = label === undefined ? release.version : `${release.version}+${label}`;
  return body(name, facts, notKnown, version, row, all, release);
}

type AddFact = <T extends Trait>(trait: T, value: TraitValues[T], source: string, row: string) => void;

function addVariantFacts(release: TorchRelease, variants: readonly TorchVariant[], label: string | undefined, add: AddFact, notKnown: string[]): void {
  const chosen = variants.length === 1 ? variants[0] : undefined;
  const row = label === undefined ? release.version : `${release.version}+${label}`;
  const abis = new Set(variants.map((one) => one.libstdcxxAbi));
  const [abi] = abis;
  if (abis.size === 1 && abi !== undefined) {
    add("libstdcxx-abi", abi, variants[0]?.source ?? release.version, row);
  } else if (variants.length > 0) {
    notKnown.push(abiQuestion(release, variants, label));
  }
  if (chosen !== undefined) {
    add("cuda-version", chosen.cudaVersion, chosen.source, row);
    if (chosen.rocmVersion !== undefined) {
      add("rocm-version", chosen.rocmVersion, chosen.source, row);
    }
    if (chosen.manylinux !== undefined) {
      add("platform-tag", chosen.manylinux, chosen.source, row);
    }
    return;
  }
  if (label === undefined) {
    const served = release.variants.find((one) => one.isDefault);
    notKnown.push(`The CUDA version of torch ${release.version} depends on the build: ${release.variants.map((one) => one.label).join(", ")} exist${served === undefined ? "" : `, and PyPI serves ${served.label} for Linux x86_64`}. Name one, for instance torch==${release.version}+${served?.label ?? "cpu"}.`);
  }
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
function addPybind11Facts(release: TorchRelease, label: string | undefined, variants: readonly TorchVariant[], python: string | undefined, add: AddFact, notKnown: string[]): void {
  const internals = release.pybind11Internals;
  const key = release.pybind11Key;
  const [abi, ...otherAbis] = new Set(variants.map((one) => one.libstdcxxAbi));
  if (internals === undefined || key === undefined || abi === undefined || otherAbis.length > 0) {
    return;
  }
  const source = release.sources.join("; ");
  const served = release.variants.find((one) => one.isDefault);
  if (release.gxxAbiVersion !== undefined) {
    if (label !== undefined && label !== served?.label) {
      notKnown.push(`The compiler that built torch ${release.version}+${label} is not established, so its pybind11 key is not either; the build that PyPI serves (+${served?.label ?? "?"}) has ${key}.`);
      return;
    }
    add("gxx-abi-version", release.gxxAbiVersion, source, release.version);
  }
  const number = internalsNumber(internals, python);
  if (number === undefined) {
    notKnown.push(`The pybind11 internals of torch ${release.version} are version ${internals.belowPython312} below Python 3.12 and ${internals.fromPython312} from there on.`);
    return;
  }
  add("pybind11-internals", key.replace(/^v\d+/, `v${number}`).replace(/use_cxx11_abi_[01]$/, `use_cxx11_abi_${abi}`), source, release.version);
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

function body(name: string, facts: readonly Fact[], notKnown: readonly string[], version: string, row = version, source = "the name given", release?: TorchRelease): InstalledBody {
  const evidence: CatalogueEvidence = { kind: "catalogue", table: "torch-releases", row, source };
  const identity = [catalogueFact("torch-version", version, row, source) as Fact];
  const companions = Object.entries(release?.companions ?? {});
  return {
    role: "installed",
    name,
    source: "catalogue",
    facts: [...identity, ...facts],
    distributions: companions.length === 0 ? [] : [{ name: "torch", version, requires: companions.filter(([other]) => other === "triton" || other.startsWith("nvidia-")).map(([other, pin]) => `${other}==${pin}`), evidence }],
    shadowed: [],
    notKnown,
  };
}
