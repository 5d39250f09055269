import * as fs from "node:fs";
import * as path from "node:path";

/** What is typed counts from where it is typed; releases, addresses and "~/" are no relative paths. */
export function fromHere(spec: string, workingDirectory: string): string {
  return /^\s*(?:torch\s*(?:[=<>~!]|$)|v?\d+\.\d|https?:|index:|~)/i.test(spec) && !fs.existsSync(path.resolve(workingDirectory, spec)) ? spec : path.resolve(workingDirectory, spec);
}
