import { basename, dirname, resolve } from "node:path";
import type { Condition, Files, Observation, Reading } from "../../model/index.ts";
import { evidenceOf, member, PresetFiles } from "./presetFiles.ts";
import type { PresetEntry } from "./presetFiles.ts";

/**
 * Reads the configure presets of CMakePresets.json or CMakeUserPresets.json: each gives the cache variables that it and the
 * presets it inherits from set. Source: cmake.org, cmake-presets(7).
 */
export function readPresets(path: string, files: Files): Reading {
  const directory = dirname(path);
  const presets = new PresetFiles(directory, files);
  presets.load(path);
  // CMake reads the project's presets before the user's; they are reported for their own file.
  if (/^CMakeUserPresets\.json$/i.test(basename(path))) presets.load(resolve(directory, "CMakePresets.json"), false);
  return { targets: [], requirements: [], observations: observe(presets, directory), gaps: presets.gaps, files: [...presets.read] };
}

function observe(presets: PresetFiles, directory: string): readonly Observation[] {
  const result: Observation[] = [];
  for (const [branch, preset] of presets.all("configurePresets").filter((one) => one.own && !one.hidden).entries()) {
    const evidence = evidenceOf(preset.source, member(preset.node, "name") ?? preset.node, []);
    const conditions: Condition[] = [{ text: `preset ${preset.name}`, id: `${directory}#configurePresets`, branch, location: evidence.location }];
    const environment = presets.collect(preset, "environment");
    const variables = presets.collect(preset, "cacheVariables");
    const expand = (entry: PresetEntry): string | undefined => presets.expand(entry.value, preset, entry.path, environment);
    const definitions = [...variables].filter(([, entry]) => !entry.removed).map(([variable, entry]) => ({ name: variable, value: expand(entry), evidence: entry.evidence }));
    if (definitions.length > 0) result.push({ kind: "cmake-arguments", sourceDirectory: directory, definitions, evidence, conditions });
    const architectures = environment.get("TORCH_CUDA_ARCH_LIST");
    if (architectures && !architectures.removed) {
      result.push({ kind: "architecture-list", variable: "TORCH_CUDA_ARCH_LIST", value: expand(architectures), evidence: architectures.evidence, conditions });
    }
  }
  return result;
}
