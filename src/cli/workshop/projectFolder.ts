import { existsSync } from "node:fs";
import * as path from "node:path";
import { userCacheFolder } from "../../engine/binaries/remote/index.ts";
import { chooseProject } from "../../workshop/project/index.ts";
import { CannotDo } from "../../workshop/workshop.ts";

/** The root of the project that a command works on: its operand, the current folder, or with `--gantry` a copy of Gantry. */
export function projectFolder(operand: string | undefined, gantry: boolean): Promise<string> {
  return chooseProject(operand, { gantry, cacheFolder: userCacheFolder(), packageFolder: gantry ? packageFolder() : "" });
}

/** Bundled, this code lies in `dist`; else three folders below the root. */
function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "package.json")) && existsSync(path.join(folder, "native", "CMakeLists.txt"))) return folder;
    if (folder === path.dirname(folder)) throw new CannotDo("The sources of Gantry that come with Abiding were not found beside it. Installing Abiding again puts them back.");
  }
}
