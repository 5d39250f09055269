import * as vscode from "vscode";

/** A file of a workspace folder; the first one unless named. */
export function fileIn(relativePath: string, folderName?: string): vscode.Uri {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folderName === undefined ? folders[0] : folders.find((one) => one.name === folderName);
  if (folder === undefined) throw new Error(`There is no folder ${folderName ?? "open"}.`);
  return vscode.Uri.joinPath(folder.uri, relativePath);
}

export async function open(uri: vscode.Uri): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
}

/** What Abiding says about a file, as VS Code holds it. */
export function findings(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter((one) => one.source === "abiding");
}

/** The rule's name: the code of a diagnostic, whose link goes to the rule's page. */
export function ruleOf(diagnostic: vscode.Diagnostic): string {
  const { code } = diagnostic;
  return String(typeof code === "object" ? code.value : code);
}

/** Rules with their lines as editors count, sorted: `6 cxx-standard`. */
export function places(uri: vscode.Uri): string[] {
  return findings(uri).map((one) => `${one.range.start.line + 1} ${ruleOf(one)}`).sort((a, b) => parseInt(a) - parseInt(b) || (a < b ? -1 : 1));
}

/** Waits until `get` answers; asks again whenever diagnostics change, and now and then. */
export async function until<T>(what: string, get: () => T | undefined | false | PromiseLike<T | undefined | false>, limit = 15_000): Promise<T> {
  const end = Date.now() + limit;
  for (;;) {
    const value = await get();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`Waited ${limit / 1000} s in vain: ${what}.`);
    await changeOrPause();
  }
}

function changeOrPause(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    };
    const timer = setTimeout(done, 100);
    const subscription = vscode.languages.onDidChangeDiagnostics(done);
  });
}

/** The first finding of a rule in a file, as soon as there is one. */
export function finding(uri: vscode.Uri, rule: string): Promise<vscode.Diagnostic> {
  return until(`${rule} in ${uri.path}; there is ${JSON.stringify(places(uri))}`, () => findings(uri).find((one) => ruleOf(one) === rule));
}

/** Position of the first `text` in a document. */
export function positionOf(document: vscode.TextDocument, text: string): vscode.Position {
  const index = document.getText().indexOf(text);
  if (index < 0) throw new Error(`There is no "${text}" in ${document.uri.path}.`);
  return document.positionAt(index);
}

export async function replace(editor: vscode.TextEditor, text: string, by: string): Promise<void> {
  const start = positionOf(editor.document, text);
  const range = new vscode.Range(start, editor.document.positionAt(editor.document.offsetAt(start) + text.length));
  if (!(await editor.edit((edit) => edit.replace(range, by)))) throw new Error("The edit was refused.");
}
