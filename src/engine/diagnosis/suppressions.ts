import type { Finding, Gap } from "../model/index.ts";
import type { ReadWitness } from "./readWitness.ts";

/** `# abiding: ignore[rule-a, rule-b] reason`, after `#`, `//`, `;`, `<!--` or `/*`. */
const comment = /(?:#|\/\/|;|<!--|\/\*)\s*abiding:\s*ignore\[([^\]]*)\]/;

interface Suppression {
  readonly rules: readonly string[];
  /** Nothing but the comment stands on the line, so that it speaks for the line below. */
  readonly alone: boolean;
}

/** The suppression comments of one text by zero-based line. */
export function suppressionsOf(text: string): ReadonlyMap<number, Suppression> {
  if (!text.includes("abiding:")) {
    return none;
  }
  const found = new Map<number, Suppression>();
  const lines = text.split(/\r\n|\r|\n/);
  for (const [number, line] of lines.entries()) {
    const match = comment.exec(line);
    if (match !== null) {
      const rules = (match[1] ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
      found.set(number, { rules, alone: line.slice(0, match.index).trim() === "" });
    }
  }
  return found;
}

function silences(suppressions: ReadonlyMap<number, Suppression>, finding: Finding): boolean {
  const { line } = finding.location.range.start;
  const here = suppressions.get(line);
  const above = suppressions.get(line - 1);
  return (here?.rules.includes(finding.rule) ?? false) || (above?.alone === true && above.rules.includes(finding.rule));
}

const none: ReadonlyMap<number, Suppression> = new Map<number, Suppression>();

/** Splits findings into those to report and the number silenced by comments; unknown rule names are reported. */
export function applySuppressions(findings: readonly Finding[], files: ReadWitness, isRule: (name: string) => boolean, readFiles: readonly string[]): { readonly kept: readonly Finding[]; readonly silenced: number; readonly gaps: readonly Gap[] } {
  const suppressionsIn = (path: string): ReadonlyMap<number, Suppression> => files.ofText(path, suppressionsOf) ?? none;
  const kept = findings.filter((finding) => !silences(suppressionsIn(finding.location.path), finding));
  const gaps: Gap[] = [];
  for (const path of new Set([...readFiles, ...findings.map((finding) => finding.location.path)])) {
    for (const [line, { rules }] of suppressionsIn(path)) {
      for (const name of rules) {
        if (!isRule(name)) {
          gaps.push({
            kind: "file",
            path,
            message: `The comment silences "${name}", which is no rule of Abiding.`,
            location: { path, range: { start: { line, character: 0 }, end: { line, character: lengthOfLine(files, path, line) } } },
          });
        }
      }
    }
  }
  return { kept, silenced: findings.length - kept.length, gaps };
}

function lengthOfLine(files: ReadWitness, path: string, line: number): number {
  const read = files.readText(path);
  return read.ok ? (read.text.split(/\r\n|\r|\n/)[line]?.length ?? 0) : 0;
}
