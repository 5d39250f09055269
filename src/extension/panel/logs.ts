/** The logs of trials: they stay on the machine that made them. */
import { open, readdir } from "node:fs/promises";
import * as path from "node:path";
import type { CellStepName, CombinationRecord } from "../../workshop/combinations/types.ts";

const steps: Readonly<Record<CombinationRecord["how"], readonly CellStepName[]>> = { predicted: [], built: ["build", "install"], loaded: ["load"], smoke: ["smoke"], benchmark: ["benchmark"] };

/** The log of the step that a record tells of, absolute; undefined: there is none on this machine. */
export async function logOfRecord(root: string, record: CombinationRecord): Promise<string | undefined> {
  // It comes from a file, and names a folder.
  if (record.run === undefined || !/^[\w.+-]+$/.test(record.run) || /^\.+$/.test(record.run)) {
    return undefined;
  }
  const { readResult } = await import("../../workshop/combinations/index.ts");
  const cells = path.join(root, ".abiding", "local", "combinations", record.run, "cells");
  const wanted = steps[record.how];
  for (const name of await readdir(cells).catch(() => [])) {
    const result = await readResult(path.join(cells, name));
    if (result?.records.some((one) => one.how === record.how && one.when === record.when && one.combination.torch.version === record.combination.torch.version && one.combination.python === record.combination.python) !== true) {
      continue;
    }
    const step = result.steps.findLast((one) => wanted.includes(one.name) && one.log !== undefined);
    if (step?.log !== undefined) {
      return step.log;
    }
  }
  return undefined;
}

/** Bytes at the end of a log that a page shows. */
const shown = 16 * 1024;

/** The last lines of a log, without what steers terminals; undefined: it cannot be read. */
export async function tailOf(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, "r");
    try {
      const { size } = await handle.stat();
      const length = Math.min(size, shown);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
      const text = buffer.toString("utf8", 0, bytesRead);
      return (length < size ? text.slice(text.indexOf("\n") + 1) : text).replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/g, "").replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, "");
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
