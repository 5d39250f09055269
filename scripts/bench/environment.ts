/**
 * Describing the installed torch against importing it: `describeEnvironment` in a warm process, `abiding environment` as
 * a process, and `python -c "import torch"`.
 *
 *   npm run bench -- environment [--torch VENV] [--runs N]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { root } from "../../test/harness/locations.ts";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { resolveAgainst } from "../../src/engine/installed/index.ts";
import { torchFolder } from "./lib/projects.ts";
import { report } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { torch: { type: "string" }, runs: { type: "string", default: "10" } } });
const runs = Number(options.runs);
const prefix = join(torchFolder(options.torch), "..", "..", "..", "..");
const catalogue = loadCatalogue();
await execa(process.execPath, [join(root, "scripts", "build.ts")], { stdio: ["ignore", "inherit", "inherit"] });

const inProcess: number[] = [];
for (let run = 0; run < runs * 5; run++) {
  const started = performance.now();
  const answer = resolveAgainst(prefix, { root: prefix, files: new NodeFiles(), catalogue, environment: {} });
  inProcess.push(performance.now() - started);
  if (!answer.ok) throw new Error(answer.message);
}
const asProcess: number[] = [];
const importing: number[] = [];
for (let run = 0; run < runs; run++) {
  asProcess.push(await timed(process.execPath, [join(root, "dist", "cli.js"), "environment", prefix, "--format", "json"]));
  importing.push(await timed(join(prefix, "bin", "python"), ["-c", "import torch"]));
}
report("environment", [
  { what: "first description in a process", unit: "ms", values: inProcess.slice(0, 1) },
  { what: "description, warm", unit: "ms", values: inProcess.slice(1), atMost: 30 },
  { what: "abiding environment (process)", unit: "ms", values: asProcess },
  { what: 'python -c "import torch"', unit: "ms", values: importing },
]);

async function timed(file: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  await execa(file, args);
  return performance.now() - started;
}
