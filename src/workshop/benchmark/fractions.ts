import { median } from "./statistics/samples.ts";
import type { BenchmarkRun, Fraction, Measurement } from "./types.ts";

/**
 * What each benchmark of a run reaches of what its machine can do: bytes against the measured copy, operations against the
 * measured arithmetic, or the limit that the benchmark itself counts. Never cut off at 1: a larger one is told as doubtful.
 */
export function fractionsOf(run: BenchmarkRun): Fraction[] {
  return run.measurements.flatMap((measurement) => (measurement.seconds.length === 0 ? [] : fractionsOfOne(measurement, run)));
}

function fractionsOfOne(measurement: Measurement, run: BenchmarkRun): Fraction[] {
  const { name, bytes, flops, counters } = measurement;
  const seconds = median(measurement.seconds);
  const named = { name, plan: run.plan };
  const fractions: Fraction[] = [];
  const { copyBytes, flops: mostFlops } = run.ceilings ?? {};
  const roof = counters.roof_bytes_per_second;
  if (roof !== undefined && roof > 0 && counters.bytes_per_second !== undefined) {
    fractions.push({ ...named, fraction: counters.bytes_per_second / roof, of: "roof", ...overOne(counters.bytes_per_second / roof) });
  } else if (counters.memory_utilization !== undefined) {
    fractions.push({ ...named, fraction: counters.memory_utilization, of: "gpu-memory", ...overOne(counters.memory_utilization) });
  } else if (bytes !== undefined && copyBytes !== undefined && measurement.clock !== "gpu") {
    // A benchmark of a copy counts its bytes once, the ceiling both ways.
    const most = measurement.bytesCount === "traffic" ? copyBytes : copyBytes / 2;
    const fraction = bytes / seconds / most;
    const cached = run.machine.lastLevelCacheBytes !== undefined && bytes <= run.machine.lastLevelCacheBytes
      ? { doubtful: `One iteration moves ${size(bytes)}, which the last-level cache of ${size(run.machine.lastLevelCacheBytes)} can hold: memory may not have been asked.` }
      : overOne(fraction);
    fractions.push({ ...named, fraction, of: "copy", ...cached });
  }
  if (flops !== undefined && mostFlops !== undefined && measurement.clock !== "gpu") {
    fractions.push({ ...named, fraction: flops / seconds / mostFlops, of: "compute", ...overOne(flops / seconds / mostFlops) });
  }
  return fractions;
}

function overOne(fraction: number): { doubtful?: string } {
  return fraction <= 1 ? {} : { doubtful: "More than the measured limit: the data lie in a cache or on a GPU, the work is only read or only written, or the counter counts something else." };
}

function size(bytes: number): string {
  const unit = bytes >= 1024 ** 3 ? ["GiB", 1024 ** 3] as const : bytes >= 1024 ** 2 ? ["MiB", 1024 ** 2] as const : bytes >= 1024 ? ["KiB", 1024] as const : ["B", 1] as const;
  return `${Number((bytes / unit[1]).toPrecision(3))} ${unit[0]}`;
}
