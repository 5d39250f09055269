import { existsSync, realpathSync } from "node:fs";
import * as path from "node:path";

let folder: string | null | undefined;
const pages = new Map<string, string | undefined>();

/** The page that explains a rule, when the pages are shipped beside the program. */
export function rulePage(rule: string): string | undefined {
  if (!pages.has(rule)) {
    folder ??= findFolder() ?? null;
    const file = folder !== null && /^[\w-]+$/.test(rule) ? path.join(folder, `${rule}.md`) : undefined;
    pages.set(rule, file !== undefined && existsSync(file) ? file : undefined);
  }
  return pages.get(rule);
}

/** `docs/rules` is a sibling of the bundle's folder and an ancestor's child of the sources. */
function findFolder(): string | undefined {
  let at: string;
  try {
    // A command that npm installs is a link to the bundle.
    at = path.dirname(realpathSync(process.argv[1] ?? ""));
  } catch {
    return undefined;
  }
  for (let up = 0; up < 4; up += 1) {
    const candidate = path.join(at, "docs", "rules");
    if (existsSync(candidate)) {
      return candidate;
    }
    at = path.dirname(at);
  }
  return undefined;
}
