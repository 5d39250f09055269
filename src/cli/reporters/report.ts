import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { Files, Finding } from "../../engine/model/index.ts";

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
