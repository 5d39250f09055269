import type { CombinationsView } from "../../../protocol/panel.ts";
import { foldMatrix, type MatrixCell, type MatrixRow } from "../../../views/matrix.ts";
import { recordWords } from "../../../views/words.ts";

export interface PublishedCell {
  readonly outcome: MatrixCell["outcome"];
  /** In words: "smoke tests passed", "predicted conflict". */
  readonly words: string;
  readonly isPrediction: boolean;
  /** Combinations that decide it, and how many of them are good. */
  readonly count: number;
  readonly good: number;
  readonly when: string;
  readonly why?: string;
  readonly record: string;
}

export interface PublishedRow extends MatrixRow {
  /** One for each column; null: nothing is known. */
  readonly cells: readonly (PublishedCell | null)[];
}

/** torch × versions of the project. */
export interface PublishedTable {
  /** What the columns are: versions of the project, or its commits where it has no versions. */
  readonly axis: "version" | "commit";
  readonly columns: readonly string[];
  readonly rows: readonly PublishedRow[];
  /** Rows and columns that were left out: those of older torches and versions. */
  readonly leftOut: { readonly rows: number; readonly columns: number };
}

/** More columns than this are not read by anybody. */
const mostColumns = 8;

/** The newest `most` torches that there are records of, with what is known of each. */
export function tableOf({ records, known }: Pick<CombinationsView, "records" | "known">, most: number): PublishedTable {
  const axis = records.some((one) => one.version !== undefined) ? "version" : "commit";
  const matrix = foldMatrix(records, known, { axis });
  const columns = matrix.columns.slice(0, mostColumns);
  const rows = matrix.rows.map((row, at): PublishedRow => ({
    ...row,
    cells: columns.map((_, column) => {
      const cell = matrix.cell(at, column);
      return cell === undefined ? null : cellOf(cell);
    }),
  })).filter((row) => row.cells.some((cell) => cell !== null));
  return { axis, columns: columns.map(({ label }) => label), rows: rows.slice(0, most), leftOut: { rows: Math.max(0, rows.length - most), columns: matrix.columns.length - columns.length } };
}

function cellOf({ outcome, count, good, record }: MatrixCell): PublishedCell {
  const isPrediction = outcome.startsWith("predicted");
  const words = outcome === "mixed" ? `passed in ${good} of ${count}` : outcome === "predicted-mixed" ? `predicted no conflict in ${good} of ${count}` : recordWords(record.how, record.outcome);
  const why = record.outcome === "failed" || record.outcome === "conflict" ? record.reason?.rule ?? record.reason?.test : undefined;
  return { outcome, words, isPrediction, count, good, when: record.when, ...(why === undefined ? {} : { why }), record: record.id };
}
