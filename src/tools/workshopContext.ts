import { loadCatalogue } from "../engine/catalogue/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import type { Workshop } from "../workshop/workshop.ts";
import type { ToolContext } from "./types.ts";

/** What a tool is given by a host that has a workshop for the project at `root`. `mayRun`: whether the project is trusted. */
export function workshopContext(root: string, workshop: Workshop, mayRun: boolean): ToolContext {
  const { environment, version, activity } = workshop;
  const { signal } = activity;
  return {
    where: { root, files: new NodeFiles(), catalogue: loadCatalogue(), environment }, remote: { signal }, signal, version,
    tell: (what) => activity.step(what),
    ...(mayRun ? { workshop } : {}),
  };
}
