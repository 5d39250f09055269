import { loadCatalogue } from "../engine/catalogue/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import type { Workshop } from "../workshop/workshop.ts";
import type { ToolContext } from "./types.ts";

/** What a tool is given by a host that has a workshop for the project at `root`. `trusted`: folders whose code may be run, none where nothing may. */
export function workshopContext(root: string, workshop: Workshop, trusted: readonly string[]): ToolContext {
  const { environment, version, activity } = workshop;
  const { signal } = activity;
  return {
    where: { root, files: new NodeFiles(), catalogue: loadCatalogue(), environment }, remote: { signal }, signal, version,
    tell: (what) => activity.step(what),
    ...(trusted.length > 0 ? { workshop, trusted } : {}),
  };
}
