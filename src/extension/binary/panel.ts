import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { BinaryHostMessage, BinaryPageMessage, BinaryView, Status } from "../../protocol/index.ts";
import { isConnectionLost } from "../connectionLost.ts";
import { setPage } from "../page.ts";
import type { Server } from "../server.ts";
import { askWhatToCompareWith } from "./choices.ts";
import { watchFile } from "./fileWatch.ts";
import { pageMessage } from "./messages.ts";

interface Answer {
  readonly view: BinaryView;
  readonly against: string | undefined;
}

/** One editor of one file: asks the server, shows what it says, and asks again when the file or the environment changed. */
export class BinaryPanel implements vscode.Disposable {
  readonly uri: vscode.Uri;
  readonly #panel: vscode.WebviewPanel;
  readonly #server: Server;
  readonly #disposables: vscode.Disposable[];
  /** What was named to compare with; undefined: the selected environment. */
  #against: string | undefined;
  /** The last answer, and what was named for it. */
  #answered: Answer | undefined;
  /** What the page shows, for when it is built anew. */
  #shown: BinaryHostMessage | undefined;
  /** The one that is not answered yet. */
  #question: { readonly id: string; readonly cancellation: vscode.CancellationTokenSource } | undefined;
  /** The last question went down with the server; "again": the one that was asked in its place as well, and there is no third. */
  #lost: "once" | "again" | undefined;
  #isDisposed = false;
  /** The answer is of before a change that happened while nobody looked. */
  #stale = true;
  readonly #torches = new Map<string, string>();

  constructor(uri: vscode.Uri, panel: vscode.WebviewPanel, server: Server, extension: vscode.Uri, asked: { readonly against: string | undefined } | undefined) {
    this.uri = uri;
    this.#panel = panel;
    this.#server = server;
    this.#against = asked?.against;
    let isAsked = asked !== undefined;
    this.#disposables = [
      panel.webview.onDidReceiveMessage((data: unknown) => {
        const message = pageMessage(data);
        if (message?.type === "ready" && !isAsked && this.#answered === undefined) {
          // After a reload of the window the page knows what it was compared with.
          this.#against = message.against;
        }
        isAsked = true;
        if (message !== undefined) {
          void this.#answer(message);
        }
      }),
      panel.onDidChangeViewState(() => {
        if (panel.visible && this.#stale && this.#shown !== undefined) {
          this.#ask();
        }
      }),
      watchFile(uri, () => this.#refresh()),
      server.onDidChangeStatus((status) => this.#statusChanged(status)),
      server.onDidChangeState((state) => {
        if (state === "running" && this.#lost === "once" && this.#question === undefined) {
          this.#refresh();
        }
      }),
      server.onDidAnswerInPart(({ question, message }) => {
        if (question === this.#question?.id && !this.#question.cancellation.token.isCancellationRequested) {
          this.#show({ type: "busy", message: this.#busyMessage(), progress: message });
        }
      }),
    ];
    // The tab has its name from the file; this one is the frame's, for screen readers.
    panel.title = uri.path.slice(uri.path.lastIndexOf("/") + 1);
    setPage(panel.webview, extension, "binary", panel.title);
  }

  get isActive(): boolean {
    return this.#panel.active;
  }

  reveal(): void {
    this.#panel.reveal();
  }

  compare(against: string | undefined): void {
    this.#against = against;
    // Whoever asks anew wants an answer, however often there was none.
    this.#lost = undefined;
    this.#ask();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#question?.cancellation.cancel();
    // Its end concerns nobody any more.
    this.#question = undefined;
    this.#disposables.forEach((one) => void one.dispose());
  }

  async #answer(message: BinaryPageMessage): Promise<void> {
    switch (message.type) {
      case "ready":
        if (this.#shown !== undefined && !this.#stale) {
          this.#show(this.#shown);
        } else {
          this.#ask();
        }
        break;
      case "copy":
        await this.#copy(message.text, vscode.l10n.t("symbol"));
        break;
      case "copyReport":
        if (this.#answered !== undefined) {
          await this.#copy(this.#answered.view.markdown, vscode.l10n.t("report"));
        }
        break;
      case "compare":
        await this.#compareWithAnother();
        break;
      case "compareSelected":
        this.compare(undefined);
        break;
      case "selectEnvironment":
        // Without a folder nothing can be selected for longer.
        await (vscode.workspace.workspaceFolders === undefined ? this.#compareWithAnother() : vscode.commands.executeCommand("abiding.selectEnvironment"));
        break;
      case "cancel":
        this.#question?.cancellation.cancel();
        break;
      case "retry":
        this.compare(this.#against);
        break;
      case "openAsText":
        await vscode.commands.executeCommand("vscode.openWith", this.uri, "default");
        break;
      case "openRule":
        await vscode.commands.executeCommand("abiding.openRuleDocumentation", message.rule);
        break;
    }
  }

  /** Here and not by the command: the same file may be open in other editors too. */
  async #compareWithAnother(): Promise<void> {
    try {
      const comparison = await askWhatToCompareWith(this.#server, this.uri);
      if (comparison !== undefined) {
        this.compare(comparison.against);
      }
    } catch (error) {
      void vscode.window.showErrorMessage(vscode.l10n.t("Abiding could not do that: {0}", saidBy(error)));
    }
  }

  async #copy(text: string, what: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
    // Not what the page shows: it is said once.
    this.#post({ type: "copied", what });
  }

  #refresh(): void {
    this.#stale = true;
    if (this.#panel.visible) {
      this.#ask();
    }
  }

