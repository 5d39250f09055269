import { stat } from "node:fs/promises";
import { codeOf, sentenceOf } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { CombinationRecord, ReadCombinations } from "../types.ts";
import { idOf, QuickReader } from "./identity.ts";
import { linesOf, type Line } from "./lines.ts";
import { clockTolerance } from "./order.ts";
import { Problems } from "./problems.ts";
import { SeenIds } from "./seen.ts";
import { validateRecord } from "./validate.ts";

export type ReadRecord = CombinationRecord & { readonly id: string };

export interface StreamOptions {
  readonly now?: Date;
  readonly signal?: AbortSignal | undefined;
  /** Read also from a pipe, for whose writer it waits without end. */
  readonly fromPipe?: boolean;
  /** Gets records of a newer schema, as they are. */
  readonly onNewer?: (value: object) => void;
}

/**
 * The records of a file in groups as they come, each once; none when it does not exist. Lines that are no records, and records
 * from the future, go to `problems`. Rejects with `CannotDo` when the file cannot be read.
 */
export async function* streamCombinations(file: string, problems: Problems, { now = new Date(), signal, onNewer, fromPipe = false }: StreamOptions = {}): AsyncGenerator<readonly ReadRecord[]> {
  const seen = new SeenIds();
  const quick = new QuickReader();
  const latest = now.getTime() + clockTolerance;
  try {
    if (!fromPipe && (await stat(file)).isFIFO()) throw new CannotDo(`Could not read ${file}: it is a pipe, and records are kept in a file.`);
    for await (const lines of linesOf(file, signal)) {
      const group: ReadRecord[] = [];
      for (const line of lines) {
        const record = quick.read(line.text) ?? withId(recordOf(line, problems, onNewer));
        if (record === undefined || !seen.add(record.id)) continue;
        if (Date.parse(record.when) > latest) problems.future(line.number, record.when);
        group.push(record);
      }
      yield group;
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw codeOf(error) === undefined || codeOf(error) === "ABORT_ERR" ? error : new CannotDo(sentenceOf(error, `read ${file}`), { cause: error });
  }
}

/** All that the file of records holds; see `streamCombinations`. */
export async function readCombinations(file: string, options: Pick<StreamOptions, "now" | "signal"> = {}): Promise<ReadCombinations> {
  const problems = new Problems(file);
  const records: ReadRecord[] = [];
  for await (const group of streamCombinations(file, problems, options)) for (const record of group) records.push(record);
  return { records, problems: problems.sentences(), file };
}

/** Marks of git and Mercurial around the sides of a conflict; the lines between them are records of one side or the other. */
const conflictMarker = /^(?:<{7}|\|{7}|={7}|>{7})(?: |$)/;

/** The record of a line; undefined, and a problem, when it is none that is known here. `onNewer` gets what a newer Abiding wrote. */
export function recordOf({ text, number, isWhole, isCut }: Line, problems: Problems, onNewer?: (value: object) => void): CombinationRecord | undefined {
  if (isCut) return problems.wrong(number, "it is longer than any record");
  if (text.trim() === "") return undefined;
  if (conflictMarker.test(text)) return problems.marker(number);
  const value = parsed(text);
  if (value === undefined) {
    if (!isWhole) return problems.wrong(number, "it is not whole: whoever wrote it was stopped, or is writing it now");
    // A writer who was stopped, and one who went on in the same line.
    const second = text.lastIndexOf("{\"schema\":");
    const rest = second > 0 ? validateRecord(parsed(text.slice(second))) : undefined;
    problems.wrong(number, rest?.kind === "record" ? "its begin is no JSON; the record at its end was read" : "it is no JSON");
    return rest?.kind === "record" ? rest.record : undefined;
  }
  const validated = validateRecord(value);
  switch (validated.kind) {
    case "record": return validated.record;
    case "newer":
      if (typeof value === "object" && value !== null) onNewer?.(value);
      return problems.newer(number, validated.schema);
    case "wrong": return problems.wrong(number, validated.problem);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withId(record: CombinationRecord | undefined): ReadRecord | undefined {
  return record === undefined ? undefined : { ...record, id: idOf(record) };
}
