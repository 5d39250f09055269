import { readFile, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { appendRecords, codeOf, makeFolder } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { CombinationRecord } from "../types.ts";
import { idOf, idOfText } from "./identity.ts";
import { linesOf } from "./lines.ts";
import { Problems } from "./problems.ts";
import { recordOf } from "./read.ts";
import { validateRecord } from "./validate.ts";

export interface Appended {
  readonly added: number;
  /** How many of them were there already. */
  readonly already: number;
  /** What is worth saying about the file, in sentences: that it is new, that git would not merge it. */
  readonly notes: readonly string[];
}

/**
 * Adds records to the file, those that are not there yet, in as few writes as hold them; other writers may do the same at
 * the same time. The file, its folder and git's rule for merging it are made when the file is not there. `newer`: records
 * that a newer Abiding wrote elsewhere, added as they are. Throws `CouldNotWrite`, and `CannotDo` for a record that is none.
 */
export async function appendCombinations(file: string, records: readonly CombinationRecord[], signal?: AbortSignal, newer: readonly object[] = []): Promise<Appended> {
  const wanted = new Map<string, object>(records.map((record) => {
    const validated = validateRecord(record);
    if (validated.kind !== "record") throw new CannotDo(`This is no record that can be kept: ${validated.kind === "wrong" ? validated.problem : "its schema is not known"}.`);
    return [idOf(validated.record), validated.record] as const;
  }));
  for (const one of newer) wanted.set(idOfText(JSON.stringify(one)), one);
  const count = wanted.size;
  for (const id of await presentOf(file, wanted, signal)) wanted.delete(id);
  const added = [...wanted.values()];
  if (added.length === 0) return { added: 0, already: count, notes: [] };
  const isNew = await isEmpty(file);
  const notes = isNew ? await prepareMerging(file) : [];
  await appendRecords(file, added);
  return { added: added.length, already: count - added.length, notes: isNew ? [`${file} is new: it holds what was found to work, and is meant to be committed.`, ...notes] : [] };
}

/** Those of the records that the file has. Only lines of the same moments are looked at closely: the file may be long. */
async function presentOf(file: string, wanted: ReadonlyMap<string, object>, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const moments = new Set([...wanted.values()].map((one) => ("when" in one ? one.when : undefined)));
  const present: string[] = [];
  try {
    // A device has no end to read to.
    if (!(await stat(file)).isFile()) return [];
    for await (const lines of linesOf(file, signal)) {
      for (const line of lines) {
        if (!moments.has(/"when"\s*:\s*"([^"]*)"/.exec(line.text)?.[1])) continue;
        const record = recordOf(line, new Problems(file), (newer) => present.push(idOfText(JSON.stringify(newer))));
        if (record !== undefined) present.push(idOf(record));
      }
    }
  } catch (error) {
    // What cannot be read cannot be added to either, which says so better.
    if (codeOf(error) === undefined || codeOf(error) === "ABORT_ERR") throw error;
  }
  return present;
}

async function isEmpty(file: string): Promise<boolean> {
  return stat(file).then(({ size }) => size === 0, (error: unknown) => codeOf(error) === "ENOENT");
}

/**
 * Git joins two branches' additions without a conflict by the merge driver "union" (gitattributes(5), "Built-in merge
 * drivers"). Written where the folder is Abiding's own; elsewhere it is for the project to add.
 */
async function prepareMerging(file: string): Promise<readonly string[]> {
  const name = path.basename(file);
  const line = `${/[\s"]/.test(name) ? JSON.stringify(name) : name} merge=union`;
  const attributes = path.join(path.dirname(file), ".gitattributes");
  const present = await readFile(attributes, "utf8").catch(() => undefined);
  if (present?.split(/\r?\n/).some((one) => one.trim() === line) === true) return [];
  if (present === undefined && path.basename(path.dirname(file)) === ".abiding") {
    await makeFolder(path.dirname(file)).catch(() => undefined);
    // Without it there are conflicts to resolve, nothing worse.
    const isWritten = await writeFile(attributes, `${line}\n`, { flag: "wx" }).then(() => true, () => false);
    if (isWritten) return [];
  }
  return [`Add the line "${line}" to ${attributes}, so that git joins the records of two branches without a conflict.`];
}
