import * as fs from "node:fs";
import * as path from "node:path";
import { writeWhole } from "../process/index.ts";

/** A file as it shall be, and as it was read; `before` is undefined for a file that is not there yet. */
export interface Change {
  readonly path: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer;
}

/** Writes all changes or none: what was written is taken back when one of them fails. Throws what went wrong. */
export async function writeAll(changes: readonly Change[]): Promise<void> {
  for (const { path: file, before } of changes) {
    const now = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
    if (before === undefined ? now !== undefined : now?.equals(before) !== true) {
      throw new Error(`${file} was changed by another program in the meantime; try again`);
    }
    if (before !== undefined) {
      // A file that its owner made read-only is not replaced, although its folder would allow that.
      fs.closeSync(fs.openSync(file, "r+"));
    }
  }
  const done: Change[] = [];
  const folders: string[] = [];
  try {
    for (const change of changes) {
      const folder = path.dirname(change.path);
      if (!fs.existsSync(folder)) {
        fs.mkdirSync(folder);
        folders.push(folder);
      }
      await writeWhole(change.path, change.after);
      done.push(change);
    }
  } catch (error) {
    const lost: string[] = [];
    for (const { path: file, before } of done.reverse()) {
      await takeBack(file, before).catch(() => lost.push(file));
    }
    for (const folder of folders.reverse()) {
      fs.rmSync(folder, { recursive: true, force: true });
    }
    throw lost.length === 0 ? error : new Error(`${error instanceof Error ? error.message : String(error)}; and the changes of ${lost.join(", ")} could not be taken back`, { cause: error });
  }
}

async function takeBack(file: string, before: Buffer | undefined): Promise<void> {
  if (before === undefined) {
    fs.rmSync(file, { force: true });
  } else {
    await writeWhole(file, before);
  }
}
