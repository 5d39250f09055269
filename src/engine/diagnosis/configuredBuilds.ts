import type { CompileArgument, DeclaredTarget, Files, Reading } from "../model/index.ts";
import { compareWithStatic, readConfiguredBuild } from "../sources/cmake/fileApi/index.ts";
import type { TargetComparison } from "../sources/cmake/fileApi/index.ts";

/** A build folder that CMake configured after the last change of the build files. */
export interface ConfiguredBuild {
  readonly folder: string;
  /** By target: where reading the build files and CMake's own account differ. */
  readonly comparisons: readonly TargetComparison[];
}

/**
 * Puts what CMake really passes in the place of what was read statically, target by target. Where both know
 * an argument, the static evidence stays: it leads to the text to edit.
 */
export function applyConfiguredBuilds(read: Reading, folders: readonly string[], files: Files): { readonly reading: Reading; readonly configured: readonly ConfiguredBuild[] } {
  const configured: ConfiguredBuild[] = [];
  let reading = read;
  for (const folder of folders) {
    const truth = readConfiguredBuild(folder, files);
    if (truth === undefined) {
      continue;
    }
    configured.push({ folder, comparisons: compareWithStatic(read.targets, truth.targets) });
    // Two configurations of one project cannot both stand in for its targets: the first one does.
    if (configured.length === 1) {
      const byName = new Map(truth.targets.map((target) => [target.name, target]));
      reading = {
        targets: [
          ...reading.targets.filter((target) => target.builder !== "cmake" || !byName.has(target.name)),
          ...truth.targets.map((target) => asConfigured(target, read.targets.find((one) => one.builder === "cmake" && one.name === target.name))),
        ],
        observations: [...reading.observations, ...truth.observations],
        requirements: reading.requirements,
        gaps: [...reading.gaps, ...truth.gaps],
        files: reading.files,
      };
    }
  }
  return { reading, configured };
}

function asConfigured(truth: DeclaredTarget, read: DeclaredTarget | undefined): DeclaredTarget {
  if (read === undefined) {
    return truth;
  }
  const known = new Map<string, CompileArgument>();
  for (const argument of read.arguments) {
    known.set(argument.text, argument);
  }
  return {
    ...read,
    languages: truth.languages,
    sources: truth.sources,
    includeDirectories: truth.includeDirectories,
    conditions: [],
    arguments: truth.arguments.map((argument) => {
      const seen = known.get(argument.text);
      return seen === undefined ? argument : { ...argument, origin: seen.origin, evidence: seen.evidence, ...(seen.inheritedFrom === undefined ? {} : { inheritedFrom: seen.inheritedFrom }) };
    }),
  };
}
