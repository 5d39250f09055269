import { readConfiguration } from "../../../engine/diagnosis/configuration.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import type { Files } from "../../../engine/model/index.ts";
import type { PlanProblem } from "../../project/types.ts";
import type { CombinationSettings } from "../types.ts";

export interface ReadSettings {
  /** Empty when nothing was written. */
  readonly settings: CombinationSettings;
  /** abiding.json has such a section. */
  readonly isWritten: boolean;
  /** What is wrong in abiding.json, each with its place. */
  readonly problems: readonly PlanProblem[];
}

/** The section "combinations" of a project's abiding.json. */
export function readSettings(root: string, files: Files = new NodeFiles()): ReadSettings {
  const { sections, gaps } = readConfiguration(root, files, () => true);
  const settings: CombinationSettings | undefined = sections.combinations;
  return { settings: settings ?? {}, isWritten: settings !== undefined, problems: gaps.map(({ message, location }) => ({ message, ...(location !== undefined && { location }) })) };
}
