import { readFile, rm } from "node:fs/promises";
import * as path from "node:path";
import type { BenchmarkReport } from "../../benchmark/types.ts";
import { codeOf, writeWhole } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { Cell, CellResult, CellStepName } from "../types.ts";

/** All that trying a cell needs to know, in its folder: `cell.json`. Whoever tries it may be another process, on another machine. */
export interface CellFile {
  readonly schema: 1;
  readonly cell: Cell;
  /** The project, absolute. */
  readonly root: string;
  /** The project as it was when the run began, absolute: what is built. */
  readonly source: string;
  /** The run that it belongs to. */
  readonly run: string;
  readonly steps: readonly CellStepName[];
  /** Further requirements of the environment. */
  readonly install: readonly string[];
  /** Indexes beside those that pip is configured with, without their users; the cell's own is among them or is added. */
  readonly indexes: readonly string[];
  /** How often each benchmark is measured. */
  readonly repetitions: number;
  /** When the environment and the build tree stay after the cell. */
  readonly keep: "never" | "failed" | "always";
  /** Bytes that the disk should have left before it begins. */
  readonly space: number;
}

/** The order in which a cell's steps come. */
export const stepNames: readonly CellStepName[] = ["install", "build", "load", "smoke", "benchmark"];

const cellFileName = "cell.json";
export const resultFileName = "result.json";
/** What the rooms for tests and benchmarks reported, whole. */
export const smokeFileName = "smoke.json";
export const benchmarkFileName = "benchmark.json";

/** Where a cell's logs lie. */
export function logsOf(folder: string): string {
  return path.join(folder, "logs");
}

/** What trying a cell makes and nobody needs afterwards: the copy of the project, its build folder, the environment. */
export function madeIn(folder: string): readonly string[] {
  return ["source", "build", "environment"].map((name) => path.join(folder, name));
}

export async function removeMade(folder: string): Promise<void> {
  for (const one of madeIn(folder)) {
    await rm(one, { recursive: true, force: true, maxRetries: 3 });
  }
}

export async function writeCellFile(folder: string, file: CellFile): Promise<void> {
  await writeWhole(path.join(folder, cellFileName), `${JSON.stringify(file, undefined, 2)}\n`);
}

/** Throws CannotDo when the folder is none of a cell. */
export async function readCellFile(folder: string): Promise<CellFile> {
  const file = path.join(folder, cellFileName);
  const found = await readJson(file);
  if (found === undefined || found === null || !("cell" in found) || !("root" in found)) {
    throw new CannotDo(`${file} is not there, or is no description of a cell: combinations run makes it.`);
  }
  return found as CellFile;
}

export async function writeResult(folder: string, result: CellResult): Promise<void> {
  await writeWhole(path.join(folder, resultFileName), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** What became of a cell; undefined while nobody has finished it. A file that is damaged counts as none: the cell is tried anew. */
export async function readResult(folder: string): Promise<CellResult | undefined> {
  const found = await readJson(path.join(folder, resultFileName));
  return typeof found === "object" && found !== null && "outcome" in found && "steps" in found && "cell" in found ? (found as CellResult) : undefined;
}

/** What was measured in a cell; empty when nothing was. */
export async function readMeasurements(folder: string): Promise<BenchmarkReport["runs"]> {
  const found = await readJson(path.join(folder, benchmarkFileName));
  return found !== undefined && found !== null && "runs" in found && Array.isArray(found.runs) ? (found.runs as BenchmarkReport["runs"]) : [];
}

async function readJson(file: string): Promise<object | null | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return typeof value === "object" ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) {
      return undefined;
    }
    throw error;
  }
}
