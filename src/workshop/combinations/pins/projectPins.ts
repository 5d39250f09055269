/** What a project's own files ask for: the requirements that the engine reads, without reading CMake. */
import * as path from "node:path";
import { matcherOf, readConfiguration } from "../../../engine/diagnosis/configuration.ts";
import { discoverProject } from "../../../engine/diagnosis/discover.ts";
import type { Files, Gap, Requirement } from "../../../engine/model/index.ts";
import { readPythonBuild } from "../../../engine/sources/python/index.ts";
import { readRequirements } from "../../../engine/sources/python/requirements/index.ts";

export interface ProjectPins {
  readonly requirements: readonly Requirement[];
  readonly gaps: readonly Gap[];
}

/** Never throws. */
export function readProjectPins(root: string, files: Files): ProjectPins {
  const { configuration } = readConfiguration(path.resolve(root), files, () => true);
  const layout = discoverProject(path.resolve(root), files, matcherOf(configuration.exclude));
  const readings = [
    ...layout.requirements.map((file) => readRequirements(file, files)),
    ...layout.pythonBuilds.map((file) => readPythonBuild(file, files, { platform: undefined })),
  ];
  return { requirements: readings.flatMap((one) => one.requirements), gaps: [...layout.gaps, ...readings.flatMap((one) => one.gaps)] };
}
