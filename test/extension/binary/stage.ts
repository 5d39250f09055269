/** A stand-in for VS Code around the extension's pages: pages that note what they are told, and a server that answers when told to. */
import { registerHooks } from "node:module";
import type * as vscode from "vscode";
import type { BinaryHostMessage } from "../../../src/protocol/index.ts";

type Listener<T> = (value: T) => void;

class FakeEvent<T> {
  readonly #listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): { dispose(): void } => {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  };
  fire(value: T): void {
    [...this.#listeners].forEach((listener) => listener(value));
  }
}

class Uri {
  readonly path: string;
  private constructor(path: string) {
    this.path = path;
  }
  static file(path: string): Uri {
    return new Uri(path);
  }
  static joinPath(base: Uri, ...parts: readonly string[]): Uri {
    return new Uri([base.path, ...parts].join("/"));
  }
  toString(): string {
    return `file://${this.path}`;
  }
}

class CancellationTokenSource {
  readonly #cancelled = new FakeEvent<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#cancelled.fire();
  }
  dispose(): void {
    // Nobody listens any more.
  }
}

export interface Stage {
  /** What was run by name. */
  readonly commands: unknown[][];
  readonly errors: string[];
  /** What the user picks of the list that is offered; the number of times it was offered. */
  pick: unknown;
  offered: number;
  clipboard: string;
  onCommand: (...args: readonly unknown[]) => unknown;
}

export const stage: Stage = { commands: [], errors: [], pick: undefined, offered: 0, clipboard: "", onCommand: () => undefined };

const nothing = { dispose: (): void => undefined };

const fake = {
  Uri,
  CancellationTokenSource,
  RelativePattern: class {},
  TabInputCustom: class {},
  Disposable: { from: () => nothing },
  QuickPickItemKind: { Separator: -1 },
  l10n: { t: (text: string, ...values: readonly string[]) => text.replace(/\{(\d)\}/g, (_, index: string) => values[Number(index)] ?? "") },
  env: { clipboard: { writeText: (text: string) => {
    stage.clipboard = text;
    return Promise.resolve();
  } } },
  commands: { executeCommand: async (...args: unknown[]) => {
    stage.commands.push(args);
    return Promise.resolve(stage.onCommand(...args));
  } },
  window: {
    tabGroups: { activeTabGroup: {} },
    showQuickPick: async (items: Promise<unknown>) => {
      stage.offered += 1;
      await items;
      return stage.pick;
    },
    showErrorMessage: (message: string) => {
      stage.errors.push(message);
      return Promise.resolve(undefined);
    },
  },
  workspace: {
    workspaceFolders: undefined,
    getConfiguration: () => ({ get: () => undefined }),
    onDidGrantWorkspaceTrust: () => nothing,
    onDidChangeWorkspaceFolders: () => nothing,
    createFileSystemWatcher: () => ({ ...nothing, onDidChange: () => nothing, onDidCreate: () => nothing, onDidDelete: () => nothing }),
  },
};
Object.assign(globalThis, { abidingFakeVscode: fake });

registerHooks({
  resolve: (specifier, context, next) => (specifier === "vscode"
    ? { url: `data:text/javascript,export const { ${Object.keys(fake).join(", ")} } = globalThis.abidingFakeVscode;`, shortCircuit: true }
    : next(specifier, context)),
});

export function uri(path: string): vscode.Uri {
  return Uri.file(path) as never;
}

/** An editor's frame. Like VS Code's, it may not be touched once it is closed. */
export class FakeFrame {
  readonly told: BinaryHostMessage[] = [];
  readonly #received = new FakeEvent<unknown>();
  readonly #viewState = new FakeEvent<void>();
  readonly #disposed = new FakeEvent<void>();
  readonly onDidChangeViewState = this.#viewState.event;
  readonly onDidDispose = this.#disposed.event;
  readonly #page = {
    html: "",
    options: {},
    cspSource: "https://*.vscode-cdn.example",
    asWebviewUri: (file: Uri) => `https://page.example${file.path}`,
    onDidReceiveMessage: this.#received.event,
    postMessage: (message: BinaryHostMessage) => {
      this.told.push(message);
      return Promise.resolve(true);
    },
  };
  #isDisposed = false;
  #isVisible = true;
  title = "";
  active = false;
  revealed = 0;

  get webview(): unknown {
    return this.#touched(this.#page);
  }

  get visible(): boolean {
    return this.#touched(this.#isVisible);
  }

  /** VS Code says so. */
  set visible(isVisible: boolean) {
    this.#isVisible = isVisible;
    this.#viewState.fire();
  }

  get html(): string {
    return this.#page.html;
  }

  get last(): BinaryHostMessage | undefined {
    return this.told.at(-1);
  }

  reveal(): void {
    this.revealed = this.#touched(this.revealed + 1);
  }

  /** The page says something. */
  says(message: unknown): void {
    this.#received.fire(message);
  }

  close(): void {
    this.#isDisposed = true;
    this.#disposed.fire();
  }

  #touched<T>(value: T): T {
    if (this.#isDisposed) {
      throw new Error("Webview is disposed");
    }
    return value;
  }
}

interface Question {
  readonly params: { readonly uri: string; readonly question: string; readonly against?: string };
  readonly token: { readonly isCancellationRequested: boolean };
  readonly answer: (view: unknown) => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

/** Ends what was waited for, and what waits for that. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export class FakeServer {
  readonly questions: Question[] = [];
  readonly status = new FakeEvent<unknown>();
  readonly stateChanges = new FakeEvent<string>();
  readonly progress = new FakeEvent<{ readonly question: string; readonly message: string }>();
  readonly onDidChangeStatus = this.status.event;
  readonly onDidChangeState = this.stateChanges.event;
  readonly onDidAnswerInPart = this.progress.event;

  request(method: string, params: Question["params"], token: Question["token"]): Promise<unknown> {
    if (method !== "abiding/binary") {
      return Promise.resolve([]);
    }
    return new Promise((resolve, reject) => {
      const end = (how: () => void): Promise<void> => {
        how();
        return settled();
      };
      this.questions.push({ params, token, answer: (view) => end(() => resolve(view)), fail: (error) => end(() => reject(error)) });
    });
  }

  get last(): Question {
    const question = this.questions.at(-1);
    if (question === undefined) {
      throw new Error("Nothing was asked.");
    }
    return question;
  }
}
