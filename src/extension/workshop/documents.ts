import * as vscode from "vscode";

/** Texts that exist in the editor only: environments, results of benchmarks. Their scheme is Abiding's own. */
export const scheme = "abiding-workshop";

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? vscode.l10n.t("This text was not kept when the window was closed.");
  }

  /** Puts a text where it can be shown; one that is open there is renewed. `name` is what its tab says. */
  put(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme, path: `/${name}` });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    return uri;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
