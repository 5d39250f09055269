/** One lens above each target that has findings: how many, against which torch. Healthy targets stay bare. */
import type { CodeLens } from "vscode-languageserver/node";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { DeclaredTarget, Finding, Location } from "../../engine/model/index.ts";
import { comparePositions } from "../../engine/model/index.ts";
import { joinWords, torchName } from "../../engine/rules/support.ts";
import type { ClientCommand } from "../../protocol/index.ts";

export function codeLenses(path: string, diagnosis: Diagnosis, clientCommands: readonly ClientCommand[], uri: (path: string) => string): CodeLens[] {
  const lenses: CodeLens[] = [];
  const against = diagnosis.installed.length === 0 ? "" : ` against ${joinWords(diagnosis.installed.map(torchName))}`;
  for (const { target } of diagnosis.declared) {
    const findings = target.location.path === path ? diagnosis.findings.filter((one) => concerns(one, target)) : [];
    if (findings.length === 0) {
      continue;
    }
    const command = clientCommands.includes("abiding.showFindings") ? "abiding.showFindings" : "";
    lenses.push({
      range: target.location.range,
      command: {
        title: `${countPhrase(findings)}${against}`,
        command,
        arguments: command === "" ? [] : [uri(path), target.location.range.start, findings.map((one) => lspLocation(one.location, uri))],
      },
    });
  }
  return lenses;
}

/** A finding about several targets names none of them and points at each. */
function concerns(finding: Finding, target: DeclaredTarget): boolean {
  const here = target.location;
  return finding.target === target.name || finding.related.some(({ location }) =>
    location.path === here.path && comparePositions(location.range.start, here.range.start) === 0 && comparePositions(location.range.end, here.range.end) === 0);
}

/** "2 errors, 1 warning". */
export function countPhrase(findings: readonly Finding[]): string {
  const parts = (["error", "warning", "info", "hint"] as const).flatMap((severity) => {
    const count = findings.filter((one) => one.severity === severity).length;
    const noun = severity === "info" ? "note" : severity;
    return count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`];
  });
  return parts.join(", ");
}

function lspLocation(location: Location, uri: (path: string) => string): { uri: string; range: Location["range"] } {
  return { uri: uri(location.path), range: location.range };
}
