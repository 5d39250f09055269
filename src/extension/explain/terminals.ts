/** Terminals: what their last commands printed, and links on what can be explained. */
import * as vscode from "vscode";
import { explainableIn } from "./links.ts";
import { Outputs } from "./outputs.ts";
import type { Question } from "./question.ts";
import { terminalRoot } from "./sources.ts";

/** Remembers outputs of terminals whose shell tells where a command begins and ends (VS Code's shell integration), while they are open. */
export class TerminalOutputs implements vscode.Disposable {
  readonly #outputs = new Map<vscode.Terminal, Outputs>();
  readonly #subscription: vscode.Disposable;
  /** The one that printed last. */
  #last: vscode.Terminal | undefined;

  constructor(log: vscode.LogOutputChannel) {
    this.#subscription = vscode.Disposable.from(
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (isOn()) {
          this.#read(terminal, execution).catch((error: unknown) => log.debug(`The output of a terminal could not be read: ${String(error)}`));
        }
      }),
      vscode.window.onDidCloseTerminal((terminal) => {
        this.#outputs.delete(terminal);
        this.#last = this.#last === terminal ? undefined : this.#last;
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(setting) && !isOn()) {
          this.#outputs.clear();
        }
      }),
    );
  }

  /** What the last command of a terminal printed; of the one that printed last where that one says nothing. */
  last(terminal: vscode.Terminal | undefined): Question | undefined {
    return [terminal, this.#last].map((one) => (one === undefined ? undefined : this.of(one))).find((one) => one !== undefined);
  }

  /** What the last command of this terminal printed. */
  of(terminal: vscode.Terminal): Question | undefined {
    const kept = this.#outputs.get(terminal)?.last;
    if (kept === undefined) {
      return undefined;
    }
    const { commandLine, folder, text } = kept;
    return { text, source: vscode.l10n.t("the output of {0}", commandLine.trim() === "" ? terminal.name : shortened(commandLine.trim())), ...(folder === undefined ? terminalRoot(terminal) : { root: folder }), goBack: () => terminal.show() };
  }

  /** The output that a line stands in, whole; the line alone where nobody knows what is around it. */
  around(line: string, words: string, terminal: vscode.Terminal): Question {
    const kept = this.#outputs.get(terminal)?.with(words);
    const name = /^(?:__imp_)?_+Z[\w$.]+$/.test(words) ? { name: words } : {};
    const common = { ...name, goBack: () => terminal.show() };
    return kept === undefined
      ? { text: line, source: vscode.l10n.t("a line in the terminal {0}, without what stands around it", terminal.name), ...terminalRoot(terminal), ...common }
      : { text: kept.text, line: kept.line, source: vscode.l10n.t("the output of {0}", shortened(kept.commandLine.trim())), ...(kept.folder === undefined ? terminalRoot(terminal) : { root: kept.folder }), ...common };
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#outputs.clear();
  }

  async #read(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    const outputs = this.#outputs.get(terminal) ?? new Outputs();
    this.#outputs.set(terminal, outputs);
    // Only what comes after this call can be read.
    const data = execution.read();
    const take = outputs.begin({ commandLine: execution.commandLine.value, ...(execution.cwd === undefined ? {} : { folder: execution.cwd.toString() }) });
    for await (const chunk of data) {
      take(chunk);
      this.#last = terminal;
    }
  }
}

const setting = "abiding.explain.terminals";

function isOn(): boolean {
  return vscode.workspace.getConfiguration().get<boolean>(setting, true);
}

function shortened(commandLine: string): string {
  return commandLine.length > 60 ? `${commandLine.slice(0, 59)}…` : commandLine;
}

interface Link extends vscode.TerminalLink {
  readonly line: string;
  readonly terminal: vscode.Terminal;
}

export function registerTerminalLinks(outputs: TerminalOutputs, explain: (question: Question) => void): vscode.Disposable {
  const provider: vscode.TerminalLinkProvider<Link> = {
    provideTerminalLinks: ({ line, terminal }) => (isOn() ? explainableIn(line).map(({ start, end }) => ({ startIndex: start, length: end - start, tooltip: vscode.l10n.t("Explain"), line, terminal })) : []),
    handleTerminalLink: ({ line, terminal, startIndex, length }) => explain(outputs.around(line, line.slice(startIndex, startIndex + length), terminal)),
  };
  return vscode.window.registerTerminalLinkProvider(provider);
}
