/** The panel: one webview for each window, beside whose page the extension answers and acts. */
import * as vscode from "vscode";
import type { Bench } from "../workshop/bench.ts";
import { Refused } from "../workshop/trust.ts";
import { Panel } from "./panel.ts";
import { panelType } from "./viewType.ts";

export class Panels implements vscode.Disposable {
  readonly #bench: Bench;
  #open: Panel | undefined;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  /** Shows the one that is there, or makes it. */
  show(root: string | undefined): void {
    if (vscode.workspace.workspaceFolders === undefined) {
      throw new Refused(vscode.l10n.t("no folder is open."));
    }
    if (this.#open !== undefined) {
      this.#open.reveal(root);
      return;
    }
    this.restore(vscode.window.createWebviewPanel(panelType, "Abiding", vscode.ViewColumn.Active, { enableFindWidget: true }), root);
  }

  /** A page of a window that was loaded anew, or a new one. */
  restore(page: vscode.WebviewPanel, root?: string): void {
    if (this.#open !== undefined) {
      page.dispose();
      return;
    }
    const panel = new Panel(this.#bench, page, root);
    this.#open = panel;
    page.onDidDispose(() => {
      panel.dispose();
      this.#open = undefined;
    });
  }

  dispose(): void {
    this.#open?.dispose();
  }
}
