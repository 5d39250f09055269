/** All pins of a project to one set that goes together: shown in VS Code's preview first, each of them to be confirmed. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { RollReport } from "../../workshop/combinations/index.ts";
import type { Bench } from "../workshop/bench.ts";
import { rangeOf } from "../workshop/decision.ts";
import { Refused } from "../workshop/trust.ts";
import { firstIndexOf } from "./records.ts";
import { settingsOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";
import { knownTorches, pickTorch } from "./torches.ts";
import { working } from "./working.ts";

export async function rollAsked(bench: Bench, argument: CombinationArgument): Promise<RollReport | undefined> {
  const root = await bench.chooseRoot(argument.root);
  if (root === undefined) {
    return undefined;
  }
  const torches = await knownTorches(bench, root);
  const to = argument.torch ?? await pickTorch(vscode.l10n.t("Roll the pins to which torch?"), torches, torches.find((one) => one.verdict === "good")?.torch);
  if (to === undefined || to === "") {
    return undefined;
  }
  const report = await working(bench, "indexes", vscode.l10n.t("Looking for what goes with torch {0}", to), root, async (_, workshop) => {
    const { recordsFile, rollPins, wantedOf } = await import("../../workshop/combinations/index.ts");
    const settings = await settingsOf(root);
    const first = await firstIndexOf(root, argument);
    return rollPins({ root, wanted: { ...wantedOf(settings), ...first }, records: recordsFile(root, settings), to, write: false, ...(settings?.packages === undefined ? {} : { packages: settings.packages }) }, workshop);
  });
  if (report.outcome === "up-to-date") {
    void vscode.window.showInformationMessage([vscode.l10n.t("Abiding: all pins are at torch {0} already.", to), ...leftBy(report, root)].join(" "));
    return report;
  }
  if (report.fix === undefined) {
    throw new Refused([report.reason ?? vscode.l10n.t("there is nothing to roll."), ...leftBy(report, root)].join(" "));
  }
  await vscode.workspace.applyEdit(editOf(report, to), { isRefactoring: true });
  const notes = [...report.notes, ...leftBy(report, root)];
  if (notes.length > 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Abiding: {0}", notes.join(" ")));
  }
  return report;
}

function editOf({ changes }: RollReport, to: string): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { edit: { location, newText }, what, from, to: now } of changes) {
    edit.replace(vscode.Uri.file(location.path), rangeOf(location.range), newText, { needsConfirmation: true, label: vscode.l10n.t("Roll pins to torch {0}", to), description: `${what}: ${from} \u2192 ${now}` });
  }
  return edit;
}

/** What has to be changed by hand. */
function leftBy({ left }: RollReport, root: string): readonly string[] {
  return left.filter((one) => one.byHand).map((one) => `${path.relative(root, one.path)}:${one.line}: ${one.because}`);
}
