/** Files that are whole or absent, whenever and however the writer ends. */
import { open, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "./folders.ts";
import { findProcess } from "./processes.ts";
import { codeOf, sentenceOf } from "./sentences.ts";

const ending = ".abiding-new";
let count = 0;

/** A file that could not be written; nothing of it was changed. The message is shown as it is. */
export class CouldNotWrite extends Error {}

function isAlive(id: number): boolean {
  if (process.platform !== "win32") return findProcess(id) !== undefined;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** What writers of this file have left that were killed. */
async function removeLeft(file: string): Promise<void> {
  const folder = dirname(file);
  const start = `.${basename(file)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(start) || !name.endsWith(ending)) continue;
    const [id] = name.slice(start.length, -ending.length).split("-");
    if (!/^\d+$/.test(id ?? "") || isAlive(Number(id))) continue;
    await rm(join(folder, name), { force: true });
  }
}

async function writeNew(file: string, text: string | Uint8Array, mode: number | undefined): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    await handle.writeFile(text);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** After a power cut the name must lead to the new file; not every system can promise it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/**
 * Writes a file in one step: a reader sees the old or the new one. Its folder is created, its permissions stay, a
 * symbolic link stays one. Throws `CouldNotWrite` with a sentence.
 */
export async function writeWhole(file: string, text: string | Uint8Array): Promise<void> {
  count += 1;
  let temporary: string | undefined;
  try {
    await makeFolder(dirname(file));
    const target = await realpath(file).catch(() => file);
    const old = await stat(target).catch(() => undefined);
    if (old !== undefined && !old.isFile() && !old.isDirectory()) {
      // A device or a pipe is written to, never replaced.
      await writeFile(target, text);
      return;
    }
    await removeLeft(target);
    temporary = join(dirname(target), `.${basename(target)}.${process.pid}-${count}${ending}`);
    await writeNew(temporary, text, old === undefined ? undefined : old.mode & 0o7777);
    await rename(temporary, target);
    await syncFolder(dirname(target));
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    throw new CouldNotWrite(sentenceOf(error, `write ${file}`), { cause: error });
  }
}
