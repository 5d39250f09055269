import * as fs from "node:fs/promises";
import * as path from "node:path";
import { commandLine, commitOf, exclusively, stateFolder } from "../process/index.ts";
import { CannotDo } from "../workshop.ts";
import type { Workshop } from "../workshop.ts";
import { findBaseline } from "./baseline.ts";
import type { Baseline } from "./baseline.ts";
import { measureCeilings, namedCeiling, withNamed } from "./ceilings.ts";
import { collect } from "./collect.ts";
import { compare, defaultThreshold, methodOf } from "./comparison.ts";
import type { ComparedRuns } from "./comparison.ts";
import { measuringCommand } from "./commands.ts";
import { fractionsOf } from "./fractions.ts";
import { describeGpus } from "./gpus.ts";
import { appendBaseline, appendRun, readHistory } from "./history.ts";
import { describeProcessor } from "./machine.ts";
import { measure } from "./measure.ts";
import type { Measured, SideResult } from "./measure.ts";
import { momentOf, noiseOf } from "./noise.ts";
import { systemFiles } from "./systemFiles.ts";
import type { BenchmarkReport, BenchmarkRequest, BenchmarkRun, History, Machine } from "./types.ts";

/** Measures the plans, compares them with what the request names, and keeps the runs. Throws CannotDo. */
export async function benchmark(request: BenchmarkRequest, workshop: Workshop): Promise<BenchmarkReport> {
  validate(request);
  const state = await stateFolder(request.root);
  const history = await readHistory(request.root);
  const report = { schema: 1, root: request.root, runs: [], comparisons: [], fractions: [], history: history.file, warnings: [] } as const;
  if (request.plans.length === 0) {
    return { ...report, outcome: "no-benchmarks", reason: "The project has no benchmarks that are known: none is named in abiding.json and none was detected." };
  }
  const baseline = request.baseline === undefined ? undefined : await findBaseline(request.baseline, history, request.plans.map((plan) => plan.id), request.root);
  // Two runs at once would measure each other.
  return exclusively(state, "benchmark", workshop.activity, async () => {
    const folder = path.join(state, "benchmark");
    // What a killed run left is of no use: nobody else is in here.
    await fs.rm(folder, { recursive: true, force: true });
    await fs.mkdir(folder, { recursive: true });
    try {
      // A run that this one waited for was written since the history was read for the baseline.
      return await inFolder(request, workshop, { state, folder, baseline, report, history: await readHistory(request.root) });
    } finally {
      await fs.rm(folder, { recursive: true, force: true });
    }
  });
}

function validate(request: BenchmarkRequest): void {
  if (!Number.isInteger(request.repetitions) || request.repetitions < 1 || request.repetitions > 10_000) {
    throw new CannotDo(`Repetitions must be a whole number from 1 to 10000; it is ${request.repetitions}.`);
  }
  if (request.threshold !== undefined && !(request.threshold >= 0 && request.threshold < 10)) {
    throw new CannotDo(`The threshold must be a share such as 0.03; it is ${request.threshold}.`);
  }
  try {
    new RegExp(request.filter ?? "");
  } catch (error) {
    throw new CannotDo(`The filter is no regular expression: ${error instanceof Error ? error.message : String(error)}.`);
  }
  if (request.variant !== undefined && request.baseline !== undefined) {
    throw new CannotDo("A run is compared either with a baseline or with a variant that is measured in turns with it, not with both.");
  }
}

interface Place {
  readonly state: string;
  readonly folder: string;
  readonly baseline: Baseline | undefined;
  readonly report: Omit<BenchmarkReport, "outcome">;
  readonly history: History;
}

