import * as path from "node:path";
import * as vscode from "vscode";

/** Opens abiding.json at what is tried; one that says nothing of it gets the usual, unsaved, so that its user decides. */
export async function editMatrix(root: string, viewColumn: vscode.ViewColumn): Promise<void> {
  const { withMatrix } = await import("../../workshop/combinations/index.ts");
  const uri = vscode.Uri.file(path.join(root, "abiding.json"));
  const isThere = await vscode.workspace.fs.stat(uri).then(() => true, () => false);
  const document = await vscode.workspace.openTextDocument(isThere ? uri : uri.with({ scheme: "untitled" }));
  const text = document.getText();
  const { text: changed, offset } = withMatrix(text);
  const editor = await vscode.window.showTextDocument(document, { viewColumn });
  if (changed !== text) {
    await editor.edit((edit) => edit.replace(new vscode.Range(document.positionAt(0), document.positionAt(text.length)), changed));
  }
  const position = document.positionAt(offset);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenter);
}
