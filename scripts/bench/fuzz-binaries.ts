/**
 * A million damaged ELF files, heads of libraries, wheels and index pages through their readers: none may throw, read
 * beyond its input, take longer than a second or more than 200 MB. Seeded: `--seed S --inputs 1` repeats one input, and
 * `--save FILE` writes it.
 *
 *   npm run bench -- fuzz-binaries [--inputs N] [--seed S] [--subject NAME ...] [--workers N] [--save FILE]
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { subjects } from "./fuzz-binaries/index.ts";
import { fuzz, inputOf, prepare } from "./fuzz-binaries/run.ts";
import type { Material, Outcome } from "./fuzz-binaries/run.ts";
import { report } from "./lib/report.ts";

interface Share {
  readonly material: Material;
  readonly from: number;
  readonly count: number;
  /** One number, shared: the input that is being read, for when the worker dies of it. */
  readonly current: Int32Array;
}

if (isMainThread) await main();
else {
  const share = workerData as Share;
  parentPort?.postMessage(await fuzz(share.material, share.from, share.count, (seed) => { share.current[0] = seed; }));
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: { inputs: { type: "string", default: "1000000" }, seed: { type: "string", default: "0" }, subject: { type: "string", multiple: true, default: [] }, workers: { type: "string", default: String(availableParallelism()) }, save: { type: "string" } } });
  const from = Number(options.seed);
  const count = Number(options.inputs);
  const material = await prepare(options.subject);
  const asked = options.subject.length > 0 ? options.subject : subjects.map((one) => one.name);
  const left = asked.filter((name) => !material.some((one) => one.subject === name));
  if (left.length > 0) process.stderr.write(`Not fuzzed, for want of a reader or of files to damage: ${left.join(", ")}.\n`);
  if (options.save !== undefined) writeFileSync(options.save, inputOf(material, from)?.bytes ?? "");
  const workers = Math.max(1, Math.min(Number(options.workers), count));
  const started = performance.now();
  const outcomes = await Promise.all(Array.from({ length: workers }, async (_, index) => {
    const begin = from + Math.floor((index * count) / workers);
    const share: Share = { material, from: begin, count: from + Math.floor(((index + 1) * count) / workers) - begin, current: new Int32Array(new SharedArrayBuffer(4)) };
    return new Promise<Outcome>((resolve, reject) => {
      // A reader that asks for more memory than this is not bounded: the worker dies, and with it the run.
      const worker = new Worker(new URL(import.meta.url), { workerData: share, resourceLimits: { maxOldGenerationSizeMb: 512 } });
      worker.once("message", resolve);
      worker.once("error", (error) => reject(new Error(`Seed ${share.current[0]}: the reader did not survive it.`, { cause: error })));
    });
  }));
  const problems = outcomes.flatMap((one) => one.problems);
  for (const problem of problems.slice(0, 50)) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  const slowest = outcomes.flatMap((one) => one.slowest).sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10);
  report("fuzz-binaries", [
    { what: "inputs", unit: "count", values: [count] },
    { what: "problems", unit: "count", values: [problems.length], atMost: 0 },
    { what: "slowest inputs", unit: "ms", values: slowest.map((one) => one.milliseconds), quantile: 1, atMost: 1000 },
    { what: "objects and buffers of a worker", unit: "MB", values: outcomes.map((one) => one.peakMegabytes), quantile: 1, atMost: 200 },
    { what: "whole run", unit: "ms", values: [performance.now() - started] },
  ], { subjects: material.map((one) => one.subject), slowest, problems: problems.slice(0, 200) });
}
