/** The history of each benchmark, and where it stands in a chart. */
import type { BenchmarksView, Comparison, Fraction } from "../../src/protocol/panel.ts";

type Run = BenchmarksView["runs"][number];

export interface Point {
  readonly run: string;
  readonly started: string;
  readonly commit?: string;
  readonly machine: string;
  readonly changes: readonly string[];
  readonly repetitions: number;
  /** Seconds. */
  readonly median?: number;
  readonly interval?: readonly [number, number];
  readonly problem?: string;
  readonly fraction?: Fraction;
}

export interface Series {
  readonly name: string;
  readonly plan: string;
  /** Oldest first. */
  readonly points: readonly Point[];
  readonly comparison?: Comparison;
}

/** Every benchmark of every plan, in the order in which they were first measured. */
export function seriesOf({ runs, comparison }: BenchmarksView): readonly Series[] {
  const all = new Map<string, { readonly name: string; readonly plan: string; readonly points: Point[] }>();
  for (const run of runs) {
    for (const measurement of run.measurements) {
      const key = `${run.plan}\n${measurement.name}`;
      const series = all.get(key) ?? { name: measurement.name, plan: run.plan, points: [] };
      series.points.push(pointOf(run, measurement));
      all.set(key, series);
    }
  }
  return [...all.values()].map((series) => {
    const found = comparison?.comparisons.find(({ name, plan }) => name === series.name && (plan === undefined || plan === series.plan));
    return found === undefined ? series : { ...series, comparison: found };
  });
}

function pointOf({ id, started, commit, machine, changes, fractions, plan }: Run, { name, repetitions, median, interval, problem }: Run["measurements"][number]): Point {
  const fraction = fractions.find((one) => one.name === name && (one.plan === undefined || one.plan === plan));
  return {
    run: id, started, machine, changes, repetitions,
    ...(commit === undefined ? {} : { commit }), ...(median === undefined ? {} : { median }), ...(interval === undefined ? {} : { interval }),
    ...(problem === undefined ? {} : { problem }), ...(fraction === undefined ? {} : { fraction }),
  };
}

export interface Chart {
  readonly marks: readonly { readonly point: Point; readonly x: number; readonly y?: number; readonly low?: number; readonly high?: number }[];
  /** Through the points that have a number, broken where one has none or the machine changed. */
  readonly lines: readonly string[];
  readonly ticks: readonly { readonly y: number; readonly seconds: number }[];
  readonly baseline?: number;
  /** Runs that are older than what fits. */
  readonly leftOut: number;
}

export interface ChartSize {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly bottom: number;
  readonly top: number;
}

/** Pixels between two runs, at least and at most. */
const closest = 7;
const widest = 48;

export function chartOf({ points, comparison }: Series, { width, height, left, bottom, top }: ChartSize): Chart {
  const room = Math.max(1, Math.floor((width - left - 2 * closest) / closest));
  const shown = points.slice(-room);
  const values = shown.flatMap(({ median, interval }) => [...(median === undefined ? [] : [median]), ...(interval ?? [])]);
  if (comparison?.before !== undefined) values.push(comparison.before);
  const [low, high] = scaleOf(values);
  const y = (seconds: number): number => top + (height - top - bottom) * (1 - (seconds - low) / (high - low));
  const step = Math.min(widest, (width - left - 2 * closest) / Math.max(1, shown.length - 1));
  const x = (index: number): number => left + closest + index * step;
  const marks = shown.map((point, index) => ({
    point, x: x(index),
    ...(point.median === undefined ? {} : { y: y(point.median) }),
    ...(point.interval === undefined ? {} : { low: y(point.interval[0]), high: y(point.interval[1]) }),
  }));
  return {
    marks,
    lines: linesThrough(marks),
    ticks: ticksOf(low, high).map((seconds) => ({ seconds, y: y(seconds) })),
    ...(comparison?.before === undefined ? {} : { baseline: y(comparison.before) }),
    leftOut: points.length - shown.length,
  };
}

function linesThrough(marks: Chart["marks"]): readonly string[] {
  const lines: string[][] = [];
  let machine: string | undefined;
  let goesOn = false;
  for (const { x, y, point } of marks) {
    if (y === undefined) {
      goesOn = false;
      continue;
    }
    if (!goesOn || machine !== point.machine) lines.push([]);
    lines.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
    [goesOn, machine] = [true, point.machine];
  }
  return lines.filter(({ length }) => length > 1).map((line) => line.join(" "));
}

/** From zero where the values differ much; else closely around them, because a change of a few percent has to be seen. */
function scaleOf(values: readonly number[]): readonly [number, number] {
  if (values.length === 0) return [0, 1];
  const [least, most] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  if (most <= 0) return [0, 1];
  if (most > 2 * least) return [0, most * 1.05];
  const margin = Math.max((most - least) * 0.15, most * 0.01);
  return [Math.max(0, least - margin), most + margin];
}

/** Three to six round numbers within the scale. */
function ticksOf(low: number, high: number): readonly number[] {
  const rough = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [5, 2, 1].map((factor) => factor * power).find((one) => one <= rough) ?? power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}
