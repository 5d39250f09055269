import type { Files, Finding, Gap } from "../model/index.ts";

/** `# abiding: ignore[rule-a, rule-b] reason`, after `#`, `//`, `;`, `<!--` or `/*`. */
const comment = /(?:#|\/\/|;|<!--|\/\*)\s*abiding:\s*ignore\[([^\]]*)\]/;

/** The suppression comments of one text: zero-based line to the rules silenced there. */
export function suppressionsOf(text: string): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  if (!text.includes("abiding:")) {
    return found;
  }
  const lines = text.split(/\r\n|\r|\n/);
  for (const [number, line] of lines.entries()) {
    const names = comment.exec(line)?.[1];
    if (names !== undefined) {
      found.set(number, names.split(",").map((name) => name.trim()).filter((name) => name !== ""));
    }
  }
  return found;
}

/** Whether a comment stands on the line of its own, so that it speaks for the line below. */
function silences(suppressions: ReadonlyMap<number, readonly string[]>, finding: Finding): boolean {
  const line = finding.location.range.start.line;
  return [line, line - 1].some((one) => suppressions.get(one)?.includes(finding.rule) ?? false);
}

/** Splits findings into those to report and the number silenced by comments; unknown rule names are reported. */
export function applySuppressions(findings: readonly Finding[], files: Files, isRule: (name: string) => boolean, readFiles: readonly string[]): { readonly kept: readonly Finding[]; readonly silenced: number; readonly gaps: readonly Gap[] } {
  const byFile = new Map<string, ReadonlyMap<number, readonly string[]>>();
  const suppressionsIn = (path: string): ReadonlyMap<number, readonly string[]> => {
    const known = byFile.get(path);
    if (known !== undefined) {
      return known;
    }
    const read = files.readText(path);
    const found = read.ok ? suppressionsOf(read.text) : new Map<number, readonly string[]>();
    byFile.set(path, found);
    return found;
  };
  const kept = findings.filter((finding) => !silences(suppressionsIn(finding.location.path), finding));
  const gaps: Gap[] = [];
  for (const path of new Set([...readFiles, ...findings.map((finding) => finding.location.path)])) {
    for (const [line, names] of suppressionsIn(path)) {
      for (const name of names) {
        if (!isRule(name)) {
          gaps.push({
            kind: "file",
            path,
            message: `The comment silences "${name}", which is no rule of Abiding.`,
            location: { path, range: { start: { line, character: 0 }, end: { line, character: Number.MAX_SAFE_INTEGER } } },
          });
        }
      }
    }
  }
  return { kept, silenced: findings.length - kept.length, gaps };
}
