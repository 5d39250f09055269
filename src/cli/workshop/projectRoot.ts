import { existsSync } from "node:fs";
import * as path from "node:path";
import { userCacheFolder } from "../../engine/binaries/remote/index.ts";
import { gantry } from "../../workshop/project/index.ts";
import { CannotDo } from "../../workshop/workshop.ts";
import { UsageError } from "../arguments.ts";
import type { Terminal } from "../terminal.ts";
import { projectFolder } from "./options.ts";

/** The root of the project that a command works on: its operand, the current folder, or with `--gantry` a copy of Gantry. Throws UsageError. */
export async function projectRoot(command: string, operands: readonly string[], wantsGantry: boolean | undefined, terminal: Terminal): Promise<string> {
  if (wantsGantry !== true) return projectFolder(command, operands, terminal.workingDirectory);
  if (operands.length > 0) throw new UsageError(`--gantry is for the library that comes with Abiding; it takes no folder, and ${operands.join(" ")} was given.`);
  try {
    return await gantry({ from: path.join(packageFolder(), "native"), to: path.join(userCacheFolder(), "gantry") });
  } catch (error) {
    throw error instanceof CannotDo ? new UsageError(error.message) : error;
  }
}

/** Bundled, this code lies in `dist`; else three folders below the root. */
function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "package.json")) && existsSync(path.join(folder, "native", "CMakeLists.txt"))) return folder;
    if (folder === path.dirname(folder)) throw new CannotDo("The sources of Gantry that come with Abiding were not found beside it. Installing Abiding again puts them back.");
  }
}
