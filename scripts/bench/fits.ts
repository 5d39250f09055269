/**
 * "Would it load?" against what a person would use instead, on the same files and in one run, the repetitions of all of them
 * taking turns: nm and comm, auditwheel, abidw and abicompat, and loading the file. Time, bytes read and peak memory.
 *
 *   npm run bench -- fits [--file LIBRARY] [--torch ENVIRONMENT_OR_TORCH_FOLDER] [--import VENV] [--wheel WHEEL] [--auditwheel PROGRAM]
 *                         [--node PROGRAM]... [--older LIBRARY] [--limit SECONDS] [--runs N]
 *
 * The default file is the torchvision beside torch, else torch's own libtorch_python. --import is an environment in which
 * the file is loaded, --wheel what auditwheel is shown, --node another Node.js, --older what abicompat compares torch's
 * libtorch_cpu with. What is not there is left out, and that is said.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { describeBinary } from "../../src/engine/binaries/profile/index.ts";
import { loadCatalogue, loadSymbolHistory } from "../../src/engine/catalogue/index.ts";
import { NodeFiles } from "../../src/engine/files/index.ts";
import { environmentOf, fit } from "../../src/engine/fit/index.ts";
import { resolveAgainst } from "../../src/engine/installed/index.ts";
import { root } from "../../test/harness/locations.ts";
import { torchFolder } from "./lib/projects.ts";
import { quantile, report } from "./lib/report.ts";
import type { Measurement } from "./lib/report.ts";

const { values: options } = parseArgs({
  options: {
    file: { type: "string" }, torch: { type: "string" }, import: { type: "string" }, wheel: { type: "string" }, auditwheel: { type: "string", default: "auditwheel" },
    node: { type: "string", multiple: true, default: [] }, older: { type: "string" }, limit: { type: "string", default: "60" }, runs: { type: "string", default: "10" },
  },
});
const runs = Number(options.runs);
const limit = Number(options.limit) * 1000;
const place = resolve(options.torch ?? join(torchFolder(undefined), "..", "..", "..", ".."));

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
const libraryFolder = join(environment.body.torchRoot ?? place, "lib");
const file = options.file === undefined ? defaultFile(join(libraryFolder, "..", "..", "torchvision")) : resolve(options.file);
const leftOut: string[] = [];

function defaultFile(vision: string): string {
  const name = existsSync(vision) ? readdirSync(vision).find((one) => /^_C.*\.so$/.test(one)) : undefined;
  return name === undefined ? join(libraryFolder, "libtorch_python.so") : join(vision, name);
}

await execa(process.execPath, [join(root, "scripts", "build.ts"), "--production"], { stdio: ["ignore", "inherit", "inherit"] });
const cli = join(root, "dist", "cli.js");

/** The loading model alone, with nothing kept from the run before. */
const inProcess: number[] = [];
const bytes: number[] = [];
for (let run = 0; run < runs * 2; run++) {
  const files = new CountedFiles();
  const started = performance.now();
  const described = describeBinary(file, files);
  if (!described.ok) throw new Error(described.message);
  fit(described.body, described.image, environmentOf(environment.body, files, { environment: {} }), { catalogue, history: loadSymbolHistory() });
  inProcess.push(performance.now() - started);
  bytes.push(files.bytes / 1e6);
}

interface Contender {
  readonly what: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Repetitions: all of them where absent. */
  readonly atMostRuns?: number;
  readonly target?: number;
  readonly isOurs?: boolean;
}

const fitsArguments = [cli, "fits", file, "--against", place, "--format", "json"];
const libraries = readdirSync(libraryFolder).filter((one) => /^lib(?:c10|torch_cpu|torch_cuda|torch_python|c10_cuda)\.so$/.test(one)).map((one) => join(libraryFolder, one));
// What a person would type: the undefined names that none of torch's libraries defines.
const names = "awk '{print $NF}' | sed 's/@.*//' | sort -u";
const byHand = `comm -23 <(nm -D --undefined-only "$1" | ${names}) <(nm -D --defined-only "\${@:2}" | ${names})`;
const python = options.import === undefined ? join(place, "bin", "python") : join(options.import, "bin", "python");
const load = "import sys, torch\ntry:\n    torch.ops.load_library(sys.argv[1])\nexcept OSError as error:\n    print(error)";
const contenders: readonly Contender[] = [
  { what: `abiding fits, Node ${process.version}`, command: process.execPath, args: fitsArguments, target: 150, isOurs: true },
  ...await Promise.all(options.node.map(async (one) => ({ what: `abiding fits, Node ${(await execa(one, ["--version"])).stdout}`, command: one, args: fitsArguments, target: 150, isOurs: true }))),
  ...await there("nm", { what: "nm -D and comm", command: "bash", args: ["-c", byHand, "bash", file, ...libraries], atMostRuns: 5 }),
  ...options.wheel === undefined ? told("auditwheel: no --wheel") : await there(options.auditwheel, { what: "auditwheel show", command: options.auditwheel, args: ["show", resolve(options.wheel)], atMostRuns: 3 }),
  ...existsSync(python) ? [{ what: "python: import torch, load the file", command: python, args: ["-c", load, file], atMostRuns: 5 }] : told(`importing: no ${python}`),
  ...await there("abidw", { what: "abidw --noout of the file", command: "abidw", args: ["--noout", file], atMostRuns: 1 }),
  ...await there("abidw", { what: "abidw --noout of libtorch_cpu", command: "abidw", args: ["--noout", join(libraryFolder, "libtorch_cpu.so")], atMostRuns: 1 }),
  ...options.older === undefined ? told("abicompat: no --older") : await there("abicompat", { what: "abicompat", command: "abicompat", args: [file, resolve(options.older), join(libraryFolder, "libtorch_cpu.so")], atMostRuns: 1 }),
];

