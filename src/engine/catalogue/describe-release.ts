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
    const newest = catalogue.torchReleases.at(-1)?.version;
    return body(name, [], [`${name} is not an official release in the catalogue (newest: ${newest}); nothing is known of it but its name.`], `${publicVersion}${suffix}${label === undefined ? "" : `+${label}`}`);
  }
  return describeKnown(name, release, label, python);
}

function describeKnown(name: string, release: TorchRelease, label: string | undefined, python: string | undefined): InstalledBody {
  const notKnown: string[] = [];
  const variants = label === undefined ? release.variants : release.variants.filter((one) => one.label === label);
  if (label !== undefined && variants.length === 0) {
    notKnown.push(`No official build of torch ${release.version} is labelled "${label}"; known labels are ${release.variants.map((one) => one.label).join(", ")}. What depends on the label is left open.`);
  }
  const facts: Fact[] = [];
  const add = <T extends Trait>(trait: T, value: TraitValues[T], source: string, row: string): void => {
    facts.push(catalogueFact(trait, value, row, source) as Fact);
  };
  const all = release.sources.join("; ");
  const row = release.version;
  addVariantFacts(release, variants, label, add, notKnown);
  add("cxx-standard-floor", release.cxxStandardFloor, all, row);
  add("cxx-standard-default", release.cxxStandardDefault, all, row);
  if (release.pybind11Version !== undefined) {
    add("pybind11-version", release.pybind11Version, all, row);
  }
  addPybind11Facts(release, variants, python, add, notKnown);
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
    // A build outside the CUDA family says nothing of CUDA by its label only if the label is not a known family.
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

function addPybind11Facts(release: TorchRelease, variants: readonly TorchVariant[], python: string | undefined, add: AddFact, notKnown: string[]): void {
  const abis = new Set(variants.map((one) => one.libstdcxxAbi));
  const [abi] = abis;
  const source = release.sources.join("; ");
  if (release.gxxAbiVersion !== undefined && (abi === 0 || release.gxxAbiByLibstdcxxAbi === undefined) && abis.size === 1) {
    add("gxx-abi-version", release.gxxAbiVersion, source, release.version);
  } else if (abis.size === 1 && abi === 1 && release.gxxAbiByLibstdcxxAbi?.[1] !== undefined) {
    add("gxx-abi-version", release.gxxAbiByLibstdcxxAbi[1], source, release.version);
  }
  const internals = release.pybind11Internals;
  if (internals === undefined) {
    return;
  }
  const minor = Number(/^3\.(\d+)/.exec(python ?? "")?.[1] ?? Number.NaN);
  const number = internals.belowPython312 === internals.fromPython312 ? internals.fromPython312 : Number.isNaN(minor) ? undefined : minor >= 12 ? internals.fromPython312 : internals.belowPython312;
  if (number === undefined) {
    notKnown.push(`The pybind11 internals of torch ${release.version} are version ${internals.belowPython312} below Python 3.12 and ${internals.fromPython312} from there on.`);
    return;
  }
  const gxx = abi === 1 && release.gxxAbiByLibstdcxxAbi?.[1] !== undefined ? release.gxxAbiByLibstdcxxAbi[1] : release.gxxAbiVersion;
  if (number >= 11) {
    if (abis.size === 1 && abi !== undefined) {
      add("pybind11-internals", `v${number}_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_${abi}`, source, release.version);
    }
  } else if (gxx !== undefined && abis.size === 1) {
    add("pybind11-internals", `v${number}_gcc_libstdcpp_cxxabi${gxx}`, source, release.version);
  }
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