async function inFolder(request: BenchmarkRequest, workshop: Workshop, place: Place): Promise<BenchmarkReport> {
  const files = systemFiles();
  const processor = describeProcessor(files);
  const { signal } = workshop.activity;
  workshop.activity.step("Looking at the machine");
  const gpusBefore = await describeGpus(files, workshop, place.folder);
  const found = await commitOf(request.root, workshop);
  const commit = found === undefined ? undefined : `${found.hash}${found.isChanged ? "-dirty" : ""}`;
  const before = momentOf(files);
  const started = workshop.now();
  const variants = new Map(request.variant?.plans.map((plan) => [plan.id, plan]));
  const measured = await measure({
    pairs: request.plans.map((plan) => {
      const other = variants.get(plan.id);
      return { A: { plan, interpreter: request.interpreter }, ...(other === undefined ? {} : { B: { plan: other, interpreter: request.variant?.interpreter ?? request.interpreter } }) };
    }),
    repetitions: request.repetitions, filter: request.filter, timeLimit: request.timeLimit, folder: place.folder, seed: started.getTime() % 0x7fff_ffff,
  }, workshop);
  const after = momentOf(files);
  const gpus = await describeGpus(files, workshop, place.folder);
  const warnings = [...noiseOf(processor, before, after, files), ...gpus.throttled];
  const machine: Machine = { ...processor, gpus: gpusBefore.gpus, load: [before.load, after.load] };
  const named = measured.map(({ plan, sides }) => (plan.ceiling === undefined ? undefined : namedCeiling(plan.ceiling, collect(sides.A.repetitions.map((repetition) => repetition.readings)))));
  const counts = measured.flatMap((one, index) => [one.sides.A, one.sides.B].flatMap((side) => collect(side?.repetitions.map((repetition) => repetition.readings) ?? []))
    .filter((measurement) => named[index]?.ceilings === undefined || measurement.flops !== undefined));
  const ceilings = signal.aborted ? { warnings: [] } : await measureCeilings(counts, processor, place.state, workshop);
  const shared = { started: started.toISOString(), machine, warnings, repetitions: request.repetitions, by: workshop.version, ...(commit === undefined ? {} : { commit }), ...(ceilings.ceilings === undefined ? {} : { ceilings: ceilings.ceilings }) };
  const ids = new Set(place.history.runs.map((run) => run.id));
  const pairs = measured.map((one, index) => {
    // What the project names goes before what was measured here; arithmetic is not in it.
    const own = named[index]?.ceilings === undefined ? shared : { ...shared, ceilings: withNamed(shared.ceilings, named[index].ceilings) };
    return {
      now: runOf(one, one.sides.A, undefined, request, workshop, own, ids),
      before: one.sides.B === undefined ? place.baseline?.runs.get(one.plan.id) : runOf(one, one.sides.B, request.variant?.name ?? "variant", request, workshop, own, ids),
    };
  });
  const isInterleaved = request.variant !== undefined;
  const runs = pairs.flatMap((pair) => [pair.now, ...(isInterleaved && pair.before !== undefined ? [pair.before] : [])]);
  const compared = pairs.filter((pair): pair is ComparedRuns => pair.before !== undefined);
  const comparisons = compare(compared, {
    threshold: request.threshold ?? defaultThreshold, interleaved: isInterleaved, history: place.history.runs,
    ...(request.filter === undefined ? {} : { filter: new RegExp(request.filter) }),
  });
  const tested = comparisons.filter((one) => one.p !== undefined).length;
  const told = [...place.history.problems, ...warnings, ...ceilings.warnings, ...named.flatMap((one) => one?.warnings ?? []), ...await keep(runs, request, place.report.history, workshop)];
  if (request.baseline !== undefined) {
    told.push(...pairs.filter((pair) => pair.before === undefined).map((pair) => `The baseline has no run of ${pair.now.plan}; nothing is compared with it.`));
  }
  told.push(...measured.filter((one) => isInterleaved && one.sides.B === undefined).map((one) => `${request.variant?.name ?? "The variant"} has no ${one.plan.id}; nothing is compared with it.`));
  const verdict = outcomeOf(runs, comparisons, signal.aborted, request);
  return {
    ...place.report, ...verdict, runs, comparisons,
    fractions: pairs.flatMap((pair) => fractionsOf(pair.now)),
    warnings: [...new Set(told)],
    ...(compared.length === 0 ? {} : { comparedWith: { name: isInterleaved ? request.variant?.name ?? "variant" : place.baseline?.name ?? "", interleaved: isInterleaved, method: methodOf(isInterleaved, tested) } }),
  };
}

