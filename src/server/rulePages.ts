import { existsSync } from "node:fs";
import * as path from "node:path";
import { packageFolder } from "./shipped.ts";

const pages = new Map<string, string | undefined>();

/** The page that explains a rule, when the pages are shipped beside the program. */
export function rulePage(rule: string): string | undefined {
  if (!pages.has(rule)) {
    const folder = packageFolder();
    const file = folder !== undefined && /^[\w-]+$/.test(rule) ? path.join(folder, "docs", "rules", `${rule}.md`) : undefined;
    pages.set(rule, file !== undefined && existsSync(file) ? file : undefined);
  }
  return pages.get(rule);
}
