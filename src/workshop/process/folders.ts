import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./sentences.ts";

/**
 * Creates a folder and those above it; the first that was created, if any. A file in the way is ENOTDIR, which mkdir calls
 * EEXIST. Step by step: Node's own recursion does not end where a file system says "no such folder" of one to be made, as
 * /proc does.
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const isFolder = async (one: string): Promise<boolean> => (await stat(one).catch(() => undefined))?.isDirectory() === true;
  const missing: string[] = [];
  for (let one = folder; !await isFolder(one) && dirname(one) !== one; one = dirname(one)) missing.unshift(one);
  try {
    for (const one of missing) {
      await mkdir(one).catch(async (error: unknown) => {
        // Somebody else may have made it meanwhile.
        if (codeOf(error) !== "EEXIST" || !await isFolder(one)) throw error;
      });
    }
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw Object.assign(new Error(`${folder}: a file is in the way`, { cause: error }), { code: "ENOTDIR" });
  }
  return missing[0];
}
