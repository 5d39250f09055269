import * as vscode from "vscode";
import type { EnvironmentChoice } from "../../protocol/index.ts";
import { activeProject } from "./index.ts";
import type { Commands } from "./index.ts";

interface Item extends vscode.QuickPickItem {
  readonly choice?: EnvironmentChoice;
  readonly action?: "automatic" | "release" | "browse";
}

/** Lets the user say which torch the active project, or the one named, is checked against. With an argument, selects it without asking. */
export async function selectEnvironment(host: Commands, given?: unknown, named?: unknown): Promise<void> {
  const project = named instanceof vscode.Uri ? { uri: named.toString() } : activeProject();
  const spec = typeof given === "string" ? given : await ask(host, project);
  if (spec === undefined) {
    return;
  }
  const chosen = spec === automatic ? undefined : spec;
  const status = await host.server.request("abiding/selectEnvironment", { ...project, ...(chosen === undefined ? {} : { spec: chosen }) });
  if (status !== null) {
    await host.choices.set(vscode.Uri.parse(status.folder).toString(), chosen);
  }
}

/** No path and no release is called that. */
const automatic = "";

async function ask(host: Commands, project: { readonly uri?: string }): Promise<string | undefined> {
  const choices = host.server.request("abiding/environments", project);
  const picked = await vscode.window.showQuickPick<Item>(choices.then(items), { title: vscode.l10n.t("Check against"), matchOnDescription: true, matchOnDetail: true });
  switch (picked?.action) {
    case "automatic":
      return automatic;
    case "release":
      return vscode.window.showInputBox({ title: vscode.l10n.t("Release of torch"), value: "torch==", prompt: vscode.l10n.t("A release with its build, for example torch==2.8.0+cu128") });
    case "browse": {
      const uris = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: true, canSelectMany: false, openLabel: vscode.l10n.t("Check against this"), title: vscode.l10n.t("An environment, a torch or libtorch folder, a wheel, or a saved profile") });
      return uris?.[0]?.fsPath;
    }
    case undefined:
      return picked?.choice?.spec;
  }
}

function items(choices: readonly EnvironmentChoice[]): Item[] {
  return [
    ...choices.map((choice): Item => ({ label: `${choice.selected ? "$(check) " : ""}${choice.name}`, description: choice.detail, detail: choice.spec, choice })),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: vscode.l10n.t("Automatic"), description: vscode.l10n.t("the settings, the selected interpreter, or what is found"), action: "automatic" },
    { label: vscode.l10n.t("A release of torch..."), action: "release" },
    { label: vscode.l10n.t("Browse..."), action: "browse" },
  ];
}
