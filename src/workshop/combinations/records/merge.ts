import { readdir, stat } from "node:fs/promises";
import * as path from "node:path";
import { codeOf, sentenceOf } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { CombinationRecord } from "../types.ts";
import { appendCombinations } from "./append.ts";
import { Problems } from "./problems.ts";
import { streamCombinations } from "./read.ts";

export interface MergedFile {
  readonly file: string;
  /** How many records it holds, each counted once. */
  readonly records: number;
  /** Why nothing of it was taken. */
  readonly refused?: string;
  /** Lines that were left out, in sentences. */
  readonly problems: readonly string[];
}

/** The JSON of `combinations merge` (docs/schema/combinations-merge.schema.json). */
export interface MergeReport {
  readonly schema: 1;
  readonly root: string;
  readonly file: string;
  readonly added: number;
  /** How many records were there already. */
  readonly already: number;
  readonly files: readonly MergedFile[];
  readonly notes: readonly string[];
}

export interface MergeRequest {
  readonly root: string;
  /** Where records are added. */
  readonly file: string;
  /** Files of records, and folders of such: what CI kept of its jobs. Absolute. */
  readonly sources: readonly string[];
}

/** Depth and number of folders in which files of records are looked for. */
const deepest = 8;
const mostFiles = 10_000;

/** Adds the records of other files that are not there yet. A file without a single record that holds something else is refused as a whole; the others are taken all the same. */
export async function mergeCombinations({ root, file, sources }: MergeRequest, signal: AbortSignal): Promise<MergeReport> {
  const found: MergedFile[] = [];
  const records = new Map<string, CombinationRecord>();
  const newer = new Map<string, object>();
  for (const source of (await Promise.all(sources.map((one) => filesOf(one)))).flat()) {
    if (typeof source !== "string") {
      found.push(source);
      continue;
    }
    found.push(await readSource(source, records, newer, signal));
  }
  const { added, already, notes } = await appendCombinations(file, [...records.values()], signal, [...newer.values()]);
  return { schema: 1, root, file, added, already, files: found, notes };
}

async function readSource(file: string, records: Map<string, CombinationRecord>, newer: Map<string, object>, signal: AbortSignal): Promise<MergedFile> {
  const problems = new Problems(file);
  const before = newer.size;
  let count = 0;
  try {
    const onNewer = (value: object): void => void newer.set(JSON.stringify(value), value);
    for await (const group of streamCombinations(file, problems, { signal, onNewer, fromPipe: true })) {
      count += group.length;
      for (const { id, ...record } of group) records.set(id, record);
    }
  } catch (error) {
    if (!(error instanceof CannotDo)) throw error;
    return { file, records: count, problems: [], refused: error.message };
  }
  if (count === 0 && newer.size === before && problems.unreadable > 0) {
    const [first] = problems.sentences();
    return { file, records: 0, problems: [], refused: `${file} is no file of records, and nothing of it was taken. ${first ?? ""}`.trimEnd() };
  }
  return { file, records: count + newer.size - before, problems: problems.sentences() };
}

/** The files that a source means: itself, or every .jsonl below a folder. What is not there is an answer too. */
async function filesOf(source: string): Promise<readonly (string | MergedFile)[]> {
  try {
    if (!(await stat(source)).isDirectory()) return [source];
    const files = (await readdir(source, { recursive: true, withFileTypes: true })).filter((one) => one.isFile() && one.name.endsWith(".jsonl")).map((one) => path.join(one.parentPath, one.name))
      .filter((one) => path.relative(source, one).split(path.sep).length <= deepest).sort().slice(0, mostFiles);
    return files.length > 0 ? files : [{ file: source, records: 0, problems: [], refused: `The folder ${source} holds no file whose name ends in .jsonl.` }];
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [{ file: source, records: 0, problems: [], refused: sentenceOf(error, `read ${source}`) }];
  }
}
