import * as path from "node:path";

/** How a comment is written in a kind of file; undefined where there are none (JSON). */
export function commentMarker(file: string): "#" | "//" | undefined {
  const name = path.basename(file);
  const extension = path.extname(name).toLowerCase();
  if (extension === ".json") {
    return undefined;
  }
  return /^\.(?:c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx|mm|jsonc)$/.test(extension) ? "//" : "#";
}

/** An insertion that silences a rule at a line, or undefined where no comment can stand. */
export interface IgnoreEdit {
  readonly line: number;
  readonly character: number;
  readonly text: string;
}

/**
 * `# abiding: ignore[rule] ` above a line. After a line that ends in a backslash no comment line may follow
 * (only Dockerfiles allow it), so there the comment goes to the end of the line itself. A comment that is already
 * there gets the rule added.
 */
export function ignoreEdit(file: string, rule: string, line: number, lineText: (line: number) => string): IgnoreEdit | undefined {
  const marker = commentMarker(file);
  if (marker === undefined) {
    return undefined;
  }
  for (const near of [line, line - 1]) {
    const existing = near < 0 ? null : /abiding:\s*ignore\[[^\]]*/.exec(lineText(near));
    if (existing !== null) {
      return { line: near, character: existing.index + existing[0].length, text: `, ${rule}` };
    }
  }
  const own = lineText(line);
  const comment = `${marker} abiding: ignore[${rule}] `;
  const continues = (text: string): boolean => /\\\s*$/.test(text);
  if (line > 0 && continues(lineText(line - 1)) && !/dockerfile/i.test(path.basename(file))) {
    return continues(own) ? undefined : { line, character: own.length, text: `  ${comment.trimEnd()}` };
  }
  const indent = /^\s*/.exec(own)?.[0] ?? "";
  return { line, character: 0, text: `${indent}${comment}\n` };
}
