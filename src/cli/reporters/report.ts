import * as path from "node:path";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { Files, Finding, Location } from "../../engine/model/index.ts";

/** What a reporter gets. */
export interface Report {
  readonly diagnosis: Diagnosis;
  /** The findings to show: all, or those of one file. */
  readonly findings: readonly Finding[];
  readonly version: string;
  /** The text of a line (zero-based), without its end; undefined when it cannot be read. */
  readonly lineOf: (file: string, line: number) => string | undefined;
  readonly colours: boolean;
  /** Where the user stands; paths of the text and GitHub forms are relative to it. */
  readonly workingDirectory: string;
}

/** Lines of files as a report shows them; each file is read once. */
export function lineReader(files: Files): Report["lineOf"] {
  const lines = new Map<string, readonly string[]>();
  return (file, line) => {
    let known = lines.get(file);
    if (known === undefined) {
      const read = files.readText(file);
      known = read.ok ? read.text.split(/\r\n|\r|\n/) : [];
      lines.set(file, known);
    }
    return known[line];
  };
}

/** One-based, relative to the project when inside it. */
export interface ReportedLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** With forward slashes; absolute when outside `root`. */
export function relativeTo(root: string, file: string): string {
  const relative = path.relative(root, file);
  const inside = relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
  return (inside ? relative : file).split(path.sep).join("/");
}

export function reportedLocation(root: string, location: Location): ReportedLocation {
  const { start, end } = location.range;
  return { path: relativeTo(root, location.path), line: start.line + 1, column: start.character + 1, endLine: end.line + 1, endColumn: end.character + 1 };
}

export function docsOf(rule: string): string {
  return `docs/rules/${rule}.md`;
}
