/** The panel of one window: a page, the project that it shows, and what its buttons do. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { PanelHostMessage, PanelPageMessage, PanelState, WorkKind } from "../../protocol/panel.ts";
import { activeFile } from "../activeFile.ts";
import { askForAnother } from "../binary/choices.ts";
import { editMatrix } from "../combinations/editMatrix.ts";
import { setPage } from "../page.ts";
import type { Bench } from "../workshop/bench.ts";
import { applyFix, besides, fixMeant, showFile, showLocation } from "./edits.ts";
import { askLibtorch, showLog } from "./header.ts";
import { cellArgument, panelMessage } from "./messages.ts";
import { Presence } from "./presence.ts";
import { Session } from "./session.ts";
import type { Remembered } from "./session.ts";

/** What each kind of work is started by; of libtorch it is asked which. */
const commands: Readonly<Record<Exclude<WorkKind, "libtorch">, string>> = {
  build: "abiding.build", smoke: "abiding.smoke", benchmark: "abiding.benchmark",
  combinations: "abiding.combinations.run", bisect: "abiding.combinations.bisect", predict: "abiding.combinations.predict",
};

/** What is done from a cell of the matrix. */
const cellCommands = { tryIt: "abiding.combinations.run", bisectFrom: "abiding.combinations.bisect", rollPins: "abiding.combinations.rollPins", predict: "abiding.combinations.predict" } as const;

export class Panel implements vscode.Disposable {
  readonly #bench: Bench;
  readonly #panel: vscode.WebviewPanel;
  readonly #presence: Presence;
  readonly #disposables: vscode.Disposable[];
  #session: Session | undefined;
  #isDisposed = false;

