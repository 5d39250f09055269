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
import type { Rule } from "./rule.ts";

export type { Rule, RuleContext } from "./rule.ts";

export const rules: readonly Rule[] = [
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
];

/** The rule of a name, or undefined. */
export function ruleNamed(name: string): Rule | undefined {
  return rules.find((rule) => rule.name === name);
}
