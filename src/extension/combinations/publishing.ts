/** What is known to work, for others: as text in an editor, or as a page in a file. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { PublishFormat, PublishRequest } from "../../workshop/combinations/index.ts";
import { writeWhole } from "../../workshop/process/index.ts";
import type { Bench } from "../workshop/bench.ts";
import { settingsOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";

interface Choice extends vscode.QuickPickItem {
  readonly format: PublishFormat;
  readonly channel?: PublishRequest["channel"];
  readonly language: string;
}

export async function publishAsked(bench: Bench, argument: CombinationArgument): Promise<void> {
  const root = await bench.chooseRoot(argument.root);
  const choice = root === undefined ? undefined : await vscode.window.showQuickPick(choices(), { title: vscode.l10n.t("Publish as what?"), matchOnDetail: true });
  const file = choice?.format === "html" && root !== undefined ? await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.file(path.join(root, "combinations.html")), filters: { HTML: ["html"] }, title: vscode.l10n.t("Where shall the page be put?") }) : undefined;
  if (root === undefined || choice === undefined || (choice.format === "html" && file === undefined)) {
    return;
  }
  const { publish } = await import("../../workshop/combinations/index.ts");
  const { text, notes } = await publish({ root, settings: await settingsOf(root), format: choice.format, ...(choice.channel === undefined ? {} : { channel: choice.channel }) }, bench.quietly(root));
  if (file === undefined) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text, language: choice.language }));
  } else {
    await writeWhole(file.fsPath, text);
  }
  const open = vscode.l10n.t("Open in Browser");
  const said = [...(file === undefined ? [] : [vscode.l10n.t("Abiding: the page is in {0}.", file.fsPath)]), ...notes].join(" ");
  if (said !== "" && await vscode.window.showInformationMessage(said, ...(file === undefined ? [] : [open])) === open && file !== undefined) {
    await vscode.env.openExternal(file);
  }
}

function choices(): readonly Choice[] {
  return [
    { label: vscode.l10n.t("Markdown"), detail: vscode.l10n.t("The lines that work and the table, for a README or an issue"), format: "markdown", language: "markdown" },
    { label: vscode.l10n.t("HTML page"), detail: vscode.l10n.t("One file with all of the panel's views, for a docs site"), format: "html", language: "html" },
    { label: vscode.l10n.t("Badge of the newest release that works"), detail: vscode.l10n.t("The JSON that shields.io reads"), format: "shields", channel: "release", language: "json" },
    { label: vscode.l10n.t("Badge of the newest nightly that works"), detail: vscode.l10n.t("The JSON that shields.io reads"), format: "shields", channel: "nightly", language: "json" },
    { label: vscode.l10n.t("JSON"), detail: vscode.l10n.t("All of it, for programs"), format: "json", language: "json" },
  ];
}
