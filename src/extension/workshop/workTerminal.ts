import * as vscode from "vscode";
import { isCancellation } from "./cancellation.ts";
import { BatchedScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";

/** Writes to the screen until it is done or cancelled, and answers with its exit status. */
export type Job = (screen: Screen, token: vscode.CancellationToken) => Promise<number>;

/** How the terminal of a task is shown. */
export const presentation: vscode.TaskPresentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false, panel: vscode.TaskPanelKind.Dedicated, clear: true, showReuseMessage: false };

/** The terminal of a task. Closing it, ending the task and Ctrl-C all cancel the work. */
export class WorkTerminal implements vscode.Pseudoterminal {
  readonly #job: Job;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #closed = new vscode.EventEmitter<number>();
  readonly #cancel = new vscode.CancellationTokenSource();

  readonly onDidWrite = this.#written.event;
  readonly onDidClose = this.#closed.event;

  constructor(job: Job) {
    this.#job = job;
  }

  open(): void {
    void this.#do();
  }

  close(): void {
    this.#cancel.cancel();
  }

  handleInput(data: string): void {
    if (data.includes("\u0003")) {
      this.#cancel.cancel();
    }
  }

  async #do(): Promise<void> {
    const screen = new BatchedScreen((text) => this.#written.fire(text));
    let status = 1;
    try {
      status = await this.#job(screen, this.#cancel.token);
    } catch (error) {
      screen.note(this.#cancel.token.isCancellationRequested || isCancellation(error) ? vscode.l10n.t("Cancelled.") : vscode.l10n.t("Abiding could not do that: {0}", error instanceof Error ? error.message : String(error)));
    }
    screen.end();
    this.#closed.fire(status);
  }
}
