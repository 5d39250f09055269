/** The versions of torch that a project's records and indexes know, and the question for one of them. */
import * as vscode from "vscode";
import { foldMatrix } from "../../views/matrix.ts";
import { recordWords } from "../../views/words.ts";
import type { Bench } from "../workshop/bench.ts";
import { readKnowledge } from "./indexes.ts";
import { settingsOf } from "./settings.ts";

export interface KnownTorch {
  readonly torch: string;
  /** What the records say of it; absent: nothing. */
  readonly verdict?: "good" | "bad";
  /** "smoke tests passed". */
  readonly words?: string;
}

/** The newest first, from the records and from what was remembered of indexes. */
export async function knownTorches(bench: Bench, root: string): Promise<readonly KnownTorch[]> {
  const { judgementOf, newestFirst, panelRecords, readCombinations, recordsFile, wantedOf } = await import("../../workshop/combinations/index.ts");
  const settings = await settingsOf(root);
  const read = await readCombinations(recordsFile(root, settings));
  const wheels = newestFirst(await readKnowledge(bench, root, "memory"), wantedOf(settings));
  const matrix = foldMatrix(panelRecords(read), wheels.map((one) => ({ torch: one.version, listed: one.listed })), { axis: "version" });
  return matrix.rows.map(({ torch }, row): KnownTorch => {
    const judgement = judgementOf(matrix.recordsOf(row));
    return judgement === undefined ? { torch } : { torch, verdict: judgement.verdict === "passed" || judgement.verdict === "no-conflict" ? "good" : "bad", words: recordWords(judgement.record.how, judgement.record.outcome) };
  });
}

/** A version, or what somebody types who knows better; undefined: the user went away. `first`: what is offered first. */
export async function pickTorch(title: string, torches: readonly KnownTorch[], first: string | undefined): Promise<string | undefined> {
  const other = vscode.l10n.t("Another version...");
  const items = [...torches.filter((one) => one.torch === first), ...torches.filter((one) => one.torch !== first)].map((one): vscode.QuickPickItem => ({ label: one.torch, ...(one.words === undefined ? {} : { description: one.words }) }));
  const picked = await vscode.window.showQuickPick([...items, { label: other }], { title, matchOnDescription: true, ignoreFocusOut: true });
  return picked?.label !== other ? picked?.label : (await vscode.window.showInputBox({ title, prompt: vscode.l10n.t("A version such as 2.13.0, or the day of a nightly such as 20261101"), ignoreFocusOut: true }))?.trim();
}
