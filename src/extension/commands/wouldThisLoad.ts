import * as vscode from "vscode";
import { askWhatToCompareWith } from "../binary/choices.ts";
import type { Commands } from "./index.ts";

/** As in the menu of the explorer. */
const examinable = /\.(?:so|so\.\d[\w.]*|whl)$/;

/**
 * Opens shared libraries and wheels compared with what the user picks once for all of them. Of the arguments, the first may
 * be the file and the second what to compare with, so that nothing is asked; the explorer gives all files that are
 * selected there, of any kind.
 */
export async function wouldThisLoad(host: Commands, ...[file, second]: readonly unknown[]): Promise<void> {
  const uris = chosen(file, second);
  const [first] = uris.length > 0 ? uris : [host.binaries.active ?? await askFile()];
  if (first === undefined) {
    return;
  }
  const comparison = typeof second === "string" ? { against: second } : await askWhatToCompareWith(host.server, first);
  if (comparison === undefined) {
    return;
  }
  if (uris.length < 2) {
    await host.binaries.show(first, comparison.against);
    return;
  }
  for (const uri of uris) {
    // Each would take the place of the one before it otherwise.
    await host.binaries.show(uri, comparison.against, { preview: false });
  }
}

function chosen(file: unknown, selected: unknown): readonly vscode.Uri[] {
  if (!(file instanceof vscode.Uri)) {
    return [];
  }
  const all = Array.isArray(selected) ? selected.filter((one): one is vscode.Uri => one instanceof vscode.Uri && examinable.test(one.path)) : [];
  return all.length > 0 ? all : [file];
}

async function askFile(): Promise<vscode.Uri | undefined> {
  const uris = await vscode.window.showOpenDialog({ canSelectMany: false, title: vscode.l10n.t("A shared library or a wheel"), filters: { [vscode.l10n.t("Shared libraries and wheels")]: ["so", "whl"], [vscode.l10n.t("All files")]: ["*"] } });
  return uris?.[0];
}
