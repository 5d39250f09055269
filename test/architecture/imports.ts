import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ts from "typescript";
import { root } from "../harness/locations.ts";

export interface Import {
  /** Path of the importing file from the root, with `/`. */
  readonly from: string;
  /** The specifier, or for a relative one the path from the root, with `/`. */
  readonly to: string;
  readonly relative: boolean;
}

function posix(path: string): string {
  return path.split(sep).join("/");
}

/** Files of the product, from the root, with `/`. */
export function sourceFiles(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root }).map(posix).sort();
}

/** Every static and dynamic import of the files, as the compiler sees them. */
export function importsOf(files: readonly string[]): Import[] {
  return files.flatMap((from) => {
    const text = readFileSync(join(root, from), "utf8");
    return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }): Import => {
      if (!fileName.startsWith(".")) return { from, to: fileName, relative: false };
      return { from, to: posix(relative(root, join(root, dirname(from), fileName))), relative: true };
    });
  });
}
