import * as path from "node:path";

/** True for the folder itself and what is below it. Links are not resolved. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..");
}
