import type { BinaryProfile, Evidence, Fact, Trait, TraitValues } from "../../model/index.ts";
import { compareVersions } from "../../model/index.ts";
import type { ToolkitWitness } from "../cuda/index.ts";

/** The facts that a profile gives; `path` is its evidence. The libstdc++ ABI has a room of its own. */
export function factsOfProfile(profile: BinaryProfile, toolkit: ToolkitWitness | undefined): readonly Fact[] {
  return [
    observed(profile, "platform", `linux-${profile.machine}`, `an ELF file for ${profile.machine}`),
    ...python(profile),
    ...pybind11(profile),
    ...cuda(profile, toolkit),
    ...versions(profile),
    ...compilers(profile),
    ...stamped(profile),
  ];
}

function python(profile: BinaryProfile): readonly Fact[] {
  const [module] = profile.modules;
  const suffix = module?.suffix;
  if (suffix === undefined) {
    return [];
  }
  const evidence = seen(profile, `the suffix ".${suffix}.so" of its name`);
  // The suffix says that the limited API is kept to, and nothing of its level.
  return /^abi3t?$/.test(suffix)
    ? [{ trait: "python-limited-api", value: undefined, expression: suffix, certainty: "observed", conditions: [], evidence: [evidence] }]
    : [{ trait: "python-suffix", value: suffix, certainty: "observed", conditions: [], evidence: [evidence] }];
}

function pybind11(profile: BinaryProfile): readonly Fact[] {
  const facts = profile.pybind11Keys.map((key) => observed(profile, "pybind11-internals", key, `constant __pybind11_internals_${key}__`));
  const abis = new Set(profile.pybind11Keys.flatMap((key) => /cxxabi(1\d{3})/.exec(key)?.[1] ?? []));
  return [...facts, ...[...abis].map((abi) => ({ ...observed(profile, "gxx-abi-version", Number(abi), `"cxxabi${abi}" in its pybind11 key`), certainty: "inferred" as const }))];
}

function cuda(profile: BinaryProfile, toolkit: ToolkitWitness | undefined): readonly Fact[] {
  const facts: Fact[] = [];
  const { cudaRuntime } = profile;
  if (toolkit !== undefined) {
    facts.push(observed(profile, "cuda-version", toolkit.version, toolkit.what));
  }
  if (cudaRuntime?.major !== undefined && Number.parseInt(toolkit?.version ?? "", 10) !== cudaRuntime.major) {
    // What is loaded counts before what compiled the device code.
    facts.unshift({ trait: "cuda-version", value: String(cudaRuntime.major), certainty: "observed", conditions: [], evidence: [cudaRuntime.evidence] });
  }
  if (profile.cuda !== undefined && profile.cuda.architectures.length > 0) {
    facts.push(observed(profile, "cuda-architectures", profile.cuda.architectures, `${profile.cuda.fatbins} fat ${profile.cuda.fatbins === 1 ? "binary" : "binaries"}`));
  }
  return facts;
}

function versions(profile: BinaryProfile): readonly Fact[] {
  const glibc = highest(profile, /^GLIBC_(\d+(?:\.\d+)+)$/);
  // Packed relative relocations need the loader of glibc 2.36 and have a name in place of a version (glibc 2.36, NEWS).
  const packed = profile.versionNeeds.some((one) => one.versions.includes("GLIBC_ABI_DT_RELR"));
  const libstdcxx = highest(profile, /^GLIBCXX_(\d+(?:\.\d+)+)$/);
  const facts: Fact[] = [];
  if (packed && (glibc === undefined || compareVersions(glibc.version, "2.36") < 0)) {
    facts.push(observed(profile, "glibc", "2.36", "needs GLIBC_ABI_DT_RELR, which glibc has from 2.36 on"));
  } else if (glibc !== undefined) {
    facts.push(observed(profile, "glibc", glibc.version, `needs ${glibc.name} of ${glibc.library}`));
  }
  if (libstdcxx !== undefined) {
    facts.push(observed(profile, "libstdcxx-version", libstdcxx.version, `needs ${libstdcxx.name} of ${libstdcxx.library}`));
  }
  return facts;
}

function highest(profile: BinaryProfile, shape: RegExp): { readonly version: string; readonly name: string; readonly library: string } | undefined {
  let best: { readonly version: string; readonly name: string; readonly library: string } | undefined;
  for (const { library, versions: names } of profile.versionNeeds) {
    for (const name of names) {
      const version = shape.exec(name)?.[1];
      if (version !== undefined && (best === undefined || compareVersions(version, best.version) > 0)) {
        best = { version, name, library };
      }
    }
  }
  return best;
}

function compilers(profile: BinaryProfile): readonly Fact[] {
  const facts = new Map<string, Fact>();
  for (const text of profile.compilers) {
    const gcc = /^GCC: \(.*?\) (\d+(?:\.\d+)*)/.exec(text)?.[1];
    const clang = /\bclang version (\d+(?:\.\d+)*)/.exec(text)?.[1];
    const compiler = gcc !== undefined ? `gcc ${gcc}` : clang !== undefined ? `clang ${clang}` : undefined;
    if (compiler !== undefined && !facts.has(compiler)) {
      facts.set(compiler, observed(profile, "compiler", compiler, `"${text}" in .comment`));
    }
  }
  return [...facts.values()];
}

/** What only a stamp can tell. Traits that the file itself shows are left to it. */
function stamped(profile: BinaryProfile): readonly Fact[] {
  const { stamp } = profile;
  if (stamp === undefined) {
    return [];
  }
  const facts: Fact[] = [];
  const add = <T extends Trait>(trait: T, key: string, read: (text: string) => TraitValues[T] | undefined): void => {
    const text = stamp[key];
    const value = text === undefined || text === "" ? undefined : read(text);
    if (value !== undefined) {
      facts.push({ ...observed(profile, trait, value, `its stamp says ${key}=${text ?? ""}`), certainty: "declared" });
    }
  };
  add("torch-version", "torch.version", (text) => text);
  add("torch-git-version", "torch.git", (text) => text);
  add("cxx-standard", "cxx.std", (text) => standardOf(text));
  add("stable-abi-target", "torch.target", (text) => text);
  add("python-limited-api", "py.limited", limitedApiOf);
  if (profile.pybind11Keys.every((key) => !/cxxabi1\d{3}/.test(key))) {
    add("gxx-abi-version", "cxx.gxx_abi", (text) => (/^1\d{3}$/.test(text) ? Number(text) : undefined));
  }
  return facts;
}

/** "3.10" of "3.10" or of Py_LIMITED_API, "0x030a0000". */
function limitedApiOf(text: string): string | undefined {
  const minor = /^0x03([0-9a-f]{2})[0-9a-f]{4}$/i.exec(text)?.[1];
  if (minor !== undefined) return `3.${Number.parseInt(minor, 16)}`;
  return /^(?:none|3\.\d+)$/.test(text) ? text : undefined;
}

/** "17" of "17" or of __cplusplus, "201703" or "201703L". */
function standardOf(text: string): number | undefined {
  const short = /^\d{2}$/.exec(text)?.[0] ?? /^20(\d{2})\d{2}L?$/.exec(text)?.[1];
  return short === undefined ? undefined : Number(short);
}

function observed<T extends Trait>(profile: BinaryProfile, trait: T, value: TraitValues[T], what: string): Fact {
  return { trait, value, certainty: "observed", conditions: [], evidence: [seen(profile, what)] };
}

function seen(profile: BinaryProfile, what: string): Evidence {
  return { kind: "file", path: profile.path, what };
}
