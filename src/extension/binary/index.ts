/** The read-only editor for shared libraries and wheels: a page that shows what the server answers about the file. */
import * as vscode from "vscode";
import type { Server } from "../server.ts";
import { BinaryPanel } from "./panel.ts";

export const viewType = "abiding.binary";

export class BinaryEditor implements vscode.CustomReadonlyEditorProvider {
  readonly #context: vscode.ExtensionContext;
  readonly #server: Server;
  readonly #panels = new Set<BinaryPanel>();
  /** What editors that are about to open shall compare with, by URI. */
  readonly #pending = new Map<string, string | undefined>();

  constructor(context: vscode.ExtensionContext, server: Server) {
    this.#context = context;
    this.#server = server;
  }

  static register(context: vscode.ExtensionContext, server: Server): { readonly editor: BinaryEditor; readonly registration: vscode.Disposable } {
    const editor = new BinaryEditor(context, server);
    return { editor, registration: vscode.window.registerCustomEditorProvider(viewType, editor, { supportsMultipleEditorsPerDocument: true }) };
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, webview: vscode.WebviewPanel): void {
    const key = uri.toString();
    const panel = new BinaryPanel(uri, webview, this.#server, this.#context.extensionUri, this.#pending.has(key) ? { against: this.#pending.get(key) } : undefined);
    this.#pending.delete(key);
    this.#panels.add(panel);
    webview.onDidDispose(() => {
      this.#panels.delete(panel);
      panel.dispose();
    });
  }

  /** Opens the editor of a file, compared with what is named; undefined: with the selected environment. */
  async show(uri: vscode.Uri, against: string | undefined, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
    const key = uri.toString();
    const panels = [...this.#panels].filter((one) => one.uri.toString() === key);
    const panel = panels.find((one) => one.isActive) ?? panels[0];
    if (panel !== undefined) {
      panel.reveal();
      panel.compare(against);
      return;
    }
    this.#pending.set(key, against);
    try {
      await vscode.commands.executeCommand("vscode.openWith", uri, viewType, options);
    } catch (error) {
      this.#pending.delete(key);
      throw error;
    }
  }

  /** The file of the editor that the user looks at. */
  get active(): vscode.Uri | undefined {
    return [...this.#panels].find((panel) => panel.isActive)?.uri;
  }
}
