import { hostname } from "node:os";
import * as path from "node:path";
import { requireSpace } from "../../libtorch/space.ts";
import { commitOf, CouldNotWrite, exclusively } from "../../process/index.ts";
import type { Variables } from "../../process/types.ts";
import { readProject } from "../../project/index.ts";
import type { Project } from "../../project/types.ts";
import { CannotDo } from "../../workshop.ts";
import type { Workshop } from "../../workshop.ts";
import { IndexUsers, withoutHandedOn } from "../nightlies/index.ts";
import type { CellEvent, CellResult, CellStep, CellStepName, CellTask } from "../types.ts";
import { buildStep } from "./building.ts";
import { withCompilers } from "./compilers.ts";
import { install, interpreterIn } from "./environment.ts";
import { readCellFile, removeMade, stepNames, writeResult } from "./files.ts";
import type { CellFile } from "./files.ts";
import { loadStep } from "./loading.ts";
import { recordsOf } from "./recording.ts";
import { copySource } from "./source.ts";
import { benchmarkStep, smokeStep } from "./testing.ts";
import { activityOf, StepLog } from "./trial.ts";
import type { Ended, Trial } from "./trial.ts";

/**
 * Tries one cell in its folder: copies the project, makes an environment, installs, builds, loads, tests and measures, and
 * leaves `result.json`. Never rejects for what a cell does, nor for a cancel; throws CannotDo for a folder that is none of a
 * cell. Somebody who tries the same cell waits; what a killed one left running is ended first.
 */
export async function tryCell(task: CellTask, workshop: Workshop, tell: (event: CellEvent) => void = () => undefined): Promise<CellResult> {
  const file = await readCellFile(task.folder);
  const started = workshop.now();
  const begin = performance.now();
  const draft: Draft = { steps: [], told: [], records: [] };
  const { SLURM_ARRAY_JOB_ID: job, SLURM_ARRAY_TASK_ID: index = "0" } = workshop.environment;
  const place = job === undefined ? hostname() : `${job}_${index}`;
  tell({ kind: "started", cell: file.cell, where: place });
  try {
    await exclusively(task.folder, `combinations cell ${file.cell.id}`, workshop.activity, () => new Attempt(task, file, workshop, tell, draft).carryOut());
  } catch (error) {
    if (!workshop.activity.signal.aborted) {
      draft.reason ??= { message: error instanceof CannotDo || error instanceof CouldNotWrite ? error.message : `Trying the cell failed in Abiding itself: ${error instanceof Error ? error.stack ?? error.message : String(error)}` };
    }
  }
  const result: CellResult = {
    schema: 1, cell: file.cell, ...verdictOf(draft, workshop.activity.signal.aborted), steps: draft.steps, records: draft.records,
    started: started.toISOString(), milliseconds: Math.round(performance.now() - begin), where: place,
  };
  await writeResult(task.folder, result);
  return result;
}

interface Draft {
  steps: readonly CellStep[];
  /** Steps that say something of the combination. */
  told: readonly CellStep[];
  records: CellResult["records"];
  /** Why it was not carried to its end. */
  reason?: CellResult["reason"];
}

function verdictOf({ steps, reason }: Draft, isCancelled: boolean): Pick<CellResult, "outcome" | "reason"> {
  const decisive = steps.find((one) => one.outcome === "failed") ?? steps.find((one) => one.outcome === "unknown");
  const why = decisive?.reason ?? reason;
  if (decisive?.outcome === "failed") {
    return { outcome: "failed", ...(why === undefined ? {} : { reason: why }) };
  }
  if (isCancelled) {
    return { outcome: "cancelled", reason: { message: "It was cancelled." } };
  }
  return why === undefined ? { outcome: "passed" } : { outcome: "unknown", reason: why };
}

class Attempt {
  readonly #task: CellTask;
  readonly #file: CellFile;
  readonly #workshop: Workshop;
  readonly #tell: (event: CellEvent) => void;
  readonly #draft: Draft;
  #products: readonly string[] = [];
  #project: Promise<Project> | undefined;

  constructor(task: CellTask, file: CellFile, workshop: Workshop, tell: (event: CellEvent) => void, draft: Draft) {
    this.#task = task;
    this.#file = file;
    this.#workshop = workshop;
    this.#tell = tell;
    this.#draft = draft;
  }

  async carryOut(): Promise<void> {
    const { folder } = this.#task;
    // What an attempt left that was killed is of no use.
    await removeMade(folder);
    try {
      await this.#steps();
    } finally {
      const isFailed = this.#draft.steps.some((one) => one.outcome !== "passed");
      if (this.#file.keep === "never" || (this.#file.keep === "failed" && !isFailed) || this.#workshop.activity.signal.aborted) {
        await removeMade(folder);
      }
    }
  }

