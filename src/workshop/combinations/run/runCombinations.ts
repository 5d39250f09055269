import { rm } from "node:fs/promises";
import * as path from "node:path";
import { exclusively } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { Workshop } from "../../workshop.ts";
import { readResult, stepNames, writeCellFile } from "../cells/files.ts";
import { copySource, sizeOf } from "../cells/source.ts";
import { localExecutor } from "../executors/local/index.ts";
import { shownIndex } from "../nightlies/index.ts";
import { appendCombinations } from "../records/append.ts";
import { recordsFile } from "../records/place.ts";
import type { CellEvent, CellResult, CellTask, Executor, KnownWheel, RunReport, SlurmExecutorSettings } from "../types.ts";
import { spaceFor } from "../cells/space.ts";
import { removeLeftovers } from "./leftovers.ts";
import { planRun, settingsOf } from "./plan.ts";
import type { RunPlan, RunRequest } from "./plan.ts";
import { findRun, newRunFolder, removeSnapshot, snapshotOf, taskOf, writeRunFile } from "./runFiles.ts";
import type { RunFile } from "./runFiles.ts";

/** Of each benchmark: whether it runs, and roughly how fast. */
const repetitions = 3;

/** Makes the executor of a cluster, which has to know how Abiding is started there. `folder`: of the run. */
export type MakeSlurm = (settings: SlurmExecutorSettings, folder: string) => Executor;

export interface RunMeans {
  readonly workshop: Workshop;
  readonly tell: (event: CellEvent) => void;
  /** Absent: cells can only be tried on this machine. */
  readonly slurm?: MakeSlurm;
}

/**
 * Tries the cells of the matrix, and records what came out of each as soon as it is done. Throws CannotDo when there is nothing
 * to try; what cells do, and a cancel, is a report.
 */
