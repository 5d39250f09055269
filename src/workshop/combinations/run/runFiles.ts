import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import * as path from "node:path";
import { codeOf, makeFolder, stateFolder, writeWhole } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { Cell, CellTask, RunReport } from "../types.ts";

/** What a run is: `run.json` in its folder, written before its first cell begins. */
export interface RunFile {
  readonly schema: 1;
  readonly run: string;
  readonly root: string;
  readonly executor: "local" | "slurm";
  readonly started: string;
  readonly cells: readonly Cell[];
  readonly leftOut: RunReport["leftOut"];
  readonly warnings: readonly string[];
}

/** The folder of all runs of a project. */
async function runsFolder(root: string): Promise<string> {
  return path.join(await stateFolder(root), "combinations");
}

/** Makes the folder of a new run; its name is the time, and a number where two begin in one second. */
export async function newRunFolder(root: string, now: Date): Promise<string> {
  const all = await runsFolder(root);
  await makeFolder(all);
  const name = now.toISOString().replace(/\.\d+Z$/, "Z").replaceAll(":", "-");
  for (let number = 1; ; number += 1) {
    const folder = path.join(all, number === 1 ? name : `${name}-${number}`);
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") {
        throw error;
      }
    }
  }
}

/** A cell of a run, and its folder. */
export function taskOf(folder: string, cell: Cell): CellTask {
  return { cell, folder: path.join(folder, "cells", cell.id) };
}

export async function writeRunFile(folder: string, file: RunFile): Promise<void> {
  await writeWhole(path.join(folder, "run.json"), `${JSON.stringify(file, undefined, 2)}\n`);
}

/** The project as it was when a run began, until all its cells are done. */
export function snapshotOf(folder: string): string {
  return path.join(folder, "source");
}

export interface FoundRun {
  readonly folder: string;
  /** Absent: it was not prepared to its end. */
  readonly file?: RunFile;
}

/** All runs of a project, oldest first. */
export async function listRuns(root: string): Promise<readonly FoundRun[]> {
  const all = await runsFolder(root);
  const names = (await readdir(all).catch(() => [])).filter((one) => /^\d{4}-/.test(one)).toSorted();
  return Promise.all(names.map(async (one): Promise<FoundRun> => {
    const folder = path.join(all, one);
    const file = await readRunFile(folder);
    return { folder, ...(file === undefined ? {} : { file }) };
  }));
}

/** Finds a run by its name, or the last one. Throws CannotDo that lists those there are. */
export async function findRun(root: string, name: string): Promise<Required<FoundRun>> {
  const runs = await listRuns(root);
  const whole = runs.flatMap(({ folder, file }) => (file === undefined ? [] : [{ folder, file }]));
  const found = name === "last" ? whole.at(-1) : whole.find(({ file }) => file.run === name);
  if (found === undefined) {
    const there = whole.slice(-5).map(({ file }) => file.run);
    throw new CannotDo(there.length === 0 ? `${root} has no run that could be gone on with.` : `There is no run "${name}" that could be gone on with; the last ones are ${there.join(", ")}.`);
  }
  return found;
}

async function readRunFile(folder: string): Promise<RunFile | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path.join(folder, "run.json"), "utf8"));
    return typeof value === "object" && value !== null && "cells" in value && Array.isArray(value.cells) ? (value as RunFile) : undefined;
  } catch {
    return undefined;
  }
}

export async function removeSnapshot(folder: string): Promise<void> {
  await rm(snapshotOf(folder), { recursive: true, force: true, maxRetries: 3 });
}
