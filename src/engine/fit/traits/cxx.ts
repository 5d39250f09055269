import type { Comparison } from "./setting.ts";
import { known } from "./setting.ts";

/** _GLIBCXX_USE_CXX11_ABI where a std::string crosses to torch. */
export const libstdcxxAbi: Comparison = ({ built, environment, usesUnstable }) => {
  const mine = known(built, "libstdcxx-abi");
  const theirs = known(environment.body, "libstdcxx-abi");
  // Functions of the stable ABI pass no std::string.
  if (mine === undefined || !usesUnstable) {
    return undefined;
  }
  const agrees = theirs === undefined ? undefined : mine.value === theirs.value;
  const because = theirs === undefined
    ? `The file was compiled with _GLIBCXX_USE_CXX11_ABI=${mine.value}; that of the installed torch is not known.`
    : agrees === true
      ? `Both were compiled with _GLIBCXX_USE_CXX11_ABI=${mine.value}.`
      : `The file was compiled with _GLIBCXX_USE_CXX11_ABI=${mine.value}, the installed torch with ${theirs.value}: functions that take or return a std::string have other names.`;
  return { trait: "libstdcxx-abi", built: String(mine.value), installed: theirs === undefined ? "not known" : String(theirs.value), agrees, weight: "error", because, evidence: [...mine.evidence, ...(theirs?.evidence ?? [])] };
};

/** pybind11 modules share types only under the same whole key. */
export const pybind11Internals: Comparison = ({ built, environment }) => {
  const keys = built.profile.pybind11Keys;
  const theirs = known(environment.body, "pybind11-internals");
  if (keys.length === 0) {
    return undefined;
  }
  const agrees = theirs === undefined ? undefined : keys.includes(theirs.value);
  const because = theirs === undefined
    ? "The pybind11 key of the installed torch is not known."
    : agrees === true
      ? `Both keep their types under __pybind11_internals_${theirs.value}__.`
      : `The file keeps its pybind11 types under __pybind11_internals_${keys[0]}__, torch under __pybind11_internals_${theirs.value}__: types that torch registered with pybind11 (torch::jit::Graph, c10d::ProcessGroup) are unknown to it and end in a TypeError. torch.Tensor is passed in another way and is not affected.`;
  return {
    trait: "pybind11-internals",
    built: keys.join(", "),
    installed: theirs?.value ?? "not known",
    agrees,
    weight: "warning",
    because,
    evidence: [...keys.map((key) => ({ kind: "file" as const, path: built.path, what: `constant __pybind11_internals_${key}__` })), ...(theirs?.evidence ?? [])],
  };
};

/**
 * -fabi-version, which pybind11 2 writes into its key. Where it was read from there the key is what counts, and is compared
 * itself: official pairs differ in the number (torchaudio 2.0 to 2.6 has 1013, torch 1011).
 */
export const gxxAbiVersion: Comparison = ({ built, environment }) => {
  const mine = known(built, "gxx-abi-version");
  const theirs = known(environment.body, "gxx-abi-version");
  if (mine === undefined || theirs === undefined) {
    return undefined;
  }
  const agrees = mine.value === theirs.value;
  const because = agrees ? `Both were compiled with __GXX_ABI_VERSION ${mine.value}.` : `The file was compiled with __GXX_ABI_VERSION ${mine.value}, torch with ${theirs.value}: pybind11 2 makes it a part of its key, and corner cases of mangling differ.`;
  return { trait: "gxx-abi-version", built: String(mine.value), installed: String(theirs.value), agrees, weight: built.profile.pybind11Keys.length > 0 ? "info" : "warning", because, evidence: [...mine.evidence, ...theirs.evidence] };
};
