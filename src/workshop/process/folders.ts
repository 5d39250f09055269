import { mkdir } from "node:fs/promises";
import { codeOf } from "./sentences.ts";

/** Creates a folder and those above it; the first that was created, if any. A file in the way is ENOTDIR, which mkdir calls EEXIST. */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw Object.assign(new Error(`${folder}: a file is in the way`, { cause: error }), { code: "ENOTDIR" });
  }
}
