/** Quick fixes, "fix all", "ignore here" and the way to the rule's page. */
import { CodeActionKind } from "vscode-languageserver/node";
import type { CodeAction, CodeActionContext, Diagnostic, Range, TextEdit, WorkspaceEdit } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Finding, Fix } from "../../engine/model/index.ts";
import { comparePositions } from "../../engine/model/index.ts";
import type { ClientCommand } from "../../protocol/index.ts";
import { ignoreEdit } from "../comments.ts";
import { rulePage } from "../rulePages.ts";

export const fixAllKind = `${CodeActionKind.SourceFixAll}.abiding`;

/** A command of the server itself, for clients that have none of their own to show a page. */
export const showDocumentationCommand = "abiding.server.showDocumentation";

export interface CodeActionRequest {
  readonly path: string;
  readonly document: TextDocument;
  readonly range: Range;
  readonly context: CodeActionContext;
  /** Findings of the project that the document belongs to. */
  readonly findings: readonly Finding[];
  readonly clientCommands: readonly ClientCommand[];
  uri(path: string): string;
}

/** All actions for a range. */
export function codeActions(request: CodeActionRequest): CodeAction[] {
  const wants = (kind: string): boolean => request.context.only === undefined || request.context.only.some((one) => kind === one || kind.startsWith(`${one}.`));
  const actions: CodeAction[] = [];
  if (wants(CodeActionKind.QuickFix)) {
    const here = request.findings.filter((one) => one.location.path === request.path && overlaps(one.location.range, request.range));
    for (const finding of here) {
      actions.push(...fixesOf(finding, request));
    }
    for (const finding of oncePerLineAndRule(here)) {
      actions.push(...ignoring(finding, request));
    }
    for (const rule of new Set(here.map((one) => one.rule))) {
      actions.push(...documentation(rule, here, request));
    }
  }
  // Source actions are offered when asked for: they would crowd the light bulb of every line.
  if (request.context.only !== undefined && wants(fixAllKind)) {
    const all = fixAll(request);
    if (all !== undefined) {
      actions.push(all);
    }
  }
  return actions;
}

function fixesOf(finding: Finding, request: CodeActionRequest): CodeAction[] {
  return finding.fixes.map((fix) => ({
    title: fix.title,
    kind: CodeActionKind.QuickFix,
    diagnostics: matching([finding], request),
    edit: workspaceEdit(fix, request),
    ...(fix.preferred ? { isPreferred: true } : {}),
  }));
}

function ignoring(finding: Finding, request: CodeActionRequest): CodeAction[] {
  const edit = ignoreEdit(request.path, finding.rule, finding.location.range.start.line, (line) => lineOf(request.document, line));
  if (edit === undefined) {
    return [];
  }
  const at = { line: edit.line, character: edit.character };
  return [{
    title: `Ignore ${finding.rule} here`,
    kind: CodeActionKind.QuickFix,
    diagnostics: matching([finding], request),
    edit: { changes: { [request.document.uri]: [{ range: { start: at, end: at }, newText: edit.text }] } },
  }];
}

function documentation(rule: string, here: readonly Finding[], request: CodeActionRequest): CodeAction[] {
  if (rulePage(rule) === undefined) {
    return [];
  }
  const title = `Open documentation of ${rule}`;
  const command = request.clientCommands.includes("abiding.openRuleDocumentation") ? "abiding.openRuleDocumentation" : showDocumentationCommand;
  return [{
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: matching(here.filter((one) => one.rule === rule), request),
    command: { title, command, arguments: [rule] },
  }];
}

/** Every preferred fix of the document that stays inside it, first come first served where two touch the same text. */
function fixAll(request: CodeActionRequest): CodeAction | undefined {
  const taken: TextEdit[] = [];
  for (const finding of request.findings) {
    const fix = finding.location.path === request.path ? finding.fixes.find((one) => one.preferred) : undefined;
    if (fix === undefined || fix.edits.some((edit) => edit.location.path !== request.path)) {
      continue;
    }
    const edits = fix.edits.map((edit) => ({ range: edit.location.range, newText: edit.newText }));
    if (!edits.some((edit) => taken.some((other) => collide(edit.range, other.range)))) {
      taken.push(...edits);
    }
  }
  return taken.length === 0
    ? undefined
    : { title: "Fix all that Abiding can fix in this file", kind: fixAllKind, edit: { changes: { [request.document.uri]: taken } } };
}

function workspaceEdit(fix: Fix, request: CodeActionRequest): WorkspaceEdit {
  const changes: Record<string, TextEdit[]> = {};
  for (const edit of fix.edits) {
    const uri = edit.location.path === request.path ? request.document.uri : request.uri(edit.location.path);
    (changes[uri] ??= []).push({ range: edit.location.range, newText: edit.newText });
  }
  return { changes };
}

function matching(findings: readonly Finding[], request: CodeActionRequest): Diagnostic[] {
  return request.context.diagnostics.filter((diagnostic) =>
    findings.some((one) => one.rule === diagnostic.code && comparePositions(one.location.range.start, diagnostic.range.start) === 0));
}

function oncePerLineAndRule(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter((one) => {
    const key = `${one.location.range.start.line} ${one.rule}`;
    return !seen.has(key) && seen.add(key);
  });
}

function overlaps(a: Range, b: Range): boolean {
  return comparePositions(a.start, b.end) <= 0 && comparePositions(b.start, a.end) <= 0;
}

/** Two insertions at one point collide as well: their order would be a guess. */
function collide(a: Range, b: Range): boolean {
  const touching = comparePositions(a.start, b.end) < 0 && comparePositions(b.start, a.end) < 0;
  return touching || comparePositions(a.start, b.start) === 0;
}

function lineOf(document: TextDocument, line: number): string {
  return document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } }).replace(/\r?\n$/, "");
}
