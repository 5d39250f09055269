import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import * as path from "node:path";
import { exclusively, isInUse, sentenceOf } from "../../process/index.ts";
import type { Workshop } from "../../workshop.ts";
import { madeIn, readResult, removeMade } from "../cells/files.ts";
import type { CellTask } from "../types.ts";
import { listRuns, removeSnapshot, snapshotOf, taskOf } from "./runFiles.ts";
import type { FoundRun } from "./runFiles.ts";

/** Milliseconds that a run may lie without anybody going on with it, before it is spoken of. */
const week = 7 * 24 * 3_600_000;

/**
 * Removes what earlier runs of a project left when they were killed and what nobody can use any more: half an environment, which
 * going on makes anew. Results, logs and the copy of the project stay, so that each can still be gone on with. Answers sentences
 * about what it found. `own`: the folder of the run that begins.
 */
export async function removeLeftovers(root: string, own: string, workshop: Workshop): Promise<readonly string[]> {
  const warnings: string[] = [];
  const waiting: FoundRun[] = [];
  for (const run of await listRuns(root)) {
    workshop.activity.signal.throwIfAborted();
    // A run that came to its end has no copy of the project any more.
    if (run.folder === own || !existsSync(snapshotOf(run.folder)) || await isInUse(run.folder)) {
      continue;
    }
    try {
      if (await tidy(run, workshop)) {
        waiting.push(run);
      }
    } catch (error) {
      workshop.activity.signal.throwIfAborted();
      warnings.push(sentenceOf(error, `remove what the run ${path.basename(run.folder)} left`));
    }
  }
  const names = waiting.map(({ folder }) => path.basename(folder));
  return names.length === 0 ? warnings : [...warnings, `${names.length === 1 ? "A run was" : `${names.length} runs were`} interrupted more than a week ago and never finished: ${names.slice(-3).join(", ")}. abiding combinations run --resume NAME goes on with one; one that is of no use any more can be deleted in ${path.dirname(own)}.`];
}

/** Whether the run waits for somebody to go on with it, for long now. */
async function tidy({ folder, file }: FoundRun, workshop: Workshop): Promise<boolean> {
  const age = workshop.now().getTime() - (await stat(file === undefined ? folder : path.join(folder, "run.json"))).mtimeMs;
  if (file === undefined) {
    // It was killed while it was prepared, or is another process's that prepares it.
    if (age > week) {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
    return false;
  }
  let isWhole = true;
  let removed = 0;
  // Nothing is removed outside the run's folder, whatever its file says.
  for (const task of file.cells.filter(({ id }) => /^\w[\w.-]*$/.test(id)).map((cell) => taskOf(folder, cell))) {
    if (!await isUnfinished(task)) {
      continue;
    }
    isWhole = false;
    if (madeIn(task.folder).some((one) => existsSync(one)) && !await isInUse(task.folder)) {
      await exclusively(task.folder, "combinations run", workshop.activity, async () => {
        // Somebody may have gone on with it meanwhile.
        if (await isUnfinished(task)) {
          await removeMade(task.folder);
          removed += 1;
        }
      }, `The cell ${task.cell.label} of the run ${file.run}`);
    }
  }
  if (removed > 0) {
    workshop.activity.note(`What the run ${file.run} left half made when it was interrupted was removed (environments, build trees). It can still be gone on with: --resume ${file.run}.`);
  }
  if (isWhole && age > week) {
    await removeSnapshot(folder);
  }
  return !isWhole && age > week;
}

async function isUnfinished({ folder }: CellTask): Promise<boolean> {
  const result = await readResult(folder);
  return result === undefined || result.outcome === "cancelled";
}
