import * as vscode from "vscode";
import { askWhatToCompareWith } from "../binary/choices.ts";
import type { Commands } from "./index.ts";

/**
 * Opens a shared library or wheel compared with what the user picks. Of the arguments, the first may be the file (from the
 * explorer) and the second what to compare with, so that nothing is asked; the explorer gives a list of files there.
 */
export async function wouldThisLoad(host: Commands, ...[file, against]: readonly unknown[]): Promise<void> {
  const uri = file instanceof vscode.Uri ? file : host.binaries.active ?? await askFile();
  if (uri === undefined) {
    return;
  }
  const comparison = typeof against === "string" ? { against } : await askWhatToCompareWith(host.server, uri);
  if (comparison !== undefined) {
    await host.binaries.show(uri, comparison.against);
  }
}

async function askFile(): Promise<vscode.Uri | undefined> {
  const uris = await vscode.window.showOpenDialog({ canSelectMany: false, title: vscode.l10n.t("A shared library or a wheel"), filters: { [vscode.l10n.t("Shared libraries and wheels")]: ["so", "whl"], [vscode.l10n.t("All files")]: ["*"] } });
  return uris?.[0];
}
