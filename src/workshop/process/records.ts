/** Append-only files of JSON Lines: several writers at once, killed writers and merges by hand cost a line at most. */
import { open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "./folders.ts";
import { codeOf, sentenceOf } from "./sentences.ts";
import { CouldNotWrite } from "./writeWhole.ts";

export interface Records {
  readonly records: readonly unknown[];
  /** Lines that are no JSON: their number, from 1, and what is wrong. */
  readonly corrupt: readonly { readonly line: number; readonly problem: string }[];
}

/** Adds a line to the file; see `appendRecords`. */
export async function appendRecord(file: string, record: object): Promise<void> {
  await appendRecords(file, [record]);
}

/** Bytes of one write: many records are added in few writes, each of whole lines. */
const batch = 8 * 1024 * 1024;

/**
 * Adds lines to the file, which is created with its folder. Each write goes to the end whoever else writes; a last line
 * without end, which a killed writer left, is closed first so that only itself is lost. Throws `CouldNotWrite`.
 */
export async function appendRecords(file: string, records: readonly object[]): Promise<void> {
  try {
    await makeFolder(dirname(file));
    const handle = await open(file, "a+");
    try {
      const { size } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      let text = size > 0 && last[0] !== 10 ? "\n" : "";
      for (const [index, record] of records.entries()) {
        text += `${JSON.stringify(record)}\n`;
        if (text.length < batch && index < records.length - 1) continue;
        const bytes = Buffer.from(text);
        const { bytesWritten } = await handle.write(bytes);
        if (bytesWritten < bytes.length) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        text = "";
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new CouldNotWrite(sentenceOf(error, `add a record to ${file}`), { cause: error });
  }
}

/** The records of the file; none when it does not exist. Empty lines are skipped. Throws an error with a sentence. */
export async function readRecords(file: string): Promise<Records> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw new Error(sentenceOf(error, `read ${file}`), { cause: error });
  });
  const records: unknown[] = [];
  const corrupt: { line: number; problem: string }[] = [];
  text.replace(/^\uFEFF/, "").split("\n").forEach((line, index, all) => {
    if (line.trim() === "") return;
    try {
      records.push(JSON.parse(line));
    } catch (error) {
      const torn = index === all.length - 1;
      corrupt.push({ line: index + 1, problem: torn ? "the last line is not whole: its writer was stopped" : `it is no JSON: ${error instanceof Error ? error.message : String(error)}` });
    }
  });
  return { records, corrupt };
}
