import type { Workshop } from "../../../workshop.ts";
import { tryCell } from "../../cells/tryCell.ts";
import { writeResult } from "../../cells/files.ts";
import type { CellEvent, CellResult, CellTask, Executor, LocalExecutorSettings } from "../../types.ts";

/**
 * Tries cells on this machine, a few at a time. Everything of a cell runs in processes of its own; what they print is in the
 * cell's logs. A cell that fails, crashes or cannot be written costs only itself.
 */
export function localExecutor({ jobs = 1 }: Pick<LocalExecutorSettings, "jobs">, workshop: Workshop): Executor {
  return {
    kind: "local",
    async execute(tasks, tell, signal) {
      const waiting = [...tasks];
      for (const { cell } of waiting) {
        tell({ kind: "queued", cell });
      }
      const quiet: Workshop = { ...workshop, activity: { signal, step: () => undefined, progress: () => undefined, output: () => undefined, note: () => undefined } };
      const work = async (): Promise<void> => {
        for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
          tell({ kind: "ended", result: signal.aborted ? await notBegun(task, workshop) : await attempt(task, quiet, tell) });
        }
      };
      await Promise.all(Array.from({ length: Math.min(jobs, tasks.length) }, work));
    },
  };
}

async function attempt(task: CellTask, workshop: Workshop, tell: (event: CellEvent) => void): Promise<CellResult> {
  try {
    return await tryCell(task, workshop, tell);
  } catch (error) {
    // The result itself could not be written: no room, a folder that was taken away.
    const result = empty(task, workshop, "unknown", error instanceof Error ? error.message : String(error));
    await writeResult(task.folder, result).catch(() => undefined);
    return result;
  }
}

async function notBegun(task: CellTask, workshop: Workshop): Promise<CellResult> {
  const result = empty(task, workshop, "cancelled", "It was cancelled before it began.");
  await writeResult(task.folder, result).catch(() => undefined);
  return result;
}

function empty({ cell }: CellTask, workshop: Workshop, outcome: CellResult["outcome"], message: string): CellResult {
  return { schema: 1, cell, outcome, reason: { message }, steps: [], records: [], started: workshop.now().toISOString(), milliseconds: 0 };
}