  async #steps(): Promise<void> {
    const { folder } = this.#task;
    const { cell, space } = this.#file;
    await requireSpace(folder, space, `Trying ${cell.label}`);
    const { environment: base, problem } = withCompilers(cellEnvironment(this.#workshop.environment, folder), cell.compiler);
    const environment = path.join(folder, "environment");
    const root = await copySource({ root: this.#file.source, to: path.join(folder, "source"), ...(cell.commit === undefined ? {} : { commit: cell.commit }) }, this.#workshop);
    const users = new IndexUsers(this.#file.root, this.#file.indexes, this.#workshop.environment);
    const shared = { task: this.#task, file: this.#file, tell: this.#tell, users, source: path.join(folder, "source"), root, environment, interpreter: interpreterIn(environment) };
    const commit = await commitOf(root, this.#workshop, [".abiding"]);
    for (const name of stepNames.filter((one) => one === "install" || this.#file.steps.includes(one))) {
      if (this.#workshop.activity.signal.aborted) {
        return;
      }
      const ended = await this.#run(name, (log, activity) => this.#step(name, { ...shared, log, workshop: { ...this.#workshop, activity, environment: base } }, problem));
      if (ended !== "passed") {
        break;
      }
    }
    this.#draft.records = await recordsOf({ ...shared, workshop: { ...this.#workshop, environment: base }, commit, products: this.#products }, this.#draft.told);
  }

  async #run(name: CellStepName, work: (log: StepLog, activity: Workshop["activity"]) => Promise<Ended>): Promise<CellStep["outcome"]> {
    const { cell } = this.#file;
    const log = new StepLog(this.#task.folder, name);
    const begin = performance.now();
    this.#tell({ kind: "step", cell, step: name });
    const activity = activityOf(this.#workshop.activity, log, (fraction) => {
      if (fraction !== undefined) {
        this.#tell({ kind: "step", cell, step: name, fraction });
      }
    });
    const tried = await work(log, activity).catch((error: unknown): Ended => {
      const isKnown = this.#workshop.activity.signal.aborted || error instanceof CannotDo || error instanceof CouldNotWrite;
      const message = this.#workshop.activity.signal.aborted ? "It was cancelled." : error instanceof Error ? (isKnown ? error.message : `The step failed in Abiding itself: ${error.stack ?? error.message}`) : String(error);
      return { outcome: "unknown", isOfHere: true, reason: { message } };
    });
    // The copy is gone soon, and its place says nothing: files are named as in the project.
    const copied = `${path.join(this.#task.folder, "source")}${path.sep}`;
    const ended: Ended = tried.reason === undefined ? tried : { ...tried, reason: { ...tried.reason, message: tried.reason.message.replaceAll(copied, "") } };
    if (ended.reason !== undefined) {
      log.add(`abiding: ${ended.reason.message}\n`);
    }
    await log.close();
    if (ended.isNothing !== true) {
      const { outcome, reason, counts } = ended;
      const step: CellStep = { name, outcome, milliseconds: Math.round(performance.now() - begin), log: log.file, ...(reason === undefined ? {} : { reason }), ...(counts === undefined ? {} : { counts }) };
      this.#draft.steps = [...this.#draft.steps, step];
      this.#draft.told = ended.isOfHere === true ? this.#draft.told : [...this.#draft.told, step];
    }
    return ended.outcome;
  }

  async #step(name: CellStepName, trial: Trial, problem: string | undefined): Promise<Ended> {
    const { root, interpreter, workshop } = trial;
    const project = (): Promise<Project> => this.#project ??= readProject(root, { environment: workshop.environment, interpreter });
    switch (name) {
      case "install": return problem === undefined ? install(trial, project) : { outcome: "unknown", isOfHere: true, reason: { message: problem } };
      case "build": {
        const built = await buildStep(trial, await project());
        this.#products = built.products;
        // What was built says which tests there are.
        this.#project = undefined;
        return built.ended;
      }
      case "load": return loadStep(trial, this.#products);
      case "smoke": return smokeStep(trial, await project());
      case "benchmark": return benchmarkStep(trial, await project());
    }
  }
}

/**
 * Variables that lead to another Python or torch than the cell's, or to another repository; and the caches of what torch compiles
 * by itself, which are the cell's own.
 */
const foreign = /^(?:PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|PIP_TARGET|PIP_PREFIX|PIP_USER|PIP_CONSTRAINT|PIP_REQUIREMENT|UV_CONSTRAINT|UV_OVERRIDE|UV_PROJECT_ENVIRONMENT|Torch_DIR|Torch_ROOT|TORCH_DIR|LIBTORCH|GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|OBJECT_DIRECTORY))$/;

function cellEnvironment(environment: Variables, folder: string): Variables {
  const own = Object.entries(withoutHandedOn(environment)).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), TORCH_EXTENSIONS_DIR: path.join(folder, "build", "torch_extensions"), PYTHONDONTWRITEBYTECODE: "1" };
}
