import * as vscode from "vscode";
import type { Works } from "./work.ts";

/** What runs, and how the last thing that ran ended. There is nothing before the user asked for something. */
export class WorkStatus implements vscode.Disposable {
  readonly #works: Works;
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: vscode.Disposable;

  constructor(works: Works) {
    this.#works = works;
    this.#item = vscode.window.createStatusBarItem("abiding.work", vscode.StatusBarAlignment.Left, 9);
    this.#item.name = vscode.l10n.t("Abiding: builds and tests");
    this.#subscription = works.onDidChange(() => this.#update());
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #update(): void {
    const { running, outcome } = this.#works;
    const [first, ...others] = running;
    if (first !== undefined) {
      const fraction = first.fraction === undefined ? "" : ` ${Math.floor(first.fraction * 100)} %`;
      const text = first.step === "" ? first.title : `${first.title}: ${first.step}`;
      this.#item.text = `$(sync~spin) ${text}${fraction}${others.length === 0 ? "" : ` (+${others.length})`}`;
      this.#item.tooltip = vscode.l10n.t("Click to cancel.");
      this.#item.accessibilityInformation = { label: vscode.l10n.t("Abiding: {0}. Activate to cancel.", text), role: "button" };
      this.#item.command = "abiding.cancelWork";
      this.#item.show();
    } else if (outcome !== undefined) {
      this.#item.text = `${outcome.ending === "passed" ? "$(pass)" : "$(error)"} ${outcome.text}`;
      this.#item.tooltip = outcome.details ?? vscode.l10n.t("The last thing that Abiding did. Click for details.");
      this.#item.accessibilityInformation = { label: `Abiding: ${outcome.text}${outcome.details === undefined ? "" : `, ${outcome.details}`}`, role: "button" };
      this.#item.command = outcome.command;
      this.#item.show();
    } else {
      this.#item.hide();
    }
  }
}