  constructor(bench: Bench, panel: vscode.WebviewPanel, root: string | undefined) {
    this.#bench = bench;
    this.#panel = panel;
    this.#presence = new Presence(panel.visible);
    const extension = bench.host.context.extensionUri;
    panel.iconPath = { light: vscode.Uri.joinPath(extension, "media", "panel-light.svg"), dark: vscode.Uri.joinPath(extension, "media", "panel-dark.svg") };
    this.#disposables = [
      panel.webview.onDidReceiveMessage((data: unknown) => {
        const message = panelMessage(data);
        if (message !== undefined) {
          void this.#answer(message);
        }
      }),
      panel.onDidChangeViewState(() => {
        if (this.#presence.seen(panel.visible)) {
          this.#post({ type: "shown" });
        }
        this.#session?.watch(this.#presence.isThere);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#showAll()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (this.#session !== undefined && !localFolders().some((one) => one.root === this.#session?.root)) {
          this.#open(undefined, {});
        }
        this.#showAll();
      }),
    ];
    if (root !== undefined) {
      this.#open(root, {});
    }
    setPage(panel.webview, extension, "panel", panel.title, vscode.workspace.getConfiguration("abiding").get<string>("panel.openOnStartup"));
  }

  reveal(root: string | undefined): void {
    this.#panel.reveal();
    if (root !== undefined && root !== this.#session?.root) {
      this.#open(root, {});
      this.#showAll();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#session?.dispose();
    this.#disposables.forEach((one) => void one.dispose());
  }

  /** Another project. */
  #open(wanted: string | undefined, remembered: Remembered): void {
    const root = localFolders().find((one) => one.root === wanted)?.root ?? likelyRoot();
    this.#session?.dispose();
    this.#session = root === undefined ? undefined : new Session(this.#bench, root, remembered, (message) => this.#post(message));
  }

  #showAll(): void {
    const session = this.#session;
    if (session === undefined) {
      this.#post({ type: "failed", message: vscode.l10n.t("No folder is open.") });
      return;
    }
    const state: PanelState = { project: { root: session.root, name: this.#bench.nameOf(session.root) }, projects: localFolders(), trusted: vscode.workspace.isTrusted, ...session.state };
    this.#post({ type: "state", state });
    session.combinations.running.forEach((event) => this.#post({ type: "cell", event }));
    session.watch(this.#presence.isThere);
  }

  /** A page that is hidden is gone; when it is built again it gets all of it. */
  #post(message: PanelHostMessage): void {
    if (!this.#isDisposed && this.#presence.isThere) {
      this.#panel.webview.postMessage(message).then(undefined, () => undefined);
    }
  }

  async #answer(message: PanelPageMessage): Promise<void> {
    try {
      await this.#perform(message);
    } catch (error) {
      this.#bench.host.log.error(error instanceof Error ? error.stack ?? error.message : String(error));
      void vscode.window.showErrorMessage(vscode.l10n.t("Abiding could not do that: {0}", error instanceof Error ? error.message : String(error)));
    }
  }

  async #perform(message: PanelPageMessage): Promise<void> {
    if (message.type === "ready") {
      this.#presence.ready();
      // After a reload of the window the page knows what it showed.
      if (this.#session === undefined) {
        this.#open(message.root, { ...(message.also === undefined ? {} : { also: message.also }), ...(message.baseline === undefined ? {} : { baseline: message.baseline }) });
      }
      this.#showAll();
      return;
    }
    const session = this.#session;
    if (session === undefined) {
      return;
    }
    const { root, combinations, benchmarks } = session;
    switch (message.type) {
      case "selectProject":
        this.#open(message.root, {});
        this.#showAll();
        break;
      case "start":
        await (message.work === "libtorch" ? askLibtorch(root) : vscode.commands.executeCommand(commands[message.work], { root }));
        break;
      case "cancel":
        session.running(message.work).forEach((work) => work.cancel());
        break;
      case "showLog":
        await showLog(this.#bench, this.#panel, root, message.work);
        break;
      case "openLocation":
        await showLocation(this.#panel, message.location);
        break;
      case "applyFix":
        await this.#applyFix(session, message);
        break;
      case "openRule":
        await vscode.commands.executeCommand("abiding.openRuleDocumentation", message.rule);
        break;
      case "compareAlso":
        await this.#compareAlso(session, message.remove === true);
        break;
      case "selectEnvironment":
        await vscode.commands.executeCommand("abiding.selectEnvironment", undefined, vscode.Uri.file(root));
        break;
      case "refresh":
        session.refresh();
        break;
      case "refreshIndexes":
        await vscode.commands.executeCommand("abiding.combinations.refreshIndexes", { root });
        break;
      case "openRecords":
        await combinations.openRecords(this.#panel);
        break;
      case "openDocumentation":
        await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(this.#bench.host.context.extensionUri, "docs", "combinations.md"));
        break;
      case "editMatrix":
        await editMatrix(root, besides(this.#panel));
        break;
      case "manageTrust":
        await vscode.commands.executeCommand("workbench.trust.manage");
        break;
      case "openCell":
        this.#post({ type: "details", details: await combinations.details(message.torch, message.records) });
        break;
      case "openLog": {
        const log = await combinations.logOf(message.record);
        if (log === undefined) {
          throw new Error(vscode.l10n.t("the log of this record is not on this machine, or no longer."));
        }
        await showFile(this.#panel, log);
        break;
      }
      case "copy":
        await this.#copy(message.text, message.what);
        break;
      case "copyInstallLine":
        await this.#copy(await combinations.installLine(message.torch, message.records), vscode.l10n.t("install line"));
        break;
      case "tryIt":
      case "bisectFrom":
      case "rollPins":
      case "predict":
        await vscode.commands.executeCommand(cellCommands[message.type], cellArgument(root, message));
        break;
      case "chooseBaseline":
        benchmarks.choose(message.baseline);
        break;
    }
  }

  async #applyFix(session: Session, { of = "bodies", finding, fix, title }: Extract<PanelPageMessage, { readonly type: "applyFix" }>): Promise<void> {
    const shown = (of === "bodies" ? session.findings : session.inTheWay)[finding];
    const meant = fixMeant(shown, fix, title, await session.findingsNow(of));
    if (meant === undefined) {
      session.refresh();
      throw new Error(vscode.l10n.t("the text has changed, and the fix is not what it was. Nothing was applied."));
    }
    await applyFix(this.#panel, meant);
  }

  async #compareAlso(session: Session, remove: boolean): Promise<void> {
    const against = remove ? undefined : await askForAnother(this.#bench.host.server, vscode.Uri.file(session.root));
    if (remove || against !== undefined) {
      session.compareAlso(against);
    }
  }

  async #copy(text: string, what: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
    this.#post({ type: "copied", what });
  }
}

function localFolders(): readonly { readonly name: string; readonly root: string }[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ name, uri }) => (uri.scheme === "file" ? [{ name, root: uri.fsPath }] : []));
}

/** The folder of the file in sight, else the first. */
function likelyRoot(): string | undefined {
  const file = activeFile()?.fsPath;
  const folders = localFolders();
  return (folders.find(({ root }) => file?.startsWith(root + path.sep) === true) ?? folders[0])?.root;
}
