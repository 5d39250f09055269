/** What the buttons of the header strip do that no command does. */
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { WorkKind } from "../../protocol/panel.ts";
import type { Bench } from "../workshop/bench.ts";
import { showFile } from "./edits.ts";

/** Where the output of what has no file of its own is. */
const elsewhere: Readonly<Record<WorkKind, string>> = {
  build: "workbench.action.terminal.focus", smoke: "testing.showMostRecentOutput", benchmark: "testing.showMostRecentOutput",
  libtorch: "abiding.showLog", combinations: "abiding.showLog", bisect: "abiding.showLog", predict: "abiding.showLog",
};

export async function askLibtorch(root: string): Promise<void> {
  const picked = await vscode.window.showQuickPick([
    { label: vscode.l10n.t("Locate libtorch"), detail: vscode.l10n.t("Which one a CMake project would find, and why"), command: "abiding.locateLibtorch" },
    { label: vscode.l10n.t("Fetch libtorch..."), detail: vscode.l10n.t("Downloads an official one into a folder that you name"), command: "abiding.fetchLibtorch" },
    { label: vscode.l10n.t("Build libtorch..."), detail: vscode.l10n.t("From a checkout of PyTorch"), command: "abiding.buildLibtorch" },
  ], { title: vscode.l10n.t("libtorch"), matchOnDetail: true });
  if (picked !== undefined) {
    await vscode.commands.executeCommand(picked.command, { root });
  }
}

/** The log of what runs, or of what ran last. */
export async function showLog(bench: Bench, panel: vscode.WebviewPanel, root: string, kind: WorkKind): Promise<void> {
  const isRunning = bench.works.running.some((work) => work.kind === kind && work.root === root);
  const log = isRunning ? undefined : bench.works.lastEnding(kind, root)?.log;
  if (log !== undefined && existsSync(log)) {
    await showFile(panel, log);
  } else {
    await vscode.commands.executeCommand(elsewhere[kind]);
  }
}
