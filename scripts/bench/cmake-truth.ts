/**
 * Static reading against the truth: configures projects with the real cmake and the real torch, and compares each
 * target's macros, standards and options that matter for the ABI with what the CMake reader says without running anything.
 *
 *   npm run bench -- cmake-truth [--projects FOLDER] [--torch VENV] [--only NAME]
 *
 * FOLDER holds one project per folder; a `truth.json` in it may name the source folder and variables. Without it the
 * projects in scripts/bench/fixtures are taken.
 */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { compareWithStatic, readConfiguredBuild } from "../../src/engine/sources/cmake/fileApi/index.ts";
import { readCMake } from "../../src/engine/sources/cmake/index.ts";
import { progress } from "../lib/step.ts";
import { configure, contextOf, ownProjects, projectsIn, scratchFolder, torchFolder } from "./lib/projects.ts";
import { printTable, report } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { projects: { type: "string", default: ownProjects }, torch: { type: "string" }, only: { type: "string" } } });
const torch = torchFolder(options.torch);
const scratch = scratchFolder();
const files = new NodeFiles();
const rows: string[][] = [["project", "targets", "agree", "of these undecided", "different", "missing"]];
const reasons: string[] = [];
const total = { targets: 0, agree: 0 };
try {
  for (const project of projectsIn(options.projects, options.only)) {
    progress(project.name, "configuring");
    const configured = await configure(project, torch, scratch.path);
    if ("failure" in configured) {
      rows.push([project.name, "not configured", "", "", "", ""]);
      reasons.push(`${project.name} could not be configured:\n${configured.failure}`);
      continue;
    }
    const truth = readConfiguredBuild(configured.build, files);
    if (truth === undefined) throw new Error(`cmake left no reply for ${project.name} in ${configured.build}.`);
    const read = readCMake(configured.source, files, contextOf(torch, configured.variables));
    // Targets without compiled sources have no command line to compare.
    const compared = compareWithStatic(read.targets, truth.targets.filter((target) => target.languages.length > 0 && target.kind !== "interface" && target.kind !== "unknown"));
    const counts = { agrees: 0, different: 0, missing: 0 };
    for (const one of compared) {
      counts[one.outcome]++;
      if (one.outcome === "missing") reasons.push(`${project.name}: ${one.target} is not known to the static reading`);
      for (const { language, setting, read: values, truth: value, location } of one.differences) {
        reasons.push(`${project.name}: ${one.target} (${language}) ${setting}: read ${values.join(" or ") || "nothing"}, cmake passes ${value ?? "nothing"} (${relative(configured.source, location.path)}:${location.range.start.line + 1})`);
      }
    }
    total.targets += compared.length;
    total.agree += counts.agrees;
    rows.push([project.name, String(compared.length), String(counts.agrees), String(compared.filter((one) => one.outcome === "agrees" && one.undecided > 0).length), String(counts.different), String(counts.missing)]);
  }
} finally {
  scratch.remove();
}
printTable(rows);
process.stdout.write(`\n${reasons.map((reason) => `  ${reason}`).join("\n")}\n\n`);
report("cmake-truth", [{ what: "targets that agree", unit: "%", values: [total.targets === 0 ? 0 : (100 * total.agree) / total.targets], atLeast: 95 }], { projects: rows, differences: reasons });
