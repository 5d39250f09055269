import * as vscode from "vscode";
import { activeProject } from "./index.ts";
import type { Commands } from "./index.ts";

/** The findings of the active project as Markdown, to paste into an issue. */
export async function copyReport({ server }: Commands): Promise<void> {
  const report = await server.request("abiding/report", activeProject());
  if (report === null) {
    throw new Error(vscode.l10n.t("there is no folder to report about."));
  }
  await vscode.env.clipboard.writeText(report.markdown);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Abiding: report copied"), 3000);
}
