/** Traits and their values in the words of hovers, hints and reports. */
import { valueText } from "../engine/diagnosis/index.ts";
import type { Fact, Trait } from "../engine/model/index.ts";

const names: Partial<Record<Trait, string>> = {
  "libstdcxx-abi": "libstdc++ ABI (`_GLIBCXX_USE_CXX11_ABI`)",
  "gxx-abi-version": "`__GXX_ABI_VERSION`",
  "pybind11-internals": "pybind11 internals",
  "pybind11-version": "pybind11",
  "torch-version": "torch",
  "cxx-standard": "C++ standard",
  "cxx-standard-floor": "lowest C++ standard of the torch headers",
  "cxx-standard-default": "C++ standard that torch.utils.cpp_extension adds",
  "cuda-version": "CUDA",
  "rocm-version": "ROCm",
  "cuda-architectures": "CUDA architectures",
  "python-version": "Python",
  "python-limited-api": "Python limited API",
  "stable-abi-target": "`TORCH_TARGET_VERSION`",
};

export function traitName(trait: Trait): string {
  return names[trait] ?? trait;
}

/** The value of a fact as people write it; what is asked from torch at build time says so. */
export function factValue(fact: Fact): string {
  if (fact.value === undefined) {
    return fact.follows === undefined ? `\`${fact.expression ?? "not known"}\` (not known before the build)` : `asked from ${fact.follows} at build time`;
  }
  return valueText(fact.trait, fact.value);
}

/** What the installed side has to say about a declared trait. */
export function counterparts(trait: Trait): readonly Trait[] {
  switch (trait) {
    case "cuda-architectures":
      return ["cuda-architectures", "cuda-version"];
    case "cxx-standard":
      return ["cxx-standard-floor", "cxx-standard-default"];
    case "pybind11-version":
      return ["pybind11-version", "pybind11-internals"];
    case "stable-abi-target":
      return ["torch-version"];
    case "python-limited-api":
      return ["python-version"];
    default:
      return [trait];
  }
}
