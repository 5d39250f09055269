import * as fs from "node:fs";
import * as nodeModule from "node:module";
import * as path from "node:path";
import { userCacheFolder } from "../engine/binaries/remote/index.ts";

/** Defined in what `npm run package` builds: else the cache would hold the code of every build that a developer makes. */
declare const isRelease: true | undefined;

/**
 * Has Node 22.8 and later keep compiled code in the user's cache folder, which saves a tenth of a short command. Older
 * versions and folders that cannot be written go without.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache }: Partial<typeof nodeModule> = nodeModule;
  if (typeof isRelease === "undefined" || enableCompileCache === undefined) {
    return;
  }
  const cache = userCacheFolder();
  const folder = path.join(cache, "compiled");
  try {
    // Step by step: Node's own recursion does not end where a file system says "no such folder" of one to be made, as /proc does.
    for (const one of fs.existsSync(folder) ? [] : [path.dirname(cache), cache, folder]) {
      if (!fs.existsSync(one)) {
        fs.mkdirSync(one, { mode: 0o700 });
      }
    }
    enableCompileCache(folder);
  } catch {
    // It is a matter of milliseconds only.
  }
}
