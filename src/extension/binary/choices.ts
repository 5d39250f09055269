import * as vscode from "vscode";
import type { EnvironmentChoice } from "../../protocol/index.ts";
import type { Server } from "../server.ts";

/** `against` undefined: the selected environment. */
export interface Comparison {
  readonly against: string | undefined;
}

interface Item extends vscode.QuickPickItem {
  readonly against?: string;
  readonly action: "selected" | "named" | "release" | "wheel" | "folder" | "address";
}

/** Asks what a file shall be compared with; undefined: the user went away. */
export function askWhatToCompareWith(server: Server, uri: vscode.Uri): Promise<Comparison | undefined> {
  return ask(server, uri, vscode.l10n.t("Would it load with..."), true);
}

/** Asks for an environment to lay beside those that a project has already; undefined: the user went away. */
export async function askForAnother(server: Server, uri: vscode.Uri): Promise<string | undefined> {
  return (await ask(server, uri, vscode.l10n.t("Which environment beside the others?"), false))?.against;
}

async function ask(server: Server, uri: vscode.Uri, title: string, withSelected: boolean): Promise<Comparison | undefined> {
  const items = server.request("abiding/environments", { uri: uri.toString() }).then((choices) => itemsOf(choices, withSelected));
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, matchOnDetail: true });
  switch (picked?.action) {
    case undefined:
      return undefined;
    case "selected":
      return { against: undefined };
    case "named":
      return { against: picked.against };
    case "release":
      return named(await askRelease(server));
    case "wheel":
      return named(await browse({ canSelectFiles: true, canSelectFolders: false, filters: { [vscode.l10n.t("Wheels")]: ["whl"] } }));
    case "folder":
      return named(await browse({ canSelectFiles: false, canSelectFolders: true }));
    case "address":
      return named(await vscode.window.showInputBox({
        title: vscode.l10n.t("Address of a torch wheel"),
        prompt: vscode.l10n.t("The parts of the wheel that are needed are read from that server, usually a few MB and never more than 64; nothing is installed or run."),
        placeHolder: "https://download.pytorch.org/whl/...",
        ignoreFocusOut: true,
        validateInput: (value) => (value === "" || /^(?:https?:\/\/\S+|index:https?:\/\/\S+\s+torch\s*==.+)$/i.test(value.trim()) ? undefined : vscode.l10n.t("An address starts with https://. One of a package index is written as index:https://... torch==VERSION")),
      }));
  }
}

function itemsOf(choices: readonly EnvironmentChoice[], withSelected: boolean): Item[] {
  const [selected] = choices.filter((one) => one.selected);
  return [
    ...(withSelected ? [{ label: vscode.l10n.t("The selected environment"), action: "selected" as const, ...(selected === undefined ? {} : { description: selected.detail, detail: selected.spec }) }] : []),
    ...choices.filter((one) => one.hasTorch && !one.selected).map((one): Item => ({ label: one.name, description: one.detail, detail: one.spec, against: one.spec, action: "named" })),
    { label: "", kind: vscode.QuickPickItemKind.Separator, action: "named" },
    { label: vscode.l10n.t("A release of torch..."), action: "release" },
    { label: vscode.l10n.t("A wheel file..."), action: "wheel" },
    { label: vscode.l10n.t("An environment, torch or libtorch folder..."), action: "folder" },
    { label: vscode.l10n.t("The address of a wheel..."), description: vscode.l10n.t("reads a few MB from the network"), action: "address" },
  ];
}

async function askRelease(server: Server): Promise<string | undefined> {
  const other = vscode.l10n.t("Another release or build...");
  const releases = server.request("abiding/releases", {}).then((all) => [...all.map((version) => `torch==${version}`), other]);
  const picked = await vscode.window.showQuickPick(releases, { title: vscode.l10n.t("Release of torch") });
  return picked !== other ? picked : vscode.window.showInputBox({ title: vscode.l10n.t("Release of torch"), value: "torch==", prompt: vscode.l10n.t("A release with its build, for example torch==2.8.0+cu128") });
}

async function browse(options: vscode.OpenDialogOptions): Promise<string | undefined> {
  const uris = await vscode.window.showOpenDialog({ ...options, canSelectMany: false, openLabel: vscode.l10n.t("Compare with this") });
  return uris?.[0]?.fsPath;
}

function named(against: string | undefined): Comparison | undefined {
  const spec = against?.trim();
  return spec === undefined || spec === "" ? undefined : { against: spec };
}
