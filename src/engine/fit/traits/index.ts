/**
 * Traits on which a file and the environment that loads it must agree, beyond symbols. One comparison each.
 */
import type { TraitComparison } from "../types.ts";
import { cudaArchitectures, cudaLibraryCopies, cudaVersion } from "./cuda.ts";
import { gxxAbiVersion, libstdcxxAbi, pybind11Internals } from "./cxx.ts";
import { glibc, libstdcxxVersion, platform } from "./machine.ts";
import { limitedApi, pythonModule, pythonSuffix } from "./python.ts";
import type { Comparison, Sides } from "./setting.ts";
import { layout, stableMinimum, stamp } from "./torch.ts";

export type { Sides } from "./setting.ts";
export { builtTorch } from "./torch.ts";

const comparisons: readonly Comparison[] = [
  platform, pythonSuffix, pythonModule, limitedApi, stamp, libstdcxxAbi, stableMinimum, cudaVersion, cudaArchitectures, cudaLibraryCopies,
  glibc, libstdcxxVersion, pybind11Internals, gxxAbiVersion, layout,
];

/** All comparisons for which both sides are known, or of which one side is known to matter. */
export function compareTraits(sides: Sides): readonly TraitComparison[] {
  return comparisons.flatMap((compare) => compare(sides) ?? []);
}
