/**
 * The rules: each compares facts of bodies and yields findings. One file per rule; this list is the order of
 * reports and of the settings page.
 */
import { c10Boundary } from "./c10-boundary.ts";
import { cudaInCppExtension } from "./cuda-in-cpp-extension.ts";
import { cudaVersion } from "./cuda-version.ts";
import { duplicateLibtorch } from "./duplicate-libtorch.ts";
import { hardCodedPath } from "./hard-coded-path.ts";
import { hostCompiler } from "./host-compiler.ts";
import { missingLibrary } from "./missing-library.ts";
import { pythonAbi } from "./python-abi.ts";
import { removedApi } from "./removed-api.ts";
import { stableAbi } from "./stable-abi.ts";
import { stableAbiTarget } from "./stable-abi-target.ts";
import { libstdcxxAbi } from "./libstdcxx-abi.ts";
import { libstdcxxAbiPinned } from "./libstdcxx-abi-pinned.ts";
import { torchAbiLookup } from "./torch-abi-lookup.ts";
import { gxxAbiVersion } from "./gxx-abi-version.ts";
import { pybind11Internals } from "./pybind11-internals.ts";
import { cxxStandard } from "./cxx-standard.ts";
import { flagNotForwarded } from "./flag-not-forwarded.ts";
import { settingWithoutEffect } from "./setting-without-effect.ts";
import { nativeArch } from "./native-arch.ts";
import { layoutFlag } from "./layout-flag.ts";
import { cudaArchitectures } from "./cuda-architectures.ts";
import { buildIsolation } from "./build-isolation.ts";
import { torchRequirement } from "./torch-requirement.ts";
import { packagePair } from "./package-pair.ts";
import { nightlyPin } from "./nightly-pin.ts";
import { cudaLibraryConflict } from "./cuda-library-conflict.ts";
import { glibcVersion } from "./glibc-version.ts";
import { libstdcxxVersion } from "./libstdcxx-version.ts";
import { ownSymbol } from "./own-symbol.ts";
import { staleBuild } from "./stale-build.ts";
import { stamp } from "./stamp.ts";
import { torchOperators } from "./torch-operators.ts";
import { torchSymbols } from "./torch-symbols.ts";
import { wheelTag } from "./wheel-tag.ts";
import type { Rule } from "./rule.ts";

export type { BuiltFile, Rule, RuleContext } from "./rule.ts";

export const rules: readonly Rule[] = [
  libstdcxxAbi,
  libstdcxxAbiPinned,
  torchAbiLookup,
  gxxAbiVersion,
  pybind11Internals,
  cxxStandard,
  flagNotForwarded,
  settingWithoutEffect,
  nativeArch,
  layoutFlag,
  cudaArchitectures,
  missingLibrary,
  removedApi,
  cudaVersion,
  cudaInCppExtension,
  hostCompiler,
  pythonAbi,
  stableAbi,
  stableAbiTarget,
  duplicateLibtorch,
  hardCodedPath,
  c10Boundary,
  buildIsolation,
  torchRequirement,
  packagePair,
  nightlyPin,
  torchSymbols,
  ownSymbol,
  torchOperators,
  libstdcxxVersion,
  glibcVersion,
  cudaLibraryConflict,
  wheelTag,
  staleBuild,
  stamp,
];

export function isRuleName(name: string): boolean {
  return rules.some((rule) => rule.name === name);
}
