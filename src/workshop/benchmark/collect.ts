import { median } from "./statistics/samples.ts";
import type { Reading } from "./formats/reading.ts";
import type { Measurement } from "./types.ts";

/**
 * The readings of several processes, by benchmark in the order in which they first came. A process counts once: what it
 * measured of a benchmark shares its memory layout, its place on the processors and its moment, so that further samples
 * of it tell less than another process.
 */
export function collect(repetitions: readonly (readonly Reading[])[]): Measurement[] {
  const byName = new Map<string, Reading[]>();
  for (const reading of repetitions.flat()) {
    const group = byName.get(reading.name) ?? [];
    byName.set(reading.name, group);
    group.push(reading);
  }
  return [...byName].map(([name, readings]) => measurementOf(name, readings));
}

function measurementOf(name: string, readings: readonly Reading[]): Measurement {
  const good = readings.filter((reading) => reading.samples.length > 0);
  const [first] = good;
  const problem = readings.find((reading) => reading.problem !== undefined)?.problem;
  const bytes = present(good.map((reading) => reading.bytes));
  const flops = present(good.map((reading) => reading.flops));
  const clock = (first ?? readings[0])?.clock;
  return {
    name,
    seconds: good.map((reading) => median(reading.samples)),
    ...(clock === undefined ? {} : { clock }),
    ...(bytes === undefined ? {} : { bytes, ...(first?.bytesCount === undefined ? {} : { bytesCount: first.bytesCount }) }),
    ...(flops === undefined ? {} : { flops }),
    counters: counters(good),
    ...(problem === undefined ? {} : { problem }),
    ...(good.length === 0 && readings.every((reading) => reading.skipped === true) ? { skipped: true } : {}),
  };
}

function present(values: readonly (number | undefined)[]): number | undefined {
  const found = values.filter((value) => value !== undefined);
  return found.length === 0 ? undefined : median(found);
}

function counters(readings: readonly Reading[]): Record<string, number> {
  const names = new Set(readings.flatMap((reading) => Object.keys(reading.counters)));
  return Object.fromEntries([...names].map((name) => [name, median(readings.flatMap((reading) => reading.counters[name] ?? []))]));
}
