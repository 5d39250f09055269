import { pathToFileURL } from "node:url";
import { rules } from "../../engine/rules/index.ts";
import type { Evidence, Finding, Location, Severity, TextEdit } from "../../engine/model/index.ts";
import { docsOf, relativeTo } from "../../tools/places.ts";
import { jsonText } from "./jsonText.ts";
import type { Report } from "./report.ts";

const levels: Readonly<Record<Severity, "error" | "warning" | "note">> = { error: "error", warning: "warning", info: "note", hint: "note" };

/** SARIF 2.1.0 (OASIS standard, errata 01). */
export function sarifReport(report: Report): string {
  const { diagnosis, findings } = report;
  const { root } = diagnosis;
  const fileProblems = diagnosis.gaps.filter((gap) => gap.kind === "file");
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "Abiding",
            semanticVersion: report.version,
            rules: rules.map((rule) => ({
              id: rule.name,
              shortDescription: { text: rule.summary },
              help: { text: `See ${docsOf(rule.name)}.` },
              defaultConfiguration: { level: levels[rule.severity], enabled: rule.optIn !== true },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { SRCROOT: { uri: `${pathToFileURL(root).href}/` } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: [
              ...fileProblems.map((gap) => ({ level: "warning", message: { text: gap.message }, ...(gap.location === undefined ? {} : { locations: [physical(root, gap.location)] }) })),
              ...diagnosis.notChecked.map((sentence) => ({ level: "note", message: { text: sentence } })),
            ],
          },
        ],
        results: findings.map((finding) => resultOf(root, finding)),
      },
    ],
  };
  return jsonText(log);
}

function resultOf(root: string, finding: Finding): object {
  const evidence = finding.against.map(evidenceText);
  return {
    ruleId: finding.rule,
    ruleIndex: rules.findIndex((rule) => rule.name === finding.rule),
    level: levels[finding.severity],
    message: { text: evidence.length === 0 ? finding.message : `${finding.message}\nSeen in: ${evidence.join("; ")}.` },
    locations: [physical(root, finding.location)],
    ...(finding.related.length === 0 ? {} : { relatedLocations: finding.related.map((place, id) => ({ id, message: { text: place.message }, ...physical(root, place.location) })) }),
    ...(finding.fixes.length === 0 ? {} : { fixes: finding.fixes.map((fix) => ({ description: { text: fix.title }, artifactChanges: changesOf(root, fix.edits) })) }),
  };
}

function changesOf(root: string, edits: readonly TextEdit[]): readonly object[] {
  const files = new Map<string, TextEdit[]>();
  for (const edit of edits) {
    files.set(edit.location.path, [...(files.get(edit.location.path) ?? []), edit]);
  }
  return [...files].map(([file, changes]) => ({
    artifactLocation: artifact(root, file),
    replacements: changes.map((change) => ({ deletedRegion: regionOf(change.location), insertedContent: { text: change.newText } })),
  }));
}

function physical(root: string, location: Location): object {
  return { physicalLocation: { artifactLocation: artifact(root, location.path), region: regionOf(location) } };
}

function artifact(root: string, file: string): object {
  const relative = relativeTo(root, file);
  return relative === file ? { uri: pathToFileURL(file).href } : { uri: relative.split("/").map(encodeURIComponent).join("/"), uriBaseId: "SRCROOT" };
}

function regionOf(location: Location): object {
  const { start, end } = location.range;
  return { startLine: start.line + 1, startColumn: start.character + 1, endLine: end.line + 1, endColumn: end.character + 1 };
}

function evidenceText(evidence: Evidence): string {
  switch (evidence.kind) {
    case "source":
      return `${evidence.location.path}:${evidence.location.range.start.line + 1}`;
    case "file":
      return `${evidence.path} (${evidence.what})`;
    case "catalogue":
      return `${evidence.table}, ${evidence.row} (${evidence.source})`;
  }
}
