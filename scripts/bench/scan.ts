/**
 * A cold scan, each in a fresh process: everything that `abiding check` does but start Node, in a workspace as large as
 * pytorch's own tree and in the projects of a folder.
 *
 *   npm run bench -- scan [--projects FOLDER] [--only NAME] [--runs N]
 */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { Workspace } from "../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { report } from "./lib/report.ts";
import type { Measurement } from "./lib/report.ts";
import { writeLargeWorkspace } from "./lib/workspace.ts";

const against = "torch==2.8.0+cu128";
const { values: options } = parseArgs({ options: { projects: { type: "string" }, only: { type: "string", default: "" }, runs: { type: "string", default: "3" }, scan: { type: "string" } } });

interface Scan {
  readonly milliseconds: number;
  readonly megabytes: number;
  readonly targets: number;
  readonly findings: number;
  readonly files: number;
}

if (options.scan === undefined) await main();
else process.stdout.write(JSON.stringify(scan(options.scan)));

async function main(): Promise<void> {
  const { only } = options;
  const measurements: Measurement[] = [];
  const details: Record<string, Scan> = {};
  const measure = async (name: string, folder: string, target: { readonly atMost?: number }): Promise<void> => {
    const scans: Scan[] = [];
    for (let run = 0; run < Number(options.runs); run++) {
      const { stdout } = await execa(process.execPath, [fileURLToPath(import.meta.url), "--scan", folder]);
      scans.push(JSON.parse(stdout) as Scan);
    }
    measurements.push({ what: `${name}: cold scan`, unit: "ms", values: scans.map((one) => one.milliseconds), ...target });
    measurements.push({ what: `${name}: memory`, unit: "MB", values: scans.map((one) => one.megabytes) });
    details[name] = scans[0] ?? { milliseconds: 0, megabytes: 0, targets: 0, findings: 0, files: 0 };
  };
  const large = writeLargeWorkspace();
  try {
    await measure("pytorch-sized", large.root, { atMost: 1500 });
  } finally {
    large.remove();
  }
  for (const name of options.projects === undefined ? [] : readdirSync(options.projects).sort()) {
    const folder = join(options.projects ?? "", name);
    if (statSync(folder).isDirectory() && name.includes(only)) await measure(basename(folder), folder, {});
  }
  report("scan", measurements, { against, details });
}

function scan(folder: string): Scan {
  const catalogue = loadCatalogue();
  const started = performance.now();
  const diagnosis = new Workspace(folder, new NodeFiles(), { catalogue, against: [against], environment: {} }).diagnose();
  return { milliseconds: performance.now() - started, megabytes: process.memoryUsage.rss() / 2 ** 20, targets: diagnosis.declared.length, findings: diagnosis.findings.length, files: diagnosis.files.length };
}
