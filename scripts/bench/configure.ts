/**
 * What static reading costs against running cmake: the same projects, configured from scratch by the real cmake with the
 * real torch, and read.
 *
 *   npm run bench -- configure [--projects FOLDER] [--torch VENV] [--only NAME] [--runs N]
 */
import { parseArgs } from "node:util";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { readCMake } from "../../src/engine/sources/cmake/index.ts";
import { configure, contextOf, ownProjects, projectsIn, scratchFolder, torchFolder } from "./lib/projects.ts";
import { quantile, report } from "./lib/report.ts";
import type { Measurement } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { projects: { type: "string", default: ownProjects }, torch: { type: "string" }, only: { type: "string" }, runs: { type: "string", default: "3" } } });
const torch = torchFolder(options.torch);
const scratch = scratchFolder();
const measurements: Measurement[] = [];
const ratios: number[] = [];
try {
  for (const project of projectsIn(options.projects, options.only)) {
    const cmake: number[] = [];
    const reading: number[] = [];
    for (let run = 0; run < Number(options.runs); run++) {
      const configured = await configure(project, torch, scratch.path);
      if ("failure" in configured) break;
      cmake.push(configured.milliseconds);
      // The first reading of all warms this process up; an editor's server is warm.
      for (let repeat = 0; repeat < 5; repeat++) {
        const started = performance.now();
        readCMake(configured.source, new NodeFiles(), contextOf(torch, configured.variables));
        reading.push(performance.now() - started);
      }
    }
    if (cmake.length === 0) continue;
    ratios.push(quantile(cmake, 0.5) / quantile(reading, 0.5));
    measurements.push({ what: `${project.name}: cmake`, unit: "ms", values: cmake }, { what: `${project.name}: static reading`, unit: "ms", values: reading });
  }
} finally {
  scratch.remove();
}
report("configure", [...measurements, { what: "cmake over static reading, by project", unit: "times", values: ratios, atLeast: 100 }]);
