/** What a cell of the matrix says. */
import type { Method } from "../../src/protocol/panel.ts";
import type { CellOutcome, MatrixCell, MatrixColumn } from "../../src/views/matrix.ts";
import { plural, recordWords } from "../../src/views/words.ts";

const short: Readonly<Record<Exclude<Method, "predicted">, string>> = { built: "build", loaded: "load", smoke: "smoke", benchmark: "bench" };

/** What was only predicted never has the words of what was tried. */
export const outcomeWords: Readonly<Record<CellOutcome, string>> = {
  passed: "passed", failed: "failed", mixed: "passed and failed", unknown: "could not be told",
  "predicted-no-conflict": "predicted no conflict", "predicted-conflict": "predicted conflict", "predicted-mixed": "predicted conflict in some", "predicted-unknown": "prediction could not tell",
};

export interface CellWords {
  /** In the cell. */
  readonly word: string;
  /** By which method, where there is one. */
  readonly by?: string;
  /** In full, for those who hear it or point at it. */
  readonly said: string;
}

export function cellWords({ outcome, count, good, record }: MatrixCell): CellWords {
  const isPredicted = record.how === "predicted";
  const by = record.how === "predicted" || outcome === "mixed" ? {} : { by: short[record.how] };
  const many = count > 1 ? `${good} of ${count} ${isPredicted ? "predicted no conflict" : "passed"}` : undefined;
  const said = `${many ?? recordWords(record.how, record.outcome)}${record.reason === undefined ? "" : `: ${record.reason.message}`}`;
  switch (outcome) {
    case "passed":
    case "failed":
      return { word: outcome, ...by, said };
    case "mixed":
      return { word: `${good} of ${count} passed`, said };
    case "unknown":
      return { word: "not told", ...by, said };
    case "predicted-no-conflict":
      return { word: "no conflict", said };
    case "predicted-conflict":
      return { word: "conflict", said };
    case "predicted-mixed":
      return { word: `conflict in ${count - good}/${count}`, said };
    case "predicted-unknown":
      return { word: "not told", said };
  }
}

/** The outcome of a cell in a sentence, over its evidence. */
export function cellSentence(cell: MatrixCell): string {
  const { outcome, count, good, record } = cell;
  if (outcome === "mixed") return `${good} of ${plural(count, "combination")} passed.`;
  if (outcome === "predicted-mixed") return `A conflict is predicted for ${count - good} of ${plural(count, "combination")}. Nothing was tried.`;
  const words = recordWords(record.how, record.outcome);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${count > 1 ? ` in ${plural(count, "combination")}` : ""}.${record.how === "predicted" ? " It was not tried." : ""}`;
}

export function columnWords({ label, key }: MatrixColumn): string {
  const value = /=(.*)$/s.exec(key)?.[1];
  return value === undefined || label.includes(value) ? label : value;
}
