import { median } from "../statistics/samples.ts";
import { isObject, numberOf, objectsOf, textOf } from "./reading.ts";
import type { JsonObject, Reading } from "./reading.ts";

/**
 * pytest-benchmark's JSON (pytest_benchmark/session.py and stats.py): the median of the rounds, which it computes itself
 * when `--benchmark-save-data` was not given. Times are seconds for one iteration.
 */
export function readPytestBenchmark(document: JsonObject): Reading[] {
  return objectsOf(document.benchmarks).flatMap((entry) => {
    const name = textOf(entry.fullname) ?? textOf(entry.name);
    return name === undefined ? [] : [readingOf(name, entry)];
  });
}

function readingOf(name: string, entry: JsonObject): Reading {
  const stats = isObject(entry.stats) ? entry.stats : {};
  const data = (Array.isArray(stats.data) ? stats.data : []).map(numberOf).filter((value) => value !== undefined);
  const seconds = data.length > 0 ? median(data) : numberOf(stats.median);
  const extra = isObject(entry.extra_info) ? entry.extra_info : {};
  const counters: Record<string, number> = {};
  for (const [key, value] of Object.entries(extra)) {
    if (typeof value === "number" && Number.isFinite(value)) {
      counters[key] = value;
    }
  }
  const timer = isObject(entry.options) ? textOf(entry.options.timer) ?? "" : "";
  const clock = /process_time|thread_time/.test(timer) ? "cpu" : "real";
  if (entry.has_error === true || seconds === undefined || seconds <= 0) {
    return { name, samples: [], clock, counters, problem: entry.has_error === true ? "The test failed while it was measured." : "Its statistics hold no median above 0." };
  }
  return {
    name, samples: [seconds], clock, counters,
    // The format has no place of its own for what was moved or computed; `benchmark.extra_info` is the usual one.
    ...(counters.bytes !== undefined && counters.bytes > 0 ? { bytes: counters.bytes, bytesCount: "processed" } : {}),
    ...(counters.flops !== undefined && counters.flops > 0 ? { flops: counters.flops } : {}),
  };
}
