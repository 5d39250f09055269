import { accessSync, constants, statSync } from "node:fs";
import { delimiter, extname, isAbsolute, join } from "node:path";
import { variable } from "./environment.ts";
import type { Variables } from "./types.ts";

/** Whether something is a file, whatever keeps it from being looked at. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

export function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folders of PATH as they are written, in its order. */
export function pathFolders(environment: Variables): string[] {
  return (variable(environment, "PATH") ?? "").split(delimiter).filter((one) => one !== "");
}

/** Files that a program's name could mean, in the order of the folders; not all of them may be executed. */
export function filesNamed(name: string, folders: readonly string[], environment: Variables): string[] {
  const endings = extname(name) === "" && process.platform === "win32" ? (variable(environment, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";") : [""];
  return folders.flatMap((one) => endings.map((end) => join(one, `${name}${end}`))).filter(isFile);
}

/** The program that a name means in an environment. Entries of PATH that are relative count for nothing: they mean another folder each time. */
export function findProgram(name: string, environment: Variables): string | undefined {
  return filesNamed(name, pathFolders(environment).filter(isAbsolute), environment).find(mayExecute);
}
