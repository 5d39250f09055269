/** Findings as LSP diagnostics: one vocabulary, converted in one place. */
import { DiagnosticSeverity, DiagnosticTag } from "vscode-languageserver/node";
import type { Diagnostic, DiagnosticRelatedInformation } from "vscode-languageserver/node";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { Evidence, Finding, Gap, Location, Range, Severity } from "../../engine/model/index.ts";
import { rulePage } from "../rulePages.ts";
import { uriOf } from "../uris.ts";

/** What the client can show. */
export interface DiagnosticOptions {
  readonly relatedInformation: boolean;
  readonly codeDescription: boolean;
  readonly tags: boolean;
  /** An address for a path, in the client's own spelling when the document is open. */
  uri(path: string): string;
}

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** The code of a diagnostic that tells of a file that could not be read. */
export const unreadableFile = "unreadable-file";

/** Diagnostics of every file that has one, by path. */
export function diagnosticsByPath(diagnosis: Diagnosis, options: DiagnosticOptions): Map<string, Diagnostic[]> {
  const byPath = new Map<string, Diagnostic[]>();
  const add = (file: string, diagnostic: Diagnostic): void => {
    const list = byPath.get(file);
    if (list === undefined) {
      byPath.set(file, [diagnostic]);
    } else {
      list.push(diagnostic);
    }
  };
  for (const finding of diagnosis.findings) {
    add(finding.location.path, toDiagnostic(finding, options));
  }
  for (const gap of diagnosis.gaps) {
    if (gap.kind === "file") {
      add(gap.location?.path ?? gap.path, gapDiagnostic(gap));
    }
  }
  return byPath;
}

/** One finding as a diagnostic. */
export function toDiagnostic(finding: Finding, options: DiagnosticOptions): Diagnostic {
  const page = options.codeDescription ? rulePage(finding.rule) : undefined;
  const related = options.relatedInformation ? relatedInformation(finding, options) : [];
  return {
    range: lspRange(finding.location.range),
    severity: severities[finding.severity],
    source: "abiding",
    code: finding.rule,
    message: finding.message,
    ...(page === undefined ? {} : { codeDescription: { href: uriOf(page) } }),
    ...(related.length === 0 ? {} : { relatedInformation: related }),
    ...(options.tags && finding.tag !== undefined ? { tags: [finding.tag === "unnecessary" ? DiagnosticTag.Unnecessary : DiagnosticTag.Deprecated] } : {}),
  };
}

function relatedInformation(finding: Finding, options: DiagnosticOptions): DiagnosticRelatedInformation[] {
  // What is on the very line is in sight; it would only repeat the place.
  const isElsewhere = (location: Location): boolean => location.path !== finding.location.path || location.range.start.line !== finding.location.range.start.line;
  const places = finding.related.filter((one) => isElsewhere(one.location)).map((one) => ({
    location: { uri: options.uri(one.location.path), range: one.location.range },
    message: one.message,
  }));
  return [...places, ...finding.against.flatMap((evidence) => otherSide(evidence, options))];
}

const start = { line: 0, character: 0 };

/** The other side has no range in the workspace, but often a file that an editor can open. */
function otherSide(evidence: Evidence, options: DiagnosticOptions): DiagnosticRelatedInformation[] {
  switch (evidence.kind) {
    case "source":
      return [{ location: { uri: options.uri(evidence.location.path), range: evidence.location.range }, message: evidence.text }];
    case "file":
      return isReadable(evidence.path) ? [{ location: { uri: options.uri(evidence.path), range: { start, end: start } }, message: evidence.what }] : [];
    case "catalogue":
      return [];
  }
}

function isReadable(file: string): boolean {
  return !/\.(?:so(?:\.\d+)*|a|dll|dylib|lib|whl|pyd)$/.test(file);
}

function gapDiagnostic(gap: Gap): Diagnostic {
  return {
    range: gap.location === undefined ? { start, end: start } : lspRange(gap.location.range),
    severity: DiagnosticSeverity.Information,
    source: "abiding",
    code: unreadableFile,
    message: gap.message,
  };
}

/** The protocol's numbers end at 2^31 - 1; "to the end of the line" may be written with more. */
function lspRange(range: Range): Range {
  const bound = (position: Range["end"]): Range["end"] => ({ line: position.line, character: Math.min(position.character, 2 ** 31 - 1) });
  return { start: bound(range.start), end: bound(range.end) };
}
