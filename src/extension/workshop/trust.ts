import * as vscode from "vscode";

/** Why something was not done; its message is shown as it is. */
export class Refused extends Error {}

/** Nothing of a project runs before its user has said that it may. */
export function requireTrust(): void {
  if (!vscode.workspace.isTrusted) {
    throw new Refused(vscode.l10n.t("this workspace is not trusted, and building, testing and measuring run what its files say. Trust it first (Workspaces: Manage Workspace Trust)."));
  }
}
