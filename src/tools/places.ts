import * as path from "node:path";
import { isInside } from "../engine/files/index.ts";
import type { Location } from "../engine/model/index.ts";

/** One-based, relative to the project when inside it. */
interface ReportedLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** With forward slashes; absolute when outside `root`. */
export function relativeTo(root: string, file: string): string {
  const relative = isInside(file, root) ? path.relative(root, file) : "";
  return (relative === "" ? file : relative).split(path.sep).join("/");
}

export function reportedLocation(root: string, location: Location): ReportedLocation {
  const { start, end } = location.range;
  return { path: relativeTo(root, location.path), line: start.line + 1, column: start.character + 1, endLine: end.line + 1, endColumn: end.character + 1 };
}

export function docsOf(rule: string): string {
  return `docs/rules/${rule}.md`;
}
