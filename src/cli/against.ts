import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "./arguments.ts";

/** What is typed counts from where it is typed; releases, addresses and "~/" are no relative paths. */
export function fromHere(spec: string, workingDirectory: string): string {
  return /^\s*(?:torch\s*(?:[=<>~!]|$)|v?\d+\.\d|https?:|index:|~)/i.test(spec) && !fs.existsSync(path.resolve(workingDirectory, spec)) ? spec : path.resolve(workingDirectory, spec);
}

/** The folder that --root names: the current one when it is not given. Throws UsageError. */
export function rootFolder(given: string | undefined, workingDirectory: string): string {
  const folder = path.resolve(workingDirectory, given ?? ".");
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--root ${folder} is no folder.`);
  }
  return fs.realpathSync(folder);
}
