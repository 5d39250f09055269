/** What the panel changes in the editor: a fix that was asked for, and the place that is shown. */
import * as vscode from "vscode";
import { rangeOf } from "../workshop/decision.ts";
import type { Finding } from "../workshop/decision.ts";

type Fix = Finding["fixes"][number];
type Location = Finding["location"];

/** Beside the panel, so that both are in sight. */
export function besides(panel: vscode.WebviewPanel): vscode.ViewColumn {
  return panel.viewColumn === undefined || panel.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One;
}

export async function showLocation(panel: vscode.WebviewPanel, { path, range }: Location): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: rangeOf(range), viewColumn: besides(panel) });
}

/** Opens a text for reading, where it is in sight beside the panel. */
export async function showFile(panel: vscode.WebviewPanel, file: string): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(file), { viewColumn: besides(panel), preview: true });
}

/**
 * The fix that was meant, among the findings as they are now: what was shown may be of a text that has been edited since.
 */
export function fixMeant(shown: Finding | undefined, index: number, title: string | undefined, now: readonly Finding[]): Fix | undefined {
  const meant = shown?.fixes[index];
  if (shown === undefined || meant === undefined || (title !== undefined && title !== meant.title)) {
    return undefined;
  }
  const same = now.filter((one) => one.rule === shown.rule && one.target === shown.target && one.location.path === shown.location.path);
  const finding = same.find((one) => one.location.range.start.line === shown.location.range.start.line) ?? (same.length === 1 ? same[0] : undefined);
  return finding?.fixes.find((one) => one.title === meant.title);
}

/** Applies it as the light bulb would, and shows where. */
export async function applyFix(panel: vscode.WebviewPanel, fix: Fix): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  fix.edits.forEach(({ location, newText }) => edit.replace(vscode.Uri.file(location.path), rangeOf(location.range), newText));
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error(vscode.l10n.t("the fix could not be applied: {0}.", fix.title));
  }
  const [first] = fix.edits;
  if (first !== undefined) {
    const { path, range } = first.location;
    await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(range.start.line, 0, range.start.line, 0), viewColumn: besides(panel), preserveFocus: true });
  }
}
