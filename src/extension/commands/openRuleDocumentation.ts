import * as vscode from "vscode";
import type { Commands } from "./index.ts";

/** Shows the page of a rule: the one named, or one that the user picks. */
export async function openRuleDocumentation({ context }: Commands, rule?: unknown): Promise<void> {
  const folder = vscode.Uri.joinPath(context.extensionUri, "docs", "rules");
  const name = typeof rule === "string" ? rule : await pickRule(folder);
  if (name === undefined || !/^[\w-]+$/.test(name)) {
    return;
  }
  await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(folder, `${name}.md`));
}

async function pickRule(folder: vscode.Uri): Promise<string | undefined> {
  const entries = await vscode.workspace.fs.readDirectory(folder);
  const names = entries.flatMap(([name]) => (name.endsWith(".md") ? [name.slice(0, -".md".length)] : []));
  return vscode.window.showQuickPick(names.sort(), { placeHolder: vscode.l10n.t("Rule") });
}
