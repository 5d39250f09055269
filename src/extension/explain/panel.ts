/** The page of an explanation: there is one, beside what the user looks at, and the next question takes its place. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { ExplainHostMessage, ExplainPageMessage, ExplanationView } from "../../protocol/explain.ts";
import type { DemangledName, Requests } from "../../protocol/index.ts";
import { askWhatToCompareWith } from "../binary/choices.ts";
import type { BinaryEditor } from "../binary/index.ts";
import { setPage } from "../page.ts";
import type { Server } from "../server.ts";
import { pageMessage } from "./messages.ts";
import type { Question } from "./question.ts";

type Report = NonNullable<Requests["abiding/explain"]["result"]>;

export interface ExplanationHost {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly binaries: BinaryEditor;
}

export class Explanation implements vscode.Disposable {
  readonly #host: ExplanationHost;
  #page: vscode.WebviewPanel | undefined;
  #question: Question | undefined;
  /** Files of verdicts that are on this machine, by the index of the verdict. */
  #files: ReadonlyMap<number, vscode.Uri> = new Map();
  #report: Report | undefined;
  #shown: ExplainHostMessage | undefined;
  #asking: vscode.CancellationTokenSource | undefined;

  constructor(host: ExplanationHost) {
    this.#host = host;
  }

  /** Shows the page, and on it the answer as soon as there is one; with it for who wants to go on with it. */
  async explain(question: Question): Promise<Report | undefined> {
    this.#question = question;
    const page = this.#page ?? this.#open();
    page.reveal();
    return this.#ask(question);
  }

  dispose(): void {
    this.#page?.dispose();
  }

  #open(): vscode.WebviewPanel {
    const isEmpty = vscode.window.tabGroups.activeTabGroup.tabs.length === 0;
    const title = vscode.l10n.t("Explanation");
    const page = vscode.window.createWebviewPanel("abiding.explanation", title, isEmpty ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside, { enableFindWidget: true });
    this.#page = page;
    page.webview.onDidReceiveMessage((data: unknown) => {
      const message = pageMessage(data);
      if (message !== undefined) {
        void this.#answer(message);
      }
    });
    page.onDidDispose(() => {
      this.#asking?.cancel();
      this.#page = undefined;
      this.#shown = undefined;
    });
    setPage(page.webview, this.#host.context.extensionUri, "explain", title);
    return page;
  }

  async #ask(question: Question): Promise<Report | undefined> {
    this.#asking?.cancel();
    const asking = new vscode.CancellationTokenSource();
    this.#asking = asking;
    this.#show({ type: "busy", message: vscode.l10n.t("Reading {0}", question.source) });
    try {
      const { text, root, against, name } = question;
      const [report, demangled] = await Promise.all([
        this.#host.server.request("abiding/explain", { text, ...(root === undefined ? {} : { root }), ...(against === undefined ? {} : { against }) }, asking.token),
        name === undefined ? null : this.#host.server.request("abiding/demangle", { name }, asking.token),
      ]);
      if (report === null) {
        throw new Error(vscode.l10n.t("The text could not be read. The log of Abiding says why."));
      }
      if (this.#asking !== asking || this.#page === undefined) {
        return report;
      }
      this.#report = report;
      this.#files = await filesOf(report, question);
      this.#show({ type: "view", view: viewOf(report, question, [...this.#files.keys()], demangled) });
      return report;
    } catch (error) {
      if (this.#asking === asking) {
        this.#show({ type: "failed", message: asking.token.isCancellationRequested ? vscode.l10n.t("Cancelled.") : error instanceof Error ? error.message : String(error) });
      }
      return undefined;
    }
  }

  #show(message: ExplainHostMessage): void {
    this.#shown = message;
    void this.#page?.webview.postMessage(message);
  }

  async #answer(message: ExplainPageMessage): Promise<void> {
    const question = this.#question;
    switch (message.type) {
      case "ready":
        if (this.#shown !== undefined) {
          this.#show(this.#shown);
        }
        break;
      case "cancel":
        this.#asking?.cancel();
        break;
      case "retry":
        if (question !== undefined) {
          await this.#ask(question);
        }
        break;
      case "compare": {
        const comparison = question === undefined ? undefined : await askWhatToCompareWith(this.#host.server, vscode.Uri.parse(question.root ?? "file:///"));
        if (comparison !== undefined && question !== undefined) {
          const { against, ...rest } = { ...question, ...comparison };
          this.#question = against === undefined ? rest : { ...rest, against };
          await this.#ask(this.#question);
        }
        break;
      }
      case "copy":
        await vscode.env.clipboard.writeText(message.text);
        void this.#page?.webview.postMessage({ type: "copied" } satisfies ExplainHostMessage);
        break;
      case "openRule":
        await vscode.commands.executeCommand("abiding.openRuleDocumentation", message.text);
        break;
      case "showFile": {
        const file = this.#files.get(message.verdict);
        if (file !== undefined) {
          await this.#host.binaries.show(file, question?.against);
        }
        break;
      }
      case "showLines": {
        const lines = this.#report?.verdicts[message.verdict]?.lines;
        if (question?.place !== undefined && lines !== undefined) {
          const { uri, line } = question.place;
          const selection = new vscode.Range(line + lines.first - 1, 0, line + lines.last, 0);
          await vscode.window.showTextDocument(uri, { selection, viewColumn: columnOf(uri) });
        }
        break;
      }
      case "close":
        this.#page?.dispose();
        question?.goBack?.();
        break;
    }
  }
}

/** The group that has it open. */
function columnOf(uri: vscode.Uri): vscode.ViewColumn {
  const group = vscode.window.tabGroups.all.find(({ tabs }) => tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()));
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}

function viewOf(report: Report, question: Question, files: readonly number[], demangled: DemangledName | null): ExplanationView {
  const { line, name, source } = question;
  const at = line === undefined ? -1 : report.verdicts.findIndex(({ lines, consequences }) => (lines.first <= line && line <= lines.last) || consequences.some((one) => one.line === line));
  return {
    report, source, files,
    ...(question.place === undefined ? {} : { firstLine: question.place.line }),
    ...(at < 0 ? {} : { asked: at }),
    ...(at < 0 && name !== undefined && demangled !== null ? { name: { name, ...demangled } } : {}),
  };
}

/** Files that verdicts name and that can be opened; a relative name counts from where the text came up. */
async function filesOf({ verdicts }: Report, { root }: Question): Promise<ReadonlyMap<number, vscode.Uri>> {
  const found = new Map<number, vscode.Uri>();
  for (const [index, { file, fit }] of verdicts.entries()) {
    const name = fit?.file ?? file;
    if (name === undefined || !/\.(?:so|so\.\d[\w.]*|whl)$/.test(name)) {
      continue;
    }
    const uri = path.isAbsolute(name) ? vscode.Uri.file(name) : root === undefined ? undefined : vscode.Uri.joinPath(vscode.Uri.parse(root), name);
    const isThere = uri?.scheme === "file" && await vscode.workspace.fs.stat(uri).then(({ type }) => (type & vscode.FileType.File) !== 0, () => false);
    if (uri !== undefined && isThere) {
      found.set(index, uri);
    }
  }
  return found;
}
