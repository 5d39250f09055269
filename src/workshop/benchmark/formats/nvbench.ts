import * as fs from "node:fs";
import * as path from "node:path";
import { median } from "../statistics/samples.ts";
import { numberOf, objectsOf, textOf } from "./reading.ts";
import type { JsonObject, Reading } from "./reading.ts";

/** A file of samples beyond this size is not read. */
const largestSidecar = 64 * 1024 * 1024;

/**
 * nvbench's JSON (nvbench/json_printer.cu, `--json` and `--jsonbin`): a reading for each state. The time is that of the GPU
 * without what is cached ("cold"): the median of the samples where `--jsonbin` wrote them beside the file, otherwise
 * the mean, which is all that the file holds. Numbers stand in it as strings.
 */
export function readNvbench(document: JsonObject, file: string | undefined): Reading[] {
  const devices = new Map(objectsOf(document.devices).map((device) => [device.id, textOf(device.name)]));
  return objectsOf(document.benchmarks).flatMap((benchmark) =>
    objectsOf(benchmark.states).map((state) => readingOf(textOf(benchmark.name) ?? "?", state, devices, file)));
}

function readingOf(benchmark: string, state: JsonObject, devices: ReadonlyMap<unknown, string | undefined>, file: string | undefined): Reading {
  const axes = objectsOf(state.axis_values).map((axis) => `${textOf(axis.name) ?? "?"}=${String(axis.value)}`);
  // One device goes without saying.
  const name = [benchmark, ...(devices.size > 1 && state.device !== undefined ? [`Device=${numberOf(state.device) ?? "?"}`] : []), ...axes].join(" ");
  if (state.is_skipped === true) {
    return { name, samples: [], clock: "gpu", counters: {}, skipped: true, problem: textOf(state.skip_reason) ?? "It was skipped, and does not say why." };
  }
  const values = new Map<string, unknown>();
  for (const summary of objectsOf(state.summaries)) {
    for (const datum of objectsOf(summary.data)) {
      values.set(`${String(summary.tag)}:${String(datum.name)}`, datum.value);
    }
  }
  const value = (tag: string): number | undefined => numberOf(values.get(`${tag}:value`));
  const samples = sidecar(values, file);
  const gpu = samples.length > 0 ? median(samples) : value("nv/cold/time/gpu/mean");
  // A benchmark that only measures on the CPU has no GPU time.
  const seconds = gpu ?? value("nv/cpu_only/time/cpu/mean") ?? value("nv/cold/time/cpu/mean");
  const clock = gpu === undefined ? "real" as const : "gpu" as const;
  const counters: Record<string, number> = {};
  for (const [tag, counter] of counted) {
    const number = value(tag);
    if (number !== undefined) {
      counters[counter] = number;
    }
  }
  if (seconds === undefined || seconds <= 0) {
    return { name, samples: [], clock, counters, problem: "The state holds no cold GPU time above 0." };
  }
  const rate = counters.bytes_per_second;
  return { name, samples: [seconds], clock, counters, ...(rate === undefined || rate <= 0 ? {} : { bytes: rate * seconds, bytesCount: "traffic" }) };
}

/** Summaries worth keeping, and what a counter of them is called (nvbench/detail/measure_cold.cu). */
const counted: readonly (readonly [string, string])[] = [
  ["nv/cold/bw/global/bytes_per_second", "bytes_per_second"],
  ["nv/cold/bw/global/utilization", "memory_utilization"],
  ["nv/cold/bw/item_rate", "items_per_second"],
  ["nv/cold/time/gpu/stdev/relative", "relative_stdev"],
  ["nv/cold/sm_clock_rate/mean", "sm_clock_rate"],
  ["nv/cold/sample_size", "samples"],
  ["nv/batch/time/gpu/mean", "batch_seconds"],
];

/** Samples of a state: 32-bit floats, least significant byte first; none where the file is not as long as the JSON says. */
function sidecar(values: ReadonlyMap<string, unknown>, file: string | undefined): number[] {
  const tag = "nv/json/bin:nv/cold/sample_times";
  const name = textOf(values.get(`${tag}:filename`));
  const size = numberOf(values.get(`${tag}:size`));
  if (file === undefined || name === undefined || size === undefined || size * 4 > largestSidecar) {
    return [];
  }
  // Older releases wrote the name as seen from where the program ran.
  const bytes = [path.resolve(path.dirname(file), name), path.join(`${file}-bin`, path.basename(name))].map(contents).find((one) => one?.length === size * 4);
  const view = bytes === undefined ? undefined : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = Array.from({ length: view === undefined ? 0 : size }, (_, index) => view?.getFloat32(index * 4, true) ?? NaN);
  return samples.every((sample) => Number.isFinite(sample) && sample > 0) ? samples : [];
}

function contents(file: string): Buffer | undefined {
  try {
    return fs.statSync(file).size > largestSidecar ? undefined : fs.readFileSync(file);
  } catch {
    return undefined;
  }
}
