/**
 * "Would it load?" against the tools that a person would use: nm and comm on the same files, importing torch and loading the
 * file, abidw and auditwheel where they are installed. Time, bytes read and peak memory.
 *
 *   npm run bench -- fits [--file LIBRARY] [--torch ENVIRONMENT_OR_TORCH_FOLDER] [--runs N]
 *
 * The default file is the installed torchvision's, else torch's own libtorch_python.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { describeBinary } from "../../src/engine/binaries/profile/index.ts";
import { loadCatalogue, loadSymbolHistory } from "../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { environmentOf, fit } from "../../src/engine/fit/index.ts";
import { resolveAgainst } from "../../src/engine/installed/index.ts";
import { root } from "../../test/harness/locations.ts";
import { torchFolder } from "./lib/projects.ts";
import { report } from "./lib/report.ts";
import type { Measurement } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { file: { type: "string" }, torch: { type: "string" }, runs: { type: "string", default: "10" } } });
const runs = Number(options.runs);
const place = options.torch ?? join(torchFolder(undefined), "..", "..", "..", "..");

/** Counts what is asked of the disk. */
class CountedFiles extends NodeFiles {
  bytes = 0;
  override readBytes(path: string, offset: number, length: number): Uint8Array | undefined {
    const read = super.readBytes(path, offset, length);
    this.bytes += read?.length ?? 0;
    return read;
  }
}

const catalogue = loadCatalogue();
const environment = resolveAgainst(place, { root: place, files: new NodeFiles(), catalogue, environment: {} });
if (!environment.ok) throw new Error(environment.message);
const torchRoot = environment.body.torchRoot ?? place;
const file = options.file ?? defaultFile();

function defaultFile(): string {
  const vision = join(torchRoot, "..", "torchvision");
  const name = existsSync(vision) ? readdirSync(vision).find((one) => /^_C.*\.so$/.test(one)) : undefined;
  return name === undefined ? join(torchRoot, "lib", "libtorch_python.so") : join(vision, name);
}

await execa(process.execPath, [join(root, "scripts", "build.ts")], { stdio: ["ignore", "inherit", "inherit"] });

/** The loading model alone, with nothing kept from the run before. */
const inProcess: number[] = [];
const bytes: number[] = [];
loadSymbolHistory();
for (let run = 0; run < runs * 3; run++) {
  const files = new CountedFiles();
  const described = describeBinary(file, files);
  if (!described.ok) throw new Error(described.message);
  const before = files.bytes;
  const started = performance.now();
  fit(described.body, described.image, environmentOf(environment.body, files, { environment: {} }), { catalogue, history: loadSymbolHistory() });
  inProcess.push(performance.now() - started);
  bytes.push((files.bytes - before) / 1e6);
}

const asProcess: number[] = [];
const memory: number[] = [];
const tellMemory = "data:text/javascript,process.on('exit',()=>process.stderr.write('maxrss '+process.resourceUsage().maxRSS))";
for (let run = 0; run < runs; run++) {
  const started = performance.now();
  const done = await execa(process.execPath, ["--import", tellMemory, join(root, "dist", "cli.js"), "fits", file, "--against", place, "--format", "json"], { reject: false });
  asProcess.push(performance.now() - started);
  memory.push(Number(/maxrss (\d+)/.exec(done.stderr)?.[1] ?? Number.NaN) / 1024);
}

/** What a person would type: the undefined names that none of torch's libraries defines. */
const libraries = readdirSync(join(torchRoot, "lib")).filter((one) => /^lib(?:c10|torch_cpu|torch_cuda|torch_python|c10_cuda)\.so$/.test(one)).map((one) => join(torchRoot, "lib", one));
const names = "awk '{print $NF}' | sed 's/@.*//' | sort -u";
const byHand = `comm -23 <(nm -D --undefined-only "$1" | ${names}) <(nm -D --defined-only "\${@:2}" | ${names})`;
const withNm = await times(Math.min(runs, 3), "bash", ["-c", byHand, "bash", file, ...libraries]);
const python = join(place, "bin", "python");
const importing = existsSync(python) ? await times(Math.min(runs, 3), python, ["-c", "import sys, ctypes, torch; ctypes.CDLL(sys.argv[1])", file]) : [];
const withAbidw = (await isInstalled("abidw")) ? await times(1, "abidw", ["--noout", file]) : [];

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const ratio = (what: string, values: readonly number[]): readonly Measurement[] => values.length === 0 ? [] : [
  { what, unit: "ms", values },
  { what: `  the same in times of abiding fits`, unit: "times", values: [median(values) / median(asProcess)] },
];
report("fits", [
  { what: "loading model, first in a process", unit: "ms", values: inProcess.slice(0, 1) },
  { what: "loading model, new environment each time", unit: "ms", values: inProcess.slice(1), atMost: 100 },
  { what: "read from disk for it", unit: "MB", values: bytes },
  { what: "abiding fits (process)", unit: "ms", values: asProcess, atMost: 150 },
  { what: "its peak memory", unit: "MB", values: memory, atMost: 200 },
  ...ratio("nm -D and comm", withNm),
  ...ratio("python: import torch, load the file", importing),
  ...ratio("abidw", withAbidw),
], { file, against: place });

async function times(count: number, command: string, args: readonly string[]): Promise<readonly number[]> {
  const values: number[] = [];
  for (let run = 0; run < count; run++) {
    const started = performance.now();
    await execa(command, args, { reject: false });
    values.push(performance.now() - started);
  }
  return values;
}

async function isInstalled(command: string): Promise<boolean> {
  return (await execa("which", [command], { reject: false })).exitCode === 0;
}