function runOf(measured: Measured, side: SideResult, variant: string | undefined, request: BenchmarkRequest, workshop: Workshop,
  shared: Pick<BenchmarkRun, "started" | "machine" | "warnings" | "repetitions" | "by" | "commit" | "ceilings">, ids: Set<string>): BenchmarkRun {
  const { plan } = side.side;
  const failures = side.repetitions.flatMap((repetition, index) => repetition.problems.map((message) => ({ repetition: index + 1, ending: repetition.ending, message })));
  const isPartial = side.repetitions.length < request.repetitions || failures.length > 0 || side.repetitions.some((repetition) => repetition.ending.kind !== "exited");
  const base = `${shared.started.replace(/\.\d+Z$/, "Z")}-${plan.id.replace(/[^\w.-]+/g, "-")}${variant === undefined ? "" : `-${variant.replace(/[^\w.-]+/g, "-")}`}`;
  let id = base;
  for (let count = 2; ids.has(id); count++) {
    id = `${base}-${count}`;
  }
  ids.add(id);
  return {
    schema: 1, id, plan: plan.id, format: plan.format, ...shared,
    line: commandLine(measuringCommand(side.side, workshop.environment, side.narrowing, "benchmark.json"), { environment: workshop.environment }),
    measurements: collect(side.repetitions.map((repetition) => repetition.readings)),
    ...(variant === undefined ? {} : { variant }),
    ...(measured.sides.B === undefined ? {} : { order: measured.order }),
    ...(request.filter === undefined ? {} : { filter: request.filter }),
    ...(isPartial ? { partial: true } : {}),
    ...(failures.length === 0 ? {} : { failures }),
  };
}

/** Runs without a number are not kept: there is nothing to compare with them. What could not be written is told. */
async function keep(runs: readonly BenchmarkRun[], request: BenchmarkRequest, file: string, workshop: Workshop): Promise<string[]> {
  const worth = runs.filter((run) => run.measurements.some((one) => one.seconds.length > 0));
  try {
    for (const run of worth) {
      await appendRun(file, run);
    }
    if (request.saveBaseline !== undefined && worth.length > 0) {
      await appendBaseline(file, { name: request.saveBaseline, runs: worth.filter((run) => run.variant === undefined).map((run) => run.id), saved: workshop.now().toISOString() });
    }
    return [];
  } catch (error) {
    return [`The runs were not kept in the history. ${error instanceof Error ? error.message : String(error)}`];
  }
}

function outcomeOf(runs: readonly BenchmarkRun[], comparisons: BenchmarkReport["comparisons"], isCancelled: boolean, request: BenchmarkRequest): Pick<BenchmarkReport, "outcome" | "reason"> {
  if (isCancelled) {
    return { outcome: "cancelled", reason: "It was cancelled; what was measured until then was kept." };
  }
  const failed = runs.flatMap(({ plan, variant, failures = [] }) => failures.slice(0, 1).map(({ repetition, message }) => `${plan}${variant === undefined ? "" : ` of ${variant}`}, repetition ${repetition}: ${message}`));
  if (failed.length > 0) {
    const told = [...failed.slice(0, 5), ...(failed.length > 5 ? [`And ${failed.length - 5} more.`] : [])];
    // The last words of a program end without a full stop.
    return { outcome: "failed", reason: told.reduce((before, one) => `${before}${/[.!?]$/.test(before) ? "" : "."} ${one}`) };
  }
  const measurements = runs.flatMap((run) => run.measurements);
  if (measurements.length === 0) {
    return { outcome: "no-benchmarks", reason: request.filter === undefined ? "The programs told of no benchmark." : `No benchmark's name is found by ${request.filter}.` };
  }
  const broken = measurements.find((one) => one.problem !== undefined && one.skipped !== true);
  if (broken !== undefined) {
    return { outcome: "failed", reason: `${broken.name}: ${broken.problem ?? ""}` };
  }
  const regressed = comparisons.filter((one) => one.verdict === "regressed");
  return regressed.length === 0 ? { outcome: "measured" } : { outcome: "regressed", reason: `${regressed.length} of ${comparisons.length} benchmarks regressed: ${regressed.slice(0, 3).map((one) => one.name).join(", ")}${regressed.length > 3 ? ", …" : ""}.` };
}
