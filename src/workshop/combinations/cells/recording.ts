import * as path from "node:path";
import type { Commit } from "../../process/commit.ts";
import { combinationOf } from "../records/circumstances.ts";
import { projectNameOf } from "../records/project.ts";
import { withoutPlaces } from "../records/withoutPrivate.ts";
import type { CellStep, CellStepName, CombinationReason, CombinationRecord, Method } from "../types.ts";
import type { Trial } from "./trial.ts";

const methods: Readonly<Record<CellStepName, Method>> = { install: "built", build: "built", load: "loaded", smoke: "smoke", benchmark: "benchmark" };

interface Tried extends Pick<Trial, "task" | "file" | "root" | "interpreter" | "workshop"> {
  /** Of the copy, before anything was built in it. */
  readonly commit: Commit | undefined;
  readonly products: readonly string[];
}

/** What the steps of a cell say of its combination. An installation that did not work is a build that could not be told. */
export async function recordsOf(tried: Tried, steps: readonly CellStep[]): Promise<readonly CombinationRecord[]> {
  const { file, workshop } = tried;
  const told = steps.filter((one) => one.name !== "install" || one.outcome !== "passed");
  if (told.length === 0 || workshop.activity.signal.aborted) {
    return [];
  }
  const combination = await combinationOfCell(tried);
  const when = workshop.now().toISOString();
  return combination === undefined ? [] : told.map(({ name, outcome, reason, counts }): CombinationRecord => ({
    schema: 1, combination, how: methods[name], outcome, when, by: workshop.version, run: file.run,
    ...(reason === undefined ? {} : { reason: portable(reason, tried) }), ...(counts === undefined ? {} : { counts }),
  }));
}

function combinationOfCell({ file, root, interpreter, workshop, commit, products }: Tried): ReturnType<typeof combinationOf> {
  const { cell } = file;
  const { version } = projectNameOf(root);
  return combinationOf({
    root: file.root, environment: interpreter,
    torch: { version: cell.torch, ...(cell.index === undefined ? {} : { index: cell.index }) },
    packages: cell.packages,
    ...(cell.python === undefined ? {} : { python: cell.python }),
    built: products.filter((one) => !one.endsWith(".whl")),
    project: { ...(version === undefined ? {} : { version }), ...(commit === undefined ? {} : { commit: commit.hash, ...(commit.isChanged ? { changed: true } : {}) }) },
  }, workshop);
}

/** Records are read on other machines: places of this one mean nothing there. */
function portable(reason: CombinationReason, { task, root }: Tried): CombinationReason {
  return { ...reason, message: withoutPlaces(withoutPlaces(reason.message, root), path.join(task.folder)) };
}
