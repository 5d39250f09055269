import * as fs from "node:fs";
import { errorText, longestText } from "./errorText.ts";
import type { ErrorTextResult } from "./errorText.ts";

/** The text of a log in a regular file: pipes and devices may have no end. `instead` says how a text without a file is handed over. */
export function errorFile(file: string, instead: string): ErrorTextResult {
  try {
    const status = fs.statSync(file);
    if (!status.isFile()) {
      return { ok: false, message: `${file} is ${status.isDirectory() ? "a folder" : "no regular file"}; name the log. ${instead}` };
    }
    return status.size > longestText ? { ok: false, message: tooLong(file) } : errorText(fs.readFileSync(file), file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { ok: false, message: code === "ENOENT" || code === "ENOTDIR" ? `${file} does not exist. ${instead}` : `${file} cannot be read: ${code ?? String(error)}.` };
  }
}

export function tooLong(name: string): string {
  return `${name} holds more than ${longestText / 1024 ** 2} MiB; the part around the first error is enough: grep -n -i error FILE | head finds it.`;
}
