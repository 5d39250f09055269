import * as vscode from "vscode";
import type { Status } from "../protocol/index.ts";
import { activeFile } from "./activeFile.ts";
import { escaped } from "./markdown.ts";
import type { Server } from "./server.ts";

/** One item: the torch that the active folder is checked against, its ABI and what was found. The tooltip is the control panel. */
export class StatusBar implements vscode.Disposable {
  readonly #server: Server;
  readonly #item: vscode.StatusBarItem;
  readonly #statuses = new Map<string, Status>();
  readonly #disposables: vscode.Disposable[];

  constructor(server: Server) {
    this.#server = server;
    this.#item = vscode.window.createStatusBarItem("abiding.status", vscode.StatusBarAlignment.Left, 10);
    this.#item.name = "Abiding";
    this.#item.command = "workbench.actions.view.problems";
    this.#disposables = [
      this.#item,
      server.onDidChangeStatus((status) => {
        this.#statuses.set(status.folder, status);
        this.#update();
      }),
      server.onDidChangeState(() => this.#update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#update()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#update()),
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        removed.forEach((folder) => this.#statuses.delete(normalised(folder.uri.toString())));
        this.#update();
      }),
    ];
  }

  dispose(): void {
    this.#disposables.forEach((one) => void one.dispose());
  }

  #update(): void {
    const status = this.#active();
    if (this.#server.state === "failed") {
      this.#item.text = `$(error) ${vscode.l10n.t("Abiding stopped")}`;
      this.#item.tooltip = panel([vscode.l10n.t("The language server does not run.")]);
      this.#item.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
      this.#item.show();
    } else if (status?.enabled !== true || (status.torch === undefined && status.files === 0)) {
      // The server may run for a name under the pointer, where there is nothing to check and nothing to check against.
      this.#item.hide();
    } else {
      const { text, spoken } = summary(status);
      this.#item.text = text;
      this.#item.accessibilityInformation = { label: spoken };
      this.#item.tooltip = panel(details(status));
      this.#item.backgroundColor = status.problems.length > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
      this.#item.show();
    }
  }

  /** The status of the innermost folder around the active document, or the only one there is. */
  #active(): Status | undefined {
    const uri = activeFile();
    const path = uri === undefined ? undefined : `${normalised(uri.toString())}/`;
    const around = [...this.#statuses.values()].filter((status) => path?.startsWith(`${normalised(status.folder)}/`));
    return around.sort((a, b) => b.folder.length - a.folder.length)[0] ?? this.#statuses.values().next().value;
  }
}

/** Client and server may encode the same folder differently. */
function normalised(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}

function summary(status: Status): { readonly text: string; readonly spoken: string } {
  const { torch, findings } = status;
  const parts: string[] = [];
  const spoken = ["Abiding"];
  if (torch === undefined) {
    parts.push(vscode.l10n.t("no torch"));
    spoken.push(vscode.l10n.t("no torch found"));
  } else {
    parts.push(`torch ${torch.version}`);
    spoken.push(`torch ${torch.version}`);
    if (torch.abi !== undefined) {
      parts.push(`ABI ${torch.abi}`);
      spoken.push(`ABI ${torch.abi}`);
    }
  }
  const notes = findings.info + findings.hint;
  for (const [icon, word, count] of [["error", vscode.l10n.t("errors"), findings.error], ["warning", vscode.l10n.t("warnings"), findings.warning], ["info", vscode.l10n.t("notes"), notes]] as const) {
    if (count > 0) {
      parts.push(`$(${icon}) ${count}`);
      spoken.push(`${count} ${word}`);
    }
  }
  return { text: parts.join(" "), spoken: spoken.join(", ") };
}

function details(status: Status): string[] {
  const { torch } = status;
  const lines = [`**Abiding: ${escaped(status.name)}**`];
  if (torch === undefined) {
    lines.push(vscode.l10n.t("No torch was found to check against."));
  } else {
    const cuda = torch.cuda === undefined ? "" : torch.cuda === null ? `, ${vscode.l10n.t("without CUDA")}` : `, CUDA ${torch.cuda}`;
    const python = torch.python === undefined ? "" : `, Python ${torch.python}`;
    const abi = torch.abi === undefined ? "" : `, libstdc++ ABI ${torch.abi}`;
    lines.push(`torch ${escaped(torch.version)}${abi}${cuda}${python} (${escaped(torch.path ?? (torch.source === "catalogue" ? vscode.l10n.t("catalogue of releases") : torch.name))})`);
  }
  if (status.also.length > 0) {
    lines.push(vscode.l10n.t("Also checked against {0}.", escaped(status.also.join(", "))));
  }
  const { error, warning, info, hint } = status.findings;
  const counts = [
    [error, vscode.l10n.t("1 error"), vscode.l10n.t("{0} errors", error)],
    [warning, vscode.l10n.t("1 warning"), vscode.l10n.t("{0} warnings", warning)],
    [info + hint, vscode.l10n.t("1 note"), vscode.l10n.t("{0} notes", info + hint)],
    [status.suppressed, vscode.l10n.t("1 silenced"), vscode.l10n.t("{0} silenced", status.suppressed)],
  ] as const;
  const found = counts.filter(([count]) => count > 0).map(([count, one, many]) => (count === 1 ? one : many)).join(", ");
  const targets = status.targets === 1 ? vscode.l10n.t("1 target") : vscode.l10n.t("{0} targets", status.targets);
  const files = status.files === 1 ? vscode.l10n.t("1 build file") : vscode.l10n.t("{0} build files", status.files);
  lines.push(vscode.l10n.t("{0} in {1} and {2}.", found === "" ? vscode.l10n.t("No findings") : found, targets, files));
  lines.push(...status.problems.map((problem) => `$(warning) ${escaped(problem)}`));
  const notChecked = status.notChecked.filter((one) => !status.problems.includes(one));
  if (notChecked.length > 0) {
    lines.push([vscode.l10n.t("Not checked:"), "", ...notChecked.slice(0, 5).map((one) => `- ${escaped(one)}`)].join("\n"));
  }
  return lines;
}

const actions = [
  ["abiding.openPanel", vscode.l10n.t("Open panel")],
  ["abiding.selectEnvironment", vscode.l10n.t("Select environment")],
  ["abiding.checkWorkspace", vscode.l10n.t("Check workspace")],
  ["abiding.copyReport", vscode.l10n.t("Copy report")],
  ["abiding.showLog", vscode.l10n.t("Show log")],
  ["abiding.restartServer", vscode.l10n.t("Restart server")],
] as const;

function panel(lines: readonly string[]): vscode.MarkdownString {
  const links = actions.map(([command, title]) => `[${title}](command:${command})`).join(" · ");
  const text = new vscode.MarkdownString([...lines, "---", links].join("\n\n"), true);
  text.isTrusted = { enabledCommands: actions.map(([command]) => command) };
  return text;
}
