import * as vscode from "vscode";
import { panelType } from "../panel/viewType.ts";
import { isCancellation } from "./cancellation.ts";
import type { CombinationCommand, OpenWorkshop, WorkshopCommand, WorkshopHost } from "./index.ts";
import { looksNative } from "./native.ts";
import { requireTrust } from "./trust.ts";

/** The part of the workshop that is always there: it registers what is cheap, and loads the rest when something is asked of it. */
export class WorkshopDoor implements vscode.Disposable {
  readonly #host: WorkshopHost;
  readonly #disposables: vscode.Disposable[] = [];
  #controller: vscode.TestController | undefined;
  #open: Promise<OpenWorkshop> | undefined;

  constructor(host: WorkshopHost) {
    this.#host = host;
    this.#disposables.push(
      vscode.tasks.registerTaskProvider("abiding", {
        // VS Code starts no task of a workspace that is not trusted; without its tasks it does not ask either.
        provideTasks: async () => (vscode.workspace.isTrusted ? (await this.open()).tasks() : []),
        resolveTask: async (task) => (vscode.workspace.isTrusted ? (await this.open()).resolveTask(task) : undefined),
      }),
      vscode.languages.registerCodeLensProvider([
        { scheme: "file", pattern: "**/CMakeLists.txt" }, { scheme: "file", pattern: "**/{setup.py,pyproject.toml,abiding.json}" },
      ], { provideCodeLenses: async (document, token) => (vscode.workspace.isTrusted ? (await this.open()).lenses(document, token) : []) }),
      vscode.window.registerWebviewPanelSerializer(panelType, { deserializeWebviewPanel: async (page) => (await this.open()).restorePanel(page) }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#showTests()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#showTests()),
      host.server.onDidChangeStatus(({ targets }) => targets > 0 && void this.#showTests(true)),
    );
    void this.#showTests();
  }

  /** Does what a command says. Refused in a workspace that is not trusted. */
  async command(name: WorkshopCommand | CombinationCommand, argument: unknown): Promise<unknown> {
    requireTrust();
    try {
      return await (await this.open()).command(name, argument);
    } catch (error) {
      if (isCancellation(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /** Opens the panel, which reads only and does so anywhere; what it starts is refused like any other. */
  async showPanel(argument: unknown): Promise<void> {
    const root = argument instanceof vscode.Uri ? vscode.workspace.getWorkspaceFolder(argument)?.uri.fsPath : undefined;
    (await this.open()).showPanel(root);
  }

  open(): Promise<OpenWorkshop> {
    this.#open ??= import("./index.ts").then(({ OpenWorkshop: Opened }) => new Opened(this.#host, () => this.#testController()));
    return this.#open;
  }

  /** Ends all that runs. */
  async end(): Promise<void> {
    await (await this.#open)?.end();
  }

  dispose(): void {
    this.#disposables.forEach((one) => void one.dispose());
    this.#controller?.dispose();
  }

  /** The Testing view appears with its first controller, so there is none for a folder without anything native. */
  async #showTests(isNative?: boolean): Promise<void> {
    if (this.#controller === undefined && vscode.workspace.isTrusted && (isNative ?? await looksNative(vscode.workspace.workspaceFolders ?? []))) {
      this.#testController();
    }
  }

  #testController(): vscode.TestController {
    this.#controller ??= this.#createController();
    return this.#controller;
  }

  #createController(): vscode.TestController {
    const controller = vscode.tests.createTestController("abiding", "Abiding");
    // Other projects' Testing views have no way to the panel.
    void vscode.commands.executeCommand("setContext", "abiding.isNative", true);
    const shown = (work: Promise<void>): Promise<void> => work.catch((error: unknown) => {
      if (isCancellation(error)) {
        return;
      }
      this.#host.log.error(error instanceof Error ? error.stack ?? error.message : String(error));
      void vscode.window.showErrorMessage(vscode.l10n.t("Abiding could not do that: {0}", error instanceof Error ? error.message : String(error)));
    });
    controller.resolveHandler = async (item) => {
      if (item === undefined) {
        await shown(this.open().then((workshop) => workshop.listTests()));
      }
    };
    controller.refreshHandler = (token) => shown(this.open().then((workshop) => workshop.refreshTests(token)));
    const run = (what: "smoke" | "benchmark" | "debug") => (request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> =>
      shown(this.open().then((workshop) => workshop.runTests(what, request, token)));
    const smoke = new vscode.TestTag("abiding.smoke");
    controller.createRunProfile(vscode.l10n.t("Smoke tests"), vscode.TestRunProfileKind.Run, run("smoke"), true, smoke);
    controller.createRunProfile(vscode.l10n.t("Debug"), vscode.TestRunProfileKind.Debug, run("debug"), true, smoke);
    controller.createRunProfile(vscode.l10n.t("Benchmarks"), vscode.TestRunProfileKind.Run, run("benchmark"), false, new vscode.TestTag("abiding.benchmark"));
    return controller;
  }
}
