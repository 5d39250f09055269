/** What package indexes have: read when somebody asks for it, and remembered. */
import * as vscode from "vscode";
import type { IndexKnowledge } from "../../workshop/combinations/types.ts";
import type { Bench } from "../workshop/bench.ts";
import { Refused } from "../workshop/trust.ts";
import { settingsOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";
import { working } from "./working.ts";

export async function refreshIndexes(bench: Bench, argument: CombinationArgument): Promise<IndexKnowledge | undefined> {
  const root = await bench.chooseRoot(argument.root);
  if (root === undefined) {
    return undefined;
  }
  const knowledge = await readKnowledge(bench, root, "refresh");
  const { indexes, wheels } = knowledge;
  const failed = indexes.filter((one) => one.problem !== undefined);
  if (failed.length > 0 && failed.length === indexes.length) {
    throw new Refused(failed[0]?.problem ?? vscode.l10n.t("no index could be read."));
  }
  const torches = new Set(wheels.filter((one) => one.package === "torch").map((one) => one.version)).size;
  const message = torches === 1 ? vscode.l10n.t("Abiding: 1 version of torch is known.") : vscode.l10n.t("Abiding: {0} versions of torch are known.", torches);
  if (failed.length > 0) {
    void vscode.window.showWarningMessage([message, ...failed.flatMap((one) => one.problem ?? [])].join(" "));
  } else {
    vscode.window.setStatusBarMessage(message, 5000);
  }
  return knowledge;
}

/** `how`: "memory" asks nothing of the network, "refresh" reads again what was read a few minutes ago. */
export async function readKnowledge(bench: Bench, root: string, how: "memory" | "refresh"): Promise<IndexKnowledge> {
  const { readIndexes, wantedOf } = await import("../../workshop/combinations/index.ts");
  const settings = await settingsOf(root);
  const request = { root, wanted: wantedOf(settings), packages: settings?.packages ?? [] };
  return how === "memory" ? readIndexes({ ...request, offline: true }, bench.quietly(root)) : working(bench, "indexes", vscode.l10n.t("Reading package indexes"), root, (_, workshop) => readIndexes({ ...request, refresh: true }, workshop));
}
