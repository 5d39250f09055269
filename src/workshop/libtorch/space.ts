import * as fs from "node:fs";
import * as path from "node:path";
import { codeOf } from "../process/index.ts";
import { CannotDo } from "../workshop.ts";

/** Throws CannotDo when the disk of a folder, which need not be there yet, has less room than is needed. */
export async function requireSpace(folder: string, bytes: number, what: string): Promise<void> {
  const there = existing(folder);
  const { bavail, bsize } = await fs.promises.statfs(there);
  const free = bavail * bsize;
  if (free < bytes) {
    throw new CannotDo(`${what} needs ${sizeText(bytes)}, and the disk of ${there} has ${sizeText(free)} left.`);
  }
}

/** Throws CannotDo when `target` cannot be put in its place by a rename: nothing can be written there, or a disk is mounted on it. */
export function requireWritable(target: string): void {
  const there = existing(path.dirname(target));
  const device = fs.statSync(target, { throwIfNoEntry: false })?.dev;
  if (device !== undefined && device !== fs.statSync(there).dev) {
    throw new CannotDo(`${target} cannot be made: a disk of its own is mounted there, and the prefix comes into its place whole. Name a folder in it, such as ${path.join(target, "libtorch")}.`);
  }
  try {
    fs.accessSync(there, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new CannotDo(`${target} cannot be made: ${there} is not writable (${codeOf(error) ?? String(error)}).`);
  }
}

export function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${bytes} bytes` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

function existing(folder: string): string {
  let there = folder;
  while (!fs.existsSync(there) && path.dirname(there) !== there) {
    there = path.dirname(there);
  }
  return there;
}
