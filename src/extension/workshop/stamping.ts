import * as path from "node:path";
import * as vscode from "vscode";
import { stamp } from "../../workshop/stamp/index.ts";
import type { StampReport } from "../../workshop/stamp/types.ts";
import type { Bench } from "./bench.ts";
import { Refused, requireTrust } from "./trust.ts";

/** Adds the ABI stamp to a target. What would change is shown first, and nothing is written before the user said so. */
export async function addStamp(bench: Bench, argument: { readonly root?: string; readonly target?: string }): Promise<void> {
  requireTrust();
  const root = await bench.chooseRoot(argument.root);
  if (root === undefined) {
    return;
  }
  const report = await planned(root, argument.target);
  if (report === undefined) {
    return;
  }
  if (report.outcome === "already") {
    void vscode.window.showInformationMessage(vscode.l10n.t("Abiding: {0} has its ABI stamp already.", report.target ?? bench.nameOf(root)));
    return;
  }
  if (report.outcome === "refused") {
    throw new Refused(report.reason ?? vscode.l10n.t("the stamp cannot be added here."));
  }
  if (!(await isWanted(bench, report, report.target ?? bench.nameOf(root)))) {
    return;
  }
  if (!(await vscode.workspace.applyEdit(await editOf(report), { isRefactoring: true }))) {
    throw new Refused(vscode.l10n.t("VS Code could not change the files; nothing was written."));
  }
  await saveAll(report);
  if (report.next.length > 0) {
    const uri = bench.documents.put(`stamp of ${report.target ?? bench.nameOf(root)}.md`, [`# ABI stamp of ${report.target ?? bench.nameOf(root)}`, "", ...report.next.map((one) => `- ${one}`), ""].join("\n"));
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  }
}

/** The files belong together: VS Code's own preview, where each is ticked by itself, would let a part of them be written. */
async function isWanted(bench: Bench, report: StampReport, name: string): Promise<boolean> {
  const files = report.files.filter((one) => one.change !== "unchanged");
  const changes = files.map(({ path: file, change, text }) => {
    const uri = vscode.Uri.file(path.resolve(report.root, file));
    return [uri, change === "edited" ? uri : undefined, bench.documents.put(`stamped/${file}`, text)];
  });
  const title = vscode.l10n.t("ABI stamp of {0}", name);
  await vscode.commands.executeCommand("vscode.changes", title, changes);
  const add = vscode.l10n.t("Add the stamp");
  const picked = await vscode.window.showQuickPick([
    { label: add, detail: files.map((one) => (one.change === "created" ? vscode.l10n.t("creates {0}", one.path) : vscode.l10n.t("changes {0}", one.path))).join(", ") },
    { label: vscode.l10n.t("Cancel") },
  ], { title, ignoreFocusOut: true });
  await closeTab(title);
  return picked?.label === add;
}

/** Once it is decided, the comparison shows nothing that is still to come. A tab that compares many files is known by its title only. */
async function closeTab(title: string): Promise<void> {
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ label }) => label.startsWith(title)));
}

/** What would be done; the user names the target where there are several. undefined: none was picked. */
async function planned(root: string, target: string | undefined): Promise<StampReport | undefined> {
  const report = await stamp({ root, dryRun: true, ...(target === undefined ? {} : { target }) });
  if (report.outcome !== "refused" || report.choices === undefined || report.choices.length === 0) {
    return report;
  }
  const picked = await vscode.window.showQuickPick([...report.choices], { title: vscode.l10n.t("Stamp which library?") });
  return picked === undefined ? undefined : stamp({ root, target: picked, dryRun: true });
}

async function editOf(report: StampReport): Promise<vscode.WorkspaceEdit> {
  const edit = new vscode.WorkspaceEdit();
  for (const file of report.files) {
    const uri = vscode.Uri.file(path.resolve(report.root, file.path));
    if (file.change === "created") {
      edit.createFile(uri, { overwrite: true, contents: Buffer.from(file.text) });
    } else if (file.change === "edited") {
      const document = await vscode.workspace.openTextDocument(uri);
      const { range, text } = smallest(document, file.text);
      edit.replace(uri, range, text);
    }
  }
  return edit;
}

/** The lines that differ, so that markers in the others stay where they are. */
function smallest(document: vscode.TextDocument, text: string): { readonly range: vscode.Range; readonly text: string } {
  const before = document.getText();
  let start = 0;
  while (start < before.length && before[start] === text[start]) start += 1;
  start = before.lastIndexOf("\n", start - 1) + 1;
  let end = 0;
  while (end < before.length - start && end < text.length - start && before[before.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  return { range: new vscode.Range(document.positionAt(start), document.positionAt(before.length - end)), text: text.slice(start, text.length - end) };
}

async function saveAll(report: StampReport): Promise<void> {
  const edited = new Set(report.files.filter((one) => one.change !== "unchanged").map((one) => path.resolve(report.root, one.path)));
  for (const document of vscode.workspace.textDocuments) {
    if (edited.has(document.uri.fsPath) && document.isDirty) {
      await document.save();
    }
  }
}
