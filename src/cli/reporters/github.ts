import type { Severity } from "../../engine/model/index.ts";
import { relativeTo } from "../../tools/places.ts";
import { printable } from "./printable.ts";
import type { Report } from "./report.ts";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice", hint: "notice" };

/** Workflow commands that GitHub shows at the lines of a pull request. */
export function githubReport(report: Report): string {
  const lines = report.findings.map((finding) => {
    const { start, end } = finding.location.range;
    const properties = [
      `file=${escapeProperty(relativeTo(report.workingDirectory, finding.location.path))}`,
      `line=${start.line + 1}`,
      `endLine=${end.line + 1}`,
      // GitHub takes columns only for annotations of one line.
      ...(start.line === end.line ? [`col=${start.character + 1}`, `endColumn=${end.character + 1}`] : []),
      `title=${escapeProperty(`abiding ${finding.rule}`)}`,
    ];
    return `::${commands[finding.severity]} ${properties.join(",")}::${escapeData(finding.message)}\n`;
  });
  const problems = report.diagnosis.gaps.filter((gap) => gap.kind === "file").map((gap) => `::notice title=abiding::${escapeData(gap.message)}\n`);
  return [...lines, ...problems].join("");
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").split(/(\r|\n)/).map((part) => (part === "\r" ? "%0D" : part === "\n" ? "%0A" : printable(part))).join("");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
