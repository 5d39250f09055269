import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slurmExecutor, type SlurmOptions } from "../../../src/workshop/combinations/executors/slurm/index.ts";
import type { CellEvent, CellResult, CellTask, SlurmExecutorSettings } from "../../../src/workshop/combinations/types.ts";
import { runProcess } from "../../../src/workshop/process/index.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";

export const standIn = join(import.meta.dirname, "standIn.mjs");

/** A folder with blanks, quotes and what means something to a shell and to sbatch. */
const strange = "a run's \"folder\" $(touch owned) %a %%";

export interface Run extends Disposable {
  readonly folder: string;
  /** Makes the folder and the file of a cell. */
  task(id: string, torch: string): CellTask;
}

export function newRun(): Run {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "abiding-slurm-run-")));
  const folder = join(scratch, strange);
  return {
    folder,
    task(id, torch) {
      const task: CellTask = { cell: { id, label: `torch ${torch}`, torch, packages: {} }, folder: join(folder, "cells", id) };
      mkdirSync(task.folder, { recursive: true });
      writeFileSync(join(task.folder, "cell.json"), JSON.stringify({ schema: 1, cell: task.cell }));
      return task;
    },
    [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

/** Quick looks: the cluster is this test's own. */
const quick = { look: 100, ask: [200, 1000], settle: 1000, patience: 20_000 } as const;

export interface Heard {
  readonly results: ReadonlyMap<string, CellResult>;
  readonly events: readonly CellEvent[];
  readonly notes: readonly string[];
}

export interface Executing {
  readonly settings?: Omit<SlurmExecutorSettings, "kind">;
  readonly signal?: AbortSignal;
  readonly options?: Partial<SlurmOptions>;
  readonly onEvent?: (event: CellEvent) => void;
}

export async function execute(folder: string, environment: Variables, tasks: readonly CellTask[], { settings, signal, options, onEvent }: Executing = {}): Promise<Heard> {
  const results = new Map<string, CellResult>();
  const events: CellEvent[] = [];
  const notes: string[] = [];
  const executor = slurmExecutor({ kind: "slurm", ...settings }, {
    folder, root: folder, node: process.execPath, cli: standIn, pace: quick,
    workshop: { run: runProcess, environment, version: "0.0.0-test", now: () => new Date(), activity: { note: (sentence) => void notes.push(sentence) } }, ...options,
  });
  await executor.execute(tasks, (event) => {
    events.push(event);
    if (event.kind === "ended") results.set(event.result.cell.id, event.result);
    onEvent?.(event);
  }, signal ?? new AbortController().signal);
  return { results, events, notes };
}
