import { compareSeverity } from "../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import { LineIndex } from "../../engine/model/index.ts";
import type { Files, Finding, Fix, TextEdit } from "../../engine/model/index.ts";
import { writeWhole } from "../process/index.ts";

/** The texts of files as they were when somebody looked at them. */
export type Witness = ReadonlyMap<string, string>;

export interface AppliedFixes {
  /** The titles of the fixes that are in the files now. */
  readonly applied: readonly string[];
  /** Absolute. */
  readonly files: readonly string[];
  /** Why others are not, in sentences. */
  readonly refused: readonly string[];
}

/** Remembers the files that fixes of these findings would edit: they are applied only while those are unchanged. */
export function witnessOf(findings: readonly Finding[], files: Files = new NodeFiles()): Witness {
  const texts = new Map<string, string>();
  for (const { location } of findings.flatMap((one) => one.fixes).flatMap((one) => one.edits)) {
    const read = texts.has(location.path) ? undefined : files.readText(location.path);
    if (read?.ok === true && !read.lossy) {
      texts.set(location.path, read.text);
    }
  }
  return texts;
}

/** Applies the preferred fix of each finding, graver ones first; see `applyFixes`. */
export async function applyPreferredFixes(findings: readonly Finding[], witness: Witness, files: Files = new NodeFiles()): Promise<AppliedFixes> {
  return applyFixes([...findings].sort((a, b) => compareSeverity(a.severity, b.severity)).flatMap((one) => one.fixes.find((fix) => fix.preferred) ?? []), witness, files);
}

/**
 * Applies fixes in their order. A fix is applied whole or not at all: not when one of its files is not as `witness`
 * remembers it, nor when it would edit what an earlier fix edits. Each file is written in one step.
 * Throws CouldNotWrite; files that were written before stay mended.
 */
export async function applyFixes(fixes: readonly Fix[], witness: Witness, files: Files = new NodeFiles()): Promise<AppliedFixes> {
  const applied: string[] = [];
  const refused: string[] = [];
  const chosen = new Map<string, TextEdit[]>();
  for (const fix of fixes) {
    const changed = fix.edits.map((edit) => edit.location.path).find((file) => !isUnchanged(file, witness, files));
    const open = fix.edits.filter((edit) => !(chosen.get(edit.location.path) ?? []).some((other) => isSameEdit(edit, other)));
    if (changed !== undefined) {
      refused.push(`"${fix.title}" was not applied: ${changed} was changed since it was checked, or cannot be read as UTF-8.`);
    } else if (open.length > 0 && collides(open, chosen)) {
      refused.push(`"${fix.title}" was not applied: another fix edits the same place. Check again and apply it then.`);
    } else {
      remember({ ...fix, edits: open }, chosen);
      applied.push(fix.title);
    }
  }
  for (const [file, edits] of chosen) {
    await writeWhole(file, withMark(file, files) + withEdits(witness.get(file) ?? "", edits));
  }
  return { applied: [...new Set(applied)], files: [...chosen.keys()], refused };
}

function isUnchanged(file: string, witness: Witness, files: Files): boolean {
  const now = files.readText(file);
  return now.ok && !now.lossy && witness.get(file) === now.text;
}

function isSameEdit(a: TextEdit, b: TextEdit): boolean {
  return a.newText === b.newText && a.location.path === b.location.path && JSON.stringify(a.location.range) === JSON.stringify(b.location.range);
}

function collides(edits: readonly TextEdit[], chosen: ReadonlyMap<string, readonly TextEdit[]>): boolean {
  return edits.some((edit) => (chosen.get(edit.location.path) ?? []).some((other) => touches(edit, other)));
}

/** Insertions at the same place collide too: their order would be anybody's guess. */
function touches({ location: { range: a } }: TextEdit, { location: { range: b } }: TextEdit): boolean {
  const before = (x: typeof a.start, y: typeof a.start): boolean => x.line < y.line || (x.line === y.line && x.character < y.character);
  const isSamePlace = !before(a.start, b.start) && !before(b.start, a.start);
  return isSamePlace || (before(a.start, b.end) && before(b.start, a.end));
}

function remember(fix: Fix, chosen: Map<string, TextEdit[]>): void {
  for (const edit of fix.edits) {
    const list = chosen.get(edit.location.path);
    if (list === undefined) {
      chosen.set(edit.location.path, [edit]);
    } else {
      list.push(edit);
    }
  }
}

/** The text with all the edits in it; none may touch another. */
export function withEdits(text: string, edits: readonly TextEdit[]): string {
  const index = new LineIndex(text);
  const placed = edits.map((edit) => ({
    start: index.offsetAt(edit.location.range.start) ?? text.length,
    end: index.offsetAt(edit.location.range.end) ?? text.length,
    newText: edit.newText,
  }));
  return placed.sort((a, b) => b.start - a.start || b.end - a.end).reduce((sum, { start, end, newText }) => sum.slice(0, start) + newText + sum.slice(end), text);
}

/** Reading drops a byte order mark; whoever wrote it wants it kept. */
function withMark(file: string, files: Files): string {
  const head = files.readBytes(file, 0, 3);
  return head !== undefined && head.length === 3 && head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? "\ufeff" : "";
}
