/** Predictions: what they would read from the network is said first, and nothing is read before that was agreed to. */
import * as vscode from "vscode";
import type { PredictReport } from "../../workshop/combinations/types.ts";
import type { Bench } from "../workshop/bench.ts";
import type { Outcome } from "../workshop/work.ts";
import { askWhile } from "./asking.ts";
import { firstIndexOf } from "./records.ts";
import { settingsOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";
import { working } from "./working.ts";

export async function predictAsked(bench: Bench, argument: CombinationArgument): Promise<PredictReport | undefined> {
  const root = await bench.chooseRoot(argument.root);
  if (root === undefined) {
    return undefined;
  }
  const settings = await settingsOf(root);
  const torch = argument.torch === undefined ? await askTorches(settings?.matrix?.torch) : [argument.torch];
  if (torch === undefined) {
    return undefined;
  }
  const first = await firstIndexOf(root, argument);
  return working(bench, "predict", vscode.l10n.t("Predicting for {0}", bench.nameOf(root)), root, async (work, workshop) => {
    const { predict, defaultBudget, wantedOf } = await import("../../workshop/combinations/index.ts");
    const request = { root, files: [], torch, wanted: { ...wantedOf(settings), ...first }, settings, offline: false };
    // Without a budget nothing but the indexes is read: what it would cost is known then.
    const before = await predict({ ...request, budget: 0, record: false }, workshop);
    if (before.outcome !== "nothing-to-predict" && before.estimated > 0 && !(await agreed(before, defaultBudget, work.signal))) {
      throw new vscode.CancellationError();
    }
    const report = before.outcome === "nothing-to-predict" ? before : await predict({ ...request, budget: defaultBudget, record: true }, workshop);
    report.notChecked.forEach((one) => workshop.activity.note(one));
    bench.works.tell({ kind: "predict", root, ...headline(report), text: `${bench.nameOf(root)}: ${words[report.outcome]()}`, command: { title: "", command: "abiding.openPanel", arguments: [vscode.Uri.file(root)] } });
    return report;
  });
}

const words: Readonly<Record<PredictReport["outcome"], () => string>> = {
  predicted: () => vscode.l10n.t("predicted"), partial: () => vscode.l10n.t("predicted in part"), cancelled: () => vscode.l10n.t("prediction cancelled"), "nothing-to-predict": () => vscode.l10n.t("nothing to predict"),
};

/** undefined: the user went away. */
async function askTorches(matrix: readonly string[] | undefined): Promise<readonly string[] | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Predict with which torches?"), value: (matrix ?? ["release:5", "nightly:10"]).join(" "), ignoreFocusOut: true,
    prompt: vscode.l10n.t("Versions, ranges such as >=2.12,<2.15, release:5 for the newest releases, nightly:60 for the newest nightlies; several are separated by spaces"),
    validateInput: (value) => (value.trim() === "" ? vscode.l10n.t("For example release:5.") : undefined),
  });
  return text?.trim().split(/\s+/);
}

async function agreed({ estimated, predictions }: PredictReport, budget: number, signal: AbortSignal): Promise<boolean> {
  const predict = vscode.l10n.t("Read and predict");
  const picked = await askWhile(signal, [
    { label: predict, detail: vscode.l10n.t("About {0} are to be read from package indexes, at most {1}. What is read is kept, and nothing is installed or run.", megabytes(estimated), megabytes(budget)) },
    { label: vscode.l10n.t("Cancel"), ...(predictions.length === 0 ? {} : { detail: vscode.l10n.t("{0} are known from before.", predictions.length) }) },
  ], { title: vscode.l10n.t("Predict from symbol tables") });
  return picked?.label === predict;
}

function megabytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1e6)).toLocaleString("en")} MB`;
}

function headline({ outcome, reason, predictions }: PredictReport): Pick<Outcome, "ending" | "headline"> {
  const conflicts = predictions.filter((one) => one.verdict === "conflict").length;
  const clear = predictions.filter((one) => one.verdict === "no-conflict").length;
  const counts = vscode.l10n.t("Predicted for {0} torches: a conflict with {1}, none found with {2}.", predictions.length, conflicts, clear);
  switch (outcome) {
    case "predicted":
      return { ending: "passed", headline: counts };
    case "partial":
      return { ending: "stopped", headline: `${counts} ${reason ?? ""}`.trimEnd() };
    case "cancelled":
      return { ending: "cancelled", headline: `${counts} ${reason ?? ""}`.trimEnd() };
    case "nothing-to-predict":
      return { ending: "failed", headline: reason ?? vscode.l10n.t("There is nothing to predict.") };
  }
}
