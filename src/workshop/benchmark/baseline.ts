import * as fs from "node:fs/promises";
import * as path from "node:path";
import { sentenceOf } from "../process/index.ts";
import { CannotDo } from "../workshop.ts";
import { isObject } from "./formats/reading.ts";
import { isRun } from "./history.ts";
import type { BenchmarkRun, History } from "./types.ts";

export interface Baseline {
  /** How it is called in reports. */
  readonly name: string;
  /** By plan. */
  readonly runs: ReadonlyMap<string, BenchmarkRun>;
}

/** The runs that `wanted` names: "last", a saved name, the id of a run, or a file of exported runs. Throws CannotDo. */
export async function findBaseline(wanted: string, history: History, plans: readonly string[], root: string): Promise<Baseline> {
  if (wanted === "last") {
    return { name: "the last run", runs: lastRuns(history.runs, plans) };
  }
  const saved = history.baselines.find((one) => one.name === wanted);
  const ids = saved?.runs ?? [wanted];
  const runs = history.runs.filter((run) => ids.includes(run.id));
  if (runs.length > 0) {
    return { name: saved === undefined ? wanted : `baseline ${wanted}`, runs: byPlan(runs) };
  }
  if (saved !== undefined) {
    throw new CannotDo(`The runs of the baseline "${wanted}" are no longer in ${history.file}.`);
  }
  const file = path.resolve(root, wanted);
  let text: string;
  try {
    text = await fs.readFile(file, "utf8");
  } catch (error) {
    const names = [...history.baselines.map((one) => one.name), ...history.runs.slice(-3).map((run) => run.id)];
    throw new CannotDo(`"${wanted}" is neither a run nor a saved baseline in ${history.file}${names.length === 0 ? ", which has none," : ` (some of those there: ${names.join(", ")})`} nor a file that can be read. ${sentenceOf(error, `read ${file}`)}`);
  }
  return { name: wanted, runs: byPlan(runsOfFile(text, file)) };
}

/** Runs of an exported JSON, or of a report of `abiding benchmark --format json`. */
function runsOfFile(text: string, file: string): BenchmarkRun[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CannotDo(`${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (isObject(value) && typeof value.schema === "number" && value.schema > 1) {
    throw new CannotDo(`${file} was written by a newer Abiding (schema ${value.schema}).`);
  }
  const runs = isObject(value) && Array.isArray(value.runs) ? value.runs.filter(isRun) : isRun(value) ? [value] : [];
  if (runs.length === 0) {
    throw new CannotDo(`${file} holds no runs: a baseline file is what \`abiding benchmark --export json\` or \`--format json\` wrote.`);
  }
  return runs;
}

/** A later run of a plan stands for it. */
function byPlan(runs: readonly BenchmarkRun[]): Map<string, BenchmarkRun> {
  return new Map(runs.map((run) => [run.plan, run]));
}

/** Of each plan the last run that is whole; else the last. The other side of a comparison is no predecessor. */
function lastRuns(runs: readonly BenchmarkRun[], plans: readonly string[]): Map<string, BenchmarkRun> {
  const own = runs.filter((run) => run.variant === undefined);
  return new Map(plans.flatMap((plan) => {
    const last = own.findLast((run) => run.plan === plan && run.partial !== true) ?? own.findLast((run) => run.plan === plan);
    return last === undefined ? [] : [[plan, last] as const];
  }));
}
