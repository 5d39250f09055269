import * as vscode from "vscode";
import type { Commands } from "./index.ts";

/** Reads everything again and shows the problems; answers with the status of each folder. */
export async function checkWorkspace({ server }: Commands): Promise<unknown> {
  const statuses = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Abiding: checking") }, () => server.request("abiding/check", {}));
  await vscode.commands.executeCommand("workbench.actions.view.problems");
  return statuses;
}
