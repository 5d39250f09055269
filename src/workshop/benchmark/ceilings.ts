import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import { makeFolder } from "../process/index.ts";
import type { Workshop } from "../workshop.ts";
import { probeSource } from "./probeSource.ts";
import type { BenchmarkRun, Machine, Measurement } from "./types.ts";

export interface MeasuredCeilings {
  readonly ceilings?: NonNullable<BenchmarkRun["ceilings"]>;
  readonly warnings: readonly string[];
}

const compilers = ["cc", "gcc", "clang"];
/** The second for compilers that do not know the machine they run on. */
const optimisations = [["-O3", "-march=native", "-ffast-math"], ["-O3", "-ffast-math"]];

/**
 * What this machine copies and computes at most, measured now by a C program that a compiler of this machine makes. Only when
 * a benchmark counts bytes or operations. JavaScript would be no measure: `Buffer.copy` on one thread reaches about a half
 * to two thirds of it (docs/measuring.md).
 */
export async function measureCeilings(measurements: readonly Measurement[], machine: Omit<Machine, "gpus" | "load">, state: string, workshop: Workshop): Promise<MeasuredCeilings> {
  if (!measurements.some((one) => one.clock !== "gpu" && (one.bytes !== undefined || one.flops !== undefined) && one.seconds.length > 0)) {
    return { warnings: [] };
  }
  workshop.activity.step("Measuring what the machine can copy and compute");
  const program = await probe(machine.cpu, state, workshop);
  if (program === undefined) {
    return { warnings: ["No ceiling was measured: there is no C compiler (cc, gcc or clang) that could make the program which measures it."] };
  }
  const bytes = Math.min(Math.max(64 * 1024 ** 2, 4 * (machine.lastLevelCacheBytes ?? 0)), Math.floor(os.freemem() / 4));
  const threads = Math.max(1, Math.min(machine.cores, Math.floor(machine.cpuLimit ?? machine.cores)));
  const result = await workshop.run({ file: program, arguments: [String(bytes), String(threads)], folder: state, environment: workshop.environment }, { signal: workshop.activity.signal, timeLimit: 60_000, leftBehind: "end" });
  const [, copy] = /^copy (\S+)$/m.exec(result.stdout.text) ?? [];
  const [, flops] = /^flops (\S+)$/m.exec(result.stdout.text) ?? [];
  if (result.ending.kind !== "exited" || result.ending.code !== 0 || !(Number(copy) > 0) || !(Number(flops) > 0)) {
    return { warnings: result.ending.kind === "cancelled" ? [] : ["No ceiling was measured: the program that measures it failed."] };
  }
  return { ceilings: { copyBytes: Number(copy), flops: Number(flops), from: `copy of ${Math.round(bytes / 1024 ** 2)} MiB and single-precision arithmetic on up to ${threads} thread${threads === 1 ? "" : "s"}` }, warnings: [] };
}

/** Bytes read and written in a second by the benchmark that the project names; `warnings`: it told none. */
export function namedCeiling(name: string, measurements: readonly Measurement[]): MeasuredCeilings {
  const one = measurements.find((measurement) => measurement.name === name);
  if (one?.bytes === undefined || one.seconds.length === 0) {
    return { warnings: [`The ceiling "${name}" of abiding.json ${one === undefined ? "is no benchmark that was measured" : "counts no bytes"}; a copy measured here stands in for it.`] };
  }
  // The best that it reached, as for the copy of our own.
  const rate = one.bytes / Math.min(...one.seconds);
  return { ceilings: { copyBytes: one.bytesCount === "traffic" ? rate : 2 * rate, from: name }, warnings: [] };
}

/** Bytes by what the project names, operations by what was measured here. */
export function withNamed(measured: BenchmarkRun["ceilings"], named: NonNullable<BenchmarkRun["ceilings"]>): NonNullable<BenchmarkRun["ceilings"]> {
  return measured?.flops === undefined ? named : { ...measured, ...named, from: `bytes: ${named.from ?? ""}; operations: multiply-adds measured here` };
}

/** The program, compiled once for a processor and kept in the project's state. */
async function probe(cpu: string, state: string, workshop: Workshop): Promise<string | undefined> {
  const key = createHash("sha256").update(probeSource).update(cpu).digest("hex").slice(0, 12);
  const folder = path.join(state, "benchmark-probe");
  const program = path.join(folder, `probe-${key}`);
  if (await fs.access(program, fs.constants.X_OK).then(() => true, () => false)) {
    return program;
  }
  await makeFolder(folder);
  const source = path.join(folder, `probe-${key}.c`);
  await fs.writeFile(source, probeSource);
  for (const compiler of compilers) {
    for (const options of optimisations) {
      const result = await workshop.run(
        { file: compiler, arguments: [...options, "-pthread", "-o", `${program}.new`, source], folder, environment: workshop.environment },
        { signal: workshop.activity.signal, timeLimit: 120_000 });
      if (result.ending.kind === "exited" && result.ending.code === 0) {
        await fs.rename(`${program}.new`, program);
        return program;
      }
      if (result.ending.kind === "not-started") {
        break;
      }
    }
  }
  return undefined;
}
