/** What a benchmark measured, as a table for people and as JSON in `dist/bench/`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { root } from "../../../test/harness/locations.ts";

export interface Measurement {
  readonly what: string;
  readonly unit: "ms" | "MB" | "%" | "times" | "count";
  /** One value a run, or one for each event. */
  readonly values: readonly number[];
  /** Which of the values is compared with the target; the median when absent. */
  readonly quantile?: number;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** The target is missed as soon as it is passed. */
  readonly exact?: boolean;
}

/** Machines are noisy: only a value beyond the target by this factor fails the run. */
const clearly = 1.5;

/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** Prints the table, writes `dist/bench/<name>.json`, and fails the process when a target is missed clearly. */
export function report(name: string, measurements: readonly Measurement[], more: Readonly<Record<string, unknown>> = {}): void {
  const rows = measurements.map((one) => {
    const compared = quantile(one.values, one.quantile ?? 0.5);
    const target = one.atMost !== undefined ? `at most ${one.atMost}` : one.atLeast !== undefined ? `at least ${one.atLeast}` : "";
    const missed = (one.atMost !== undefined && compared > one.atMost) || (one.atLeast !== undefined && compared < one.atLeast);
    // A share cannot be missed by a factor: every point counts.
    const slack = one.unit === "%" || one.exact === true ? 1 : clearly;
    if ((one.atMost !== undefined && compared > one.atMost * slack) || (one.atLeast !== undefined && compared < one.atLeast / slack)) process.exitCode = 1;
    const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));
    return [one.what, one.unit, String(one.values.length), ...[0, 0.5, 0.95, 1].map((share) => number(quantile(one.values, share))), target, target === "" ? "" : missed ? "missed" : "met"];
  });
  printTable([["", "unit", "n", "min", "p50", "p95", "max", "target", ""], ...rows]);
  const folder = join(root, "dist", "bench");
  mkdirSync(folder, { recursive: true });
  const summary = measurements.map((one) => ({ ...one, values: one.values.map((value) => Number(value.toPrecision(6))), min: quantile(one.values, 0), median: quantile(one.values, 0.5), p95: quantile(one.values, 0.95), max: quantile(one.values, 1) }));
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ bench: name, date: new Date().toISOString(), machine: machine(), measurements: summary, ...more }, undefined, 2)}\n`);
}

/** Columns, the first aligned left and the others right. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  for (const row of rows) {
    process.stdout.write(`${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ").trimEnd()}\n`);
  }
}

function machine(): Readonly<Record<string, unknown>> {
  const processors = cpus();
  return { cpu: processors[0]?.model ?? "unknown", cores: processors.length, memory: `${Math.round(totalmem() / 2 ** 30)} GiB`, system: `${type()} ${release()}`, node: process.version };
}