function told(what: string): readonly Contender[] {
  leftOut.push(what);
  return [];
}

async function there(program: string, contender: Contender): Promise<readonly Contender[]> {
  return (await execa("which", [program], { reject: false })).exitCode === 0 ? [contender] : told(`${contender.what}: no ${program}`);
}

const times = new Map<Contender, number[]>(contenders.map((one) => [one, []]));
const ended = new Set<Contender>();
for (let run = 0; run < runs; run++) {
  for (const one of contenders) {
    if (run >= (one.atMostRuns ?? runs)) continue;
    const started = performance.now();
    const done = await execa(one.command, one.args, { reject: false, timeout: limit, stdout: "ignore", stderr: "ignore" });
    times.get(one)?.push(performance.now() - started);
    if (done.timedOut) ended.add(one);
  }
}

/** What a process says of itself when it ends: memory, time of processors in its main thread, bytes that it read. */
interface Account {
  readonly memory: number;
  readonly processor: number;
  readonly read: number;
}

const scratch = mkdtempSync(join(tmpdir(), "abiding-bench-"));
const account = join(scratch, "account.cjs");
writeFileSync(account, `process.on("exit", () => {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
  let read = NaN;
  try { read = Number(/rchar: (\\d+)/.exec(require("node:fs").readFileSync("/proc/self/io", "utf8"))[1]); } catch {}
  process.stderr.write("\\naccount " + JSON.stringify({ memory: Number(/VmHWM:\\s+(\\d+)/.exec(require("node:fs").readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024, processor: (user + system) / 1000, read: read / 1e6 }));
});`);

async function accountOf(...args: readonly string[]): Promise<Account> {
  const { stderr } = await execa(process.execPath, ["--require", account, ...args], { reject: false, timeout: 10 * limit });
  return JSON.parse(/^account (.*)$/m.exec(stderr)?.[1] ?? "{}") as Account;
}

const accounts: Account[] = [];
for (let run = 0; run < Math.min(runs, 5); run++) accounts.push(await accountOf(...fitsArguments));
const bare = await accountOf("--eval", "0");
const large: Measurement[] = [];
for (const library of ["libtorch_cuda.so", "libtorch_cpu.so", "libtorch_python.so"].map((one) => join(libraryFolder, one)).filter(existsSync)) {
  large.push({ what: `peak memory: inspect ${basename(library)}`, unit: "MB", values: [(await accountOf(cli, "inspect", library)).memory], atMost: 200, exact: true });
  large.push({ what: `peak memory: fits ${basename(library)}`, unit: "MB", values: [(await accountOf(cli, "fits", library, "--against", place)).memory], atMost: 200, exact: true });
}
rmSync(scratch, { recursive: true });

const ours = quantile([...times.values()][0] ?? [], 0.5);
report("fits", [
  { what: "profile and loading model, first in a process", unit: "ms", values: inProcess.slice(0, 1) },
  { what: "profile and loading model, a new environment each time", unit: "ms", values: inProcess.slice(1), atMost: 100 },
  { what: "  read from disk for it", unit: "MB", values: bytes },
  ...contenders.flatMap((one): readonly Measurement[] => {
    const values = times.get(one) ?? [];
    const what = ended.has(one) ? `${one.what} (ended after ${options.limit} s)` : one.what;
    return [
      { what, unit: "ms", values, ...(one.target === undefined ? {} : { atMost: one.target, exact: true }) },
      ...(one.isOurs === true ? [] : [{ what: "  in times of abiding fits", unit: "times" as const, values: [quantile(values, 0.5) / ours] }]),
    ];
  }),
  { what: "abiding fits: time of a processor, main thread", unit: "ms", values: accounts.map((one) => one.processor) },
  { what: "  of which Node.js itself", unit: "ms", values: [bare.processor] },
  { what: "abiding fits: read by the process, its own code too", unit: "MB", values: accounts.map((one) => one.read) },
  { what: "abiding fits: peak memory", unit: "MB", values: accounts.map((one) => one.memory), atMost: 200, exact: true },
  { what: "  of which Node.js itself", unit: "MB", values: [bare.memory] },
  ...large,
], { file, against: place, leftOut });
for (const one of leftOut) process.stdout.write(`LEFT OUT: ${one}\n`);