export async function runCombinations(request: RunRequest, means: RunMeans): Promise<RunReport> {
  const { workshop } = means;
  // Before anything is tried that could not be recorded.
  recordsFile(request.root, request.settings);
  const plan = await planRun(request, workshop);
  workshop.activity.signal.throwIfAborted();
  somethingToTry(request, plan);
  const folder = await newRunFolder(request.root, workshop.now());
  const run: RunFile = {
    schema: 1, run: path.basename(folder), root: request.root, executor: request.executor ?? request.settings.executor?.kind ?? "local",
    started: workshop.now().toISOString(), cells: plan.cells, leftOut: plan.leftOut, warnings: plan.warnings,
  };
  return exclusively(folder, "combinations run", workshop.activity, async () => {
    try {
      workshop.activity.step("Copying the project");
      const source = await copySource({ root: request.root, to: snapshotOf(folder) }, workshop);
      await prepare(request, run, folder, source, plan.wheels);
      // Last: a run that can be found again has all that its cells need.
      await writeRunFile(folder, run);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return carryOut(request, run, folder, means);
  }, `The run ${run.run}`);
}

/** Goes on with a run that was interrupted: cells without a result, and cancelled ones, are tried anew. `name`: of the run, or "last". */
export async function resumeCombinations(request: RunRequest, name: string, means: RunMeans): Promise<RunReport> {
  const { folder, file } = await findRun(request.root, name);
  return exclusively(folder, "combinations run", means.workshop.activity, () => carryOut({ ...request, executor: request.executor ?? file.executor }, file, folder, means), `The run ${file.run}`);
}

async function prepare(request: RunRequest, run: RunFile, folder: string, source: string, wheels: ReadonlyMap<string, KnownWheel>): Promise<void> {
  const { steps = stepNames, install = [], indexes = [] } = settingsOf(request);
  const size = await sizeOf(snapshotOf(folder));
  for (const { cell, folder: place } of run.cells.map((one) => taskOf(folder, one))) {
    await writeCellFile(place, { schema: 1, cell, root: request.root, source, run: run.run, steps, install, indexes: indexes.map(shownIndex), repetitions, keep: request.keep ?? "never", space: spaceFor(cell, wheels.get(cell.id), size) });
  }
}

async function carryOut(request: RunRequest, run: RunFile, folder: string, { workshop, tell, slurm }: RunMeans): Promise<RunReport> {
  const { signal } = workshop.activity;
  const records = recordsFile(request.root, request.settings);
  const warnings = new Set([...run.warnings, ...await removeLeftovers(request.root, folder, workshop)]);
  const results = new Map<string, CellResult>();
  let recording = Promise.resolve();
  const keep = (result: CellResult): void => {
    results.set(result.cell.id, result);
    recording = recording.then(() => append(records, result, warnings));
  };
  const waiting: CellTask[] = [];
  for (const task of run.cells.map((cell) => taskOf(folder, cell))) {
    const result = await readResult(task.folder);
    if (result === undefined || result.outcome === "cancelled") {
      waiting.push(task);
    } else {
      keep(result);
      tell({ kind: "ended", result, resumed: true });
    }
  }
  const progress = (): void => workshop.activity.progress(results.size / run.cells.length);
  progress();
  if (waiting.length > 0) {
    const executor = executorOf(request, folder, workshop, slurm);
    await executor.execute(waiting, (event) => {
      if (event.kind === "ended") {
        keep(event.result);
        progress();
      }
      tell(event);
    }, signal);
    const atOnce = executor.kind === "local" ? Math.min(jobsOf(request), waiting.length) : 1;
    if (atOnce > 1 && waiting.some(({ cell }) => results.get(cell.id)?.steps.some((one) => one.name === "benchmark" && (one.counts?.passed ?? 0) > 0) === true)) {
      warnings.add(`Benchmarks were measured while up to ${atOnce} cells were tried at once on this machine: that they run counts, their times say little. --jobs 1 measures one after the other.`);
    }
  }
  await recording;
  const all = run.cells.flatMap(({ id }) => results.get(id) ?? []);
  const isWhole = all.length === run.cells.length && all.every((one) => one.outcome !== "cancelled");
  if (isWhole) {
    await removeSnapshot(folder);
  }
  return {
    schema: 1, root: request.root, run: run.run, executor: run.executor, results: all, leftOut: run.leftOut, records, warnings: [...warnings],
    outcome: !isWhole ? "cancelled" : all.every((one) => one.outcome === "passed") ? "passed" : "failed",
  };
}

async function append(file: string, { cell, records }: CellResult, warnings: Set<string>): Promise<void> {
  if (records.length === 0) {
    return;
  }
  try {
    (await appendCombinations(file, records)).notes.forEach((one) => warnings.add(one));
  } catch (error) {
    warnings.add(`What became of ${cell.label} was not recorded: ${error instanceof Error ? error.message : String(error)} Its result stays in the run's folder, and resuming the run records it.`);
  }
}

function executorOf({ settings, executor, jobs }: RunRequest, folder: string, workshop: Workshop, slurm: MakeSlurm | undefined): Executor {
  const written = settings.executor;
  const kind = executor ?? written?.kind ?? "local";
  if (kind === "local") {
    return localExecutor({ jobs: jobsOf({ settings, ...(jobs === undefined ? {} : { jobs }) }) }, workshop);
  }
  if (slurm === undefined) {
    throw new CannotDo("Cells are handed to Slurm by the command line only: abiding combinations run --executor slurm.");
  }
  return slurm({ ...(written?.kind === "slurm" ? written : { kind: "slurm" }), ...(jobs === undefined ? {} : { jobs }) }, folder);
}

/** How many cells are tried at once on this machine. */
function jobsOf({ settings: { executor }, jobs }: Pick<RunRequest, "settings" | "jobs">): number {
  return jobs ?? (executor?.kind === "local" ? executor.jobs : undefined) ?? 1;
}

/** Throws CannotDo, with the reasons, where a plan has no cell. */
export function somethingToTry(request: RunRequest, { cells, leftOut, warnings }: RunPlan): void {
  if (cells.length === 0) {
    throw new CannotDo(nothingToTry(request, leftOut, warnings));
  }
}

function nothingToTry({ only }: RunRequest, leftOut: RunReport["leftOut"], warnings: readonly string[]): string {
  if (only !== undefined && leftOut.length === 0) {
    return `No cell of the matrix has an id that begins with ${only.join(" or ")}; --plan shows them.`;
  }
  const because = [...new Set([...leftOut.map((one) => `${one.label}: ${one.because}`), ...warnings])];
  return `There is nothing to try. ${because.slice(0, 5).join(" ")}${because.length > 5 ? ` And ${because.length - 5} more.` : ""}`.trimEnd();
}
