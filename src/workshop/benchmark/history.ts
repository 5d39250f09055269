import * as path from "node:path";
import { appendRecord, readRecords, stateFolder } from "../process/index.ts";
import { isObject } from "./formats/reading.ts";
import type { BenchmarkRun, History, SavedBaseline } from "./types.ts";

/** `<state>/benchmarks.jsonl`: a run or a name for runs in each line, never changed, only added to. */
export async function historyFile(root: string): Promise<string> {
  return path.join(await stateFolder(root), "benchmarks.jsonl");
}

/** What was measured in the project before. A line that is torn, no JSON or not ours costs only itself. */
export async function readHistory(root: string): Promise<History> {
  const file = await historyFile(root);
  const { records, corrupt } = await readRecords(file);
  const problems = corrupt.map(({ line, problem }) => `Line ${line} of ${file} is left out: ${problem}.`);
  const runs: BenchmarkRun[] = [];
  const baselines = new Map<string, SavedBaseline>();
  let newer = 0;
  let others = 0;
  for (const record of records) {
    if (isObject(record) && typeof record.schema === "number" && record.schema > 1) {
      newer++;
    } else if (isRun(record)) {
      runs.push(record);
    } else if (isBaseline(record)) {
      baselines.set(record.baseline.name, record.baseline);
    } else {
      others++;
    }
  }
  if (newer > 0) {
    problems.push(`${lines(newer)} of ${file} ${newer === 1 ? "was" : "were"} written by a newer Abiding and ${newer === 1 ? "is" : "are"} left out.`);
  }
  if (others > 0) {
    problems.push(`${lines(others)} of ${file} ${others === 1 ? "is" : "are"} neither a run nor a baseline and ${others === 1 ? "is" : "are"} left out.`);
  }
  return { runs, baselines: [...baselines.values()], problems, file };
}

function lines(count: number): string {
  return count === 1 ? "One line" : `${count} lines`;
}

/** Throws `CouldNotWrite`. */
export async function appendRun(file: string, run: BenchmarkRun): Promise<void> {
  await appendRecord(file, run);
}

/** Throws `CouldNotWrite`. */
export async function appendBaseline(file: string, baseline: SavedBaseline): Promise<void> {
  await appendRecord(file, { schema: 1, baseline });
}

/** Whether a value has what is read of a run. */
export function isRun(value: unknown): value is BenchmarkRun {
  return isObject(value) && value.schema === 1 && typeof value.id === "string" && typeof value.started === "string" && typeof value.plan === "string" && isMachine(value.machine)
    && Array.isArray(value.warnings) && Array.isArray(value.measurements) && value.measurements.every(isMeasurement);
}

function isMachine(value: unknown): boolean {
  return isObject(value) && typeof value.cpu === "string" && typeof value.cores === "number" && typeof value.memoryBytes === "number" && typeof value.system === "string" && Array.isArray(value.gpus);
}

function isMeasurement(value: unknown): boolean {
  return isObject(value) && typeof value.name === "string" && isObject(value.counters)
    && Array.isArray(value.seconds) && value.seconds.every((second) => typeof second === "number" && Number.isFinite(second) && second > 0);
}

function isBaseline(value: unknown): value is { baseline: SavedBaseline } {
  return isObject(value) && isObject(value.baseline) && typeof value.baseline.name === "string" && Array.isArray(value.baseline.runs) && value.baseline.runs.every((run) => typeof run === "string");
}
