import * as path from "node:path";
import { parse } from "jsonc-parser";
import type { Files } from "../model/index.ts";

/**
 * The interpreter that a folder's .vscode/settings.json names: `python.defaultInterpreterPath`, with
 * `${workspaceFolder}` filled in. It may be an executable or an environment. Undefined when there is none, or only a
 * name that PATH would have to find.
 */
export function interpreterOfEditorSettings(root: string, files: Files): string | undefined {
  const read = files.readText(path.join(root, ".vscode", "settings.json"));
  if (!read.ok) {
    return undefined;
  }
  const settings: unknown = parse(read.text, [], { allowTrailingComma: true });
  if (typeof settings !== "object" || settings === null || !("python.defaultInterpreterPath" in settings)) {
    return undefined;
  }
  const written = settings["python.defaultInterpreterPath"];
  if (typeof written !== "string") {
    return undefined;
  }
  const filled = written.replaceAll("${workspaceFolder}", root);
  const isPath = filled.includes("/") || filled.includes("\\");
  return isPath && !filled.includes("${") ? path.resolve(root, filled) : undefined;
}
