/**
 * A million mutated build files through the CMake, setup.py and requirement readers: none may throw, take longer than a
 * second, or name a place that does not exist. Seeded: `--from N --count 1` repeats one input, and `--print` shows it.
 *
 *   npm run bench -- fuzz [--count N] [--from SEED] [--workers N] [--print]
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { loadCatalogue } from "../../src/engine/catalogue/index.ts";
import { mutant, readMutant, wrongPlace } from "../../test/support/mutations.ts";
import { report } from "./lib/report.ts";

interface Share {
  readonly from: number;
  readonly count: number;
  /** One number, shared: the input that is being read, for when the worker dies of it. */
  readonly current: Int32Array;
}

interface Outcome {
  readonly problems: readonly string[];
  readonly slowest: readonly { readonly seed: number; readonly milliseconds: number }[];
  readonly peakMegabytes: number;
}

const maximumMilliseconds = 1000;

if (isMainThread) await main();
else parentPort?.postMessage(run(workerData as Share));

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: { count: { type: "string", default: "1000000" }, from: { type: "string", default: "0" }, workers: { type: "string", default: String(availableParallelism()) }, print: { type: "boolean", default: false } } });
  const from = Number(options.from);
  const count = Number(options.count);
  if (options.print) process.stdout.write(`${mutant(from).path}\n${mutant(from).text}\n`);
  const workers = Math.max(1, Math.min(Number(options.workers), count));
  const started = performance.now();
  const outcomes = await Promise.all(Array.from({ length: workers }, async (_, index) => {
    const begin = from + Math.floor((index * count) / workers);
    const share: Share = { from: begin, count: from + Math.floor(((index + 1) * count) / workers) - begin, current: new Int32Array(new SharedArrayBuffer(4)) };
    return new Promise<Outcome>((resolve, reject) => {
      // A reader that asks for more memory than this is not bounded: the worker dies, and with it the run.
      const worker = new Worker(new URL(import.meta.url), { workerData: share, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
      worker.once("message", resolve);
      worker.once("error", (error) => reject(new Error(`Seed ${share.current[0]}: the reader did not survive it.`, { cause: error })));
    });
  }));
  const problems = outcomes.flatMap((one) => one.problems);
  for (const problem of problems.slice(0, 50)) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  const slowest = outcomes.flatMap((one) => one.slowest).sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10);
  report("fuzz", [
    { what: "inputs", unit: "count", values: [count] },
    { what: "problems", unit: "count", values: [problems.length], atMost: 0 },
    { what: "slowest inputs", unit: "ms", values: slowest.map((one) => one.milliseconds), quantile: 1, atMost: maximumMilliseconds },
    { what: "memory of the process", unit: "MB", values: outcomes.map((one) => one.peakMegabytes) },
    { what: "whole run", unit: "ms", values: [performance.now() - started] },
  ], { slowest, problems: problems.slice(0, 200) });
}

function run({ from, count, current }: Share): Outcome {
  const catalogue = loadCatalogue();
  const problems: string[] = [];
  let slowest: { seed: number; milliseconds: number }[] = [];
  let peakMegabytes = 0;
  for (let seed = from; seed < from + count; seed++) {
    current[0] = seed;
    const input = mutant(seed);
    const started = performance.now();
    try {
      const wrong = wrongPlace(input, readMutant(input, catalogue));
      if (wrong !== undefined) problems.push(`seed ${seed} (${input.reader}): a place that does not exist: ${wrong}`);
    } catch (error) {
      problems.push(`seed ${seed} (${input.reader}): ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`.slice(0, 400));
    }
    const milliseconds = performance.now() - started;
    if (milliseconds > maximumMilliseconds) problems.push(`seed ${seed} (${input.reader}): took ${milliseconds.toFixed(0)} ms`);
    if (slowest.length < 10 || milliseconds > (slowest.at(-1)?.milliseconds ?? 0)) slowest = [...slowest, { seed, milliseconds }].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10);
    if (seed % 1000 === 0) peakMegabytes = Math.max(peakMegabytes, process.memoryUsage.rss() / 2 ** 20);
  }
  return { problems, slowest, peakMegabytes };
}
