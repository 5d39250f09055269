import * as path from "node:path";
import type { TextEdit } from "../../../engine/model/index.ts";
import { withEdits } from "../../build/index.ts";

const context = 3;

/** Edits that keep the number of lines, as a unified diff that git applies in the root. `texts`: the files as they are. */
export function patchOf(root: string, edits: readonly TextEdit[], texts: ReadonlyMap<string, string>): string {
  const files = [...new Set(edits.map((one) => one.location.path))].sort();
  return files.map((file) => {
    const text = texts.get(file) ?? "";
    const name = path.relative(root, file).split(path.sep).join("/");
    return diff(name, text, withEdits(text, edits.filter((one) => one.location.path === file)));
  }).join("");
}

function diff(name: string, before: string, after: string): string {
  const [old, fresh] = [before, after].map((one) => one.split("\n"));
  if (old === undefined || fresh === undefined || before === after) return "";
  const changed = old.flatMap((line, at) => (line === fresh[at] ? [] : [at]));
  // What follows the last line end is no line when it is empty.
  const count = old.at(-1) === "" ? old.length - 1 : old.length;
  const shown = (line: string, mark: string, at: number): string => `${mark}${line}\n${at === old.length - 1 ? "\\ No newline at end of file\n" : ""}`;
  const hunks: { from: number; to: number }[] = [];
  for (const at of changed) {
    const last = hunks.at(-1);
    if (last !== undefined && at - context <= last.to) last.to = Math.min(count, at + context + 1);
    else hunks.push({ from: Math.max(0, at - context), to: Math.min(count, at + context + 1) });
  }
  const isChanged = new Set(changed);
  const body = hunks.map(({ from, to }) => {
    const lines: string[] = [];
    for (let at = from; at < to;) {
      if (!isChanged.has(at)) {
        lines.push(shown(old[at] ?? "", " ", at));
        at += 1;
        continue;
      }
      let end = at;
      while (end < to && isChanged.has(end)) end += 1;
      for (let line = at; line < end; line += 1) lines.push(shown(old[line] ?? "", "-", line));
      for (let line = at; line < end; line += 1) lines.push(shown(fresh[line] ?? "", "+", line));
      at = end;
    }
    return `@@ -${from + 1},${to - from} +${from + 1},${to - from} @@\n${lines.join("")}`;
  });
  return `--- a/${name}\n+++ b/${name}\n${body.join("")}`;
}
