import * as path from "node:path";
import type { Workshop } from "../workshop.ts";
import type { BenchmarkPlan } from "../project/types.ts";
import { listingCommand, measuringCommand } from "./commands.ts";
import type { Side } from "./commands.ts";
import { findDocuments } from "./formats/document.ts";
import { objectsOf, textOf } from "./formats/reading.ts";
import { runOnce } from "./repetition.ts";
import type { Repetition } from "./repetition.ts";
import { schedule } from "./schedule.ts";
import type { SideName } from "./schedule.ts";

/** A plan with its two sides, or with one. */
export interface Measured {
  readonly plan: BenchmarkPlan;
  readonly sides: Readonly<Partial<Record<SideName, SideResult>>> & { readonly A: SideResult };
  /** "ABBAAB": which side's turn it was. */
  readonly order: string;
}

export interface SideResult {
  readonly side: Side;
  readonly narrowing: { readonly filter: string | undefined; readonly benchmarks: readonly string[] };
  /** In the order in which they were taken. */
  readonly repetitions: Repetition[];
}

export interface MeasureOptions {
  readonly pairs: readonly { readonly A: Side; readonly B?: Side }[];
  readonly repetitions: number;
  readonly filter: string | undefined;
  readonly timeLimit: number;
  /** Empty, and of this run alone: programs write their JSON into it. */
  readonly folder: string;
  readonly seed: number;
}

/**
 * Takes the repetitions: first one of every plan and side, then the second, and so on, so that each benchmark's samples are
 * spread over the whole time. A plan whose program crashes, hangs or tells nothing is not tried again; what it told stays.
 */
export async function measure(options: MeasureOptions, workshop: Workshop): Promise<Measured[]> {
  const { activity } = workshop;
  const plans = await Promise.all(options.pairs.map(async (pair, index) => {
    const sides: Measured["sides"] = { A: await sideResult(pair.A, options, workshop), ...(pair.B === undefined ? {} : { B: await sideResult(pair.B, options, workshop) }) };
    return { plan: pair.A.plan, sides, order: "", orders: schedule(options.repetitions, pair.B === undefined ? 1 : 2, options.seed + index), failed: false };
  }));
  const total = plans.reduce((sum, one) => sum + options.repetitions * Object.keys(one.sides).length, 0);
  const filter = options.filter === undefined ? undefined : new RegExp(options.filter);
  const begun = workshop.now().getTime();
  let done = 0;
  for (let repetition = 0; repetition < options.repetitions; repetition++) {
    for (const one of plans) {
      for (const name of one.failed ? [] : one.orders[repetition] ?? []) {
        const result = one.sides[name];
        if (result === undefined || activity.signal.aborted) {
          continue;
        }
        activity.step(`${one.plan.label}, repetition ${repetition + 1} of ${options.repetitions}${one.sides.B === undefined ? "" : name === "A" ? ", this side" : ", the other side"}`);
        const file = path.join(options.folder, `${plans.indexOf(one)}-${name}-${repetition}.json`);
        const taken = await runOnce(one.plan, measuringCommand(result.side, workshop.environment, result.narrowing, file), file, options.timeLimit, workshop);
        const kept = filter === undefined ? taken.readings : taken.readings.filter((reading) => filter.test(reading.name) || reading.name === one.plan.ceiling);
        result.repetitions.push({ ...taken, readings: kept });
        one.order += name;
        one.failed ||= taken.ending.kind !== "exited" || taken.readings.length === 0;
        activity.progress(++done / total);
      }
    }
    if (repetition === 0 && options.repetitions > 1 && !activity.signal.aborted) {
      const round = (workshop.now().getTime() - begun) / 1000;
      activity.note(`One repetition took ${duration(round)}; ${options.repetitions - 1} more take about ${duration(round * (options.repetitions - 1))}.`);
    }
  }
  return plans.map(({ plan, sides, order }) => ({ plan, sides, order }));
}

async function sideResult(side: Side, options: MeasureOptions, workshop: Workshop): Promise<SideResult> {
  const benchmarks = side.plan.format === "nvbench" && options.filter !== undefined && !side.plan.printsJson ? await nvbenchNames(side, new RegExp(options.filter), workshop) : [];
  return { side, narrowing: { filter: options.filter, benchmarks }, repetitions: [] };
}

/** The benchmarks of an nvbench program that the expression finds: its own filter takes whole names only. */
async function nvbenchNames(side: Side, filter: RegExp, workshop: Workshop): Promise<string[]> {
  return (await listed(side, workshop)).names.filter((name) => filter.test(name) || side.plan.ceiling?.split(" ")[0] === name);
}

interface Listed {
  readonly names: readonly string[];
  /** Why there are none. */
  readonly problem?: string;
}

/** Longest that a program may take to list its benchmarks: pytest imports the tests for it. */
const listingLimit = 120_000;

/** The names of a plan's benchmarks, without measuring; its program is started. */
export async function listBenchmarks(plan: BenchmarkPlan, interpreter: string | undefined, workshop: Workshop): Promise<Listed> {
  return listed({ plan, interpreter }, workshop);
}

async function listed(side: Side, workshop: Workshop): Promise<Listed> {
  const command = listingCommand(side, workshop.environment);
  if (command === undefined) {
    return { names: [], problem: "The command prints results; it has no way to list names without measuring." };
  }
  const result = await workshop.run(command, { signal: workshop.activity.signal, timeLimit: listingLimit, keep: 16 * 1024 * 1024, leftBehind: "end" });
  const names = namesIn(result.stdout.text, side.plan.format);
  if (names.length > 0) {
    return { names };
  }
  const { ending } = result;
  const last = result.stderr.text.trim().split("\n").at(-1) ?? "";
  const problem = ending.kind === "not-started" ? ending.message
    : ending.kind === "timed-out" ? "Listing its benchmarks took longer than two minutes."
    : `It lists no benchmarks${last === "" ? "." : `: ${last}`}`;
  return { names: [], problem };
}

function namesIn(text: string, format: BenchmarkPlan["format"]): string[] {
  switch (format) {
    case "google-benchmark":
      return text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "");
    case "nvbench":
      return findDocuments(text).flatMap(({ value }) => objectsOf(value.benchmarks).flatMap((one) => textOf(one.name) ?? []));
    case "pytest-benchmark":
      return text.split(/\r?\n/).filter((line) => line.includes("::") && !line.startsWith(" ") && !/^(?:ERROR|FAILED|=)/.test(line));
  }
}

function duration(seconds: number): string {
  return seconds < 10 ? `${seconds.toFixed(1)} s` : seconds < 120 ? `${Math.round(seconds)} s` : seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}
