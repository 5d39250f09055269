import { CannotDo } from "../../workshop.ts";
import type { Cell, CellResult, CombinationRecord } from "../types.ts";

/** A job of the matrix: the cells that it tries, and what has to be there for them. Lists have a value a line, as environment variables hold them. */
export interface CiJob {
  readonly label: string;
  readonly cells: string;
  readonly torch: string;
  /** Empty: any. */
  readonly python: string;
}

/** Most jobs that a matrix may make (https://docs.github.com/en/actions/reference/limits). */
const mostJobs = 256;

/** The matrix of the cells of `combinations run --plan --format json`: a job a cell, or several where there are more than GitHub takes. */
export function ciMatrix(plan: unknown, most = mostJobs): { readonly include: readonly CiJob[] } {
  const cells = cellsOf(plan);
  // Cells of one job share a Python.
  const pythons = [...new Set(cells.map(({ python = "" }) => python))];
  for (let size = Math.max(1, Math.ceil(cells.length / most)); ; size += 1) {
    const groups = pythons.flatMap((python) => inGroups(cells.filter((cell) => (cell.python ?? "") === python), size));
    // More Pythons than jobs: nothing that a matrix could mean.
    if (groups.length <= most || size > cells.length) {
      return { include: groups.map(jobOf) };
    }
  }
}

function jobOf(cells: readonly Cell[]): CiJob {
  const [first] = cells;
  return {
    label: first === undefined ? "" : cells.length === 1 ? first.label : `${first.label} and ${cells.length - 1} more`,
    cells: cells.map(({ id }) => id).join("\n"), torch: [...new Set(cells.map(({ torch }) => torch))].join("\n"), python: first?.python ?? "",
  };
}

function inGroups<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

function cellsOf(plan: unknown): readonly Cell[] {
  if (typeof plan !== "object" || plan === null || !("cells" in plan) || !Array.isArray(plan.cells) || !plan.cells.every(isCell)) {
    throw new CannotDo("This is no plan: `abiding combinations run --plan --format json` prints one.");
  }
  return plan.cells;
}

function isCell(value: unknown): value is Cell {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string" && "label" in value && typeof value.label === "string" && "torch" in value && typeof value.torch === "string";
}

/** The records of a report of `combinations run --format json`, a line each. `note`: where the run can be looked at. */
export function ciRecords(report: unknown, note?: string): string {
  if (typeof report !== "object" || report === null || !("results" in report) || !Array.isArray(report.results)) {
    throw new CannotDo("This is no report of a run: `abiding combinations run --format json` prints one.");
  }
  const records: readonly CombinationRecord[] = (report.results as readonly CellResult[]).flatMap((result) => result.records);
  return records.map((record) => `${JSON.stringify(note === undefined ? record : { ...record, note })}\n`).join("");
}
