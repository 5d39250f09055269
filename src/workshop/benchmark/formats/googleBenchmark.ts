import { median } from "../statistics/samples.ts";
import { numberOf, objectsOf, textOf } from "./reading.ts";
import type { JsonObject, Reading } from "./reading.ts";

/** How many make a second of the units that `time_unit` names (docs/user_guide.md, "Setting the Time Unit"). */
const units: Readonly<Record<string, number>> = { ns: 1e9, us: 1e6, ms: 1e3, s: 1 };

/** What Google Benchmark writes of its own; all other numbers of an entry are counters (src/json_reporter.cc). */
const own = new Set(["name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index", "threads",
  "iterations", "real_time", "cpu_time", "time_unit", "aggregate_name", "aggregate_unit", "error_occurred", "error_message", "skipped",
  "skip_message", "label", "big_o", "rms", "cpu_coefficient", "real_coefficient", "allocs_per_iter", "max_bytes_used"]);

/** Until 1.4 aggregates were marked by their names alone. */
const aggregateName = /_(mean|median|stddev|cv|BigO|RMS)$/;

/** Entries of Google Benchmark's JSON, repetitions of one benchmark together. */
export function readGoogleBenchmark(document: JsonObject): Reading[] {
  const byName = new Map<string, { repetitions: JsonObject[]; median: JsonObject | undefined }>();
  const entries = objectsOf(document.benchmarks);
  const names = new Set(entries.map((entry) => entry.name));
  for (const entry of entries) {
    const full = textOf(entry.name) ?? "";
    const aggregate = textOf(entry.aggregate_name) ?? (entry.run_type === undefined && names.has(full.replace(aggregateName, "")) ? aggregateName.exec(full)?.[1] : undefined);
    const name = textOf(entry.run_name) ?? (aggregate === undefined ? full : full.replace(aggregateName, ""));
    if (name === "" || aggregate === "BigO" || aggregate === "RMS") {
      continue;
    }
    const group = byName.get(name) ?? { repetitions: [], median: undefined };
    byName.set(name, group);
    if (aggregate === undefined && entry.run_type !== "aggregate") {
      group.repetitions.push(entry);
    } else if (aggregate === "median") {
      group.median = entry;
    }
  }
  return [...byName].map(([name, group]) => readingOf(name, group.repetitions, group.median));
}

function readingOf(name: string, repetitions: readonly JsonObject[], aggregate: JsonObject | undefined): Reading {
  // `--benchmark_report_aggregates_only` leaves out the repetitions.
  const entries = repetitions.length > 0 ? repetitions : aggregate === undefined ? [] : [aggregate];
  const clock = clockOf(name);
  const failed = entries.find((entry) => entry.error_occurred === true);
  const skipped = entries.find((entry) => entry.skipped !== undefined && entry.skipped !== false && entry.error_occurred !== true);
  if (failed !== undefined || skipped !== undefined) {
    const message = textOf(failed?.error_message) ?? textOf(skipped?.skip_message);
    return { name, samples: [], clock, counters: {}, problem: message ?? "It says that it failed, and not why.", ...(failed === undefined ? { skipped: true } : {}) };
  }
  if (entries.length === 0) {
    return { name, samples: [], clock, counters: {}, problem: "The output holds aggregates of it, and neither repetitions nor their median." };
  }
  const samples: number[] = [];
  for (const entry of entries) {
    const time = numberOf(clock === "cpu" ? entry.cpu_time : entry.real_time);
    const unit = units[textOf(entry.time_unit) ?? "ns"];
    if (time !== undefined && time > 0 && unit !== undefined) {
      samples.push(time / unit);
    }
  }
  const counters = countersOf(entries);
  const bad = entries.length - samples.length;
  return {
    name, samples, clock, counters,
    ...workOf(counters, samples),
    ...(bad === 0 ? {} : { problem: `${bad} of ${entries.length} of its ${clock} times ${bad === 1 ? "is" : "are"} no number of seconds above 0.` }),
  };
}

/**
 * Which of the two times is meant: the name says it. `UseRealTime` and `UseManualTime` add a suffix, and Google Benchmark puts
 * manual time into `real_time`; all others are measured in CPU time, with `/process_time` that of all threads
 * (docs/user_guide.md, "CPU Timers" and "Manual Timing").
 */
function clockOf(name: string): "cpu" | "real" {
  return /\/(?:real_time|manual_time)(?:\/threads:\d+)?$/.test(name) ? "real" : "cpu";
}

function countersOf(entries: readonly JsonObject[]): Record<string, number> {
  const counters: Record<string, number> = {};
  for (const key of new Set(entries.flatMap((entry) => Object.keys(entry)))) {
    const values = entries.map((entry) => (typeof entry[key] === "number" ? entry[key] : NaN)).filter(Number.isFinite);
    if (!own.has(key) && values.length > 0) {
      counters[key] = median(values);
    }
  }
  return counters;
}

const flopsRate = /^([kmgt]?)flops?(?:_per_second|\/s)?$/i;
const flopsCount = /^(?:flop_count|flops_per_iteration)$/i;
const prefixes: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** Bytes and operations of one iteration, from what the counters count: `SetBytesProcessed` and the usual names. */
export function workOf(counters: Readonly<Record<string, number>>, samples: readonly number[]): Pick<Reading, "bytes" | "bytesCount" | "flops"> {
  const seconds = median(samples);
  const rate = (name: string): number | undefined => (counters[name] === undefined || !(seconds > 0) ? undefined : counters[name] * seconds);
  const traffic = counters.traffic_bytes ?? rate("traffic_bytes_per_second");
  const bytes = traffic ?? rate("bytes_per_second");
  let flops: number | undefined;
  for (const [name, value] of Object.entries(counters)) {
    const prefix = flopsRate.exec(name)?.[1];
    flops ??= flopsCount.test(name) ? value : prefix !== undefined && seconds > 0 ? value * (prefixes[prefix.toLowerCase()] ?? 1) * seconds : undefined;
  }
  return {
    ...(bytes === undefined || bytes <= 0 ? {} : { bytes, bytesCount: traffic === undefined ? "processed" as const : "traffic" as const }),
    ...(flops === undefined || flops <= 0 ? {} : { flops }),
  };
}
