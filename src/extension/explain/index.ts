/** Error texts wherever they stand, explained: in terminals, logs, notebooks, tests and problems. Nothing appears that nobody asked for. */
import { stripVTControlCharacters } from "node:util";
import * as vscode from "vscode";
import { registerProblemActions } from "./codeActions.ts";
import { registerSymbolHover } from "./hover.ts";
import { Explanation } from "./panel.ts";
import type { ExplanationHost } from "./panel.ts";
import type { Question } from "./question.ts";
import { candidates, questionFrom, selected, selectedInTerminal } from "./sources.ts";
import { registerTerminalLinks, TerminalOutputs } from "./terminals.ts";

export class Explaining implements vscode.Disposable {
  readonly #outputs: TerminalOutputs;
  readonly #explanation: Explanation;
  readonly #registrations: vscode.Disposable;

  constructor(host: ExplanationHost & { readonly log: vscode.LogOutputChannel }) {
    this.#outputs = new TerminalOutputs(host.log);
    this.#explanation = new Explanation(host);
    this.#registrations = vscode.Disposable.from(
      registerTerminalLinks(this.#outputs, (question) => void this.#explanation.explain(question)),
      registerSymbolHover(host.server),
      registerProblemActions(),
    );
  }

  /** Explains what the argument holds, else what is selected, else the clipboard or what a terminal printed; with several of these the user picks. Answers with the report. */
  async command(argument: unknown): Promise<unknown> {
    const question = await questionFrom(argument, this.#outputs) ?? selected() ?? await this.#choose();
    return question === undefined ? undefined : this.#explanation.explain(question);
  }

  /** The menu of a terminal in which something is selected. */
  async terminalSelection(): Promise<unknown> {
    const question = await selectedInTerminal();
    return question === undefined ? this.command(vscode.window.activeTerminal) : this.#explanation.explain(question);
  }

  dispose(): void {
    this.#registrations.dispose();
    this.#outputs.dispose();
    this.#explanation.dispose();
  }

  async #choose(): Promise<Question | undefined> {
    const questions = await candidates(this.#outputs);
    const [only] = questions;
    if (only === undefined) {
      throw new Error(vscode.l10n.t("nothing is selected, the clipboard is empty, and no output of a terminal is known. Outputs are known of terminals with shell integration, of commands that were run while Abiding was active."));
    }
    if (questions.length === 1) {
      return only;
    }
    const picked = await vscode.window.showQuickPick(questions.map((question) => ({ label: sentence(question.source), detail: beginning(question.text), question })), {
      title: vscode.l10n.t("Explain Error"), placeHolder: vscode.l10n.t("Which text?"),
    });
    return picked?.question;
  }
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The last line says most: an exception ends with its message. */
function beginning(text: string): string {
  const line = stripVTControlCharacters(text.slice(-4000)).split("\n").map((one) => one.replace(/[\u0000-\u001F\u007F]/g, " ").trim()).findLast((one) => one !== "") ?? "";
  return line.slice(0, 200);
}