  /** The selected torch changed, of some folder; when it is not ours, the answer is the same again. */
  #statusChanged({ folder, torch }: Status): void {
    const now = JSON.stringify(torch);
    const before = this.#torches.get(folder) ?? JSON.stringify(this.#answered?.view.against);
    this.#torches.set(folder, now);
    if (now !== before && this.#against === undefined && this.#answered !== undefined) {
      this.#refresh();
    }
  }

  #show(message: BinaryHostMessage): void {
    this.#shown = message;
    this.#post(message);
  }

  /** A page that was closed meanwhile cannot be told anything. */
  #post(message: BinaryHostMessage): void {
    if (!this.#isDisposed) {
      this.#panel.webview.postMessage(message).then(undefined, () => undefined);
    }
  }

  #ask(): void {
    if (this.#isDisposed) {
      return;
    }
    this.#question?.cancellation.cancel();
    const question = { id: randomUUID(), cancellation: new vscode.CancellationTokenSource() };
    this.#question = question;
    this.#stale = false;
    this.#show({ type: "busy", message: this.#busyMessage() });
    const against = this.#against;
    const params = { uri: this.uri.toString(), question: question.id, ...(against === undefined ? {} : { against }) };
    const { token } = question.cancellation;
    // What a question that another one took the place of is answered with is of no interest.
    const ended = (show: () => void): void => {
      if (question === this.#question) {
        this.#question = undefined;
        show();
      }
    };
    void this.#server.request("abiding/binary", params, token).then(
      (view) => ended(() => {
        this.#lost = undefined;
        if (token.isCancellationRequested) {
          this.#showCancelled();
        } else {
          this.#answered = view === null ? undefined : { view, against };
          if (this.#answered === undefined) {
            this.#fail(vscode.l10n.t("The file could not be looked at. The log of Abiding says why."));
          } else {
            this.#showAnswer(this.#answered);
          }
        }
      }),
      (error: unknown) => ended(() => {
        const isLost = isConnectionLost(error) && !token.isCancellationRequested;
        this.#lost = !isLost ? undefined : this.#lost === undefined ? "once" : "again";
        if (token.isCancellationRequested) {
          this.#showCancelled();
        } else {
          this.#fail(isLost ? vscode.l10n.t("The language server stopped.") : saidBy(error));
        }
      }),
    ).finally(() => question.cancellation.dispose());
  }

  #fail(message: string): void {
    this.#answered = undefined;
    this.#show({ type: "failed", message });
  }

  /** What was there before is there again. */
  #showCancelled(): void {
    if (this.#answered === undefined) {
      this.#show({ type: "failed", message: vscode.l10n.t("Cancelled.") });
    } else {
      this.#against = this.#answered.against;
      this.#showAnswer(this.#answered);
    }
  }

  #busyMessage(): string {
    return this.#against === undefined ? vscode.l10n.t("Comparing with the selected environment") : vscode.l10n.t("Comparing with {0}", this.#against);
  }

  #showAnswer({ view, against }: Answer): void {
    this.#show({ type: "view", view, ...(against === undefined ? {} : { compared: against }) });
  }
}

function saidBy(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
